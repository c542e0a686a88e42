//! Arguments that several subcommands share.

pub mod game;
pub mod given_flags;
pub mod limits;
pub mod listen_address;
pub mod row_output;
pub mod setting_flags;
pub mod time;
