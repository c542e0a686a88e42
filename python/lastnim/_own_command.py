"""The command that starts the `lastnim` program in this Python."""

from __future__ import annotations

import sys

# Keeps a file lastnim.py in a bot's folder from shadowing the package: without -P Python looks there first.
if sys.version_info >= (3, 11):
    OWN_COMMAND = [sys.executable, "-P", "-m", "lastnim"]
else:
    OWN_COMMAND = [sys.executable, "-c", "import sys; del sys.path[0]; from lastnim.__main__ import main; main()"]
