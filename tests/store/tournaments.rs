//! Tournaments in a store: settings, fields, standings and checkpoints.

use crate::played::{bots, tournament_id};
use crate::test_database::TestDatabase;
use crate::versions::version;
use lastnim_core::game::{BotName, Piles, SeatCount};
use lastnim_core::referee::{DealSecret, Terms, Timestamp};
use lastnim_store::{
    Change, EntryCode, FieldHistory, Store, StoreError, StoredEntryCode, StoredTournament, TournamentResult,
};
use lastnim_tournament::{
    AllianceSource, AllowList, BoundedCount, Bye, Checkpoint, Concurrency, ConfidenceInterval, EffectBounds,
    ErrorRates, FieldChange, FieldMovement, FormatVerdict, LadderPairing, LadderSettings, MeanEstimate,
    OracleAccess, PlaceRange, PlayedVersion, Positions, RatingMeasure, RetainedMatchCount, Retention,
    RetentionDays, Scoring, Settings, SettingsDraft, SprtMeasure, SprtSettings, Standing, StandingRating,
    TieBreak, TournamentFormat, TournamentState,
};
use std::sync::Arc;

/// Returns a format other than the default, depending on a number.
fn nondefault_format(number: u64) -> TournamentFormat {
    let (groups, table_groups) = (BoundedCount::new(70).unwrap(), BoundedCount::new(3).unwrap());
    match number % 4 {
        0 => TournamentFormat::Swiss { rounds: BoundedCount::new(9).unwrap(), table_groups },
        1 => TournamentFormat::Gauntlet { bot: "a-bot".parse().unwrap(), groups: Some(groups) },
        2 => TournamentFormat::Ladder(LadderSettings {
            groups: Some(groups),
            table_groups,
            suspend_after: BoundedCount::new(8).unwrap(),
            pairing: LadderPairing::ByTurns,
        }),
        _ => TournamentFormat::Sprt(SprtSettings {
            candidate: "new".parse().unwrap(),
            baseline: "old".parse().unwrap(),
            measure: SprtMeasure::Points,
            effects: EffectBounds::new(-1.0 / 3.0, 0.1).unwrap(),
            errors: ErrorRates::new(0.01, 0.2).unwrap(),
            groups,
        }),
    }
}

/// A tournament whose settings all differ from the defaults.
pub fn tournament(number: u64) -> StoredTournament {
    let listed = [&[i64::MAX as u64, 2][..], &[3]].map(|counters| Piles::parse(counters).unwrap());
    let positions = match number % 3 {
        0 => Positions::listed(listed.to_vec()),
        1 => Positions::drawn(9, (2, 3), (4, i64::MAX as u64)),
        _ => Ok(Positions::Paper),
    };
    let settings = Settings::new(SettingsDraft {
        title: format!("Löwe & \"Söhne\" {number}").parse().unwrap(),
        format: nondefault_format(number),
        seats: SeatCount::new(2).unwrap(),
        positions: positions.unwrap(),
        ending: lastnim_core::game::Ending::LastMoverWins,
        alliance: AllianceSource::Random,
        scoring: Scoring::Win,
        oracle: OracleAccess::Closed,
        retention: Retention::new(RetainedMatchCount::new(number + 1).ok(), RetentionDays::new(30).ok()),
        concurrency: Concurrency::new(7).unwrap(),
        bot_concurrency: Some(Concurrency::new(3).unwrap()),
        start_when: Some(5),
        start_at: Some(Timestamp::from_micros(1_800_000_000_000_000)),
        entries_close_at: Some(Timestamp::from_micros(1_799_999_999_999_999)),
        allow: AllowList::new(vec!["*".parse().unwrap(), "a-bot".parse().unwrap()]).unwrap(),
        seed: u64::MAX - number,
    });
    StoredTournament {
        id: tournament_id(number),
        created_at: Timestamp::from_micros(1_600_000_000_000_000 + number),
        settings: Arc::new(settings.unwrap()),
        terms: Terms { strikes: 9, max_plies: 77, ..Terms::default() },
        field: Arc::default(),
        state: TournamentState::Open,
        over: None,
        deal_secret: (number == 1).then(|| DealSecret::from_bytes([0xfe; 32])),
        entry_code: None,
    }
}

