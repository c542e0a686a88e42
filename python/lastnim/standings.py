"""The standings of a tournament."""

from __future__ import annotations

from .messages import Standing

__all__ = ["Standings"]


class Standings(tuple[Standing, ...]):
    """The lines of the standings, the leader first; a notebook shows them as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from .drawing import standings_html

        return standings_html(self)
