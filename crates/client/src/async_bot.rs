//! Bots that think about many matches at once.

use super::{
    Connected, MatchEnd, MatchInfo, MatchView, Message, Refusal, Suspension, TalkRound, TournamentEnd,
};
use lastnim_core::game::Row;
use lastnim_proto::TakeFeed;
use std::{
    error::Error as StdError,
    future::{Future, ready},
};

/// Why a bot cannot continue a match.
pub type MatchFailure = Box<dyn StdError + Send + Sync>;

/// A bot's choice, with an optional hash for the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice<T> {
    /// The row, or the counters to take.
    pub value: T,
    /// The hash to record with the choice; see [`Bot::note_hash`](super::Bot::note_hash).
    pub note_hash: Option<[u8; 32]>,
}

impl<T> From<T> for Choice<T> {
    fn from(value: T) -> Self {
        Self { value, note_hash: None }
    }
}

/// A player of Last Nim that awaits something while it thinks, such as the reply of a model over a network. Its methods
/// are called for up to [`Options::concurrency`](super::Options::concurrency) matches at once, on the caller's runtime.
///
/// If `talk`, `declare` or `play` returns an error or panics, this is logged, and the bot's seat in that match is
/// resigned. A panic in another method is only logged. If a match ends while the bot thinks about it, the future is
/// dropped. Events are reported one at a time.
///
/// In all other respects it works like [`Bot`](super::Bot). [`run_async`](super::run_async) plays its matches.
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
    /// Returns which takes the bot receives; see [`Bot::take_feed`](super::Bot::take_feed).
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::OwnTurns
    }

    /// Returns the messages to send in a round of talk; see [`Bot::talk`](super::Bot::talk).
    fn talk(
        &self,
        round: &TalkRound,
    ) -> impl Future<Output = Result<Option<Vec<Message>>, MatchFailure>> + Send {
        let _ = round;
        ready(Ok(None))
    }

    /// Called when a round of talk has ended; see [`Bot::heard`](super::Bot::heard).
    fn heard(&self, game: &MatchInfo, round: u32) -> impl Future<Output = ()> + Send {
        let _ = (game, round);
        ready(())
    }

    /// Returns the row to declare; the default is the bot's dealt row, or the standard row if no rows are dealt.
    fn declare(&self, game: &MatchInfo) -> impl Future<Output = Result<Choice<Row>, MatchFailure>> + Send {
        ready(Ok(game.honest_row().into()))
    }

    /// Returns how many counters to take: 1 to `game.position().counters()`.
    ///
    /// A take out of range is refused and costs a strike; then the bot is asked again.
    fn play(&self, game: &MatchView) -> impl Future<Output = Result<Choice<u64>, MatchFailure>> + Send;

    /// Called when a match has ended; see [`Bot::ended`](super::Bot::ended).
    fn ended(&self, end: &MatchEnd) -> impl Future<Output = ()> + Send {
        let _ = end;
        ready(())
    }

    /// Called when the server has refused a request from the bot; the default logs it.
    fn refused(&self, refusal: &Refusal) -> impl Future<Output = ()> + Send {
        refusal.log();
        ready(())
    }

    /// Called when a ladder has suspended the bot; the default logs it.
    fn suspended(&self, notice: &Suspension) -> impl Future<Output = ()> + Send {
        notice.log();
        ready(())
    }

    /// Called when one of the bot's tournaments is over; see [`Bot::tournament_ended`](super::Bot::tournament_ended).
    fn tournament_ended(&self, end: &TournamentEnd) -> impl Future<Output = ()> + Send {
        let _ = end;
        ready(())
    }

    /// Called when a session has been opened, including after each reconnect.
    fn connected(&self, session: &Connected) -> impl Future<Output = ()> + Send {
        let _ = session;
        ready(())
    }
}