pub fn standings(names: &[BotName]) -> Vec<Standing> {
    let line = |(place, bot): (u32, &BotName)| Standing {
        place: place / 2 + 1,
        place_range: (place > 0).then_some(PlaceRange { best: 1, worst: place + 2 }),
        tie_break: [None, Some(TieBreak::HeadToHead), Some(TieBreak::Lot)][place as usize % 3],
        bot: bot.clone(),
        points: 1.0 / 3.0 + f64::from(place),
        matches: place,
        wins: place,
        satisfaction: (place > 0).then_some(2.0 / 7.0),
        relative_satisfaction: (place > 1).then_some(-2.0 / 7.0),
        accuracy: (place > 1).then_some(0.1),
        regret_per_match: (place > 0).then_some(0.7),
        luck_per_match: (place > 0).then_some(-1.3),
        forfeits: place,
        no_shows: 1,
        rating: (place > 0).then_some(StandingRating {
            measure: if place > 1 { RatingMeasure::Satisfaction } else { RatingMeasure::Wins },
            points: 1500.0 + 1.0 / 3.0,
            interval: ConfidenceInterval { low: 1400.1, high: 1600.7 },
            island: place,
        }),
        elo: (place > 1).then_some(1510.0 - 1.0 / 7.0),
        skill: (place > 0).then_some(MeanEstimate {
            mean: 0.7,
            interval: (place > 1).then_some(ConfidenceInterval { low: 0.1, high: 1.3 }),
        }),
        versions: (0..place)
            .map(|label| PlayedVersion { version: version(label.into()), matches: label, wins: 1 })
            .collect(),
        is_disqualified: place == 2,
        is_withdrawn: place == 1,
    };
    (0..).zip(names).map(line).collect()
}

pub fn stored_tournaments_are_read_back(database: &TestDatabase) {
    let store = database.open();
    let mut expected = tournament(1);
    let id = expected.id;
    let created = Change::TournamentCreated(expected.clone());
    database.write(&store, std::slice::from_ref(&created));
    let read = |store: &Arc<dyn Store>| database.run(store.tournament(id)).unwrap().unwrap();
    assert_eq!(read(&store), expected);
    assert_eq!(database.run(store.tournament(tournament_id(9))), Ok(None));

    let names = bots([5, 4, 6]);
    let join = |(at, bot): (usize, &BotName)| Change::TournamentJoined { id, place: at, bot: bot.clone() };
    let joined: Vec<_> = names.iter().enumerate().map(join).collect();
    database.write(&store, &joined[..2]);
    database.write(&store, &joined);
    // Creating it again does not empty its field.
    database.write(&store, &[created, Change::TournamentState { id, state: TournamentState::Running }]);
    expected.field = Arc::new(names.clone());
    expected.state = TournamentState::Running;
    assert_eq!(read(&store), expected);

    database.write(&store, &[Change::TournamentCreated(tournament(2))]);
    let unfinished = || {
        let found = database.run(store.unfinished_tournaments()).unwrap();
        found.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(unfinished(), [1, 2].map(tournament_id));
    assert_eq!(database.run(store.standings(id)), Ok(Vec::new()));
    let lines = Arc::new(standings(&names));
    let bye = Bye { bot: names[0].clone(), rounds: 3, points: 4.5 };
    let tournament_over = TournamentResult {
        at: Timestamp::from_micros(9),
        played: 8,
        total: 12,
        verdict: Arc::new(FormatVerdict::Byes(vec![bye])),
    };
    let last = Change::TournamentOver {
        id,
        state: TournamentState::Cancelled,
        over: tournament_over.clone(),
        standings: Arc::clone(&lines),
    };
    for _ in 0..2 {
        database.write(&store, std::slice::from_ref(&last));
    }
    expected.state = TournamentState::Cancelled;
    expected.over = Some(tournament_over);
    assert_eq!(read(&store), expected);
    assert_eq!(database.run(store.standings(id)).unwrap(), *lines);
    assert_eq!(unfinished(), [tournament_id(2)]);

    database.write(&store, &[Change::TournamentCreated(tournament(3))]);
    let page = |before: Option<u64>, limit| {
        let page = database.run(store.tournaments(before.map(tournament_id), limit)).unwrap();
        page.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2), [3, 2].map(tournament_id));
    assert_eq!(page(Some(2), 2), [tournament_id(1)]);
    assert_eq!(database.run(store.tournaments(Some(tournament_id(2)), 1)).unwrap(), [expected]);
}

