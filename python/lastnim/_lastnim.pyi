"""The part of the package that is written in Rust."""

from collections.abc import Sequence
from typing import Any

__version__: str

class OracleStopped(RuntimeError):
    """A question took more work or memory than it may: the message says which bound it met."""

def answer_question(method: str, question: str, max_steps: int) -> str:
    """Answers the question of a method of the oracle's service, within so many steps; both are JSON."""

def message_descriptors() -> bytes:
    """Returns the descriptors of all messages: a serialized `google.protobuf.FileDescriptorSet`."""

def solve_positions(piles: Any, matrix: Sequence[Sequence[int]], ending: str, first: Any) -> Any:
    """Returns the winner of each row of an array of 64-bit unsigned integers."""

def run_program(own: Sequence[str], name: str, words: Sequence[str]) -> int:
    """Runs the program on the words of a command line, and returns its exit code."""
