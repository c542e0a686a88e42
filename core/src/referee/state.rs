//! The state of a match, as its events make it.

use super::{
    EndReason, Event, ForfeitReason, MatchPhase, MatchSetup, NoteHash, RefusalReason, RowDefault, TimeBank,
};
use crate::game::{AllianceMatrix, BySeat, Game, IllegalTake, Position, Row, Seat};
use crate::oracle::{Mover, PlayedTake, Solution};
use std::time::Duration;
use thiserror::Error;

/// All that the events of a match so far have brought about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchState {
    setup: MatchSetup,
    rows: BySeat<Option<Row>>,
    game: Option<Game>,
    position: Position,
    takes: Vec<PlayedTake>,
    banks: BySeat<TimeBank>,
    strikes: BySeat<u32>,
    forfeits: BySeat<Option<ForfeitReason>>,
    end: Option<(EndReason, Option<Seat>)>,
}

/// Why an event cannot follow the events before it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventMisfit {
    /// The match has been set up before.
    #[error("a second `created`")]
    CreatedTwice,
    /// The match is over.
    #[error("it stands after the end of the match")]
    AfterEnd,
    /// It names a seat that the match does not have.
    #[error("seat {0} is none of the match's")]
    NoSuchSeat(Seat),
    /// The rows are known already.
    #[error("a row of seat {0} when the rows are settled")]
    RowSettled(Seat),
    /// The row is for another number of seats.
    #[error("a row of {given} offsets in a match of {seats} seats")]
    RowLength {
        /// Offsets of the row.
        given: usize,
        /// Seats of the match.
        seats: usize,
    },
    /// What is revealed is not what was declared or assigned.
    #[error("the revealed matrix is not what was declared or assigned")]
    Revealed,
    /// The rows are not revealed yet.
    #[error("a take before the rows are revealed")]
    NotRevealed,
    /// The ply is out of order.
    #[error("ply {given} where ply {expected} comes next")]
    Ply {
        /// The ply of the event.
        given: u32,
        /// The ply that comes next.
        expected: u32,
    },
    /// Another seat is to move.
    #[error("seat {given} moves where seat {expected} is to move")]
    OutOfTurn {
        /// The seat of the event.
        given: Seat,
        /// The seat to move.
        expected: Seat,
    },
    /// The steward moved for a seat that was not lost, or a bot for one that was.
    #[error("seat {0} is moved by the wrong hand: the steward moves for a seat exactly when it is forfeited")]
    WrongMover(Seat),
    /// The rules do not allow the take.
    #[error(transparent)]
    Illegal(#[from] IllegalTake),
    /// The seat had less time than it was charged.
    #[error("seat {0} is charged more time than it had")]
    Overdrawn(Seat),
    /// More lag is given back than the clock allows for a take or has left for the seat.
    #[error("seat {0} is given back more lag than its quotas leave")]
    Overcredited(Seat),
    /// A time is not of whole microseconds, which is how records have it.
    #[error("seat {0} is charged or given back a fraction of a microsecond")]
    Fraction(Seat),
    /// The steward's take costs the seat time.
    #[error("seat {0} is charged for a take of the steward")]
    StewardCharged(Seat),
    /// The seat was lost before.
    #[error("seat {0} is forfeited already")]
    ForfeitedTwice(Seat),
    /// The row stands in place of the seat's own, and is not the standard one.
    #[error("seat {0} did not declare: the row in its place is not the standard row")]
    DefaultedRow(Seat),
    /// A note hash stands with a row or a take that is not the bot's own.
    #[error("a note hash of seat {0}, whose bot did not act: it stands with a bot's own row or take")]
    NoteHash(Seat),
    /// What was refused costs no strike.
    #[error("a strike for {0:?}: it costs none")]
    NoStrike(RefusalReason),
    /// The strikes do not fit the number that forfeits a seat.
    #[error("seat {seat} at {strikes} of {limit} strikes: the last of them forfeits it, and none before")]
    Strikes {
        /// The seat.
        seat: Seat,
        /// Its strikes so far.
        strikes: u32,
        /// The strike that forfeits a seat.
        limit: u32,
    },
    /// The seat is said to have run out of time when its clock stood still.
    #[error("seat {0} is lost for its clock, which did not run")]
    ClockStopped(Seat),
    /// The match has come to its end.
    #[error("the match has come to its end, {0}: only `ended` can follow")]
    EndDue(EndReason),
    /// The reason, or the winner, is not what the match came to.
    #[error("the match did not come to this end: {0}")]
    End(&'static str),
}

impl MatchState {
    /// Starts from a setup, before anything else has happened.
    pub fn new(setup: MatchSetup) -> Self {
        let seats = setup.seats();
        Self {
            rows: BySeat::filled(seats, &None),
            game: None,
            position: Position::new(setup.piles.clone(), setup.first, seats),
            takes: Vec::new(),
            banks: BySeat::filled(seats, &TimeBank::new(setup.clock())),
            strikes: BySeat::filled(seats, &0),
            forfeits: BySeat::filled(seats, &None),
            end: None,
            setup,
        }
    }

    /// Returns what was fixed before the first move.
    pub fn setup(&self) -> &MatchSetup {
        &self.setup
    }

    /// Returns where the match stands.
    pub fn phase(&self) -> MatchPhase {
        match (&self.end, &self.game) {
            (Some(_), _) => MatchPhase::Ended,
            (None, Some(_)) => MatchPhase::Playing,
            (None, None) => MatchPhase::Declaring,
        }
    }

    /// Returns the row that is in for a seat, be it revealed or not.
    pub fn row_of_seat(&self, seat: Seat) -> Option<&Row> {
        self.rows[seat].as_ref()
    }

    /// Returns the game with all preferences, once the rows are revealed.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Returns the piles as they stand and the seat to move.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the takes made.
    pub fn takes(&self) -> &[PlayedTake] {
        &self.takes
    }

    /// Returns the number of takes made, which is the ply to come.
    pub fn ply(&self) -> u32 {
        self.takes.len() as u32
    }

    /// Returns the time that each seat has left, the running turn not counted.
    pub fn banks(&self) -> &BySeat<TimeBank> {
        &self.banks
    }

    /// Returns the strikes of each seat.
    pub fn strikes(&self) -> &BySeat<u32> {
        &self.strikes
    }

    /// Returns how seats were lost.
    pub fn forfeits(&self) -> &BySeat<Option<ForfeitReason>> {
        &self.forfeits
    }

    /// Returns how the match ended and who won, once it has ended.
    pub fn end(&self) -> Option<(EndReason, Option<Seat>)> {
        self.end
    }

    /// Returns the matrix to be revealed: the assigned one, or the declared rows once all are in.
    pub fn settled_matrix(&self) -> Option<AllianceMatrix> {
        if let Some(matrix) = &self.setup.assigned {
            return Some(matrix.clone());
        }
        let rows: Vec<Row> = self.rows.iter().cloned().collect::<Option<_>>()?;
        AllianceMatrix::from_rows(rows.try_into().ok()?).ok()
    }

    /// Returns the end that the match has come to, if it has: the last counter taken, every seat lost, or the ply limit.
    pub fn due_end(&self) -> Option<EndReason> {
        self.game.as_ref()?;
        if self.position.is_over() {
            Some(EndReason::Finished)
        } else if self.forfeits.iter().all(Option::is_some) {
            Some(EndReason::AllForfeited)
        } else if self.ply() >= self.setup.terms.max_plies {
            Some(EndReason::PlyLimit)
        } else {
            None
        }
    }

    /// Takes in one more event.
    ///
    /// # Errors
    /// The state is unchanged if the event cannot follow the events so far.
    pub fn apply_event(&mut self, event: &Event) -> Result<(), EventMisfit> {
        if self.end.is_some() {
            return Err(EventMisfit::AfterEnd);
        }
        if let Some(due) = self.due_end()
            && !matches!(event, Event::Ended { .. })
        {
            return Err(EventMisfit::EndDue(due));
        }
        match event {
            Event::Created(_) => Err(EventMisfit::CreatedTwice),
            Event::Declared { seat, row, defaulted, note_hash } => {
                self.apply_declaration(*seat, row, *defaulted, note_hash.as_ref())
            }
            Event::Revealed { matrix } => self.apply_reveal(matrix),
            Event::Took { ply, seat, take, mover, charged, credited, note_hash } => {
                self.check_turn(*ply, *seat, *mover)?;
                if *mover == Mover::Steward && note_hash.is_some() {
                    return Err(EventMisfit::NoteHash(*seat));
                }
                self.check_charge(*seat, *mover, *charged, *credited)?;
                self.position.take(*take)?;
                if *mover == Mover::Bot {
                    self.banks[*seat].charge_take(*charged, *credited, self.setup.clock());
                }
                self.takes.push(PlayedTake { take: *take, mover: *mover });
                Ok(())
            }
            Event::Struck { seat, ply, reason } => self.apply_strike(*seat, *ply, *reason),
            Event::Forfeited { seat, reason } => self.apply_forfeit(*seat, *reason),
            Event::Ended { reason, winner } => self.apply_end(*reason, *winner),
        }
    }

    fn check_seat(&self, seat: Seat) -> Result<(), EventMisfit> {
        self.setup.seats().seat(seat.index()).map(drop).map_err(|_| EventMisfit::NoSuchSeat(seat))
    }

    fn apply_declaration(
        &mut self,
        seat: Seat,
        row: &Row,
        defaulted: Option<RowDefault>,
        note_hash: Option<&NoteHash>,
    ) -> Result<(), EventMisfit> {
        self.check_seat(seat)?;
        if self.setup.assigned.is_some() || self.game.is_some() || self.rows[seat].is_some() {
            return Err(EventMisfit::RowSettled(seat));
        }
        let (given, seats) = (row.offsets().len(), self.setup.seats().get());
        if given != seats {
            return Err(EventMisfit::RowLength { given, seats });
        }
        if defaulted.is_some() && *row != Row::standard(self.setup.seats()) {
            return Err(EventMisfit::DefaultedRow(seat));
        }
        if defaulted.is_some() && note_hash.is_some() {
            return Err(EventMisfit::NoteHash(seat));
        }
        self.rows[seat] = Some(row.clone());
        Ok(())
    }

    fn apply_reveal(&mut self, matrix: &AllianceMatrix) -> Result<(), EventMisfit> {
        if self.game.is_some() || self.settled_matrix().as_ref() != Some(matrix) {
            return Err(EventMisfit::Revealed);
        }
        let setup = &self.setup;
        let game = Game::new(setup.piles.clone(), matrix.clone(), setup.first.index(), setup.ending)
            .map_err(|_| EventMisfit::NoSuchSeat(setup.first))?;
        self.game = Some(game);
        Ok(())
    }

    fn check_turn(&self, ply: u32, seat: Seat, mover: Mover) -> Result<(), EventMisfit> {
        self.check_seat(seat)?;
        if self.game.is_none() {
            return Err(EventMisfit::NotRevealed);
        }
        if ply != self.ply() {
            return Err(EventMisfit::Ply { given: ply, expected: self.ply() });
        }
        if seat != self.position.to_move() {
            return Err(EventMisfit::OutOfTurn { given: seat, expected: self.position.to_move() });
        }
        if (mover == Mover::Steward) != self.forfeits[seat].is_some() {
            return Err(EventMisfit::WrongMover(seat));
        }
        Ok(())
    }

    fn check_charge(
        &self,
        seat: Seat,
        mover: Mover,
        charged: Duration,
        credited: Duration,
    ) -> Result<(), EventMisfit> {
        let bank = &self.banks[seat];
        let fractional = |span: Duration| !span.subsec_nanos().is_multiple_of(1_000);
        match mover {
            _ if fractional(charged) || fractional(credited) => Err(EventMisfit::Fraction(seat)),
            Mover::Steward if !(charged.is_zero() && credited.is_zero()) => {
                Err(EventMisfit::StewardCharged(seat))
            }
            Mover::Bot if charged > bank.left => Err(EventMisfit::Overdrawn(seat)),
            Mover::Bot if credited > bank.lag_credit(credited, self.setup.clock()) => {
                Err(EventMisfit::Overcredited(seat))
            }
            Mover::Bot | Mover::Steward => Ok(()),
        }
    }

    fn apply_strike(&mut self, seat: Seat, ply: u32, reason: RefusalReason) -> Result<(), EventMisfit> {
        self.check_seat(seat)?;
        if !reason.is_strike() {
            return Err(EventMisfit::NoStrike(reason));
        }
        if ply != self.ply() {
            return Err(EventMisfit::Ply { given: ply, expected: self.ply() });
        }
        if self.forfeits[seat].is_some() {
            return Err(EventMisfit::ForfeitedTwice(seat));
        }
        let (strikes, limit) = (self.strikes[seat], self.setup.terms.strikes);
        if strikes >= limit {
            return Err(EventMisfit::Strikes { seat, strikes, limit });
        }
        self.strikes[seat] += 1;
        Ok(())
    }

    fn apply_forfeit(&mut self, seat: Seat, reason: ForfeitReason) -> Result<(), EventMisfit> {
        self.check_seat(seat)?;
        if self.forfeits[seat].is_some() {
            return Err(EventMisfit::ForfeitedTwice(seat));
        }
        let (strikes, limit) = (self.strikes[seat], self.setup.terms.strikes);
        if (reason == ForfeitReason::Strikes) != (strikes >= limit) {
            return Err(EventMisfit::Strikes { seat, strikes, limit });
        }
        let playing = self.game.is_some();
        let to_move = playing && self.position.to_move() == seat;
        let fits = match reason {
            ForfeitReason::TimedOut | ForfeitReason::Disconnected => to_move,
            ForfeitReason::NoShow => to_move || !playing,
            ForfeitReason::Strikes | ForfeitReason::Resigned | ForfeitReason::Disqualified => true,
        };
        if !fits {
            return Err(EventMisfit::ClockStopped(seat));
        }
        self.forfeits[seat] = Some(reason);
        Ok(())
    }

    fn apply_end(&mut self, reason: EndReason, winner: Option<Seat>) -> Result<(), EventMisfit> {
        if reason == EndReason::Cancelled {
            if winner.is_some() {
                return Err(EventMisfit::End("a cancelled match has no winner"));
            }
        } else {
            if self.due_end() != Some(reason) {
                return Err(EventMisfit::End("its reason does not hold"));
            }
            let due = self.game.as_ref().map(|game| Solution::new(game).winner(&self.position));
            if winner.is_none() || winner != due {
                return Err(EventMisfit::End("another seat won"));
            }
        }
        self.end = Some((reason, winner));
        Ok(())
    }
}
