//! Checks databases with an older SQLite.

use crate::played::{bots, match_changes, match_id, open_match_of, play_match};
use crate::test_database::{TemporaryFolder, TestDatabase};
use crate::tournaments::tournament;
use lastnim_store::Change;
use std::process::Command;

/// The first SQLite whose `json_valid(NULL)` is null; before, it is 0.
const FIRST_WITH_NULL: (u32, u32) = (3, 41);

/// Returns the version of Python's SQLite, and the result of its integrity check; `None` without Python.
fn integrity_by_python(file: &str) -> Option<(String, String)> {
    let program = "import sqlite3, sys
print(sqlite3.sqlite_version)
print(*[row[0] for row in sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check')])";
    let printed = Command::new("python3").args(["-c", program, file]).output().ok()?;
    assert!(printed.status.success(), "{printed:?}");
    let printed = String::from_utf8(printed.stdout).unwrap();
    let (version, found) = printed.split_once('\n').unwrap();
    Some((version.to_owned(), found.trim().to_owned()))
}

#[test]
fn a_database_passes_the_check_of_an_older_sqlite() {
    let folder = TemporaryFolder::new();
    let file = folder.path().join("store.db").display().to_string();
    let database = TestDatabase::new(&format!("sqlite:{file}"));
    let store = database.open();
    // Without a verdict, and with versions that were not reported.
    database.write(&store, &[Change::TournamentCreated(tournament(1))]);
    database.write(&store, &match_changes(&play_match(match_id(1), bots(0..3), None, 4, u32::MAX)));
    database.write(&store, &match_changes(&open_match_of(match_id(2), None)));
    database.run(store.close());
    drop(store);

    // The check of every nullable column allows null explicitly.
    let mut client = database.client();
    let columns = "SELECT count(*) FROM sqlite_master, pragma_table_info(sqlite_master.name) AS held
        WHERE sqlite_master.type = 'table' AND held.\"notnull\" = 0 AND held.pk = 0
            AND sql LIKE '%CHECK (json_valid(' || held.name || '))%'";
    assert_eq!(database.number(&mut client, columns), 0);
    drop(client);
    match integrity_by_python(&file) {
        None => eprintln!("skipped: the check with an older SQLite, since python3 is missing"),
        Some((version, found)) => {
            assert_eq!(found, "ok", "SQLite {version}");
            let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap());
            if (numbers.next().unwrap(), numbers.next().unwrap()) >= FIRST_WITH_NULL {
                eprintln!("skipped: the check with an older SQLite, since python3 has {version}");
            }
        }
    }
}
