//! Turns the takes of a record into sections of a report and into protocol messages.

use lastnim_core::{
    game::{Position, Seat},
    oracle::{Audit, Mover, PlyAudit, TakeGuarantee, TakeSafety},
    referee::{Event, MatchState, NoteHash, Record, TimedEvent},
    shown_number::shown_number,
};
use lastnim_proto::{pb, record_text::Utc};
use lastnim_report::{
    Section,
    match_events::{SeatNames, event_line},
    matches::audit_line,
    words::{count_with_noun, join_items},
};
use std::time::Duration;

/// The maximum number of columns in a line.
pub const MAX_COLUMNS: usize = 80;
/// The maximum number of piles shown: the pile in play and the ones right before it.
const MAX_PILES: usize = 24;

/// One take, and the strikes and lost seats since the previous take.
pub struct ReplayStep<'a> {
    audit: PlyAudit,
    took: &'a TimedEvent,
    /// The strikes and lost seats since the previous take.
    before: Vec<&'a TimedEvent>,
    /// The position in which the take was made.
    position: Position,
    /// The seat's bank before and after the take.
    bank_us: [u64; 2],
    charged_us: u64,
    lag_us: u64,
    note_hash: Option<&'a NoteHash>,
}

/// An iterator over the takes of a record.
pub struct ReplaySteps<'a> {
    events: std::slice::Iter<'a, TimedEvent>,
    plies: std::vec::IntoIter<PlyAudit>,
    state: MatchState,
}

impl<'a> ReplaySteps<'a> {
    /// Creates an iterator that starts at the first take. It is empty if the rows were not revealed.
    pub fn of_record(record: &'a Record) -> Self {
        let plies = audit_record(record).map(|audit| audit.plies).unwrap_or_default().into_iter();
        let mut events = record.events().iter();
        // The initial state already includes the event `created`.
        events.next();
        Self { events, plies, state: MatchState::new(record.state().setup().clone()) }
    }
}

impl<'a> Iterator for ReplaySteps<'a> {
    type Item = ReplayStep<'a>;

