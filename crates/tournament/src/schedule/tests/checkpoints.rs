//! Tests that a tournament restored from a checkpoint equals one in which all results were counted again.

use super::schedule_properties::any_tournament;
use super::schedule_simulation::random_result_with;
use super::*;
use crate::testing::versions;
use crate::{
    Appraisal, BotComparison, CheckpointError, Concurrency, DisqualifiedResults, LadderPairing,
    LadderSettings, MatchResult, Pairing, ReplicateCount, ResultFold, RoundCount, Rulings, SeatLoss,
    SeatResult, SeededDraw, Settings, SettingsDraft, SnapshotUnavailable, Standing, Streak, TableGroups,
    TournamentEvent, TournamentFormat, TournamentState, VoidedMatch, snapshot_state,
};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::oracle::Budget;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A simulated tournament whose results are generated without games, with everything that is computed from these
/// results.
#[derive(Debug)]
struct SimulatedTournament {
    settings: Settings,
    field: Vec<BotName>,
    changes: Vec<FieldChange>,
    rulings: Rulings,
    fold: ResultFold,
    open: Vec<Pairing>,
    results: BTreeMap<u64, MatchResult>,
    seed: u64,
}

/// Everything that can be observed of a tournament at one time.
#[derive(Debug, PartialEq)]
struct VisibleState {
    lines: Vec<Standing>,
    appraisal: Appraisal,
    compared: Option<Vec<BotComparison>>,
    verdict: FormatVerdict,
    total: TotalMatches,
    settled: u64,
    open_round: Option<u64>,
    counted: u64,
}

/// Creates a result that depends only on the seed and the match. Some matches are cancelled, and some seats are lost.
fn random_result(seed: u64, pairing: &Pairing) -> MatchResult {
    random_result_with(seed, pairing, |draw, seats| SeatResult {
        rank_actual: draw.number_below(seats.get() as u64) as u32,
        rank_honest: Some(draw.number_below(seats.get() as u64) as u32),
        regret: draw.number_below(3) as u32,
        luck: draw.number_below(5) as i32 - 2,
        plies: 2 + draw.number_below(200) as u32,
        optimal_plies: draw.number_below(3) as u32,
        lost: match draw.number_below(12) {
            0 => Some(SeatLoss::NoShow),
            1 => Some(SeatLoss::Forfeited),
            _ => None,
        },
        versions: versions(draw),
    })
}

impl SimulatedTournament {
    fn new(settings: &Settings, field: &[BotName], seed: u64) -> Self {
        let schedule = plan_schedule(settings, field).unwrap();
        let (settings, field) = (settings.clone(), field.to_vec());
        let fold = ResultFold::new(&settings, schedule, &field, &[], Rulings::default());
        let (changes, rulings, open, results) = Default::default();
        Self { settings, field, changes, rulings, fold, open, results, seed }
    }

    fn bots(&self) -> Vec<BotName> {
        self.field.iter().chain(self.changes.iter().map(|change| &change.bot)).cloned().collect()
    }

    /// Plays `matches` more matches, up to `at_once` at a time, which end in random order.
    fn play(&mut self, at_once: usize, matches: usize, draw: &mut SeededDraw) {
        for _ in 0..matches {
            while self.open.len() < at_once
                && let ScheduleStep::Match(pairing) = self.fold.schedule.next()
            {
                self.open.push(pairing);
            }
            if self.open.is_empty() {
                return;
            }
            let ended = self.open.swap_remove(draw.number_below(self.open.len() as u64) as usize);
            let result = random_result(self.seed, &ended);
            self.results.insert(result.number, result.clone());
            self.fold.add_result(result);
        }
    }

    fn change_field(&mut self, bot: &str, movement: FieldMovement) {
        let Some(round) = self.fold.schedule.open_round() else { return };
        let change = FieldChange { round, bot: bot.parse().unwrap(), movement };
        self.fold.schedule.change_field(&change);
        self.fold.standings.add_bot(&change.bot);
        self.changes.push(change);
    }

    fn withdraw(&mut self, bot: &BotName) {
        let Some(round) = self.fold.schedule.open_round() else { return };
        self.rulings.add(&TournamentEvent::Withdrawn { bot: bot.clone(), from_round: Some(round) });
        let change = FieldChange { round, bot: bot.clone(), movement: FieldMovement::Leaves };
        self.fold.schedule.change_field(&change);
    }

    fn snapshot_state(&self) -> Result<Vec<u8>, SnapshotUnavailable> {
        let ResultFold { schedule, standings, evidence, cross_table, reported, .. } = &self.fold;
        let applied = (self.changes.len(), self.rulings.recounts());
        snapshot_state(applied, reported, &**schedule, standings, evidence, cross_table)
    }

