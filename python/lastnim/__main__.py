"""Runs the `lastnim` program in this Python: `python -m lastnim` and the console script."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from ._lastnim import run_program

# Keeps a file lastnim.py in a bot's folder from shadowing the package: without -P Python looks there first.
if sys.version_info >= (3, 11):
    OWN_COMMAND = [sys.executable, "-P", "-m", "lastnim"]
else:
    OWN_COMMAND = [sys.executable, "-c", "import sys; del sys.path[0]; from lastnim.__main__ import main; main()"]


def main() -> NoReturn:
    """Runs the program with this process's arguments and exits."""
    # The program handles signals itself; Python's handler could block.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    is_script = not sys.argv[0].endswith(("__main__.py", "-c"))
    name = sys.argv[0] if is_script else f"{sys.executable} -m lastnim"
    sys.exit(run_program(OWN_COMMAND, name, [name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