    fn next(&mut self) -> Option<ReplayStep<'a>> {
        let mut before = Vec::new();
        for timed in self.events.by_ref() {
            let taken = match &timed.event {
                Event::Took { seat, charged, credited, note_hash, .. } => {
                    Some((*seat, *charged, *credited, note_hash.as_ref()))
                }
                Event::Struck { .. } | Event::Forfeited { .. } => {
                    before.push(timed);
                    None
                }
                _ => None,
            };
            let position = taken.map(|_| self.state.position().clone());
            let bank_us = |state: &MatchState, seat| whole_micros(state.banks()[seat].left());
            let had_us = taken.map(|(seat, ..)| bank_us(&self.state, seat));
            self.state.apply_event(&timed.event).expect("a record replays");
            if let (Some((seat, charged, credited, note_hash)), Some(position), Some(had_us)) =
                (taken, position, had_us)
            {
                let audit = self.plies.next()?;
                let bank_us = [had_us, bank_us(&self.state, seat)];
                let (charged_us, lag_us) = (whole_micros(charged), whole_micros(credited));
                return Some(ReplayStep {
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

/// Returns the oracle's view of a match, even an open or cancelled one; `None` before the rows are revealed.
pub fn audit_record(record: &Record) -> Option<Audit> {
    let state = record.state();
    let game = state.game()?;
    let audit = Audit::of_adjudicated(game, state.takes()).expect("a record's takes are legal");
    Some(audit.with_dealt_rows(game, state.opened_rows()))
}

fn whole_micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

impl ReplayStep<'_> {
    /// Returns the number of the take, from 0.
    pub fn ply(&self) -> u32 {
        self.audit.ply
    }

    fn piles(&self) -> Vec<u64> {
        let mut piles = self.position.untouched_piles().to_vec();
        piles.push(self.position.counters());
        piles
    }

    /// Returns the step as a section of the report.
    pub fn to_section(&self, record: &Record) -> Section {
        let name = |seat: Seat| seat_name(record, seat);
        let PlyAudit { ply, seat, take, counters, predicted_before, predicted_after, regret, .. } =
            &self.audit;
        let [had, left] = self.bank_us.map(format_seconds);
        let took = match self.audit.mover {
            Mover::Bot => format!("{take} in {} s, {left} s left", format_seconds(self.charged_us)),
            Mover::Steward => format!("{take}, by the steward, because the seat is forfeited"),
        };
        let result = match regret {
            0 => format!("optimal; the winner under optimal play is still {}", name(*predicted_after)),
            regret => {
                let ranks = count_with_noun(*regret, "rank", "ranks");
                format!("an error; regret {ranks}; under optimal play {} now wins", name(*predicted_after))
            }
        };
        let optimal = self.audit.optimal_takes.to_string();
        let facts = [
            ("piles", Some(shortened_piles(&self.piles()))),
            ("optimal", Some(format!("{optimal} of {counters}; then {} wins", name(*predicted_before)))),
            ("took", Some(took)),
            ("note hash", self.note_hash.map(ToString::to_string)),
            ("result", Some(result)),
            ("safety", self.safety_text()),
        ];
        let facts = facts.into_iter().filter_map(|(label, fact)| Some((label, fact?)));
        let before = self.before.iter().map(|timed| event_fact(record, timed));
        Section::with_heading(format!(
            "take {}: {} to move, {had} s on the clock",
            shown_number(*ply),
            name(*seat)
        ))
        .facts(before.chain(facts))
    }

    /// Describes the take if it is risky or a safe error.
    fn safety_text(&self) -> Option<String> {
        let TakeGuarantee { before, after, .. } = self.audit.guarantee;
        match self.audit.safety {
            TakeSafety::Risky => Some(format!(
                "risky: the seat can now force only rank {after} against all others, not rank {before}"
            )),
            TakeSafety::SafeError => {
                Some(format!("safe error: the seat can still force rank {after} against all others"))
            }
            TakeSafety::Safe | TakeSafety::Error => None,
        }
    }

    /// Returns the step as a protocol message.
    pub fn to_message(&self, record: &Record) -> pb::ReplayedPly {
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

/// Returns the section that lists the seats with their bots and rows. Each item of `reasons` is a seat and a fact,
/// which is shown under that seat.
pub fn head_section(record: &Record, reasons: &[(usize, (&'static str, String))]) -> Section {
    let setup = record.state().setup();
    let row =
        |seat| record.state().game().map(|game| format!(", row {}", game.matrix[seat])).unwrap_or_default();
    let place = setup.origin.as_ref().map(|origin| {
        let [number, group] = [origin.number, origin.group].map(shown_number);
        format!("{}, match {number}, group {group}", origin.tournament)
    });
    let facts = [
        ("match", Some(record.id().to_string())),
        ("created", Some(Utc(record.events()[0].at.as_micros()).to_string())),
        ("tournament", place),
        ("piles", Some(shortened_piles(setup.piles.as_slice()))),
        ("ending", Some(setup.ending.name().to_owned())),
    ];
    let facts = facts.into_iter().filter_map(|(label, fact)| Some((label.to_owned(), fact?)));
    let seats = setup.bots.enumerate().flat_map(|(seat, bot)| {
        let own = reasons.iter().filter(move |(of, _)| *of == seat.index());
        let own = own.map(|(_, (label, reason))| ((*label).to_owned(), reason.clone()));
        [(format!("seat {seat}"), format!("{bot}{}", row(seat)))].into_iter().chain(own)
    });
    Section::new().facts(facts.chain(seats))
}

/// Returns the section that says how the match ended, with its audit.
pub fn end_section(record: &Record) -> Section {
    let events = events_after_last_take(record).map(|timed| event_fact(record, timed));
    let Some(audit) = audit_record(record) else {
        let notice = "The rows were not revealed, so the oracle cannot judge the match.";
        return Section::new().facts(events).paragraph(notice);
    };
    let players = SeatNames::of_setup(&record.state().setup().into());
    match record.state().end() {
        None => Section::new().facts(events).paragraph("The record ends here; the match was not over."),
        Some((_, None)) => Section::new().facts(events),
        Some((_, Some(_))) => {
            let audit = ("audit", audit_line(&pb::Audit::from(&audit), &players));
            Section::new().facts(events.chain([audit]))
        }
    }
}

fn events_after_last_take(record: &Record) -> impl Iterator<Item = &TimedEvent> {
    let events = record.events();
    let last =
        events.iter().rposition(|timed| matches!(timed.event, Event::Took { .. } | Event::Revealed { .. }));
    events.iter().skip(last.map_or(1, |last| last + 1))
}

fn event_fact(record: &Record, timed: &TimedEvent) -> (&'static str, String) {
    let players = SeatNames::of_setup(&record.state().setup().into());
    let event = pb::RecordEvent::from(timed).event;
    let line = event.map(|event| event_line(&event, &players)).unwrap_or_default();
    let passed = whole_micros(timed.at.since(record.events()[0].at));
    ("event", format!("after {} s: {line}", format_seconds(passed)))
}

fn seat_name(record: &Record, seat: Seat) -> String {
    format!("seat {seat} ({})", record.state().setup().bots[seat])
}

fn format_seconds(micros: u64) -> String {
    format!("{}.{:03}", micros / 1_000_000, micros / 1_000 % 1_000)
}

/// Lists the last [`MAX_PILES`] piles, and counts those before them.
fn shortened_piles(piles: &[u64]) -> String {
    let hidden = piles.len().saturating_sub(MAX_PILES);
    let shown = join_items(&piles[hidden..], ", ");
    if hidden > 0 { format!("({hidden} more before) {shown}") } else { shown }
}

#[cfg(test)]
mod tests;
