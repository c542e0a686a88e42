//! The store in a database of PostgreSQL.

mod events;
mod fault;
mod hearing;
mod lock;
mod matches;
mod reading;
mod schema;
mod tournaments;
mod writer;

use super::decoded::Decoded;
use super::{
    Change, FieldHistory, MatchFilter, MatchSummary, Store, StoreError, StoreUrl, StoredBot, StoredMatch,
    StoredResult, StoredTournament, UnheardMatches,
};
use crate::game::{BotName, MatchId, TournamentId};
use crate::referee::Timestamp;
use crate::tournament::{Checkpoint, Standing, TournamentEnd};
use async_trait::async_trait;
use fault::fault;
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use std::time::Duration;
use tokio::sync::Mutex;
use writer::Writer;

/// How long it may take to connect and to get the lock.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long a transaction that writes may take, and so may what is read before the first one. After that nobody knows what
/// became of it. A slow disk may well take many seconds for a commit: were that too long, it would be begun again and again.
const TRANSACTION: Duration = Duration::from_secs(60);
/// How long a read may take, with the wait for a connection.
const READ: Duration = Duration::from_secs(10);
/// How many can read at the same time.
const READERS: u32 = 8;
/// How long a reader waits for a connection.
const READER_PATIENCE: Duration = Duration::from_secs(5);

/// What every connection is set to. A peer that is gone without a word is noticed within half a minute, so that it holds no
/// lock for longer.
const SETTINGS: [(&str, &str); 7] = [
    ("synchronous_commit", "on"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "25000"),
    ("idle_in_transaction_session_timeout", "30000"),
    ("lock_timeout", "5000"),
];

/// Keeps what must last in a database of PostgreSQL.
#[derive(Debug)]
pub(super) struct PostgresStore {
    options: PgConnectOptions,
    /// The number of this server among all that opened the database.
    epoch: i64,
    /// None after a failure: what was written then is read again first.
    writer: Mutex<Option<Writer>>,
    readers: PgPool,
    decoded: Decoded,
}

impl PostgresStore {
    /// Opens a database, and takes it for this server.
    pub(super) async fn open(url: &StoreUrl) -> Result<Self, StoreError> {
        let StoreUrl::Postgres(text) = url else {
            return Err(StoreError::Unusable(format!("{url} is no database of PostgreSQL")));
        };
        let options: PgConnectOptions = text.parse().map_err(|error| fault::at_open(url, error))?;
        let options = options.options(SETTINGS).disable_statement_logging();
        let mut connection = within(CONNECTING, async {
            let mut connection = options.connect().await.map_err(|error| fault::at_open(url, error))?;
            lock::take(&mut connection, url).await?;
            Ok(connection)
        })
        .await?;
        let (writer, epoch) = within(TRANSACTION, async {
            let epoch = schema::take_over(&mut connection, url).await?;
            Ok((Writer::begin(connection, epoch).await?, epoch))
        })
        .await?;
        let readers =
            PgPoolOptions::new().max_connections(READERS).acquire_timeout(READER_PATIENCE).connect_lazy_with(
                options.clone().options([("statement_timeout", READ.as_millis().to_string())]),
            );
        Ok(Self { options, epoch, writer: Mutex::new(Some(writer)), readers, decoded: Decoded::default() })
    }

    async fn try_to_write(&self, slot: &mut Option<Writer>, changes: &[Change]) -> Result<(), StoreError> {
        // Whatever keeps this from coming to its end, a writer that may be in the middle of something is not used again.
        let mut writer = if let Some(writer) = slot.take() {
            writer
        } else {
            let connecting = Writer::connect_again(&self.options, self.epoch);
            let connection = within(CONNECTING, connecting).await?;
            within(TRANSACTION, Writer::begin(connection, self.epoch)).await?
        };
        within(TRANSACTION, writer.write(changes)).await?;
        *slot = Some(writer);
        Ok(())
    }
}

/// Gives up what takes too long: a peer that is gone without a word would be waited for without end.
async fn within<T>(
    patience: Duration,
    act: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(patience, act).await.unwrap_or_else(|_| {
        Err(StoreError::Unavailable(format!("it did not answer for {} seconds", patience.as_secs())))
    })
}

#[async_trait]
impl Store for PostgresStore {
    fn is_durable(&self) -> bool {
        true
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.try_to_write(&mut *self.writer.lock().await, changes).await
    }

    async fn close(&self) {
        drop(self.writer.lock().await.take());
        self.readers.close().await;
    }

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        within(READ, reading::bot(&self.readers, name)).await
    }

    async fn bots(&self, after: Option<&BotName>, most: usize) -> Result<Vec<StoredBot>, StoreError> {
        within(READ, reading::bots(&self.readers, after, most)).await
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        within(READ, reading::has_played(&self.readers, name)).await
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        within(READ, reading::tournament(&self.readers, &self.decoded, id)).await
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        most: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        within(READ, reading::tournaments(&self.readers, &self.decoded, before, most)).await
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        within(READ, reading::unfinished_tournaments(&self.readers, &self.decoded)).await
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        within(READ, reading::field_history(&self.readers, id)).await
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        within(READ, reading::standings(&self.readers, id)).await
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        reading::checkpoint(&self.readers, id).await
    }

    async fn results(
        &self,
        id: TournamentId,
        from: u64,
        most: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        within(READ, reading::results(&self.readers, id, from, most)).await
    }

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        within(READ, reading::unfinished_matches(&self.readers)).await
    }

    async fn summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        within(READ, reading::summaries(&self.readers, &self.decoded, filter, before, most)).await
    }

    async fn summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        within(READ, reading::summary(&self.readers, &self.decoded, id)).await
    }

    async fn record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        within(READ, reading::record(&self.readers, id)).await
    }

    async fn unheard_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        most: usize,
    ) -> Result<UnheardMatches, StoreError> {
        within(READ, hearing::unheard_matches(&self.readers, bot, from, most)).await
    }

    async fn unheard_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        within(READ, hearing::unheard_tournament_ends(&self.readers, bot, since, most)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[tokio::test(start_paused = true)]
    async fn a_database_that_says_nothing_is_given_up() {
        let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("postgres://me@{}/db", deaf.local_addr().unwrap()).parse().unwrap();
        let opening = tokio::time::timeout(CONNECTING * 2, PostgresStore::open(&url));
        let Ok(Err(StoreError::Unavailable(why))) = opening.await else { panic!() };
        assert!(why.contains("10 seconds"), "{why}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_without_an_answer_is_given_up() {
        let read = tokio::time::timeout(READ * 2, within::<()>(READ, std::future::pending()));
        assert!(matches!(read.await, Ok(Err(StoreError::Unavailable(_)))));
    }
}
