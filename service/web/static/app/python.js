// MicroPython with a bundle of Python files to import from; for a worker, away from the thread that draws.
import { loadMicroPython } from "../vendor/micropython/micropython.mjs";

const HOME = "/bragbook";

// bundle: the address of {files: {path: source}}. Gives the runtime, the module imported.
export async function startPython(bundle, module, heapBytes) {
  const [python, { files }] = await Promise.all([
    loadMicroPython({ heapsize: heapBytes }),
    fetch(bundle).then((answer) => {
      if (!answer.ok) throw new Error(`the engine's files: ${answer.status}`);
      return answer.json();
    }),
  ]);
  const made = new Set();
  const folder = (path) => {
    if (!path || made.has(path)) return;
    folder(path.slice(0, path.lastIndexOf("/")));
    python.FS.mkdir(path);
    made.add(path);
  };
  for (const [path, source] of Object.entries(files)) {
    const full = `${HOME}/${path}`;
    folder(full.slice(0, full.lastIndexOf("/")));
    python.FS.writeFile(full, source);
  }
  python.runPython(`import sys\nsys.path.insert(0, "${HOME}")\nimport ${module}`);
  return python;
}
