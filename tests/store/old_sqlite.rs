//! Databases of older versions of lastnim, and what an older SQLite says of new ones.

use crate::place::{Place, TemporaryFolder};
use crate::played::{bots, match_id, open_match_of, play, written};
use lastnim_store::Change;
use std::process::Command;

/// The tables as versions 1 to 3 made them.
const FORMER_MIGRATIONS: [&str; 3] = [
    include_str!("../../crates/store/src/sql/sqlite/migrations/0001_first_tables.sql"),
    include_str!("../../crates/store/src/sql/sqlite/migrations/0002_ratings_and_verdicts.sql"),
    include_str!("../../crates/store/src/sql/sqlite/migrations/0003_field_changes.sql"),
];
/// The first SQLite whose `json_valid(NULL)` is null: the ones before take a null for a text that is no JSON.
const FIRST_WITH_NULL: (u32, u32) = (3, 41);

/// Asks the SQLite of Python for its version and for what it finds wrong with a database. None where there is no Python.
fn integrity_by_python(file: &str) -> Option<(String, String)> {
    let program = "import sqlite3, sys
print(sqlite3.sqlite_version)
print(*[row[0] for row in sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check')])";
    let said = Command::new("python3").args(["-c", program, file]).output().ok()?;
    assert!(said.status.success(), "{said:?}");
    let said = String::from_utf8(said.stdout).unwrap();
    let (version, found) = said.split_once('\n').unwrap();
    Some((version.to_owned(), found.trim().to_owned()))
}

#[test]
fn a_former_database_is_mended_for_older_sqlite() {
    let folder = TemporaryFolder::new();
    let file = folder.path().join("store.db").display().to_string();
    let place = Place::new(&format!("sqlite:{file}"));
    std::fs::write(&file, "").unwrap();
    let mut client = place.client();
    for migration in FORMER_MIGRATIONS {
        place.execute(&mut client, migration);
    }
    place.execute(
        &mut client,
        "INSERT INTO server (id, schema_version, epoch) VALUES (1, 3, 7);
        INSERT INTO tournaments (id, created_at_us, title, seed, state, settings, over_at_us, played, total, verdict) VALUES
            ('a', 1, 'with a verdict', '1', 'finished', '{}', 2, 1, 1, '{\"knockout\":{}}'),
            ('b', 1, 'without one', '1', 'finished', '{}', 2, 1, 1, NULL)",
    );
    let store = place.open();
    place.write(&store, &written(&play(match_id(1), bots(0..3), None, 4, u32::MAX)));
    place.write(&store, &written(&open_match_of(match_id(2), None)));
    place.run(store.close());
    drop(store);

    let kept = "SELECT count(*) FROM tournaments WHERE iif(id = 'a', verdict = '{\"knockout\":{}}', verdict IS NULL)";
    assert_eq!(place.number(&mut client, kept), 2);
    // Where a column may be null, its check says so itself.
    let columns = "SELECT count(*) FROM sqlite_master, pragma_table_info(sqlite_master.name) AS held
        WHERE sqlite_master.type = 'table' AND held.\"notnull\" = 0 AND held.pk = 0
            AND sql LIKE '%CHECK (json_valid(' || held.name || '))%'";
    assert_eq!(place.number(&mut client, columns), 0);
    drop(client);
    match integrity_by_python(&file) {
        None => eprintln!("not asked: an older SQLite, for there is no python3"),
        Some((version, found)) => {
            assert_eq!(found, "ok", "SQLite {version}");
            let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap());
            if (numbers.next().unwrap(), numbers.next().unwrap()) >= FIRST_WITH_NULL {
                eprintln!("not asked: an older SQLite, for python3 has {version}");
            }
        }
    }
}

#[test]
fn events_in_rows_of_their_own_are_read_although_a_list_of_them_cannot_be() {
    let folder = TemporaryFolder::new();
    let written = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/v0.1.0/sqlite/store.db");
    let open_copy = |name: &str, damage: &str| {
        let file = folder.path().join(name);
        std::fs::copy(&written, &file).unwrap();
        let place = Place::new(&format!("sqlite:{}", file.display()));
        place.execute(&mut place.client(), &format!("PRAGMA ignore_check_constraints = 1; {damage}"));
        let store = place.open();
        let ids = place.run(store.unfinished_matches()).unwrap();
        let records: Vec<_> =
            ids.iter().map(|id| place.run(store.match_record(*id)).unwrap().unwrap().record).collect();
        // They go on in parts.
        let more = records.iter().map(|record| Change::MatchEvents {
            id: record.id(),
            first: record.events().len(),
            events: vec![record.events().last().unwrap().clone()],
        });
        place.write(&store, &more.collect::<Vec<_>>());
        records
    };
    let records = open_copy("intact.db", "SELECT 1");
    assert!(records.len() > 1 && records.iter().any(|record| record.state().ply() > 0), "{records:?}");
    let damage = "UPDATE matches SET event_ids = '[1, 2, wrong' WHERE id IN
        (SELECT id FROM matches WHERE over_at_us IS NULL ORDER BY id LIMIT 1)";
    assert_eq!(open_copy("damaged.db", damage), records);
}
