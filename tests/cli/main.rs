//! The command line, by running the real binary.

mod audit_parts;
mod benchmark;
mod bot_audit;
mod child;
mod dataset;
mod declarations;
mod demo_serve;
mod dishonest_server;
mod encodings;
mod general;
mod logs;
#[path = "../lossy_proxy/mod.rs"]
mod lossy_proxy;
mod lost_answers;
mod oracle;
mod packaging;
#[cfg(target_os = "linux")]
mod progress;
mod record_fixture;
mod records;
mod replay;
#[path = "../running_server/mod.rs"]
mod running_server;
mod standings;
mod standings_progress;
mod store;
mod tournament;
mod tournament_file;
mod tournament_run;
mod tree;
mod unix_socket;
mod usage;
mod verify;
