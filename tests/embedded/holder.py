"""A process with an EmbeddedPostgres, as `bragbook serve` is one: started and killed by the tests beside it.

Prints one line of JSON when the server is ready, {"conninfo", "pid", "runs_server"}, or {"fault"} when it cannot be;
ends the server and itself at the end of its input.
"""

import json
import os
import sys
from pathlib import Path

from service.embedded import EmbeddedFault, EmbeddedPostgres
from service.settings import Settings


def main() -> None:
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else Settings.from_environment().data
    server = EmbeddedPostgres(data)
    try:
        conninfo = server.start()
    except EmbeddedFault as fault:
        print(json.dumps({"fault": str(fault)}), flush=True)
        return
    print(json.dumps({"conninfo": conninfo, "pid": os.getpid(), "runs_server": server.runs_server}), flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
