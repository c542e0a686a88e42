//! Cups played from one file with the real binary: whole runs, stops, crashes, programs that die.

#[path = "cli_cup_run/folder.rs"]
mod folder;
#[path = "cli_cup_run/refusals.rs"]
mod refusals;
#[path = "cli_cup_run/resuming.rs"]
mod resuming;
#[path = "cli_cup_run/running.rs"]
mod running;
#[path = "cli_cup_run/servers.rs"]
mod servers;
#[path = "cli_cup_run/whole.rs"]
mod whole;
