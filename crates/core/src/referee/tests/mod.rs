//! Tests that the referee enforces the rules of a match. They use no runtime and no clock.

mod absence;
mod chain;
mod chaos;
mod dealt;
mod declaration;
mod ending;
mod forfeit;
mod frozen_format;
mod note_hash;
mod pacts;
mod replay;
mod resumption;
mod snapshot;
mod table;
mod talk;
mod thinking_time;
mod turns;
