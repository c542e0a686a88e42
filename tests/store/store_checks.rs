//! What every store does.

use crate::place::Place;
use crate::played::{
    Whims, all_events, bots, events, match_id, open_match, over, play, seal, tournament_id, written,
};
use crate::versions::version;
use lastnim_core::game::{BotName, Piles, SeatCount};
use lastnim_core::referee::{MatchPhase, Origin, Record, Terms, Timestamp};
use lastnim_store::{
    Change, FieldHistory, FinishedTournament, MatchFilter, Store, StoreError, StoredBot, StoredMatch,
    StoredResult, StoredTournament, TokenHash,
};
use lastnim_tournament::{
    AllianceSource, BoundedCount, Checkpoint, Concurrency, ConfidenceInterval, EffectBounds, ErrorRates,
    FieldChange, FieldMovement, FormatVerdict, KeptDays, KeptMatches, LadderPairing, LadderSettings,
    MeanEstimate, OracleAccess, PlayedVersion, Positions, RatingMeasure, Retention, Scoring, Settings,
    SettingsDraft, SprtMeasure, SprtSettings, Standing, StandingRating, TournamentFormat, TournamentState,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::Cell;
use std::sync::Arc;

fn bot(name: &BotName, token: &str) -> StoredBot {
    let registered_at = Timestamp::from_micros(1_700_000_000_123_456);
    StoredBot { name: name.clone(), registered_at, token: TokenHash::of_token(token) }
}

pub fn bots_come_back(place: &Place) {
    let store = place.open();
    let names = bots([3, 1, 2]);
    for name in &names {
        place.write(&store, &[Change::Bot(bot(name, "first"))]);
    }
    place.write(&store, &[Change::Bot(bot(&names[0], "second"))]);
    assert_eq!(place.run(store.bot(&names[0])), Ok(Some(bot(&names[0], "second"))));
    assert_eq!(place.run(store.bot(&names[1])), Ok(Some(bot(&names[1], "first"))));
    let changes = ["third", "fourth", "fifth"].map(|token| Change::Bot(bot(&names[2], token)));
    place.write(&store, &changes);
    assert_eq!(
        place.run(store.bot(&names[2])),
        Ok(Some(bot(&names[2], "fifth"))),
        "of several changes in one transaction the last one stands"
    );
    assert_eq!(place.run(store.bot(&"nobody".parse().unwrap())), Ok(None));
    let page = |after: Option<&BotName>, most| {
        let page = place.run(store.bots(after, most)).unwrap();
        page.into_iter().map(|bot| bot.name).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 9), bots([1, 2, 3]));
    assert_eq!(page(None, 2), bots([1, 2]));
    assert_eq!(page(Some(&names[2]), 9), bots([3]));
    assert!(place.run(store.bots(Some(&names[0]), 9)).unwrap().is_empty());
}

