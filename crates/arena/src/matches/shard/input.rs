//! The inputs to a match.

use crate::sessions::session_link::SessionLink;
use lastnim_core::game::{BotVersion, Seat};
use lastnim_core::referee::{SeatAction, Timestamp};
use lastnim_proto::TakeFeed;
use std::sync::Arc;
use std::time::Duration;

/// An input to a match, as plain data. `S` is the address of a session.
#[derive(Debug)]
pub enum MatchInput<S> {
    /// A seat's bot sent a message.
    Seat {
        seat: Seat,
        action: SeatAction,
        /// When the message arrived. The bot's clock is not charged for the time that the message then waits in the
        /// server.
        at: Timestamp,
    },
    /// A session of a seat's bot has opened.
    Joined { seat: Seat, session: SeatSession<S>, at: Timestamp },
    /// A session of a seat's bot has ended.
    Left {
        seat: Seat,
        /// The number of the session, which may have been replaced by now.
        session: u64,
        at: Timestamp,
        /// Whether the session may have ended because the server stalled.
        is_excused: bool,
    },
    /// The lag of a session was measured.
    Lag { seat: Seat, session: u64, lag: Duration },
    /// A session changes the set of takes that it receives.
    Feed { seat: Seat, session: u64, feed: TakeFeed },
    /// A caller waits until all earlier inputs are answered.
    Barrier {
        /// The number of the waiter at the barrier.
        waiter: u64,
    },
    /// The organiser has disqualified a seat's bot.
    Disqualify { seat: Seat },
    /// The organiser pauses the match: clocks stand still, and messages from seats wait.
    Freeze,
    /// The organiser resumes the match.
    Thaw,
    /// The organiser cancels the match.
    Cancel,
    /// The server stops, and the match stays unfinished.
    Interrupt,
}

/// The data about a session that its matches need.
#[derive(Debug, Clone)]
pub struct SeatSession<S> {
    /// The number of the session; newer sessions of the same bot have higher numbers.
    pub id: u64,
    pub address: S,
    /// The version that the bot reported.
    pub version: Arc<BotVersion>,
    /// The set of takes that is sent to the session.
    pub feed: TakeFeed,
    /// The last measured round-trip lag of the session; zero before the first measurement.
    pub lag: Duration,
}

impl SeatSession<SessionLink> {
    /// Returns what matches need to know about a session.
    pub(crate) fn of_link(link: SessionLink) -> Self {
        let (id, version, feed, lag) = (link.id(), Arc::clone(link.version()), link.feed(), link.lag());
        Self { id, address: link, version, feed, lag }
    }
}
