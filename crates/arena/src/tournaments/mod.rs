//! Unfinished tournaments with their directors, and access to finished tournaments.

pub(crate) mod activity;
pub(crate) mod changes;
pub(crate) mod closed_oracle;
pub(crate) mod cpu_times;
pub(crate) mod cross_table_queue;
pub(crate) mod cross_tables;
pub(crate) mod director;
pub(crate) mod ended_tournaments;
pub(crate) mod entries;
pub(crate) mod entry_codes;
pub(crate) mod interventions;
pub(crate) mod lists;
pub(crate) mod live_standings;
pub(crate) mod longest_match;
pub(crate) mod manifest;
pub(crate) mod match_pace;
pub(crate) mod rating;
pub(crate) mod timed_start;
pub(crate) mod tournament_handle;
pub(crate) mod tournament_table;
pub(crate) mod tournament_view;
