//! The databases of the servers, as other clients see them.

use super::kept_events::{TAKE, events_of_part, events_of_run, first_take};
use super::postgres_server::PostgresServer;
use super::server::{Folder, TIMEOUT};
use lastnim_core::game::MatchId;
use lastnim_core::referee::Event;
use lastnim_store::{StoreReader, open_reader};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The database of a server.
pub enum Database {
    /// The path of the file.
    Sqlite(PathBuf),
    /// The PostgreSQL server, and the URL of the database.
    Postgres(PostgresServer, String),
}

/// A read-only client.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    store: Arc<dyn StoreReader>,
}

#[derive(Debug)]
enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Database {
    pub fn sqlite(folder: &Folder) -> Self {
        Self::Sqlite(folder.path().join("lastnim.db"))
    }

    /// Starts a PostgreSQL server for the test; `None` if it is not installed and the environment does not require
    /// it.
    pub fn postgres() -> Option<Self> {
        let server = PostgresServer::start()?;
        let url = server.create_database("crash");
        Some(Self::Postgres(server, url))
    }

    pub fn url(&self) -> String {
        match self {
            Self::Postgres(_, url) => url.clone(),
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
        }
    }

    /// Changes the database behind the server's back; returns the number of changed rows.
    pub async fn damage(&self, statements: &str) -> u64 {
        match self {
            Self::Postgres(_, url) => {
                let mut connection = PgConnection::connect(url).await.unwrap();
                sqlx::raw_sql(AssertSqlSafe(statements))
                    .execute(&mut connection)
                    .await
                    .unwrap()
                    .rows_affected()
            }
            Self::Sqlite(file) => {
                let mut connection = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
                let done = sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
                done.rows_affected()
            }
        }
    }

    /// Flips one bit of the first take of a match, no matter where it is stored; a second call restores it.
    pub async fn flip_first_take(&self, id: &str) {
        let mut reader = self.reader().await;
        let number: MatchId = id.parse().unwrap();
        let rows = [
            (
                "record_parts",
                format!(
                    "SELECT seq, events FROM record_parts WHERE CAST(match_id AS text) = '{id}' ORDER BY seq"
                ),
            ),
            ("journal", "SELECT id, events FROM journal ORDER BY id".to_owned()),
        ];
        for (table, query) in rows {
            for (row, mut bytes) in reader.numbered_bytes(&query).await {
                let events = match table {
                    "journal" => events_of_run(&bytes, number.as_bytes()),
                    _ => events_of_part(&bytes),
                };
                let Some(take) = first_take(&bytes, events) else { continue };
                bytes[take.start + TAKE] ^= 1;
                let digits = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
                let literal = match self {
                    Self::Sqlite(_) => format!("x'{digits}'"),
                    Self::Postgres(..) => format!("'\\x{digits}'::bytea"),
                };
                let place = match table {
                    "journal" => format!("id = {row}"),
                    _ => format!("CAST(match_id AS text) = '{id}' AND seq = {row}"),
                };
                let change = format!("UPDATE {table} SET events = {literal} WHERE {place}");
                reader.close().await;
                assert_eq!(self.damage(&change).await, 1);
                return;
            }
        }
        panic!("match {id} has no take");
    }

    /// Waits until a killed server has left the database: PostgreSQL finishes statements that it received before.
    pub async fn wait_until_abandoned(&self) {
        let Self::Postgres(_, url) = self else { return };
        let mut connection = PgConnection::connect(url).await.unwrap();
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                      AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
        let alone = async {
            while sqlx::query_scalar::<_, i64>(others).fetch_one(&mut connection).await.unwrap() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(TIMEOUT, alone).await.expect("a killed server leaves its database");
        connection.close().await.unwrap();
    }

    pub async fn reader(&self) -> Reader {
        let store = open_reader(&self.url().parse().unwrap()).await.unwrap();
        let connection = match self {
            Self::Postgres(_, url) => Connection::Postgres(PgConnection::connect(url).await.unwrap()),
            Self::Sqlite(file) => {
                let options = SqliteConnectOptions::new().filename(file).read_only(true);
                Connection::Sqlite(options.disable_statement_logging().connect().await.unwrap())
            }
        };
        Reader { connection, store }
    }
}

impl Reader {
    /// Returns the seat and the take of a ply, if they are stored.
    pub async fn take(&mut self, id: &str, ply: u32) -> Option<(u32, u64)> {
        let stored = self.store.match_record(id.parse().unwrap()).await.unwrap()?;
        stored.record.events().iter().find_map(|timed| match timed.event {
            Event::Took { ply: taken, seat, take, .. } if taken == ply => Some((seat.into(), take)),
            _ => None,
        })
    }

    pub async fn open_matches_with_takes(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for id in self.store.unfinished_matches().await.unwrap() {
            let record = self.store.match_record(id).await.unwrap().unwrap().record;
            if record.state().ply() > 0 && record.state().setup().origin.is_some() {
                found.push(id.to_string());
            }
        }
        found
    }

    /// Returns the number of events in the record parts of a match.
    pub async fn recorded_events(&mut self, id: &str) -> i64 {
        self.number(&format!(
            "SELECT CAST(coalesce(sum(next_seq - seq), 0) AS bigint) FROM record_parts WHERE CAST(match_id AS text) = '{id}'"
        ))
        .await
    }

    async fn numbered_bytes(&mut self, query: &str) -> Vec<(i64, Vec<u8>)> {
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                sqlx::query_as(AssertSqlSafe(query)).fetch_all(connection).await.unwrap()
            }
            Connection::Postgres(connection) => {
                sqlx::query_as(AssertSqlSafe(query)).fetch_all(connection).await.unwrap()
            }
        }
    }

    /// Counts rows; `of` is a table with an optional condition.
    pub async fn count(&mut self, of: &str) -> i64 {
        self.number(&format!("SELECT count(*) FROM {of}")).await
    }

    async fn number(&mut self, query: &str) -> i64 {
        let counted = match &mut self.connection {
            Connection::Sqlite(connection) => {
                sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await
            }
            Connection::Postgres(connection) => {
                sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await
            }
        };
        counted.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Counts unfinished matches.
    pub async fn open_matches(&mut self) -> i64 {
        self.count("matches WHERE over_at_us IS NULL").await
    }

    pub async fn close(self) {
        self.store.close().await;
        match self.connection {
            Connection::Sqlite(connection) => connection.close().await.unwrap(),
            Connection::Postgres(connection) => connection.close().await.unwrap(),
        }
    }
}
