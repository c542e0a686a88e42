//! Seats that bots have lost.

use lastnim_core::game::{MatchId, Seat, TournamentId};
use lastnim_core::referee::{Event, ForfeitReason, RefusalReason, TimedEvent, Timestamp};

/// A seat that a bot lost in a finished match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostSeat {
    /// The match.
    pub id: MatchId,
    /// `None` for an exhibition.
    pub tournament: Option<TournamentId>,
    /// The seat.
    pub seat: Seat,
    /// How and when it was lost; `None` if the events of the match are gone.
    pub loss: Option<(ForfeitReason, Timestamp)>,
    /// The reasons for its strikes, in order.
    pub strikes: Vec<RefusalReason>,
}

impl LostSeat {
    /// Creates an entry for a seat whose loss is not known yet.
    pub fn new(id: MatchId, tournament: Option<TournamentId>, seat: Seat) -> Self {
        Self { id, tournament, seat, loss: None, strikes: Vec::new() }
    }

    /// Notes an event of the match.
    pub fn note_event(&mut self, event: &TimedEvent) {
        match event.event {
            Event::Struck { seat, reason, .. } if seat == self.seat => self.strikes.push(reason),
            Event::Forfeited { seat, reason } if seat == self.seat => self.loss = Some((reason, event.at)),
            _ => {}
        }
    }
}
