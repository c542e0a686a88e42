//! The command line, by running the real binary.

mod bot_audit;
mod cup;
mod cup_run;
mod declarations;
mod general;
mod oracle;
mod records;
mod tournament;
mod tree;
mod usage;