pub fn bots_are_removed(place: &Place) {
    let store = place.open();
    let names = bots([1, 2, 3]);
    for name in &names {
        place.write(&store, &[Change::Bot(bot(name, "first"))]);
    }
    let played = |name: &BotName| place.run(store.has_played(name)).unwrap();
    // One has a seat in a match that has only begun, one a line with a match, one a line without any.
    let record = play(match_id(1), bots([1, 4]), None, 4, u32::MAX);
    let [seated, listed, idle] = &names[..] else { unreachable!("there are three") };
    let (id, stored) = (tournament_id(1), tournament(1));
    let lines = standings(&[idle.clone(), listed.clone()]);
    assert_eq!((lines[0].matches, lines[1].matches), (0, 1));
    place.write(&store, &[Change::TournamentCreated(stored)]);
    for (at, name) in [listed, idle].into_iter().enumerate() {
        place.write(&store, &[Change::TournamentJoined { id, place: at, bot: name.clone() }]);
    }
    let verdict = Arc::new(FormatVerdict::Standings);
    let over = FinishedTournament { at: Timestamp::from_micros(7), played: 1, total: 1, verdict };
    let change = FieldChange { round: 2, bot: idle.clone(), movement: FieldMovement::Leaves };
    place.write(
        &store,
        &[
            Change::FieldChanged { id, seq: 0, change },
            Change::TournamentOver { id, state: TournamentState::Finished, over, standings: Arc::new(lines) },
            events(&record, 0, 1),
        ],
    );
    assert_eq!([seated, listed, idle].map(played), [true, true, false]);

    let unheard = |store: &Arc<dyn Store>| {
        place.run(store.unheard_tournament_ends(idle, Timestamp::default(), 9)).unwrap().len()
    };
    assert_eq!(unheard(&store), 1);
    // To write it again does no harm, and of a batch the last word counts.
    let removed = Change::BotRemoved { name: idle.clone() };
    place.write(&store, &[removed.clone(), removed.clone()]);
    let gone = |store: &Arc<dyn Store>| {
        assert_eq!(place.run(store.bot(idle)), Ok(None));
        let field = place.run(store.tournament(id)).unwrap().unwrap().field;
        assert_eq!(*field, std::slice::from_ref(listed));
        let history = place.run(store.field_history(id)).unwrap();
        assert_eq!(history, FieldHistory { start: vec![listed.clone()], changes: Vec::new() });
        let lines = place.run(store.standings(id)).unwrap();
        assert_eq!(lines.iter().map(|line| &line.bot).collect::<Vec<_>>(), [listed]);
        assert_eq!(unheard(store), 0, "a later bot of the name does not hear of its ends");
    };
    gone(&store);
    place.write(&store, &[Change::Bot(bot(idle, "second")), removed.clone()]);
    gone(&store);
    place.write(&store, &[removed, Change::Bot(bot(idle, "third"))]);
    assert_eq!(place.run(store.bot(idle)), Ok(Some(bot(idle, "third"))));
    assert_eq!(place.run(store.bots(None, 9)).unwrap().len(), 3);
}

