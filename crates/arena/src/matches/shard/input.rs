//! What a match is told.

use crate::sessions::session_link::SessionLink;
use lastnim_core::game::{BotVersion, Seat};
use lastnim_core::referee::{SeatAction, Timestamp};
use lastnim_proto::TakeFeed;
use std::sync::Arc;
use std::time::Duration;

/// What a match is told: a plain value. `S` is the address of a session.
#[derive(Debug)]
pub enum MatchInput<S> {
    /// A seat's bot sent something.
    Seat {
        /// The seat.
        seat: Seat,
        /// What it sent.
        action: SeatAction,
        /// When it arrived: a seat does not pay for the time that its message waits in the server.
        at: Timestamp,
    },
    /// A session of a seat's bot has opened.
    Joined {
        /// The seat.
        seat: Seat,
        /// The session.
        session: SeatSession<S>,
        /// When it opened.
        at: Timestamp,
    },
    /// A session of a seat's bot is over.
    Left {
        /// The seat.
        seat: Seat,
        /// The number of the session; it may have been replaced by now.
        session: u64,
        /// When it ended.
        at: Timestamp,
        /// Whether it may have ended because the server stood still.
        is_excused: bool,
    },
    /// The lag of a session was measured.
    Lag {
        /// The seat.
        seat: Seat,
        /// The number of the session.
        session: u64,
        /// Its round-trip lag.
        lag: Duration,
    },
    /// A session wants to hear other takes than before.
    Feed {
        /// The seat.
        seat: Seat,
        /// The number of the session.
        session: u64,
        /// The takes that it hears.
        feed: TakeFeed,
    },
    /// Somebody waits until everything that was sent before is answered.
    Barrier {
        /// The number of whoever waits.
        waiter: u64,
    },
    /// The organiser has disqualified a seat's bot.
    Disqualify {
        /// The seat.
        seat: Seat,
    },
    /// The organiser lets the match wait: its clocks stand still, and what seats send waits.
    Freeze,
    /// The organiser lets it go on.
    Thaw,
    /// The organiser calls the match off.
    Cancel,
    /// The server stops: the match is left as it is.
    Cut,
}

/// A session as one of its matches knows it.
#[derive(Debug, Clone)]
pub struct SeatSession<S> {
    /// Its number; a newer session of the same bot has a higher one.
    pub id: u64,
    /// Where to send what it is to hear.
    pub address: S,
    /// What its bot said of the program that plays.
    pub version: Arc<BotVersion>,
    /// The takes that it hears.
    pub feed: TakeFeed,
    /// Its round-trip lag as it was last measured; zero before that.
    pub lag: Duration,
}

impl SeatSession<SessionLink> {
    /// Says of a session what its matches need to know.
    pub(crate) fn of_link(link: SessionLink) -> Self {
        let (id, version, feed, lag) = (link.id(), Arc::clone(link.version()), link.feed(), link.lag());
        Self { id, address: link, version, feed, lag }
    }
}
