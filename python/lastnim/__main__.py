"""The program `lastnim`, run by this Python: `python -m lastnim` and the console script."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from ._lastnim import run_program

# With -P a file lastnim.py in the folder of a bot does not stand in for the package.
OWN_COMMAND = [sys.executable, *(["-P"] if sys.version_info >= (3, 11) else []), "-m", "lastnim"]


def main() -> NoReturn:
    """Runs the program on the arguments of this process, and ends the process."""
    # The program has its own ways to end, also where Python's handler would wait for it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    is_module = sys.argv[0].endswith("__main__.py")
    name = f"{sys.executable} -m lastnim" if is_module else sys.argv[0]
    sys.exit(run_program(OWN_COMMAND, name, [name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
