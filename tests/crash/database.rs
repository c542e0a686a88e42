//! The databases that servers keep their games in, and how they look to another client.

use super::postgres_server::PostgresServer;
use super::server::Folder;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use std::path::PathBuf;

/// Where a server keeps what must last.
pub enum Database {
    /// Its file.
    Sqlite(PathBuf),
    /// Its server, and its URL.
    Postgres(PostgresServer, String),
}

/// A connection of another client, that only reads.
#[derive(Debug)]
pub enum Reader {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Database {
    pub fn sqlite(folder: &Folder) -> Self {
        Self::Sqlite(folder.path().join("lastnim.db"))
    }

    /// Starts a PostgreSQL of the test's own; none where it is not installed, unless that is a failure.
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

    /// Runs statements past the server, as somebody does who damages what it keeps; returns how many rows they changed.
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

    pub async fn reader(&self) -> Reader {
        match self {
            Self::Postgres(_, url) => Reader::Postgres(PgConnection::connect(url).await.unwrap()),
            Self::Sqlite(file) => {
                let options = SqliteConnectOptions::new().filename(file).read_only(true);
                Reader::Sqlite(options.disable_statement_logging().connect().await.unwrap())
            }
        }
    }
}

impl Reader {
    /// Returns the seat and the take of a ply, if they are there.
    pub async fn take(&mut self, id: &str, ply: u32) -> Option<(u32, u64)> {
        let found: Option<(i64, i64)> = match self {
            Self::Sqlite(connection) => sqlx::query_as(
                "SELECT seat, take FROM events WHERE match_id = $1 AND kind = 'took' AND ply = $2",
            )
            .bind(id)
            .bind(i64::from(ply))
            .fetch_optional(connection)
            .await
            .unwrap(),
            Self::Postgres(connection) => sqlx::query_as(
                "SELECT seat::bigint, take FROM events WHERE match_id = $1::uuid AND kind = 'took' AND ply = $2",
            )
            .bind(id)
            .bind(i64::from(ply))
            .fetch_optional(connection)
            .await
            .unwrap(),
        };
        found.map(|(seat, take)| (u32::try_from(seat).unwrap(), u64::try_from(take).unwrap()))
    }

    /// Returns a text, if there is one.
    pub async fn text(&mut self, query: &str) -> Option<String> {
        let found = match self {
            Self::Sqlite(connection) => {
                sqlx::query_scalar(AssertSqlSafe(query)).fetch_optional(connection).await
            }
            Self::Postgres(connection) => {
                sqlx::query_scalar(AssertSqlSafe(query)).fetch_optional(connection).await
            }
        };
        found.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Counts the rows of a table for which something holds.
    pub async fn count(&mut self, of: &str) -> i64 {
        let query = format!("SELECT count(*) FROM {of}");
        let counted = match self {
            Self::Sqlite(connection) => {
                sqlx::query_scalar(AssertSqlSafe(query.as_str())).fetch_one(connection).await
            }
            Self::Postgres(connection) => {
                sqlx::query_scalar(AssertSqlSafe(query.as_str())).fetch_one(connection).await
            }
        };
        counted.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Counts the matches that have begun and are not over.
    pub async fn open_matches(&mut self) -> i64 {
        self.count("matches WHERE over_at_us IS NULL").await
    }

    pub async fn close(self) {
        match self {
            Self::Sqlite(connection) => connection.close().await.unwrap(),
            Self::Postgres(connection) => connection.close().await.unwrap(),
        }
    }
}
