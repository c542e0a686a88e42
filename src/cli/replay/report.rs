//! The steps of a record, in words of at most 80 columns and as messages.

use crate::{
    game::{Position, Seat},
    oracle::{Audit, Mover, PlyAudit},
    referee::{Event, MatchState, NoteHash, Record, TimedEvent},
    report::{
        match_events::{Players, event_line},
        matches::audit_line,
        words::joined,
    },
    wire::{pb, record_text::Utc},
};
use std::{
    io::{self, Write},
    time::Duration,
};

/// The columns that a line may have.
const WIDTH: usize = 80;
/// The columns before the words of a labelled line.
const INDENT: usize = 13;
/// The piles that are shown, counted from the one in play.
const MAX_PILES: usize = 24;

/// One take, and what happened since the take before.
pub struct Step<'a> {
    audit: PlyAudit,
    took: &'a TimedEvent,
    /// What happened before the take: strikes and lost seats.
    before: Vec<&'a TimedEvent>,
    /// The position that the take was made in.
    position: Position,
    /// The seat's bank before and after the take.
    bank_us: [u64; 2],
    charged_us: u64,
    lag_us: u64,
    note_hash: Option<NoteHash>,
}

/// The takes of a record, one after the other.
pub struct Steps<'a> {
    events: std::slice::Iter<'a, TimedEvent>,
    plies: std::vec::IntoIter<PlyAudit>,
    state: MatchState,
}

impl<'a> Steps<'a> {
    /// Begins with the first take; there is none before the rows are revealed.
    pub fn of(record: &'a Record) -> Self {
        let plies = audit(record).map(|audit| audit.plies).unwrap_or_default().into_iter();
        let mut events = record.events().iter();
        // The state begins with what `created` says.
        events.next();
        Self { events, plies, state: MatchState::new(record.state().setup().clone()) }
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let mut before = Vec::new();
        for timed in self.events.by_ref() {
            let taken = match timed.event {
                Event::Took { seat, charged, credited, note_hash, .. } => {
                    Some((seat, charged, credited, note_hash))
                }
                Event::Struck { .. } | Event::Forfeited { .. } => {
                    before.push(timed);
                    None
                }
                _ => None,
            };
            let position = taken.map(|_| self.state.position().clone());
            let bank_us = |state: &MatchState, seat| micros(state.banks()[seat].left);
            let had_us = taken.map(|(seat, ..)| bank_us(&self.state, seat));
            self.state.apply(&timed.event).expect("a record replays");
            if let (Some((seat, charged, credited, note_hash)), Some(position), Some(had_us)) =
                (taken, position, had_us)
            {
                let audit = self.plies.next()?;
                let bank_us = [had_us, bank_us(&self.state, seat)];
                let (charged_us, lag_us) = (micros(charged), micros(credited));
                return Some(Step {
                    audit,
                    took: timed,
                    before,
                    position,
                    bank_us,
                    charged_us,
                    lag_us,
                    note_hash,
                });
            }
        }
        None
    }
}

/// Returns the oracle's view of a match, which may be open or cancelled; none before the rows are revealed.
pub fn audit(record: &Record) -> Option<Audit> {
    let state = record.state();
    let audit = Audit::of_adjudicated(state.game()?, state.takes());
    Some(audit.expect("the takes of a record are legal"))
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

impl Step<'_> {
    /// Returns the number of the take, from 0.
    pub fn ply(&self) -> u32 {
        self.audit.ply
    }

    fn piles(&self) -> Vec<u64> {
        let mut piles = self.position.untouched().to_vec();
        piles.push(self.position.counters());
        piles
    }

    /// Prints the step.
    pub fn print(&self, output: &mut impl Write, record: &Record) -> io::Result<()> {
        let name = |seat: Seat| named(record, seat);
        let PlyAudit { ply, seat, take, counters, predicted_before, predicted_after, regret, .. } =
            &self.audit;
        for timed in &self.before {
            wrapped(output, "event", &format!("{}: {}", since(record, timed), line(record, timed)))?;
        }
        let [had, left] = self.bank_us.map(seconds);
        writeln!(output, "ply {ply}: {} to move, {had} s on the clock", name(*seat))?;
        wrapped(output, "piles", &shortened(&self.piles()))?;
        let optimal =
            format!("{} of {counters}; then {} wins", self.audit.optimal_takes, name(*predicted_before));
        wrapped(output, "optimal", &optimal)?;
        let took = match self.audit.mover {
            Mover::Bot => format!("{take} in {} s, {left} s left", seconds(self.charged_us)),
            Mover::Steward => format!("{take}, by the steward, for the seat is forfeited"),
        };
        wrapped(output, "took", &took)?;
        if let Some(note_hash) = self.note_hash {
            wrapped(output, "note hash", &note_hash.to_string())?;
        }
        let worth = match regret {
            0 => format!("optimal; the winner stays {}", name(*predicted_after)),
            1 => format!("an error; regret 1 rank; now {} wins", name(*predicted_after)),
            regret => format!("an error; regret {regret} ranks; now {} wins", name(*predicted_after)),
        };
        wrapped(output, "", &worth)
    }

    /// Makes the step's message.
    pub fn message(&self, record: &Record) -> pb::ReplayedPly {
        let bot = |seat: Seat| record.state().setup().bots[seat].to_string();
        let [bank_us, bank_after_us] = self.bank_us;
        pb::ReplayedPly {
            audit: Some((&self.audit).into()),
            at_us: self.took.at.as_micros(),
            bot: bot(self.audit.seat),
            piles: self.piles(),
            predicted_before_bot: bot(self.audit.predicted_before),
            predicted_after_bot: bot(self.audit.predicted_after),
            bank_us,
            charged_us: self.charged_us,
            lag_us: self.lag_us,
            bank_after_us,
            note_hash: self.note_hash.map(|note_hash| note_hash.as_bytes().to_vec()),
        }
    }
}

