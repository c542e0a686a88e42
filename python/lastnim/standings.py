"""The standings of a tournament."""

from __future__ import annotations

from .messages import Standing

__all__ = ["Standings"]


class Standings(tuple[Standing, ...]):
    """The standings, leader first; notebooks show them as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from .drawing import standings_html

        return standings_html(self)
