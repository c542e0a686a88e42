"""Runs the `lastnim` program in this Python: `python -m lastnim` and the console script."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from ._lastnim import run_program
from ._own_command import OWN_COMMAND


def main() -> NoReturn:
    """Runs the program with this process's arguments and exits."""
    # The program handles signals itself; Python's handler could block.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    is_script = not sys.argv[0].endswith(("__main__.py", "-c"))
    name = sys.argv[0] if is_script else f"{sys.executable} -m lastnim"
    sys.exit(run_program(OWN_COMMAND, name, [name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
