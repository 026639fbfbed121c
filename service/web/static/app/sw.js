// Keeps the page on the phone, so that it opens without a network. What was tapped is not its business: that waits in
// the page's own outbox. (VERSION stands above, put there by the server.)
const FILES = `bragbook-files-${VERSION}`;
const PAGES = "bragbook-pages";
const PATIENCE_MS = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const list = await (await fetch("/offline.json", { cache: "no-store" })).json();
      const files = await caches.open(FILES);
      await files.addAll(list.files);
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) {
        if (name.startsWith("bragbook-files-") && name !== FILES) await caches.delete(name);
      }
      await self.clients.claim();
    })(),
  );
});

self.addEventListener("message", (event) => {
  const path = event.data?.keep;
  if (typeof path === "string" && path.startsWith("/")) event.waitUntil(keepPage(path));
});

async function keepPage(path) {
  const pages = await caches.open(PAGES);
  const answer = await fetch(path, { cache: "no-store" }).catch(() => null);
  if (answer?.ok) await pages.put(path, answer);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/static/")) event.respondWith(file(request, url));
  else if (request.mode === "navigate" && (url.pathname === "/" || url.pathname.startsWith("/s/"))) {
    event.respondWith(pageOf(request, url));
  }
});

async function file(request, url) {
  const kept = await caches.match(request);
  if (kept) return kept;
  try {
    return await fetch(request);
  } catch (fault) {
    // an older page, still open: the same file of the present version
    const name = url.pathname.split("/").slice(3).join("/");
    const files = await caches.open(FILES);
    for (const key of await files.keys()) if (key.url.endsWith(`/${name}`)) return files.match(key);
    throw fault;
  }
}

// Patience ends only where the page is kept: else a slow answer is better than none.
async function pageOf(request, url) {
  const pages = await caches.open(PAGES);
  const kept = await pages.match(url.pathname);
  const stop = new AbortController();
  const timer = kept && setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(request, { signal: stop.signal });
    if (answer.ok) await pages.put(url.pathname, answer.clone());
    return answer;
  } catch (fault) {
    if (kept) return kept;
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}