    /// Annuls all results of a bot, and recounts everything.
    fn annul(&mut self, bot: &BotName) {
        let (bot, results, reason) = (bot.clone(), DisqualifiedResults::Annul, "a test".parse().unwrap());
        self.rulings.add(&TournamentEvent::Disqualified { bot, results, reason });
        self.fold = self.restarted(None).unwrap().fold;
    }

    /// Voids a random match among those that can still be voided, and recounts all others.
    fn void(&mut self, draw: &mut SeededDraw) {
        let first = self.fold.schedule.first_replayable();
        let numbers: Vec<u64> = self.results.range(first..).map(|(&number, _)| number).collect();
        if numbers.is_empty() {
            return;
        }
        let number = numbers[draw.number_below(numbers.len() as u64) as usize];
        self.results.remove(&number);
        let voided = VoidedMatch { number, id: MatchId::new(self.rulings.recounts(), &[1; 10]) };
        let reason = "a test".parse().unwrap();
        self.rulings.add(&TournamentEvent::Voided { matches: vec![voided], reason });
        self.fold = self.restarted(None).unwrap().fold;
    }

    /// Returns the tournament as a restarted server continues it: from a snapshot, or by counting all results again.
    fn restarted(&self, state: Option<&[u8]>) -> Result<Self, CheckpointError> {
        let schedule = plan_schedule(&self.settings, &self.field).unwrap();
        let bots = self.bots();
        let fold = match state {
            None => ResultFold::new(&self.settings, schedule, &bots, &self.changes, self.rulings.clone()),
            Some(state) => ResultFold::restore(
                &self.settings,
                schedule,
                &bots,
                &self.changes,
                self.rulings.clone(),
                state,
            )?,
        };
        let mut restarted = Self { fold, ..Self::new(&self.settings, &self.field, self.seed) };
        restarted.rulings.clone_from(&self.rulings);
        restarted.changes.clone_from(&self.changes);
        restarted.results.clone_from(&self.results);
        restarted.open.clone_from(&self.open);
        for result in self.results.values() {
            if !restarted.fold.reported.contains(result.number) {
                let pairing = restarted
                    .fold
                    .schedule
                    .pairing_of_number(result.number)
                    .expect("the pairing is determined");
                assert_eq!(pairing.bots, result.bots);
                restarted.fold.add_result(result.clone());
            }
        }
        for pairing in &self.open {
            assert_eq!(restarted.fold.schedule.pairing_of_number(pairing.number).as_ref(), Some(pairing));
            restarted.fold.schedule.skip_open_match(pairing.number);
        }
        Ok(restarted)
    }

    fn visible_state(&self) -> VisibleState {
        let ResultFold { schedule, standings, evidence, cross_table, reported, .. } = &self.fold;
        let mut standings = standings.clone();
        let verdict = schedule.format_verdict();
        if let (FormatVerdict::Byes(byes), Some(bye_groups)) = (&verdict, self.settings.format.bye_groups()) {
            standings.set_bye_scores(byes, bye_groups);
        }
        let replicates = ReplicateCount::new(ReplicateCount::MIN).unwrap();
        let appraisal = evidence.appraise(replicates, &mut Budget::unbounded()).unwrap();
        VisibleState {
            lines: standings.lines(TournamentState::Finished),
            compared: cross_table.table().map(|table| BotComparison::compare_all(table, &appraisal)),
            appraisal,
            verdict,
            total: schedule.total_matches(),
            settled: schedule.settled_below(),
            open_round: schedule.open_round(),
            counted: reported.result_count(),
        }
    }
}

fn open_ended_ladder(seats: usize, table_groups: u64, suspend_after: u64) -> Settings {
    settings(
        seats,
        3,
        TournamentFormat::Ladder(LadderSettings {
            groups: None,
            table_groups: TableGroups::new(table_groups).unwrap(),
            suspend_after: Streak::new(suspend_after).unwrap(),
            pairing: LadderPairing::default(),
        }),
    )
}

