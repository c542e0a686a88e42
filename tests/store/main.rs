//! One test suite for all stores: in memory, SQLite, and a real PostgreSQL.

mod acknowledged_ends;
mod bots;
mod clock;
mod damage;
mod database_checks;
mod disk_full;
mod heads;
mod journal;
#[path = "../kept_events.rs"]
mod kept_events;
mod key_change;
mod lost_seats;
mod lost_wal;
mod match_lists;
mod older_sqlite;
mod played;
mod postgres_behind_a_pooler;
mod postgres_killed;
mod postgres_lost_commits;
mod reading;
mod records;
mod requests;
#[path = "../postgres/server.rs"]
mod server;
mod test_database;
mod tournaments;
mod transcripts;
mod unusable;
mod versions;
mod voided;

use server::PostgresServer;
use test_database::{TemporaryFolder, TestDatabase};

/// A named check of a store.
type Check = (&'static str, fn(&TestDatabase));

/// Checks for every store.
const EVERY_STORE: &[Check] = &[
    ("stored bots are read back", bots::stored_bots_are_read_back),
    ("bots are removed", bots::bots_are_removed),
    ("stored tournaments are read back", tournaments::stored_tournaments_are_read_back),
    ("versions are kept", versions::versions_are_kept),
    ("the history of versions is limited", versions::the_history_of_versions_is_limited),
    ("the latest time and jumps are kept", clock::the_latest_time_and_jumps_are_kept),
    ("a clock repair sets back unsigned times", clock::a_clock_repair_sets_back_unsigned_times),
    (
        "the latest version is the newest even after the clock went back",
        clock::the_latest_version_is_the_newest_even_after_the_clock_went_back,
    ),
    ("lost seats are listed", lost_seats::lost_seats_are_listed),
    ("entry codes are kept", tournaments::entry_codes_are_kept),
    ("changes of the field are kept", tournaments::changes_of_the_field_are_kept),
    ("acknowledged ends are kept", acknowledged_ends::acknowledged_ends_are_kept),
    ("records are read back unchanged", records::records_are_read_back_unchanged),
    ("repeated writes change nothing", records::repeated_writes_change_nothing),
    ("requests are kept", requests::requests_are_kept),
    ("requests of a removed bot are deleted", requests::requests_of_a_removed_bot_are_deleted),
    ("old requests are deleted", requests::old_requests_are_deleted),
    (
        "a busy caller displaces only its own requests",
        requests::a_busy_caller_displaces_only_its_own_requests,
    ),
    ("lists have pages and filters", records::lists_have_pages_and_filters),
    ("matches are listed by their results", match_lists::matches_are_listed_by_their_results),
    ("a checkpoint is kept until the end", tournaments::a_checkpoint_is_kept_until_the_end),
    ("results are read by number", records::results_are_read_by_number),
    ("records are pruned and their results stay", reading::records_are_pruned_and_their_results_stay),
    ("match heads are kept and do not reveal rows", heads::match_heads_are_kept_and_do_not_reveal_rows),
    ("transcripts are kept by question", transcripts::transcripts_are_kept_by_question),
    ("a voided match frees its number", voided::a_voided_match_frees_its_number),
    ("many matches are voided at once", voided::many_matches_are_voided_at_once),
    ("invalid changes are rejected", records::invalid_changes_are_rejected),
    (
        "a quarantined match is kept but does not count",
        damage::a_quarantined_match_is_kept_but_does_not_count,
    ),
];

/// Additional checks for every database.
const EVERY_DATABASE: &[Check] = &[
    ("the number of requests is limited", requests::the_number_of_requests_is_limited),
    ("a store has no damage after a clock repair", clock::a_store_has_no_damage_after_a_clock_repair),
    (
        "a batch is written completely or not at all",
        database_checks::a_batch_is_written_completely_or_not_at_all,
    ),
    ("everything is kept after reopening", database_checks::everything_is_kept_after_reopening),
    (
        "events of many alternating matches are kept",
        database_checks::events_of_many_alternating_matches_are_kept,
    ),
    ("a closed store is complete in its file", database_checks::a_closed_store_is_complete_in_its_file),
    ("a second server is refused", database_checks::a_second_server_is_refused),
    (
        "a server that lost the database stops writing",
        database_checks::a_server_that_lost_the_database_stops_writing,
    ),
    ("tables of another version are not changed", database_checks::tables_of_another_version_are_not_changed),
    (
        "writes succeed once another client releases its lock",
        database_checks::writes_succeed_once_another_client_releases_its_lock,
    ),
    (
        "errors that an operator can fix are transient",
        database_checks::errors_that_an_operator_can_fix_are_transient,
    ),
    ("a store can be read while its server runs", reading::a_store_can_be_read_while_its_server_runs),
    ("a changed row is found and its match is named", damage::a_changed_row_is_found_and_its_match_is_named),
    (
        "a damaged journal is found and its matches are named",
        damage::a_damaged_journal_is_found_and_its_matches_are_named,
    ),
    ("the journal stays small while a match is idle", journal::the_journal_stays_small_while_a_match_is_idle),
];

#[test]
fn memory_passes_the_checks_of_every_store() {
    for &(name, check) in EVERY_STORE {
        eprintln!("{name}");
        check(&TestDatabase::new("memory"));
    }
}

#[test]
fn sqlite_passes_the_checks_of_every_store() {
    for &(name, check) in EVERY_STORE.iter().chain(EVERY_DATABASE) {
        eprintln!("{name}");
        let folder = TemporaryFolder::new();
        check(&TestDatabase::new(&format!("sqlite:{}", folder.path().join("store.db").display())));
    }
}

#[test]
fn postgres_passes_the_checks_of_every_store() {
    let Some(server) = PostgresServer::start() else { return };
    for (number, &(name, check)) in EVERY_STORE.iter().chain(EVERY_DATABASE).enumerate() {
        eprintln!("{name}");
        check(&TestDatabase::new(&server.create_database(&format!("store{number}"))));
    }
}
