//! Matches that are open at the same time.

use lastnim_core::{
    game::{AllianceMatrix, BySeat, MatchId, Piles, Seat, SeatCount},
    oracle::Mover,
    referee::{
        Event, MatchSetup, Referee, RefereeEffect, RefereeInput, SeatAction, SeatMessage, TimedEvent,
        Timestamp, Turn,
    },
};
use std::{hint::black_box, time::Duration};

/// The number of seats of each match.
const SEATS: usize = 3;
/// The number of counters in the only pile, more than are ever taken in a match.
const COUNTERS: u64 = 1 << 40;
/// The number of inputs that are handled before their effects are carried out.
const INPUTS_PER_BATCH: usize = 64;

/// The open matches, with the seat to move in each.
pub(crate) struct OpenMatches {
    matches: Vec<OpenMatch>,
    effects: Vec<RefereeEffect>,
    now: Timestamp,
}

struct OpenMatch {
    referee: Referee,
    seat: Seat,
    ply: u32,
}

impl OpenMatches {
    /// Begins `count` matches in which every bot is connected and the rows are assigned.
    pub(crate) fn begin(count: usize) -> Self {
        let now = Timestamp::from_micros(1_700_000_000_000_000);
        let matches = (0..count).map(|number| OpenMatch::begin(number, now)).collect();
        Self { matches, effects: Vec::new(), now }
    }

    pub(crate) fn count(&self) -> usize {
        self.matches.len()
    }

    /// Takes one counter in each match, in batches of [`INPUTS_PER_BATCH`] matches.
    pub(crate) fn play_round(&mut self) {
        for batch in self.matches.chunks_mut(INPUTS_PER_BATCH) {
            self.now = self.now + Duration::from_micros(37);
            for open in &mut *batch {
                let (seat, ply) = (open.seat, open.ply);
                let take = RefereeInput::Act { seat, action: SeatAction::take(ply, 1, None) };
                let first = self.effects.len();
                open.referee.handle_input_into(black_box(take), self.now, &mut self.effects);
                let next = self.effects[first..].iter().find_map(next_turn).expect("it is some seat's turn");
                (open.seat, open.ply) = (next.0, next.1.ply);
            }
            self.now = self.now + Duration::from_micros(5);
            for open in batch {
                open.referee.mark_effects_announced(self.now);
                black_box(open.referee.deadline());
            }
            black_box(&mut self.effects).clear();
        }
    }

    /// Computes the hashes of all events so far.
    pub(crate) fn compute_hashes(&self) {
        for open in &self.matches {
            black_box(open.referee.record().hashes());
        }
    }

    /// Returns an example of a take in these matches.
    pub(crate) fn example_take(&self) -> TimedEvent {
        let charged = Duration::from_micros(32);
        let credited = Duration::ZERO;
        let (seat, mover) = (self.matches[0].seat, Mover::Bot);
        let event = Event::Took { ply: 0, seat, take: 1, mover, charged, credited, note_hash: None };
        TimedEvent { at: self.now, event }
    }
}

impl OpenMatch {
    fn begin(number: usize, now: Timestamp) -> Self {
        let seats = SeatCount::new(SEATS).expect("the number of seats is valid");
        let bots = BySeat::from_fn(seats, |seat| format!("bot-{seat}").parse().expect("a name"));
        let setup = MatchSetup {
            assigned: Some(AllianceMatrix::standard(seats)),
            ..MatchSetup::new(bots, Piles::parse(&[COUNTERS]).expect("the pile has counters"))
        };
        let mut random = [0; 10];
        random[..8].copy_from_slice(&(number as u64).to_le_bytes());
        let id = MatchId::new(now.as_micros() / 1_000, &random);
        let (mut referee, effects) = Referee::begin(id, setup, BySeat::filled(seats, &true), now);
        referee.mark_effects_announced(now);
        let (seat, turn) = effects.iter().find_map(next_turn).expect("it is some seat's turn");
        Self { referee, seat, ply: turn.ply }
    }
}

fn next_turn(effect: &RefereeEffect) -> Option<(Seat, Turn)> {
    match effect {
        RefereeEffect::SendToSeat { seat, message: SeatMessage::Turn(turn) } => Some((*seat, *turn)),
        RefereeEffect::SendToSeat { .. } | RefereeEffect::EventOccurred(_) => None,
    }
}
