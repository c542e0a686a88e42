//! Reported versions in a store.

use crate::played::{all_events, bots, events_change, finished_match, match_id, play_match, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::game::{BotName, BotProfile, BotVersion, ConfigHash, MatchId, SeatVersions};
use lastnim_core::referee::{MatchPhase, Origin, Timestamp};
use lastnim_store::{Change, MAX_SEEN_VERSIONS, MatchFilter, SeenVersion, Store, StoredBot, TokenHash};
use std::sync::Arc;

/// Returns a version by number: some are partial, and number 0 is empty.
pub fn version(number: u64) -> BotVersion {
    let (says_label, is_even) = (!number.is_multiple_of(3), number.is_multiple_of(2));
    let hash = ConfigHash::from_bytes([number as u8; 32]);
    BotVersion {
        label: says_label.then(|| format!("v1.{number}~\"'\\").parse().unwrap()),
        config_hash: (number > 0 && !(says_label && is_even)).then_some(hash),
    }
}

fn version_seen(bot: &BotName, number: u64, at: u64) -> Change {
    let at = Timestamp::from_micros(1_700_000_000_000_000 + at);
    Change::VersionSeen { bot: bot.clone(), version: version(number), at }
}

fn registration(name: &BotName) -> Change {
    let token = TokenHash::of_token(name.as_str());
    Change::Bot(StoredBot {
        name: name.clone(),
        registered_at: Timestamp::from_micros(5),
        token,
        profile: BotProfile::default(),
    })
}

pub fn the_history_of_versions_is_limited(database: &TestDatabase) {
    let store = database.open();
    let [bot, other, stranger] = bots(1..4).try_into().unwrap();
    database.write(&store, &[registration(&bot), registration(&other)]);
    let history = |bot: &BotName| {
        let micros = |at: Timestamp| at.as_micros() - 1_700_000_000_000_000;
        let found = database.run(store.bot_versions(bot)).unwrap().into_iter();
        let seen_version =
            |seen: SeenVersion| (seen.version, micros(seen.first_seen), micros(seen.last_seen));
        found.map(seen_version).collect::<Vec<_>>()
    };
    assert_eq!(history(&bot), []);
    let changes = [
        version_seen(&bot, 1, 10),
        version_seen(&bot, 2, 20),
        version_seen(&bot, 1, 30),
        version_seen(&other, 3, 40),
    ];
    // Writing it again is harmless.
    for _ in 0..2 {
        database.write(&store, &changes);
        assert_eq!(history(&bot), [(version(1), 10, 30), (version(2), 20, 20)]);
        assert_eq!(history(&other), [(version(3), 40, 40)]);
    }
    // A version reported after its bot was removed is dropped.
    database.write(&store, &[version_seen(&stranger, 1, 10)]);
    assert_eq!(history(&stranger), []);
    // Only those seen last are kept.
    let many = |from: u64| (from..from + 100).map(|number| version_seen(&bot, number, 1_000 + number));
    database.write(&store, &many(4).collect::<Vec<_>>());
    for change in many(104) {
        database.write(&store, &[change]);
    }
    let kept = history(&bot);
    assert_eq!(kept.len(), MAX_SEEN_VERSIONS);
    let newest = (140..204).rev().map(|number| (version(number), 1_000 + number, 1_000 + number));
    assert_eq!(kept, newest.collect::<Vec<_>>());
    assert_eq!(history(&other).len(), 1);
    database.write(&store, &[Change::BotRemoved { name: bot.clone() }, registration(&bot)]);
    assert_eq!((history(&bot), history(&other).len()), (Vec::new(), 1));
}

pub fn versions_are_kept(database: &TestDatabase) {
    let store = database.open();
    database.write(&store, &[Change::TournamentCreated(tournament(1))]);
    let origin = Origin { tournament: tournament_id(1), number: 4, group: 2 };
    let mut played =
        (0..100).map(|seed| play_match(match_id(1), bots(0..3), Some(origin.clone()), seed, u32::MAX));
    let record = played.find(|record| record.audit().is_ok()).unwrap();
    assert_eq!(record.state().phase(), MatchPhase::Ended);
    let id = record.id();
    let seats = |of: [&[u64]; 3]| of.map(|numbers| SeatVersions::new(numbers.iter().copied().map(version)));
    let change = |versions: &[SeatVersions]| Change::SeatVersions { id, versions: versions.to_vec() };
    let kept_versions = |store: &Arc<dyn Store>, id: MatchId| {
        database.run(store.match_record(id)).unwrap().expect("it is stored").versions
    };
    let first = seats([&[1], &[], &[2]]);
    let half = record.events().len() / 2;
    // They are written with the event that creates the match, or later.
    let opening = [events_change(&record, 0, half), change(&first)];
    for _ in 0..2 {
        database.write(&store, &opening);
        assert_eq!(kept_versions(&store, id), first);
    }
    let last = seats([&[1, 0, 7], &[], &[2, 1]]);
    let mut outcome = finished_match(&record);
    let results = &mut outcome.outcome.as_mut().unwrap().seats;
    for seat in results.seats().iter() {
        results[seat].versions = last[seat.index()].clone();
    }
    let expected = outcome.outcome.clone();
    let closing = [all_events(&record), change(&last), Change::MatchOver(Box::new(outcome))];
    for _ in 0..2 {
        database.write(&store, &closing);
        assert_eq!(kept_versions(&store, id), last);
    }
    assert_eq!(database.run(store.match_summary(id)).unwrap().unwrap().versions, last);
    let by_bot = MatchFilter::of(None, Some(bots([1])[0].clone()));
    let by_tournament = MatchFilter::of(Some(tournament_id(1)), None);
    let by_both = MatchFilter { tournament: Some(tournament_id(1)), ..by_bot.clone() };
    for filter in [MatchFilter::default(), by_bot, by_tournament, by_both] {
        let listed = database.run(store.match_summaries(&filter, None, 9)).unwrap();
        assert_eq!(listed.into_iter().map(|found| found.versions).collect::<Vec<_>>(), [last.to_vec()]);
    }
    let results = database.run(store.match_results(tournament_id(1), 0, 9)).unwrap();
    assert_eq!(results.into_iter().map(|result| result.outcome).collect::<Vec<_>>(), [expected]);
}
