//! The rules of a match, put to the referee as sentences and as properties. There is no runtime and no clock here.

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
