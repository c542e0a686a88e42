//! Crash tests: real servers are killed, stopped and starved of disk space, on real databases, and must lose nothing.
//!
//! Times are drawn from a seed that each test prints; `LASTNIM_CRASH_SEED` replays it. `.ci/failover` repeats the test of
//! two servers and two databases with more kills.

mod announcing;
mod cancelling;
mod course;
mod database;
mod database_pair;
mod failover;
mod full_disk;
mod history;
mod interventions;
#[path = "../kept_events.rs"]
mod kept_events;
mod kills;
mod ledger;
mod locked;
#[path = "../lossy_proxy/mod.rs"]
mod lossy_proxy;
mod lost_postgres;
mod missed_ends;
mod missing_files;
mod newcomers;
mod organiser;
mod outage;
mod paused;
#[path = "../postgres/server.rs"]
mod postgres_server;
mod quarantine;
mod requests;
mod second_server;
mod server;
mod sign_ins;
mod stage;
mod standby;
#[path = "../cli/standings_progress.rs"]
mod standings_progress;
mod stopping;
mod talk;
mod verdict;
mod whole_matches;
mod witness;
