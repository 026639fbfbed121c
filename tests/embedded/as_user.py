"""Runs a command as another user, who gets to see the Python and the checkout that this runs from, wherever they are.

    python as_user.py USER FOLDER COMMAND…      FOLDER becomes the HOME and the working folder

What is closed to that user is shown to this command alone, in a mount namespace of its own; nobody's folder is opened.
"""

import os
import pwd
import sys
from collections import defaultdict
from pathlib import Path

from service.embedded.child import show_folders

ROOT = Path(__file__).resolve().parent.parent.parent


def closed_to_others(path: Path) -> Path | None:
    return next((each for each in (*reversed(path.parents), path) if not each.stat().st_mode & 0o001), None)


def main() -> None:
    account = pwd.getpwnam(sys.argv[1])
    home, command = sys.argv[2], sys.argv[3:]
    shown = defaultdict(list)
    for path in {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), ROOT}:
        closed = closed_to_others(path)
        if closed:
            shown[closed].append(str(path))
    for closed, paths in shown.items():
        show_folders(str(closed), paths)
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.chdir(home)
    environment = {"PATH": os.defpath, "HOME": home, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    os.execve(command[0], command, environment)


if __name__ == "__main__":
    main()