/// Checks that a tournament continues identically from each of these snapshots, and from all its results.
fn check_restored(
    played: &SimulatedTournament,
    snapshots: &[Vec<u8>],
    more: usize,
) -> Result<(), TestCaseError> {
    let visible_state = played.visible_state();
    let mut recounted = played.restarted(None).unwrap();
    prop_assert_eq!(&recounted.visible_state(), &visible_state);
    let mut others = Vec::new();
    for state in snapshots {
        let restored = played.restarted(Some(state)).unwrap();
        prop_assert_eq!(&restored.visible_state(), &visible_state);
        if played.changes.is_empty() {
            prop_assert_eq!(restored.fold.schedule.save(), recounted.fold.schedule.save());
        }
        // A server that was restored from a checkpoint can write the next one.
        let again = restored.snapshot_state();
        prop_assert!(again.is_ok());
        prop_assert_eq!(&played.restarted(Some(&again.unwrap())).unwrap().visible_state(), &visible_state);
        others.push(restored);
    }
    recounted.play(1, more, &mut SeededDraw::new(1, 1));
    let last = recounted.visible_state();
    for mut restored in others {
        restored.play(1, more, &mut SeededDraw::new(1, 1));
        prop_assert_eq!(&restored.results, &recounted.results);
        prop_assert_eq!(&restored.visible_state(), &last);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_format_continues_from_a_checkpoint(
        (settings, bots) in any_tournament(), seed: u64, luck: u64, at_once in 1..30_usize,
        spans in prop::collection::vec(0..40_usize, 1..5),
    ) {
        let mut played = SimulatedTournament::new(&settings, &field(bots), seed);
        let (mut draw, mut snapshots) = (SeededDraw::new(luck, 0), Vec::new());
        for span in spans {
            played.play(at_once, span, &mut draw);
            snapshots.push(played.snapshot_state().unwrap());
        }
        played.play(at_once, 5, &mut draw);
        check_restored(&played, &snapshots, usize::MAX)?;
    }

    #[test]
    fn an_open_ended_ladder_continues_from_a_checkpoint(
        seats in 2..4_usize, more in 0..5_usize, table_groups in 1..3_u64, suspend_after in 1..4_u64,
        seed: u64, luck: u64, at_once in 1..9_usize,
        moves in prop::collection::vec((0..9_usize, any::<bool>(), 0..30_usize, any::<bool>()), 1..8),
    ) {
        let settings = open_ended_ladder(seats, table_groups, suspend_after);
        let mut played = SimulatedTournament::new(&settings, &field(seats + more), seed);
        let (mut draw, mut snapshots) = (SeededDraw::new(luck, 0), vec![played.snapshot_state().unwrap()]);
        for (bot, enters, span, is_kept) in moves {
            played.play(at_once, span, &mut draw);
            let movement = if enters { FieldMovement::Enters } else { FieldMovement::Leaves };
            played.change_field(&format!("bot{bot}"), movement);
            if is_kept {
                snapshots.push(played.snapshot_state().unwrap());
            }
        }
        played.play(at_once, 5, &mut draw);
        check_restored(&played, &snapshots, 60)?;
    }

    #[test]
    fn a_swiss_tournament_continues_without_those_that_withdraw(
        seats in 2..4_usize, more in 0..7_usize, rounds in 1..6_u64, seed: u64, luck: u64, at_once in 1..9_usize,
        moves in prop::collection::vec((0..9_usize, 0..20_usize, any::<bool>()), 1..6),
    ) {
        let rounds = RoundCount::new(rounds).unwrap();
        let format = TournamentFormat::Swiss { rounds, table_groups: TableGroups::ONE };
        let (settings, bots) = (settings(seats, 3, format), field(seats + more));
        let mut played = SimulatedTournament::new(&settings, &bots, seed);
        let (mut draw, mut snapshots) = (SeededDraw::new(luck, 0), vec![played.snapshot_state().unwrap()]);
        for (bot, span, is_kept) in moves {
            played.play(at_once, span, &mut draw);
            played.withdraw(&bots[bot % bots.len()]);
            if is_kept {
                snapshots.push(played.snapshot_state().unwrap());
            }
        }
        played.play(at_once, 5, &mut draw);
        check_restored(&played, &snapshots, usize::MAX)?;
    }

    #[test]
    fn a_checkpoint_from_before_a_ruling_is_rejected(
        (settings, bots) in any_tournament(), seed: u64, luck: u64, at_once in 1..9_usize,
        steps in prop::collection::vec((0..30_usize, 0..4_usize), 1..6),
    ) {
        let mut played = SimulatedTournament::new(&settings, &field(bots), seed);
        let (mut draw, mut snapshots) = (SeededDraw::new(luck, 0), Vec::new());
        for (span, ruling) in steps {
            played.play(at_once, span, &mut draw);
            snapshots.push((played.rulings.recounts(), played.snapshot_state().unwrap()));
            match ruling {
                0 => played.void(&mut draw),
                1 => played.annul(&field(bots)[draw.number_below(bots as u64) as usize]),
                _ => {}
            }
        }
        played.play(at_once, 5, &mut draw);
        let recounts = played.rulings.recounts();
        let (usable, old): (Vec<_>, Vec<_>) = snapshots.into_iter().partition(|(of, _)| *of == recounts);
        for (_, state) in old {
            let restored = played.restarted(Some(&state)).map(|_| ());
            prop_assert_eq!(restored, Err(CheckpointError::Malformed("later interventions have changed which results count")));
        }
        let usable: Vec<_> = usable.into_iter().map(|(_, state)| state).collect();
        check_restored(&played, &usable, 20)?;
    }

    #[test]
    fn arbitrary_bytes_do_not_break_decoding(
        (settings, bots) in any_tournament(), seed: u64, span in 0..60_usize,
        cut: prop::sample::Index, damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut played = SimulatedTournament::new(&settings, &field(bots), seed);
        played.play(5, span, &mut SeededDraw::new(seed, 0));
        let whole = played.snapshot_state().unwrap();
        let restore = |state: &[u8]| {
            let schedule = plan_schedule(&settings, &played.field).unwrap();
            ResultFold::restore(&settings, schedule, &played.field, &[], Rulings::default(), state).map(|_| ())
        };
        prop_assert_eq!(restore(&whole), Ok(()));
        prop_assert!(restore(&whole[..cut.index(whole.len())]).is_err(), "a truncated state is rejected");
        let mut longer = whole.clone();
        longer.push(0);
        prop_assert!(restore(&longer).is_err(), "a state with extra bytes is rejected");
        let mut damaged = whole;
        for (place, byte) in damage {
            let place = place.index(damaged.len());
            damaged[place] = byte;
        }
        // The damaged bytes may happen to be a valid state, so this need not fail; it must only not panic.
        let _ = restore(&damaged);
    }
}

#[test]
fn schedules_with_a_limit_per_bot_have_no_snapshot() {
    let plain = settings(2, 3, TournamentFormat::RoundRobin);
    let spread = SettingsDraft { bot_concurrency: Some(Concurrency::new(1).unwrap()), ..(*plain).clone() };
    let settings = Settings::new(spread).unwrap();
    let played = SimulatedTournament::new(&settings, &field(6), 1);
    assert_eq!(played.snapshot_state(), Err(SnapshotUnavailable::Unsupported));
}

#[test]
fn a_checkpoint_only_fits_its_tournament() {
    let settings = open_ended_ladder(2, 1, 3);
    let mut played = SimulatedTournament::new(&settings, &field(5), 7);
    played.play(3, 50, &mut SeededDraw::new(7, 0));
    played.change_field("bot8", FieldMovement::Enters);
    let state = played.snapshot_state().unwrap();
    assert!(played.restarted(Some(&state)).is_ok());
    let change = played.changes.pop().unwrap();
    let error = played.restarted(Some(&state)).unwrap_err();
    assert_eq!(error, CheckpointError::Missing("field changes"), "without {change:?}");
    let three_seats = SimulatedTournament::new(&open_ended_ladder(3, 1, 3), &field(5), 7);
    assert!(three_seats.restarted(Some(&state)).is_err());
}

#[test]
fn the_state_of_a_ladder_does_not_grow_with_its_history() {
    let settings = open_ended_ladder(2, 1, 1_000);
    let mut played = SimulatedTournament::new(&settings, &field(8), 3);
    let mut draw = SeededDraw::new(3, 0);
    let mut size = |matches: usize| {
        played.play(4, matches, &mut draw);
        played.fold.schedule.save().unwrap().len()
    };
    let (early, late) = (size(500), size(4_000));
    assert!(late < early + early / 4, "{early} bytes, then {late}");
}

#[test]
fn leaving_and_returning_while_a_ladder_waits_has_no_effect() {
    for luck in 0..40 {
        let settings = open_ended_ladder(2, 1, 1_000);
        let mut played = SimulatedTournament::new(&settings, &field(4), luck);
        let mut draw = SeededDraw::new(luck, 0);
        played.play(2, 8 + luck as usize, &mut draw);
        for bot in ["bot0", "bot1", "bot2"] {
            played.change_field(bot, FieldMovement::Leaves);
        }
        played.play(2, 8, &mut draw);
        assert_eq!(played.fold.schedule.next(), ScheduleStep::AwaitBots);
        let waiting = played.snapshot_state().unwrap();
        played.change_field("bot1", FieldMovement::Enters);
        played.play(2, 9, &mut draw);
        check_restored(&played, &[waiting], 40).unwrap();
    }
}

#[test]
fn the_encoding_is_frozen_for_its_version() {
    // The state contains no floating-point number, so it is the same on every machine.
    let settings = settings(3, 2, TournamentFormat::RoundRobin);
    let mut played = SimulatedTournament::new(&settings, &field(4), 5);
    played.play(3, 20, &mut SeededDraw::new(5, 0));
    let hash = blake3::hash(&played.snapshot_state().unwrap()).to_hex();
    assert_eq!(
        hash.as_str(),
        "5ba4bd36fa09fac4841f31d82f796715d86752276098507c43b56f88bb55f29d",
        "a change in the encoding needs a new version of checkpoints"
    );
}
