//! The command line, by running the real binary.

mod bot_audit;
mod child;
mod declarations;
mod general;
mod logs;
mod oracle;
mod packaging;
mod records;
mod store;
mod tournament;
mod tournament_file;
mod tournament_run;
mod tree;
mod usage;