pub fn entry_codes_are_kept(database: &TestDatabase) {
    let store = database.open();
    let (first, second) = (EntryCode::generate().hash(), EntryCode::generate().hash());
    let code = |hash, uses_left| Some(StoredEntryCode { hash, uses_left });
    let id = tournament_id(1);
    let created = StoredTournament { entry_code: code(first, 1), ..tournament(1) };
    database.write(&store, &[Change::TournamentCreated(created), Change::TournamentCreated(tournament(2))]);
    let entry_code = |id| database.run(store.tournament(id)).unwrap().unwrap().entry_code;
    assert_eq!((entry_code(id), entry_code(tournament_id(2))), (code(first, 1), None));
    for code in [code(second, u32::MAX), code(second, 0), None] {
        for _ in 0..2 {
            database.write(&store, &[Change::EntryCode { id, code }]);
            assert_eq!((entry_code(id), entry_code(tournament_id(2))), (code, None));
        }
    }
    let unknown = Change::EntryCode { id: tournament_id(3), code: code(first, 1) };
    assert!(matches!(database.run(store.write(&[unknown])), Err(StoreError::Refused(_))));
}

pub fn changes_of_the_field_are_kept(database: &TestDatabase) {
    let store = database.open();
    let id = tournament_id(2);
    database.write(&store, &[Change::TournamentCreated(tournament(2))]);
    let names = bots([1, 2, 3, 4, 5]);
    let join = |at: usize, bot: usize| Change::TournamentJoined { id, place: at, bot: names[bot].clone() };
    let leave = |field: &[usize]| Change::TournamentLeft { id, field: Arc::new(names_of(&names, field)) };
    let field = || {
        let found = database.run(store.tournament(id)).unwrap().unwrap().field;
        found.iter().map(|bot| names.iter().position(|name| name == bot).unwrap()).collect::<Vec<_>>()
    };
    let history = || database.run(store.field_history(id)).unwrap();
    assert_eq!(history(), FieldHistory::default());
    // Writing it again changes nothing, wherever the repetition starts.
    for batch in [
        vec![join(0, 0), join(1, 1), leave(&[1]), join(1, 2), join(2, 0), leave(&[1, 0]), join(2, 3)],
        vec![leave(&[0, 3]), join(2, 1), leave(&[0, 3, 1])],
    ] {
        let mut seen = Vec::new();
        for _ in 0..3 {
            database.write(&store, &batch);
            seen.push(field());
        }
        assert!(seen.windows(2).all(|two| two[0] == two[1]), "{seen:?}");
    }
    assert_eq!(field(), [0, 3, 1]);
    assert_eq!(history(), FieldHistory { start: names_of(&names, &[0, 3, 1]), changes: Vec::new() });

    database.write(&store, &[Change::TournamentState { id, state: TournamentState::Running }]);
    let moves = [(1, 2, true), (1, 3, false), (4, 3, true), (4, 0, false), (4, 0, true), (7, 2, true)];
    let changes: Vec<FieldChange> = moves
        .iter()
        .map(|&(round, bot, enters)| FieldChange {
            round,
            bot: names[bot].clone(),
            movement: if enters { FieldMovement::Enters } else { FieldMovement::Leaves },
        })
        .collect();
    let written: Vec<Change> = (0..)
        .zip(&changes)
        .map(|(seq, change)| Change::FieldChanged { id, seq, change: change.clone() })
        .collect();
    database.write(&store, &written[..2]);
    assert_eq!(field(), [0, 1, 2]);
    for _ in 0..2 {
        database.write(&store, &written);
        database.write(&store, &written[3..5]);
    }
    assert_eq!(field(), [1, 3, 0, 2], "in the order of their last joining");
    assert_eq!(history(), FieldHistory { start: names_of(&names, &[0, 3, 1]), changes });
    let listed = database.run(store.unfinished_tournaments()).unwrap().remove(0);
    assert_eq!(*listed.field, names_of(&names, &[1, 3, 0, 2]));
    assert_eq!(database.run(store.field_history(tournament_id(9))), Ok(FieldHistory::default()));
}

