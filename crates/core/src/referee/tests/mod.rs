//! Tests of the rules of a match against the referee. They use no runtime and no clock.

mod chain;
mod chaos;
mod declaration;
mod ending;
mod forfeit;
mod frozen_format;
mod note_hash;
mod replay;
mod resumption;
mod snapshot;
mod table;
mod thinking_time;
mod turns;
