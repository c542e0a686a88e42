//! Tests of the live server without a network: concurrent events and failures.

mod breakdown;
mod checkpoints;
mod coming_back;
mod entry_codes;
pub(crate) mod fixture;
mod interventions;
mod joining;
mod ladder;
mod lost_matches;
mod missed_ends;
mod outage;
mod quarantined_tournaments;
mod removing;
mod requests;
mod sessions;
pub(crate) mod shaky_store;
mod stopping;
mod timed_start;
mod tournaments;
mod transcripts;
mod versions;
mod waiting;
mod wrong_clock;
