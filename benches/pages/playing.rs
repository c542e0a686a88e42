//! Plays the matches that fill the store.

use lastnim_core::game::TournamentId;
use lastnim_core::{
    game::{BySeat, MatchId, Piles, Row, SeatCount},
    referee::{
        MatchPhase, MatchSetup, Origin, Record, Referee, RefereeInput, SeatAction, SigningKey, Timestamp,
    },
};
use lastnim_store::{Change, FinishedMatch};
use lastnim_tournament::{
    AllianceSource, MatchOutcome, Pairing, Positions, SeededDraw, Settings, SettingsDraft, TournamentFormat,
};
use std::time::Duration;

/// Seats of every match.
pub(crate) const SEATS: usize = 3;
/// The time at which the first match began, in microseconds since 1970-01-01 UTC.
const BEGAN: u64 = 1_700_000_000_000_000;
/// The time from one match to the next, in microseconds.
const MATCH_INTERVAL: u64 = 1_000_000;

/// Plays matches one after the other and signs their records.
pub(crate) struct MatchMaker {
    key: SigningKey,
    /// Number of matches played.
    pub(crate) played: u64,
}

impl MatchMaker {
    pub(crate) fn new() -> Self {
        Self { key: SigningKey::from_seed(&[3; SigningKey::SEED_BYTES]), played: 0 }
    }

    /// Returns the time at which the next match begins.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_micros(BEGAN + self.played * MATCH_INTERVAL)
    }

    /// Plays a match of a tournament; returns its outcome and the changes to store.
    pub(crate) fn play_pairing(
        &mut self,
        tournament: TournamentId,
        settings: &Settings,
        pairing: &Pairing,
    ) -> anyhow::Result<(MatchOutcome, [Change; 2])> {
        let origin = Origin { tournament, number: pairing.number, group: pairing.group };
        let piles = settings
            .piles(pairing.position)
            .ok_or_else(|| anyhow::anyhow!("the pairing's position does not exist"))?;
        let setup = MatchSetup { origin: Some(origin), ..MatchSetup::new(pairing.bots.clone(), piles) };
        let id = MatchId::new(self.now().as_micros() / 1_000, &[6; 10]);
        let record = play_match(id, setup, self.played, self.now());
        let outcome = MatchOutcome::of_audit(&record.audit()?, |_| None);
        let written = Change::MatchEvents { id, first: 0, events: record.events().to_vec() };
        let head = record.last_hash();
        let finished_match =
            FinishedMatch { id, head, seal: self.key.seal(head), outcome: Some(outcome.clone()) };
        self.played += 1;
        Ok((outcome, [written, Change::MatchOver(Box::new(finished_match))]))
    }
}

/// Returns the settings of a tournament.
pub(crate) fn settings(title: &str, format: TournamentFormat) -> anyhow::Result<Settings> {
    let positions: [&[u64]; 4] = [&[2, 3], &[6], &[1, 4], &[3, 2]];
    let positions = positions.iter().map(|piles| Piles::parse(piles)).collect::<Result<_, _>>()?;
    let positions = Positions::listed(positions)?;
    let draft =
        SettingsDraft::new(title.parse()?, SeatCount::new(SEATS)?, positions, AllianceSource::Standard);
    Ok(Settings::new(SettingsDraft { format, seed: 18, ..draft })?)
}

/// Plays a match to its end, with declared rows and pseudorandom takes.
fn play_match(id: MatchId, setup: MatchSetup, seed: u64, began: Timestamp) -> Record {
    let draw = &mut SeededDraw::new(seed, 1);
    let (seats, mut now) = (setup.seats(), began);
    let (mut referee, _) = Referee::begin(id, setup, BySeat::filled(seats, &true), now);
    for seat in seats.iter() {
        let row = Row::favouring(draw.number_below(seats.get() as u64) as usize, seats);
        let action = SeatAction::declare(&row, None);
        let _effects = referee.handle_input(RefereeInput::Act { seat, action }, now);
    }
    while referee.record().state().phase() != MatchPhase::Ended {
        referee.mark_effects_announced(now);
        now = now + Duration::from_micros(200 + draw.number_below(2_000));
        let state = referee.record().state();
        let (seat, ply) = (state.position().to_move(), state.ply());
        let take = 1 + draw.number_below(state.position().counters().min(3));
        let action = SeatAction::take(ply, take, None);
        let _effects = referee.handle_input(RefereeInput::Act { seat, action }, now);
    }
    referee.into_record()
}
