//! The effects that a shard requests.

use lastnim_core::game::{MatchId, Seat};
use lastnim_core::oracle::Audit;
use lastnim_core::referee::TimedEvent;
use lastnim_proto::MatchEvent;
use lastnim_store::{Change, StoreError};
use lastnim_tournament::MatchOutcome;
use std::sync::Arc;

/// An effect that the caller must carry out. Effects are carried out in the given order. `S` is the address of a
/// session.
#[derive(Debug)]
#[must_use = "a change that is not committed, or a message that is not sent, is lost"]
pub enum ShardEffect<S> {
    /// Commit all of these changes or none, and report the result to the shard.
    Commit { id: MatchId, changes: Vec<Change> },
    /// Send an event to a session.
    Send { to: S, id: MatchId, event: MatchEvent },
    /// Count an idle message, which changed nothing, against the session that sent it.
    CountIdleMessage {
        to: S,
        /// A description of what was wrong with the message.
        wrong: String,
    },
    /// Count a message for an ended match as an idle message, unless the bot may have sent it before it read the end.
    CountLateMessage {
        to: S,
        /// A description of what was wrong with the message.
        wrong: String,
    },
    /// Send an event to all watchers of a match.
    ShowWatchers { id: MatchId, event: WatchEvent },
    /// Report that the beginning of a match has been announced.
    Begun { id: MatchId },
    /// Report that the end of a match has been sent to the session of a seat, if the seat has one.
    EndSent { id: MatchId, seat: Seat, session: Option<u64> },
    /// Report that everything that was sent before a barrier has been answered.
    BarrierReached {
        /// The number of the waiter at the barrier.
        waiter: u64,
    },
    /// Report that a match has left the shard.
    Over { id: MatchId, end: MatchExit },
}

/// How a match left its shard.
#[derive(Debug, Clone)]
pub enum MatchExit {
    /// The match was played to its end and stored. The outcome is `None` if the match was cancelled.
    Stored(Option<MatchOutcome>),
    /// The server stopped before the end.
    Interrupted,
    /// The store rejected the match.
    Refused(StoreError),
    /// The code that handles the match panicked.
    Panicked,
}

/// An event that is sent to a watcher.
#[derive(Debug, Clone)]
pub struct WatchEvent {
    /// The event.
    pub event: TimedEvent,
    /// The audit, if the event is the end of a match that has a winner.
    pub audit: Option<Arc<Audit>>,
}
