//! Stores in SQL databases: SQLite and PostgreSQL.
//!
//! The tables have the same names and columns in both databases, and share their statements. A
//! [`Dialect`](dialect::Dialect) describes the differences. The folder of each database has the code that only this
//! database needs, and the code that is written differently to be fast there, such as that for the events of matches.

mod acknowledged_ends;
mod backend;
mod batch;
mod clock;
mod columns;
mod db_error;
mod decode_cache;
mod dialect;
mod epoch;
mod event_bytes;
mod field_cache;
mod journal;
mod journal_loading;
mod keywords;
mod match_page;
mod matches;
mod multi_row;
mod postgres;
mod prune;
mod read_only;
mod replay;
mod requests;
mod row;
mod rows;
mod schema;
mod sql_store;
mod sqlite;
mod stored_events;
mod tournaments;
mod transcripts;
mod versions;

pub(super) use postgres::{open_postgres, open_postgres_for_reading, wait_for_postgres};
pub(super) use sqlite::{copy_database, open_sqlite, open_sqlite_for_reading};
