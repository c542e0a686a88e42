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
mod place;
mod played;
mod postgres_behind_a_pooler;
mod postgres_killed;
mod postgres_lost_commits;
mod reading;
mod records;
#[path = "../postgres/server.rs"]
mod server;
mod tournaments;
mod transcripts;
mod unusable;
mod versions;
mod voided;

use place::{Place, TemporaryFolder};
use server::PostgresServer;

/// A named check of a store.
type Check = (&'static str, fn(&Place));

/// Checks for every store.
const EVERY_STORE: &[Check] = &[
    ("bots come back", bots::bots_come_back),
    ("bots are removed", bots::bots_are_removed),
    ("tournaments come back", tournaments::tournaments_come_back),
    ("versions are kept", versions::versions_are_kept),
    ("a history of versions is bounded", versions::a_history_of_versions_is_bounded),
    ("the latest time and jumps are kept", clock::the_latest_time_and_jumps_are_kept),
    ("times that nothing signs are set back", clock::times_that_nothing_signs_are_set_back),
    (
        "a version is the newest though the clock went back",
        clock::a_version_is_the_newest_though_the_clock_went_back,
    ),
    ("lost seats are listed", lost_seats::lost_seats_are_listed),
    ("fields change", tournaments::fields_change),
    ("acknowledged ends are kept", acknowledged_ends::acknowledged_ends_are_kept),
    ("records come back as they were", records::records_come_back_as_they_were),
    ("writing again changes nothing", records::writing_again_changes_nothing),
    ("lists have pages and filters", records::lists_have_pages_and_filters),
    ("matches are listed by their results", match_lists::matches_are_listed_by_their_results),
    ("a checkpoint is kept until the end", tournaments::a_checkpoint_is_kept_until_the_end),
    ("results come by number", records::results_come_by_number),
    ("records are pruned and their results stay", reading::records_are_pruned_and_their_results_stay),
    (
        "heads of matches stay and reveal nothing of rows",
        heads::heads_of_matches_stay_and_reveal_nothing_of_rows,
    ),
    ("transcripts are kept by question", transcripts::transcripts_are_kept_by_question),
    ("a voided match frees its number", voided::a_voided_match_frees_its_number),
    ("many matches are voided at once", voided::many_matches_are_voided_at_once),
    ("invalid changes are rejected", records::invalid_changes_are_rejected),
    ("a quarantined match does not count and stays", damage::a_quarantined_match_does_not_count_and_stays),
];

/// Additional checks for every database.
const EVERY_DATABASE: &[Check] = &[
    ("a store whose clock was repaired is whole", clock::a_store_whose_clock_was_repaired_is_whole),
    ("a batch is written whole or not at all", database_checks::a_batch_is_written_whole_or_not_at_all),
    ("everything is there after reopening", database_checks::everything_is_there_after_reopening),
    ("many matches take turns", database_checks::many_matches_take_turns),
    ("a closed store is complete in its file", database_checks::a_closed_store_is_complete_in_its_file),
    ("a second server is refused", database_checks::a_second_server_is_refused),
    (
        "a server that lost the database stops writing",
        database_checks::a_server_that_lost_the_database_stops_writing,
    ),
    ("tables of another version are left alone", database_checks::tables_of_another_version_are_left_alone),
    ("a lock of another client is waited out", database_checks::a_lock_of_another_client_is_waited_out),
    (
        "errors that an operator can fix are transient",
        database_checks::errors_that_an_operator_can_fix_are_transient,
    ),
    ("a store is read beside its server", reading::a_store_is_read_beside_its_server),
    ("a changed row is found and named", damage::a_changed_row_is_found_and_named),
    (
        "a damaged journal is found and its matches named",
        damage::a_damaged_journal_is_found_and_its_matches_named,
    ),
    ("a long match is idle beside others", journal::a_long_match_is_idle_beside_others),
];

#[test]
fn memory_passes_the_checks_of_every_store() {
    for &(name, check) in EVERY_STORE {
        eprintln!("{name}");
        check(&Place::new("memory"));
    }
}

#[test]
fn sqlite_passes_the_checks_of_every_store() {
    for &(name, check) in EVERY_STORE.iter().chain(EVERY_DATABASE) {
        eprintln!("{name}");
        let folder = TemporaryFolder::new();
        check(&Place::new(&format!("sqlite:{}", folder.path().join("store.db").display())));
    }
}

#[test]
fn postgres_passes_the_checks_of_every_store() {
    let Some(server) = PostgresServer::start() else { return };
    for (number, &(name, check)) in EVERY_STORE.iter().chain(EVERY_DATABASE).enumerate() {
        eprintln!("{name}");
        check(&Place::new(&server.create_database(&format!("store{number}"))));
    }
}
