//! Seats that bots have lost.

use lastnim_core::game::{MatchId, Seat, TournamentId};
use lastnim_core::referee::{Event, ForfeitReason, RefusalReason, TimedEvent, Timestamp};

/// A seat that a bot lost in a finished match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostSeat {
    /// The match.
    pub id: MatchId,
    /// The tournament of the match; `None` for an exhibition.
    pub tournament: Option<TournamentId>,
    /// The seat.
    pub seat: Seat,
    /// Why and when the seat was lost; `None` if the events of the match are gone.
    pub loss: Option<(ForfeitReason, Timestamp)>,
    /// The reasons for the strikes against the seat, in order.
    pub strikes: Vec<RefusalReason>,
}

impl LostSeat {
    /// Creates a lost seat whose loss and strikes are not known yet.
    pub fn new(id: MatchId, tournament: Option<TournamentId>, seat: Seat) -> Self {
        Self { id, tournament, seat, loss: None, strikes: Vec::new() }
    }

    /// Notes an event of the match if it is the loss of the seat or a strike against it.
    pub fn note_event(&mut self, event: &TimedEvent) {
        match event.event {
            Event::Struck { seat, reason, .. } if seat == self.seat => self.strikes.push(reason),
            Event::Forfeited { seat, reason } if seat == self.seat => self.loss = Some((reason, event.at)),
            _ => {}
        }
    }
}
