//! The oracle: exact solutions of a game, and the audit of a game that was played. Pure.
