//! Replays a record, so that messages can be compared with it.

use lastnim_core::{
    game::{AllianceMatrix, BySeat, Position, Row, Seat},
    oracle::Mover,
    referee::{
        EndReason, Event, ForfeitReason, MatchSetup, MatchState, Record, RefusalReason, RowDefault, TimeBank,
        Timestamp,
    },
};
use std::time::Duration;

/// A record and the state of its match at each ply.
#[derive(Debug)]
pub(super) struct ReplayedMatch<'a> {
    pub(super) record: &'a Record,
    /// The state before each ply, and the state at the end of the match.
    pub(super) plies: Vec<PlyState>,
    pub(super) takes: Vec<RecordedTake>,
    pub(super) rows: BySeat<Option<RecordedRow>>,
    /// The strikes of all seats, in the order in which they were given.
    pub(super) strikes: Vec<RecordedStrike>,
    pub(super) forfeits: BySeat<Option<RecordedForfeit>>,
}

/// The state of a match before a ply.
#[derive(Debug)]
pub(super) struct PlyState {
    pub(super) position: Position,
    pub(super) banks: BySeat<Duration>,
    /// When the previous ply was played or the rows were revealed. The clock cannot have started earlier.
    pub(super) began: Timestamp,
}

/// A take in a record.
#[derive(Debug)]
pub(super) struct RecordedTake {
    pub(super) seat: Seat,
    pub(super) take: u64,
    pub(super) mover: Mover,
    pub(super) charged: Duration,
    pub(super) credited: Duration,
    pub(super) note_hash: Vec<u8>,
    pub(super) at: Timestamp,
}

/// A row in a record.
#[derive(Debug)]
pub(super) struct RecordedRow {
    pub(super) row: Row,
    pub(super) defaulted: Option<RowDefault>,
    pub(super) note_hash: Vec<u8>,
    pub(super) at: Timestamp,
}

/// A strike in a record.
#[derive(Debug)]
pub(super) struct RecordedStrike {
    pub(super) seat: Seat,
    pub(super) ply: u32,
    pub(super) reason: RefusalReason,
    /// The number of this strike among the strikes of its seat, from 1.
    pub(super) number: u32,
}

/// A forfeit in a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordedForfeit {
    pub(super) reason: ForfeitReason,
    pub(super) ply: u32,
    pub(super) at: Timestamp,
    /// Whether the seat was lost after the rows were revealed.
    pub(super) in_play: bool,
    /// Whether the bot of the seat had acted before the loss, according to the record.
    pub(super) had_acted: bool,
}

impl<'a> ReplayedMatch<'a> {
    pub(super) fn new(record: &'a Record) -> Self {
        let setup = record.state().setup();
        let seats = setup.seats();
        let mut state = MatchState::new(setup.clone());
        let began = record.events()[0].at;
        let mut replayed = Self {
            record,
            plies: vec![PlyState::of(&state, began)],
            takes: Vec::new(),
            rows: BySeat::from_fn(seats, |_| None),
            strikes: Vec::new(),
            forfeits: BySeat::filled(seats, &None),
        };
        let mut acted = BySeat::filled(seats, &false);
        for timed in &record.events()[1..] {
            state.apply_event(&timed.event).expect("records replay");
            replayed.note_event(&timed.event, timed.at, &state, &mut acted);
        }
        replayed
    }

    fn note_event(&mut self, event: &Event, at: Timestamp, state: &MatchState, acted: &mut BySeat<bool>) {
        let bytes = |hash: &Option<lastnim_core::referee::NoteHash>| {
            hash.as_ref().map(|hash| hash.as_bytes().to_vec()).unwrap_or_default()
        };
        match event {
            Event::Declared { seat, row, defaulted, note_hash } => {
                acted[*seat] |= defaulted.is_none() || *defaulted == Some(RowDefault::Invalid);
                let (row, note_hash) = (row.clone(), bytes(note_hash));
                self.rows[*seat] = Some(RecordedRow { row, defaulted: *defaulted, note_hash, at });
            }
            Event::Revealed { .. } => self.plies[0] = PlyState::of(state, at),
            Event::Took { seat, take, mover, charged, credited, note_hash, .. } => {
                acted[*seat] |= *mover == Mover::Bot;
                self.takes.push(RecordedTake {
                    seat: *seat,
                    take: *take,
                    mover: *mover,
                    charged: *charged,
                    credited: *credited,
                    note_hash: bytes(note_hash),
                    at,
                });
                self.plies.push(PlyState::of(state, at));
            }
            Event::Struck { seat, ply, reason } => {
                acted[*seat] = true;
                let number = state.strikes()[*seat];
                self.strikes.push(RecordedStrike { seat: *seat, ply: *ply, reason: *reason, number });
            }
            Event::Forfeited { seat, reason } => {
                self.forfeits[*seat] = Some(RecordedForfeit {
                    reason: *reason,
                    ply: state.ply(),
                    at,
                    in_play: state.game().is_some(),
                    had_acted: acted[*seat],
                });
            }
            Event::Said(message) => acted[message.seat] = true,
            Event::TalkEnded { seat, .. } => acted[*seat] = true,
            Event::Created(_) | Event::Dealt(_) | Event::Heard { .. } | Event::Ended { .. } => {}
        }
    }

    pub(super) fn setup(&self) -> &'a MatchSetup {
        self.record.state().setup()
    }

    /// Returns the seat of a bot; `None` if it does not play in the match.
    pub(super) fn seat_of_bot(&self, bot: &str) -> Option<Seat> {
        let mut bots = self.setup().bots.enumerate();
        bots.find(|(_, name)| name.as_str() == bot).map(|(seat, _)| seat)
    }

    /// Returns the state before a ply; `None` if the match never reached it.
    pub(super) fn ply_state(&self, ply: u32) -> Option<&PlyState> {
        self.plies.get(ply as usize)
    }

    /// Returns the revealed rows; `None` if no rows were revealed.
    pub(super) fn matrix(&self) -> Option<&'a AllianceMatrix> {
        self.record.state().game().map(|game| &game.matrix)
    }

    pub(super) fn end(&self) -> Option<(EndReason, Option<Seat>)> {
        self.record.state().end()
    }

    /// Returns when the match was created.
    pub(super) fn created(&self) -> Timestamp {
        self.record.events()[0].at
    }
}

impl PlyState {
    fn of(state: &MatchState, began: Timestamp) -> Self {
        Self { position: state.position().clone(), banks: state.banks().map(TimeBank::left), began }
    }
}
