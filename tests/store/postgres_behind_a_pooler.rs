//! A PostgreSQL behind PgBouncer.

use crate::played::{bots, match_changes, match_id, play_match};
use crate::server::PostgresServer;
use crate::test_database::{TemporaryFolder, TestDatabase};
use lastnim_store::{StoreError, open_reader};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A pooler that runs until this is dropped.
struct Pooler {
    process: Child,
    port: u16,
    _folder: TemporaryFolder,
}

impl Pooler {
    /// Starts a pooler with further lines in its settings. Returns `None` if PgBouncer is not installed; if `CI` is set
    /// that is a failure.
    fn start(server: &PostgresServer, mode: &str, further: &str) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].map(Path::new);
        let Some(program) = program.into_iter().find(|program| program.is_file()) else {
            let missing = "PgBouncer is not installed (Debian: apt-get install pgbouncer)";
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            eprintln!("skipped: {missing}");
            return None;
        };
        let folder = TemporaryFolder::new();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             auth_type = any\nunix_socket_dir =\npool_mode = {mode}\n{further}\n",
            server.port()
        );
        // Anyone is let in as this user.
        let text =
            text.replace(&format!("port={}", server.port()), &format!("port={} user=lastnim", server.port()));
        fs::write(&settings, text).unwrap();
        let mut command = Command::new(program);
        if fs::metadata(folder.path()).unwrap().uid() == 0 {
            // It refuses to run as root.
            command.args(["-u", "nobody"]);
        }
        let process = command.arg(&settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pooler = Self { process, port, _folder: folder };
        let until = Instant::now() + Duration::from_mins(5);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "PgBouncer does not start");
            sleep(Duration::from_millis(20));
        }
        Some(pooler)
    }

    fn database(&self, database: &str) -> TestDatabase {
        TestDatabase::new(&format!("postgres://lastnim@127.0.0.1:{}/{database}", self.port))
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn refusal(database: &TestDatabase) -> String {
    for error in [database.try_open().err(), database.run(open_reader(&database.url)).err()] {
        match error {
            Some(StoreError::Unusable(why)) => assert!(why.contains("session mode"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
    match database.try_open() {
        Err(StoreError::Unusable(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pooler_in_session_mode_keeps_settings_and_lock() {
    let Some(server) = PostgresServer::start() else { return };
    let direct = TestDatabase::new(&server.create_database("pooled"));
    let Some(pooler) = Pooler::start(&server, "session", "") else { return };
    let database = pooler.database("pooled");
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let store = database.open();
    database.write(&store, &match_changes(&record));
    let kept = database.run(store.match_record(record.id())).unwrap().unwrap();
    assert_eq!(kept.record.events(), record.events());
    assert_eq!(database.run(store.check_intact()), Ok(()));
    for second in [&database, &direct] {
        assert!(matches!(second.try_open(), Err(StoreError::Taken(_))));
    }
    assert!(database.run(open_reader(&database.url)).is_ok());
    drop(store);
    drop(database.open());
}

#[test]
fn a_pooler_that_shares_sessions_between_clients_is_refused() {
    let Some(server) = PostgresServer::start() else { return };
    for (number, more) in [
        "",
        "server_round_robin = 1\nmin_pool_size = 5",
        "ignore_startup_parameters = options, extra_float_digits",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("shared{number}");
        let direct = TestDatabase::new(&server.create_database(&name));
        for mode in ["transaction", "statement"] {
            let Some(pooler) = Pooler::start(&server, mode, more) else { return };
            let why = refusal(&pooler.database(&name));
            assert!(why.contains("pooler"), "{why}");
        }
        // It has made nothing, and left no lock behind.
        let store = direct.open();
        let Some(pooler) = Pooler::start(&server, "transaction", more) else { return };
        refusal(&pooler.database(&name));
        assert_eq!(direct.run(store.check_intact()), Ok(()));
    }
}
