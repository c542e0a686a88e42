"""The program `lastnim`, run by this Python: `python -m lastnim` and the console script."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from ._lastnim import run_program

# A file lastnim.py in the folder of a bot must not stand in for the package: Python looks there first, unless it is told -P.
if sys.version_info >= (3, 11):
    OWN_COMMAND = [sys.executable, "-P", "-m", "lastnim"]
else:
    OWN_COMMAND = [sys.executable, "-c", "import sys; del sys.path[0]; from lastnim.__main__ import main; main()"]


def main() -> NoReturn:
    """Runs the program on the arguments of this process, and ends the process."""
    # The program has its own ways to end, also where Python's handler would wait for it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    is_script = not sys.argv[0].endswith(("__main__.py", "-c"))
    name = sys.argv[0] if is_script else f"{sys.executable} -m lastnim"
    sys.exit(run_program(OWN_COMMAND, name, [name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
