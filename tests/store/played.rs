//! Matches played by a real referee with random bots.

use lastnim_core::game::{AllianceMatrix, BotName, MatchId, Piles, Row, SeatCount, TournamentId};
use lastnim_core::referee::{
    MatchPhase, MatchSetup, NoteHash, Origin, Record, Referee, RefereeInput, Seal, SeatAction, SigningKey,
    Timestamp,
};
use lastnim_proto::record::seat_loss_of_forfeit;
use lastnim_store::{Change, FinishedMatch};
use lastnim_tournament::MatchOutcome;
use std::time::Duration;

/// Reproducible random numbers (`SplitMix64`: Steele, Lea and Flood, 2014).
pub struct RandomNumbers(u64);

impl RandomNumbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Returns the id of a match by number; ids rise with numbers.
pub fn match_id(number: u64) -> MatchId {
    MatchId::new(1_700_000_000_000 + number, &[7; 10])
}

/// Returns the id of a tournament by number.
pub fn tournament_id(number: u64) -> TournamentId {
    TournamentId::new(1_600_000_000_000 + number, &[9; 10])
}

pub fn bots(numbers: impl IntoIterator<Item = u64>) -> Vec<BotName> {
    numbers.into_iter().map(|number| format!("bot-{number}").parse().unwrap()).collect()
}

/// Plays a match of these bots to its end, or to this many plies.
pub fn play_match(id: MatchId, bots: Vec<BotName>, origin: Option<Origin>, seed: u64, plies: u32) -> Record {
    let random = &mut RandomNumbers::new(seed);
    let seats = SeatCount::new(bots.len()).unwrap();
    let piles: Vec<u64> = (0..=random.below(4)).map(|_| 1 + random.below(30)).collect();
    let assigned = (random.below(3) == 0).then(|| AllianceMatrix::standard(seats));
    let bots = bots.try_into().unwrap();
    let setup = MatchSetup { assigned, origin, ..MatchSetup::new(bots, Piles::parse(&piles).unwrap()) };
    let mut now = Timestamp::from_micros(1_700_000_000_000_000 + random.below(1_000_000));
    let present = lastnim_core::game::BySeat::from_fn(seats, |_| random.below(8) > 0);
    let (mut referee, _) = Referee::begin(id, setup, present, now);
    for seat in seats.iter() {
        let row = Row::favouring(random.below(9) as usize, seats);
        if random.below(6) > 0 {
            now = now + Duration::from_micros(random.below(5_000));
            let action = SeatAction::declare(&row, note_hash(random));
            let _ = referee.handle_input(RefereeInput::Act { seat, action }, now);
        }
    }
    while referee.record().state().phase() != MatchPhase::Ended && referee.record().state().ply() < plies {
        referee.mark_effects_announced(now);
        now = now + Duration::from_micros(random.below(5_000));
        let state = referee.record().state();
        let (ply, seat) = (state.ply(), state.position().to_move());
        let act = |action| RefereeInput::Act { seat, action };
        let input = match (state.phase(), random.below(100)) {
            (MatchPhase::Declaring, _) | (_, 0) => {
                now = now.max(referee.deadline().unwrap());
                RefereeInput::Tick
            }
            (_, 1) => act(SeatAction::Resign),
            (_, 2) if random.below(10) == 0 => RefereeInput::Cancel,
            (_, 3..10) => act(SeatAction::take(ply, u64::MAX, None)),
            _ => {
                referee.set_lag(seat, Duration::from_micros(random.below(3_000)));
                let take = 1 + random.below(referee.record().state().position().counters().min(4));
                act(SeatAction::take(ply, take, note_hash(random)))
            }
        };
        let _ = referee.handle_input(input, now);
    }
    referee.into_record()
}

/// Draws the note hash of a row or a take: usually none.
fn note_hash(random: &mut RandomNumbers) -> Option<NoteHash> {
    (random.below(3) == 0).then(|| NoteHash::from_bytes([random.below(256) as u8; NoteHash::BYTES]))
}

/// Returns the change that adds events `from..to` of a record.
pub fn events_change(record: &Record, from: usize, to: usize) -> Change {
    Change::MatchEvents { id: record.id(), first: from, events: record.events()[from..to].to_vec() }
}

/// Returns the change that adds a whole record.
pub fn all_events(record: &Record) -> Change {
    events_change(record, 0, record.events().len())
}

/// Returns the data of a finished match, apart from its record.
pub fn finished_match(record: &Record) -> FinishedMatch {
    let outcome = record.audit().ok().map(|audit| {
        MatchOutcome::of_audit(&audit, |seat| record.state().forfeits()[seat].map(seat_loss_of_forfeit))
    });
    FinishedMatch { id: record.id(), head: record.last_hash(), seal: sign_record(record), outcome }
}

pub fn sign_record(record: &Record) -> Seal {
    SigningKey::from_seed(&[7; 32]).seal(record.last_hash())
}

/// Returns the changes that write a match, finished or not.
pub fn match_changes(record: &Record) -> Vec<Change> {
    let is_over = record.state().phase() == MatchPhase::Ended;
    let end_change = is_over.then(|| Change::MatchOver(Box::new(finished_match(record))));
    Some(all_events(record)).into_iter().chain(end_change).collect()
}

/// Returns the changes that write event `at` of each match that has it, and the end with the last event.
pub fn one_event_each(records: &[Record], at: usize) -> Vec<Change> {
    let going_on = records.iter().filter(|record| at < record.events().len());
    let changes = going_on.flat_map(|record| {
        let is_last = at + 1 == record.events().len() && record.state().phase() == MatchPhase::Ended;
        let end_change = is_last.then(|| Change::MatchOver(Box::new(finished_match(record))));
        [Some(events_change(record, at, at + 1)), end_change].into_iter().flatten()
    });
    changes.collect()
}

/// Plays an unfinished match.
pub fn open_match_of(id: MatchId, origin: Option<&Origin>) -> Record {
    let mut played = (0..1_000).map(|seed| play_match(id, bots(0..3), origin.cloned(), seed, 6));
    played.find(|record| record.state().phase() == MatchPhase::Playing && record.state().ply() == 6).unwrap()
}

/// Plays an unfinished match, and returns it at two times.
pub fn open_match(id: MatchId) -> (Record, Record) {
    let early_and_late = |seed| [6, 12].map(|plies| play_match(id, bots(0..3), None, seed, plies));
    let is_open = |record: &Record| record.state().phase() == MatchPhase::Playing;
    let [early, late] = (0..1_000).map(early_and_late).find(|both| both.iter().all(is_open)).unwrap();
    let (before, after) = (early.events(), late.events());
    assert!(after.len() > before.len() && after[..before.len()] == *before);
    (early, late)
}
