//! Arguments that several subcommands share.

pub mod game;
pub mod given_flags;
pub mod limits;
pub mod listen_address;
pub mod setting_flags;
pub mod shown_rows;
pub mod time;
