//! What a shard wants done.

use lastnim_core::game::{MatchId, Seat};
use lastnim_core::oracle::Audit;
use lastnim_core::referee::TimedEvent;
use lastnim_proto::MatchEvent;
use lastnim_store::{Change, StoreError};
use lastnim_tournament::MatchOutcome;
use std::sync::Arc;

/// Something that a shard wants done, in the order given. `S` is the address of a session.
#[derive(Debug)]
#[must_use = "a change that is not committed, or a message that is not sent, is lost"]
pub enum ShardEffect<S> {
    /// Make changes last, all or none, and tell the shard once they do.
    Commit {
        /// The match.
        id: MatchId,
        /// What changes.
        changes: Vec<Change>,
    },
    /// Send something to a session.
    Send {
        /// The session.
        to: S,
        /// The match.
        id: MatchId,
        /// What to send.
        event: MatchEvent,
    },
    /// Count a message of a session that led nowhere.
    CountUnproductive {
        /// The session.
        to: S,
        /// What was wrong with the message.
        wrong: String,
    },
    /// Show something to all who watch a match.
    ShowWatchers {
        /// The match.
        id: MatchId,
        /// What they see.
        event: WatchEvent,
    },
    /// The beginning of a match is announced.
    Begun {
        /// The match.
        id: MatchId,
    },
    /// A seat's session has been sent the end of a match, if the seat has one.
    EndSent {
        /// The match.
        id: MatchId,
        /// The seat.
        seat: Seat,
        /// The number of the session.
        session: Option<u64>,
    },
    /// All that was sent before a barrier is answered.
    BarrierReached {
        /// The number of whoever waits.
        waiter: u64,
    },
    /// A match has left the shard.
    Over {
        /// The match.
        id: MatchId,
        /// What it came to.
        end: MatchExit,
    },
}

/// How a match left its shard.
#[derive(Debug, Clone)]
pub enum MatchExit {
    /// It was played to its end, which is stored: what it means for the standings, unless it was cancelled.
    Stored(Option<MatchOutcome>),
    /// The server stops before the end.
    Cut,
    /// The store refuses it.
    Refused(StoreError),
    /// Its program broke down.
    BrokenDown,
}

/// What a watcher is sent.
#[derive(Debug, Clone)]
pub struct WatchEvent {
    /// What happened.
    pub event: TimedEvent,
    /// With the end of a match that has a winner: the audit.
    pub audit: Option<Arc<Audit>>,
}
