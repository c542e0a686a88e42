//! Stores that cannot be opened.

use crate::server::PostgresServer;
use crate::test_database::{TemporaryFolder, TestDatabase};
use lastnim_store::StoreError;
use std::fs;

fn open_error(url: &str) -> String {
    match TestDatabase::new(url).try_open() {
        Err(StoreError::Unusable(why)) => why,
        other => panic!("{url}: {other:?}"),
    }
}

#[test]
fn a_file_that_is_not_a_store_stays_unchanged() {
    let folder = TemporaryFolder::new();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "dear diary, this is not a database at all. ".repeat(100)).unwrap();
    let refused = open_error(&format!("sqlite:{}", text.display()));
    assert!(refused.contains("notes.txt is not a SQLite database"), "{refused}");
    assert!(fs::read_to_string(&text).unwrap().starts_with("dear diary"));

    let others = format!("sqlite:{}", folder.path().join("others.db").display());
    let database = TestDatabase::new(&others);
    fs::write(folder.path().join("others.db"), "").unwrap();
    let mut client = database.client();
    database.execute(&mut client, "CREATE TABLE songs (title TEXT)");
    let before = fs::read(folder.path().join("others.db")).unwrap();
    assert!(open_error(&others).contains("another program"));
    assert_eq!(fs::read(folder.path().join("others.db")).unwrap(), before);
    database.execute(&mut client, "CREATE TABLE server (name TEXT)");
    assert!(open_error(&others).contains("another program"));
}

#[test]
fn an_unusable_path_is_named() {
    let folder = TemporaryFolder::new();
    let missing = open_error(&format!("sqlite:{}/no/such/store.db", folder.path().display()));
    assert!(missing.contains("does not exist") && missing.contains("/no/such"), "{missing}");
    assert!(open_error(&format!("sqlite:{}", folder.path().display())).contains("is a folder"));
    let unwritable = open_error("sqlite:/proc/store.db");
    assert!(unwritable.contains("/proc/store.db"), "{unwritable}");
}

#[test]
fn a_database_that_does_not_exist_is_named_without_a_password() {
    let Some(server) = PostgresServer::start() else { return };
    let url = server.create_database("there").replace("lastnim@", "lastnim:secret@");
    let refused = open_error(&url.replace("/there", "/missing"));
    assert!(refused.contains("missing") && !refused.contains("secret"), "{refused}");
    let database = TestDatabase::new(&url);
    database.execute(&mut database.client(), "CREATE TABLE bots (song text)");
    assert!(open_error(&url).contains("tables cannot be created"));
    database.execute(&mut database.client(), "CREATE TABLE server (song text)");
    assert!(open_error(&url).contains("another program"));
}