/// Prints who plays what.
pub fn print_head(output: &mut impl Write, record: &Record) -> io::Result<()> {
    let setup = record.state().setup();
    wrapped(output, "match", &record.id().to_string())?;
    wrapped(output, "created", &Utc(record.events()[0].at.as_micros()).to_string())?;
    if let Some(origin) = &setup.origin {
        wrapped(
            output,
            "tournament",
            &format!("{}, match {}, group {}", origin.tournament, origin.number, origin.group),
        )?;
    }
    wrapped(output, "piles", &shortened(setup.piles.as_slice()))?;
    wrapped(output, "ending", setup.ending.name())?;
    for (seat, bot) in setup.bots.enumerate() {
        let row =
            record.state().game().map(|game| format!(", row {}", game.matrix[seat])).unwrap_or_default();
        wrapped(output, &format!("seat {seat}"), &format!("{bot}{row}"))?;
    }
    Ok(())
}

/// Prints how it ended, and what was worth what.
pub fn print_end(output: &mut impl Write, record: &Record) -> io::Result<()> {
    writeln!(output)?;
    for timed in after_the_last_take(record) {
        wrapped(output, "event", &format!("{}: {}", since(record, timed), line(record, timed)))?;
    }
    let Some(audit) = audit(record) else {
        return wrapped(output, "", "The rows are not revealed: the oracle has nothing to say.");
    };
    let said = pb::Audit::from(&audit);
    let players = Players::of(&record.state().setup().into());
    match record.state().end() {
        None => wrapped(output, "", "The record ends here; the match was not over."),
        Some((_, None)) => Ok(()),
        Some((_, Some(_))) => wrapped(output, "audit", &audit_line(&said, &players)),
    }
}

fn after_the_last_take(record: &Record) -> impl Iterator<Item = &TimedEvent> {
    let events = record.events();
    let last =
        events.iter().rposition(|timed| matches!(timed.event, Event::Took { .. } | Event::Revealed { .. }));
    events.iter().skip(last.map_or(1, |last| last + 1))
}

fn line(record: &Record, timed: &TimedEvent) -> String {
    let players = Players::of(&record.state().setup().into());
    pb::RecordEvent::from(timed).event.map(|event| event_line(&event, &players)).unwrap_or_default()
}

fn named(record: &Record, seat: Seat) -> String {
    format!("seat {seat} ({})", record.state().setup().bots[seat])
}

/// Returns the time since the match was set up.
fn since(record: &Record, timed: &TimedEvent) -> String {
    format!("after {} s", seconds(micros(timed.at.since(record.events()[0].at))))
}

fn seconds(micros: u64) -> String {
    format!("{}.{:03}", micros / 1_000_000, micros / 1_000 % 1_000)
}

/// Writes piles, those far before the one in play only counted.
fn shortened(piles: &[u64]) -> String {
    let hidden = piles.len().saturating_sub(MAX_PILES);
    let shown = joined(&piles[hidden..], ", ");
    if hidden > 0 { format!("({hidden} more before) {shown}") } else { shown }
}

/// Prints words behind a label, in as many lines as they need.
fn wrapped(output: &mut impl Write, label: &str, words: &str) -> io::Result<()> {
    let mut line = format!("  {label:<width$} ", width = INDENT - 3);
    let empty = line.len();
    let mut used = false;
    for word in words.split(' ') {
        if used && line.len() + 1 + word.len() > WIDTH {
            writeln!(output, "{line}")?;
            line = " ".repeat(empty);
            used = false;
        }
        if used {
            line.push(' ');
        }
        line.push_str(word);
        used = true;
    }
    writeln!(output, "{line}")
}

#[cfg(test)]
mod tests;
