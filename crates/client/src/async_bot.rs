//! What a bot is that thinks about many matches at once.

use super::{Connected, MatchEnd, MatchInfo, MatchView, Refusal, Suspension, TournamentEnd};
use lastnim_core::game::Row;
use lastnim_proto::TakeFeed;
use std::{
    error::Error as StdError,
    future::{Future, ready},
};

/// Why a bot cannot go on in a match.
pub type MatchFailure = Box<dyn StdError + Send + Sync>;

/// What a bot chose: a row or a take, and a hash that goes into the record with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice<T> {
    /// The row, or the counters to take.
    pub value: T,
    /// See [`Bot::note_hash`](super::Bot::note_hash).
    pub note_hash: Option<[u8; 32]>,
}

impl<T> From<T> for Choice<T> {
    fn from(value: T) -> Self {
        Self { value, note_hash: None }
    }
}

/// A player of Last Nim that waits for something else, such as a model behind a network, while it thinks: its methods are
/// called for many matches at once, [`Options::concurrency`](super::Options::concurrency) of them, on the runtime of the caller.
///
/// What it returns as an error is logged with its match, and so is a panic; it costs that match alone, whose seat is resigned.
/// A match that ends while the bot thinks about it needs no answer: the future is dropped. Reports come one after the other.
///
/// Otherwise it is what [`Bot`](super::Bot) says, and [`run_async`](super::run_async) plays its matches.
///
/// ```no_run
/// use lastnim_client::{AsyncBot, Choice, Error, MatchFailure, MatchView, Options, run_async};
/// use std::time::Duration;
///
/// struct Slow;
///
/// impl AsyncBot for Slow {
///     async fn play(&self, game: &MatchView) -> Result<Choice<u64>, MatchFailure> {
///         tokio::time::sleep(Duration::from_secs(1)).await;
///         Ok(game.position().counters().div_ceil(2).into())
///     }
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), Error> {
///     run_async(Slow, Options::from_env()?).await.map(|summary| println!("{summary}"))
/// }
/// ```
pub trait AsyncBot: Send + Sync + 'static {
    /// Returns which takes the bot hears of; see [`Bot::take_feed`](super::Bot::take_feed).
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::OwnTurns
    }

    /// Returns the row to declare; the standard row unless overridden.
    fn declare(&self, game: &MatchInfo) -> impl Future<Output = Result<Choice<Row>, MatchFailure>> + Send {
        ready(Ok(Row::standard(game.seats()).into()))
    }

    /// Returns how many counters to take: 1 to `game.position().counters()`.
    ///
    /// A take outside that range is refused and costs a strike; then the bot is asked again.
    fn play(&self, game: &MatchView) -> impl Future<Output = Result<Choice<u64>, MatchFailure>> + Send;

    /// Hears how a match ended; see [`Bot::ended`](super::Bot::ended).
    fn ended(&self, end: &MatchEnd) -> impl Future<Output = ()> + Send {
        let _ = end;
        ready(())
    }

    /// Hears why something that it did was refused; logs it unless overridden.
    fn refused(&self, refusal: &Refusal) -> impl Future<Output = ()> + Send {
        refusal.log();
        ready(())
    }

    /// Hears that a ladder gives it no more matches, and why; logs it unless overridden.
    fn suspended(&self, notice: &Suspension) -> impl Future<Output = ()> + Send {
        notice.log();
        ready(())
    }

    /// Hears that a tournament in which it played is over; see [`Bot::tournament_ended`](super::Bot::tournament_ended).
    fn tournament_ended(&self, end: &TournamentEnd) -> impl Future<Output = ()> + Send {
        let _ = end;
        ready(())
    }

    /// Hears that a session was opened, at first and after each reconnect.
    fn connected(&self, session: &Connected) -> impl Future<Output = ()> + Send {
        let _ = session;
        ready(())
    }
}