/// A format that is not the default, another one for each of some numbers.
fn format(number: u64) -> TournamentFormat {
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

/// A tournament with every setting away from its default.
pub fn tournament(number: u64) -> StoredTournament {
    let listed = [&[i64::MAX as u64, 2][..], &[3]].map(|counters| Piles::parse(counters).unwrap());
    let positions = match number % 3 {
        0 => Positions::listed(listed.to_vec()),
        1 => Positions::drawn(9, (2, 3), (4, i64::MAX as u64)),
        _ => Ok(Positions::Paper),
    };
    let settings = Settings::new(SettingsDraft {
        title: format!("Löwe & \"Söhne\" {number}").parse().unwrap(),
        format: format(number),
        seats: SeatCount::new(2).unwrap(),
        positions: positions.unwrap(),
        ending: lastnim_core::game::Ending::LastMoverWins,
        alliance: AllianceSource::Random,
        scoring: Scoring::Win,
        oracle: OracleAccess::Closed,
        retention: Retention::new(KeptMatches::new(number + 1).ok(), KeptDays::new(30).ok()),
        concurrency: Concurrency::new(7).unwrap(),
        bot_concurrency: Some(Concurrency::new(3).unwrap()),
        start_at: Some(5),
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
    }
}

fn standings(names: &[BotName]) -> Vec<Standing> {
    let line = |(place, bot): (u32, &BotName)| Standing {
        place: place / 2 + 1,
        bot: bot.clone(),
        points: 1.0 / 3.0 + f64::from(place),
        matches: place,
        wins: place,
        satisfaction: (place > 0).then_some(2.0 / 7.0),
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
    };
    (0..).zip(names).map(line).collect()
}

pub fn tournaments_come_back(place: &Place) {
    let store = place.open();
    let mut expected = tournament(1);
    let id = expected.id;
    let created = Change::TournamentCreated(expected.clone());
    place.write(&store, std::slice::from_ref(&created));
    let read = |store: &Arc<dyn Store>| place.run(store.tournament(id)).unwrap().unwrap();
    assert_eq!(read(&store), expected);
    assert_eq!(place.run(store.tournament(tournament_id(9))), Ok(None));

    let names = bots([5, 4, 6]);
    let join = |(at, bot): (usize, &BotName)| Change::TournamentJoined { id, place: at, bot: bot.clone() };
    let joined: Vec<_> = names.iter().enumerate().map(join).collect();
    place.write(&store, &joined[..2]);
    place.write(&store, &joined);
    // To create it again does not empty its field.
    place.write(&store, &[created, Change::TournamentState { id, state: TournamentState::Running }]);
    expected.field = Arc::new(names.clone());
    expected.state = TournamentState::Running;
    assert_eq!(read(&store), expected);

    place.write(&store, &[Change::TournamentCreated(tournament(2))]);
    let unfinished = || {
        let found = place.run(store.unfinished_tournaments()).unwrap();
        found.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(unfinished(), [1, 2].map(tournament_id));
    assert_eq!(place.run(store.standings(id)), Ok(Vec::new()));
    let lines = Arc::new(standings(&names));
    let bye = (names[0].clone(), 3);
    let tournament_over = FinishedTournament {
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
        place.write(&store, std::slice::from_ref(&last));
    }
    expected.state = TournamentState::Cancelled;
    expected.over = Some(tournament_over);
    assert_eq!(read(&store), expected);
    assert_eq!(place.run(store.standings(id)).unwrap(), *lines);
    assert_eq!(unfinished(), [tournament_id(2)]);

    place.write(&store, &[Change::TournamentCreated(tournament(3))]);
    let page = |before: Option<u64>, most| {
        let page = place.run(store.tournaments(before.map(tournament_id), most)).unwrap();
        page.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2), [3, 2].map(tournament_id));
    assert_eq!(page(Some(2), 2), [tournament_id(1)]);
    assert_eq!(place.run(store.tournaments(Some(tournament_id(2)), 1)).unwrap(), [expected]);
}

pub fn what_bots_have_heard_is_kept(place: &Place) {
    let store = place.open();
    let names = bots(0..3);
    for name in &names {
        place.write(&store, &[Change::Bot(bot(name, "first"))]);
    }
    for number in 1..=5 {
        let record = play(match_id(number), names.clone(), None, number, u32::MAX);
        place.write(&store, &written(&record));
    }
    let (open, _) = open_match(match_id(6));
    place.write(&store, &[all_events(&open)]);
    let unheard = |bot: &BotName, from: u64, most| {
        let found = place.run(store.unheard_matches(bot, match_id(from), most)).unwrap();
        let all = (0..9).map(match_id).collect::<Vec<_>>();
        let number = |id| all.iter().position(|one| one == id).unwrap();
        (found.newest.iter().map(number).collect::<Vec<_>>(), found.more)
    };
    assert_eq!(unheard(&names[0], 0, 9), (vec![5, 4, 3, 2, 1], 0), "one is not over");
    assert_eq!(unheard(&names[0], 0, 5), (vec![5, 4, 3, 2, 1], 0));
    assert_eq!(unheard(&names[0], 0, 2), (vec![5, 4], 3));
    assert_eq!(unheard(&names[0], 2, 2), (vec![5, 4], 2), "what is older is not counted");
    let heard = |through| Change::EndsHeard { bot: names[0].clone(), through: match_id(through) };
    place.write(&store, &[heard(1), heard(3)]);
    for _ in 0..2 {
        place.write(&store, &[heard(2), Change::Bot(bot(&names[0], "second"))]);
    }
    assert_eq!(unheard(&names[0], 0, 9), (vec![5, 4], 0), "it never hears of fewer than before");
    assert_eq!(unheard(&names[0], 5, 9), (vec![5], 0));
    assert_eq!(unheard(&names[1], 0, 9).0.len(), 5, "each bot for itself");

    let (lines, since) = (Arc::new(standings(&names)), Timestamp::from_micros);
    let ends = |bot: &BotName, since, most| {
        let found = place.run(store.unheard_tournament_ends(bot, since, most)).unwrap();
        found.into_iter().map(|end| (end.id, end.bots, end.standing)).collect::<Vec<_>>()
    };
    for number in 1..=3 {
        let stored = tournament(number);
        let verdict = Arc::new(FormatVerdict::Standings);
        let over = FinishedTournament { at: since(number), played: 8, total: 12, verdict };
        let (id, standings) = (stored.id, Arc::clone(&lines));
        place.write(&store, &[Change::TournamentCreated(stored)]);
        assert_eq!(ends(&names[1], since(number), 9), []);
        place.write(
            &store,
            &[Change::TournamentOver { id, state: TournamentState::Finished, over, standings }],
        );
    }
    let end = |number: u64, at: usize| (tournament_id(number), 3, lines[at].clone());
    assert_eq!(ends(&names[1], since(0), 9), [end(1, 1), end(2, 1), end(3, 1)]);
    assert_eq!(ends(&names[1], since(2), 9), [end(2, 1), end(3, 1)]);
    assert_eq!(ends(&names[1], since(0), 1), [end(3, 1)], "the newest");
    for _ in 0..2 {
        place.write(&store, &[Change::TournamentEndHeard { bot: names[1].clone(), id: tournament_id(2) }]);
    }
    assert_eq!(ends(&names[1], since(0), 9), [end(1, 1), end(3, 1)]);
    assert_eq!(ends(&names[0], since(0), 9).len(), 3);
    let found = place.run(store.unheard_tournament_ends(&names[2], since(3), 9)).unwrap();
    assert_eq!(
        (found[0].title.as_str(), found[0].state),
        (tournament(3).settings.title.to_string().as_str(), TournamentState::Finished)
    );
}

pub fn fields_change(place: &Place) {
    let store = place.open();
    let id = tournament_id(2);
    place.write(&store, &[Change::TournamentCreated(tournament(2))]);
    let names = bots([1, 2, 3, 4, 5]);
    let join = |at: usize, bot: usize| Change::TournamentJoined { id, place: at, bot: names[bot].clone() };
    let left = |field: &[usize]| Change::TournamentLeft { id, field: Arc::new(of(&names, field)) };
    let field = || {
        let found = place.run(store.tournament(id)).unwrap().unwrap().field;
        found.iter().map(|bot| names.iter().position(|name| name == bot).unwrap()).collect::<Vec<_>>()
    };
    let history = || place.run(store.field_history(id)).unwrap();
    assert_eq!(history(), FieldHistory::default());
    // To write it again changes nothing, wherever that begins anew.
    for batch in [
        vec![join(0, 0), join(1, 1), left(&[1]), join(1, 2), join(2, 0), left(&[1, 0]), join(2, 3)],
        vec![left(&[0, 3]), join(2, 1), left(&[0, 3, 1])],
    ] {
        let mut seen = Vec::new();
        for _ in 0..3 {
            place.write(&store, &batch);
            seen.push(field());
        }
        assert!(seen.windows(2).all(|two| two[0] == two[1]), "{seen:?}");
    }
    assert_eq!(field(), [0, 3, 1]);
    assert_eq!(history(), FieldHistory { start: of(&names, &[0, 3, 1]), changes: Vec::new() });

    place.write(&store, &[Change::TournamentState { id, state: TournamentState::Running }]);
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
    place.write(&store, &written[..2]);
    assert_eq!(field(), [0, 1, 2]);
    for _ in 0..2 {
        place.write(&store, &written);
        place.write(&store, &written[3..5]);
    }
    assert_eq!(field(), [1, 3, 0, 2], "in the order in which they joined it last");
    assert_eq!(history(), FieldHistory { start: of(&names, &[0, 3, 1]), changes });
    let listed = place.run(store.unfinished_tournaments()).unwrap().remove(0);
    assert_eq!(*listed.field, of(&names, &[1, 3, 0, 2]));
    assert_eq!(place.run(store.field_history(tournament_id(9))), Ok(FieldHistory::default()));
}

fn of(names: &[BotName], numbers: &[usize]) -> Vec<BotName> {
    numbers.iter().map(|&number| names[number].clone()).collect()
}

/// How the events of matches come to the store.
#[derive(Debug, Clone, Copy)]
enum Way {
    Whole,
    OneByOne,
    TakingTurns,
}

/// Cuts records into batches of changes.
fn batches(records: &[Record], way: Way, seed: u64) -> Vec<Vec<Change>> {
    let ending = |record: &Record| {
        let is_over = record.state().phase() == MatchPhase::Ended;
        is_over.then(|| Change::MatchOver(Box::new(over(record))))
    };
    match way {
        Way::Whole => records
            .iter()
            .map(|record| Some(all_events(record)).into_iter().chain(ending(record)).collect())
            .collect(),
        Way::OneByOne => {
            let of_record = |record| {
                let single = (0..Record::events(record).len()).map(|at| vec![events(record, at, at + 1)]);
                let mut batches: Vec<_> = single.collect();
                batches.last_mut().unwrap().extend(ending(record));
                batches
            };
            records.iter().flat_map(of_record).collect()
        }
        Way::TakingTurns => {
            let whims = &mut Whims::new(seed);
            let mut written = vec![0; records.len()];
            let mut batches = Vec::new();
            while written.iter().zip(records).any(|(&at, record)| at < record.events().len()) {
                let mut batch = Vec::new();
                for (at, record) in written.iter_mut().zip(records) {
                    let left = record.events().len() - *at;
                    let now = left.min(whims.below(4) as usize + 20 * usize::from(whims.below(9) == 0));
                    if now > 0 {
                        batch.push(events(record, *at, *at + now));
                        *at += now;
                        batch.extend(ending(record).filter(|_| now == left));
                    }
                }
                batches.push(batch);
            }
            batches
        }
    }
}

/// Checks that the store has these matches, bit for bit.
pub fn assert_kept(place: &Place, store: &Arc<dyn Store>, records: &[Record]) {
    for record in records {
        let found = place.run(store.match_record(record.id())).unwrap().expect("it is kept");
        assert_eq!(found.record.events(), record.events());
        let is_over = record.state().phase() == MatchPhase::Ended;
        let expected =
            StoredMatch { record: record.clone(), seal: is_over.then(|| seal(record)), versions: Vec::new() };
        assert!(found == expected, "{:?}", found.seal);
    }
}

pub fn records_come_back_as_they_were(place: &Place) {
    let store = place.open();
    let number = Cell::new(0);
    let ways = prop::sample::select(vec![Way::Whole, Way::OneByOne, Way::TakingTurns]);
    let matches = prop::collection::vec((any::<u64>(), 2..6_u64, 0..90_u32), 1..5);
    let usual = Config::default();
    // Each case writes and reads whole matches: far fewer than of a property without a store.
    let config = Config { cases: (usual.cases / 20).max(1), source_file: Some(file!()), ..usual };
    let checked = TestRunner::new(config).run(&(ways, matches, any::<u64>()), |(way, matches, seed)| {
        let play_one = |(of, seats, plies): (u64, u64, u32)| {
            number.set(number.get() + 1);
            play(match_id(number.get()), bots(0..seats), None, of, plies)
        };
        let records: Vec<Record> = matches.into_iter().map(play_one).collect();
        for batch in batches(&records, way, seed) {
            place.run(store.write(&batch)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        }
        assert_kept(place, &store, &records);
        Ok(())
    });
    checked.unwrap();
    assert_eq!(place.run(store.match_record(match_id(0))), Ok(None));
}

pub fn to_write_again_changes_nothing(place: &Place) {
    let store = place.open();
    let ended = play(match_id(1), bots(0..3), None, 4, u32::MAX);
    let (open, later) = open_match(match_id(2));
    let batch: Vec<_> = written(&ended).into_iter().chain([all_events(&open)]).collect();
    for _ in 0..3 {
        place.write(&store, &batch);
        assert_kept(place, &store, &[ended.clone(), open.clone()]);
    }
    let twice = [batch.clone(), batch].concat();
    place.write(&store, &twice);
    // Events that overlap with those that are there are added from where they are new.
    place.write(&store, &[events(&later, 1, later.events().len())]);
    assert_kept(place, &store, &[ended, later]);
    assert_eq!(place.run(store.unfinished_matches()), Ok(vec![match_id(2)]));
}

pub fn lists_have_pages_and_filters(place: &Place) {
    let store = place.open();
    for number in 0..2 {
        place.write(&store, &[Change::TournamentCreated(tournament(number))]);
    }
    let mut records = Vec::new();
    for number in 0..40 {
        let origin = (number % 3 > 0).then(|| Origin {
            tournament: tournament_id(number % 3 - 1),
            number: 1_000 - number,
            group: number / 2,
        });
        // Of every four matches one is not over.
        let plies = if number % 4 == 0 { 2 } else { u32::MAX };
        let seated = bots((0..3).map(|seat| (number * (seat + 1) + seat) % 7 + 10 * seat));
        records.push(play(match_id(number), seated, origin, number, plies));
    }
    for record in &records {
        place.write(&store, &written(record));
    }
    let unfinished: Vec<_> =
        records.iter().filter(|record| record.state().phase() != MatchPhase::Ended).map(Record::id).collect();
    assert!(unfinished.len() > 4);
    assert_eq!(place.run(store.unfinished_matches()), Ok(unfinished));

    let names = [None, Some("bot-3"), Some("bot-12"), Some("nobody")]
        .map(|name| name.map(|name| name.parse().unwrap()));
    let tournaments = [None, Some(0), Some(1), Some(2)].map(|number| number.map(tournament_id));
    for (bot, tournament) in names.iter().flat_map(|bot| tournaments.map(|tournament| (bot, tournament))) {
        let filter = MatchFilter::of(tournament, bot.clone());
        let admitted = records.iter().rev().filter(|record| {
            record.state().phase() == MatchPhase::Ended && filter.admits_setup(record.state().setup())
        });
        let expected: Vec<_> = admitted.collect();
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let page = place.run(store.match_summaries(&filter, before, 4)).unwrap();
            assert!(page.len() <= 4);
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            found.extend(page);
        }
        assert_eq!(found.len(), expected.len(), "{filter:?}");
        for (summary, record) in found.iter().zip(expected) {
            let state = record.state();
            assert_eq!((summary.id, summary.setup.as_deref()), (record.id(), Some(state.setup())));
            assert_eq!(
                (summary.phase, summary.plies, summary.end),
                (MatchPhase::Ended, state.ply(), state.end())
            );
        }
    }
}

pub fn a_checkpoint_is_kept_until_the_end(place: &Place) {
    let store = place.open();
    let (id, other) = (tournament_id(1), tournament_id(2));
    let at = Timestamp::from_micros(1_700_000_000_000_000);
    let over = FinishedTournament { at, played: 9, total: 9, verdict: Arc::new(FormatVerdict::Standings) };
    let over =
        Change::TournamentOver { id, state: TournamentState::Finished, over, standings: Arc::default() };
    let read = |id| place.run(store.checkpoint(id)).unwrap();
    let keep =
        |id, checkpoint: &Checkpoint| Change::Checkpoint { id, checkpoint: Arc::new(checkpoint.clone()) };
    place.write(&store, &[1, 2].map(|number| Change::TournamentCreated(tournament(number))));
    assert_eq!((read(id), read(other), read(tournament_id(9))), (None, None, None));

    // More than fits into one page of any database.
    let state: Vec<u8> = (0..100_000_u64).map(|byte| ((byte * byte) >> 3) as u8).collect();
    let first = Checkpoint::new(id, 7, state);
    let second = Checkpoint::new(id, 1 << 40, vec![0, 255, 0]);
    place.write(&store, &[keep(id, &first), keep(tournament_id(9), &first)]);
    assert_eq!((read(id), read(other)), (Some(first.clone()), None));
    assert_eq!(read(tournament_id(9)), None, "there is no such tournament");
    place.write(&store, &[keep(id, &first), keep(id, &second), keep(other, &first)]);
    assert_eq!((read(id), read(other)), (Some(second.clone()), Some(first.clone())));
    let strange = Checkpoint { version: 77, hash: [9; 32], ..second.clone() };
    place.write(&store, &[keep(id, &strange)]);
    assert_eq!(read(id), Some(strange.clone()), "it is not the store that judges it");

    place.write(&store, &[over]);
    assert_eq!(read(id), None);
    assert!(read(other).is_some());
    place.write(&store, &[keep(id, &second)]);
    assert_eq!(read(id), None, "one that comes too late is not kept");

    let compared =
        |id, checkpoint: &Checkpoint| Change::Compared { id, checkpoint: Arc::new(checkpoint.clone()) };
    let before = read(other);
    place.write(&store, &[compared(id, &second), compared(other, &second)]);
    assert_eq!((read(id), read(other)), (Some(second.clone()), before), "that of one that runs stays");
    place.write(&store, &[keep(id, &first), compared(id, &strange)]);
    assert_eq!(read(id), Some(strange));
}

pub fn results_come_by_number(place: &Place) {
    let store = place.open();
    place.write(&store, &[Change::TournamentCreated(tournament(1))]);
    let mut expected = Vec::new();
    // They end in another order than that of their numbers.
    for number in (0..20).rev() {
        let origin = Origin { tournament: tournament_id(1), number, group: number / 2 };
        let plies = if number % 5 == 1 { 3 } else { u32::MAX };
        let record = play(match_id(100 - number), bots(0..3), Some(origin), number, plies);
        place.write(&store, &written(&record));
        if record.state().phase() == MatchPhase::Ended {
            let (id, bots) = (record.id(), record.state().setup().bots.clone());
            let group = number / 2;
            expected.push(StoredResult { number, group, id, bots, outcome: over(&record).outcome });
        }
    }
    expected.reverse();
    assert!((10..20).contains(&expected.len()) && expected.iter().any(|result| result.outcome.is_some()));
    let id = tournament_id(1);
    assert_eq!(place.run(store.match_results(id, 0, 99)).unwrap(), expected);
    assert_eq!(place.run(store.match_results(id, 0, 3)).unwrap(), expected[..3]);
    let from = expected[4].number;
    assert_eq!(place.run(store.match_results(id, from, 2)).unwrap(), expected[4..6]);
    assert_eq!(place.run(store.match_results(id, u64::MAX, 2)).unwrap(), []);
    assert_eq!(place.run(store.match_results(tournament_id(2), 0, 2)).unwrap(), []);
}

pub fn what_does_not_fit_is_refused(place: &Place) {
    let store = place.open();
    let refused = |change: Change| match place.run(store.write(&[change])) {
        Err(StoreError::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    let record = play(match_id(1), bots(0..3), None, 4, u32::MAX);
    assert!(refused(events(&record, 1, 2)).contains(&match_id(1).to_string()));
    place.write(&store, &[events(&record, 0, 2)]);
    assert!(refused(events(&record, 3, 4)).contains("has 2 events"));
    assert_eq!(place.run(store.match_record(match_id(1))).unwrap().unwrap().record.events().len(), 2);
    refused(Change::TournamentState { id: tournament_id(1), state: TournamentState::Running });
    refused(Change::MatchOver(Box::new(over(&play(match_id(2), bots(0..2), None, 4, u32::MAX)))));
}