fn names_of(names: &[BotName], numbers: &[usize]) -> Vec<BotName> {
    numbers.iter().map(|&number| names[number].clone()).collect()
}

pub fn a_checkpoint_is_kept_until_the_end(database: &TestDatabase) {
    let store = database.open();
    let (id, other) = (tournament_id(1), tournament_id(2));
    let at = Timestamp::from_micros(1_700_000_000_000_000);
    let result = TournamentResult { at, played: 9, total: 9, verdict: Arc::new(FormatVerdict::Standings) };
    let result = Change::TournamentOver {
        id,
        state: TournamentState::Finished,
        over: result,
        standings: Arc::default(),
    };
    let read = |id| database.run(store.checkpoint(id)).unwrap();
    let keep =
        |id, checkpoint: &Checkpoint| Change::Checkpoint { id, checkpoint: Arc::new(checkpoint.clone()) };
    database.write(&store, &[1, 2].map(|number| Change::TournamentCreated(tournament(number))));
    assert_eq!((read(id), read(other), read(tournament_id(9))), (None, None, None));

    // The state is larger than a page of any database.
    let state: Vec<u8> = (0..100_000_u64).map(|byte| ((byte * byte) >> 3) as u8).collect();
    let first = Checkpoint::new(id, 7, state);
    let second = Checkpoint::new(id, 1 << 40, vec![0, 255, 0]);
    database.write(&store, &[keep(id, &first), keep(tournament_id(9), &first)]);
    assert_eq!((read(id), read(other)), (Some(first.clone()), None));
    assert_eq!(read(tournament_id(9)), None, "there is no such tournament");
    database.write(&store, &[keep(id, &first), keep(id, &second), keep(other, &first)]);
    assert_eq!((read(id), read(other)), (Some(second.clone()), Some(first.clone())));
    let strange = Checkpoint { version: 77, hash: [9; 32], ..second.clone() };
    database.write(&store, &[keep(id, &strange)]);
    assert_eq!(read(id), Some(strange.clone()), "the store does not check it");

    database.write(&store, &[result]);
    assert_eq!(read(id), None);
    assert!(read(other).is_some());
    database.write(&store, &[keep(id, &second)]);
    assert_eq!(read(id), None, "a late one is not stored");

    let compared =
        |id, checkpoint: &Checkpoint| Change::BotComparisons { id, checkpoint: Arc::new(checkpoint.clone()) };
    let before = read(other);
    database.write(&store, &[compared(id, &second), compared(other, &second)]);
    assert_eq!(
        (read(id), read(other)),
        (Some(second.clone()), before),
        "a running tournament's checkpoint stays"
    );
    database.write(&store, &[keep(id, &first), compared(id, &strange)]);
    assert_eq!(read(id), Some(strange));
}
