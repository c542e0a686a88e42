//! One suite for every store: in memory, in a file of SQLite, and in a database of a real PostgreSQL.

mod bots;
mod damage;
mod database_checks;
mod disk_full;
mod heads;
mod heard_ends;
mod journal;
#[path = "../kept_events.rs"]
mod kept_events;
mod key_change;
mod lost_seats;
mod match_lists;
mod older_sqlite;
mod place;
mod played;
mod postgres_killed;
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

/// What a store does, and how that is checked.
type Check = (&'static str, fn(&Place));

/// What every store does.
const EVERY_STORE: &[Check] = &[
    ("bots come back", bots::bots_come_back),
    ("bots are removed", bots::bots_are_removed),
    ("tournaments come back", tournaments::tournaments_come_back),
    ("versions are kept", versions::versions_are_kept),
    ("a history of versions is bounded", versions::a_history_of_versions_is_bounded),
    ("lost seats are listed", lost_seats::lost_seats_are_listed),
    ("fields change", tournaments::fields_change),
    ("what bots have heard is kept", heard_ends::what_bots_have_heard_is_kept),
    ("records come back as they were", records::records_come_back_as_they_were),
    ("to write again changes nothing", records::to_write_again_changes_nothing),
    ("lists have pages and filters", records::lists_have_pages_and_filters),
    ("matches are listed by what they came to", match_lists::matches_are_listed_by_what_they_came_to),
    ("a checkpoint is kept until the end", tournaments::a_checkpoint_is_kept_until_the_end),
    ("results come by number", records::results_come_by_number),
    (
        "records are pruned and what they came to stays",
        reading::records_are_pruned_and_what_they_came_to_stays,
    ),
    ("heads of matches stay and say nothing of rows", heads::heads_of_matches_stay_and_say_nothing_of_rows),
    ("transcripts are kept by question", transcripts::transcripts_are_kept_by_question),
    ("a voided match gives its number away", voided::a_voided_match_gives_its_number_away),
    ("many matches are voided at once", voided::many_matches_are_voided_at_once),
    ("what does not fit is refused", records::what_does_not_fit_is_refused),
    (
        "a quarantined match counts for nobody and stays",
        damage::a_quarantined_match_counts_for_nobody_and_stays,
    ),
];

/// What every database does besides.
const EVERY_DATABASE: &[Check] = &[
    ("a batch is written whole or not at all", database_checks::a_batch_is_written_whole_or_not_at_all),
    ("everything is there after reopening", database_checks::everything_is_there_after_reopening),
    ("many matches take turns", database_checks::many_matches_take_turns),
    (
        "a store that was closed is whole in its file",
        database_checks::a_store_that_was_closed_is_whole_in_its_file,
    ),
    ("a second server is refused", database_checks::a_second_server_is_refused),
    ("a server that lost the database writes no more", database_checks::a_server_that_lost_it_writes_no_more),
    ("tables of another version are left alone", database_checks::tables_of_another_version_are_left_alone),
    ("a lock of another is waited out", database_checks::a_lock_of_another_is_waited_out),
    (
        "what an operator can set right is no fault of a change",
        database_checks::what_an_operator_can_set_right_is_no_fault_of_a_change,
    ),
    ("a store is read beside its server", reading::a_store_is_read_beside_its_server),
    ("a changed row is found and named", damage::a_changed_row_is_found_and_named),
    (
        "a damaged journal is found and its matches named",
        damage::a_damaged_journal_is_found_and_its_matches_named,
    ),
    ("a long match stands still beside others", journal::a_long_match_stands_still_beside_others),
];

#[test]
fn memory_is_a_store() {
    for &(name, check) in EVERY_STORE {
        eprintln!("{name}");
        check(&Place::new("memory"));
    }
}

#[test]
fn sqlite_is_a_store() {
    for &(name, check) in EVERY_STORE.iter().chain(EVERY_DATABASE) {
        eprintln!("{name}");
        let folder = TemporaryFolder::new();
        check(&Place::new(&format!("sqlite:{}", folder.path().join("store.db").display())));
    }
}

#[test]
fn postgres_is_a_store() {
    let Some(server) = PostgresServer::start() else { return };
    for (number, &(name, check)) in EVERY_STORE.iter().chain(EVERY_DATABASE).enumerate() {
        eprintln!("{name}");
        check(&Place::new(&server.create_database(&format!("store{number}"))));
    }
}
