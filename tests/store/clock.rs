//! The times that a store keeps, and checks that orders do not depend on the clock.

use crate::bots::bot;
use crate::played::{bots, match_changes, match_id, open_match, play_match, tournament_id};
use crate::requests::request;
use crate::test_database::TestDatabase;
use crate::tournaments::{standings, tournament};
use crate::versions::version;
use lastnim_core::game::{BotName, Seat};
use lastnim_core::referee::{MatchPhase, Timestamp};
use lastnim_store::{
    Change, ClockJump, LaterTimes, NewestIds, QuestionPlace, Store, StoredBot, StoredClock, StoredTranscript,
    TournamentResult, check_store, open_reader,
};
use lastnim_tournament::{FormatVerdict, TournamentState};
use std::sync::Arc;
use std::time::Duration;

/// A time before all the matches.
const NOW: Timestamp = Timestamp::from_micros(1_600_000_000_000_000);
const DAY: Duration = Duration::from_hours(24);

fn clock_change(at: Timestamp, jump: Option<Duration>) -> Change {
    Change::ClockSeen { at, jump }
}

pub fn the_latest_time_and_jumps_are_kept(database: &TestDatabase) {
    let store = database.open();
    let clock = |store: &Arc<dyn Store>| database.run(store.clock()).unwrap();
    assert_eq!(clock(&store), StoredClock::default());
    assert_eq!(database.run(store.newest_ids()).unwrap(), NewestIds::default());
    database.write(&store, &[clock_change(NOW, None)]);
    for _ in 0..2 {
        database.write(
            &store,
            &[clock_change(NOW.minus(DAY), None), clock_change(NOW + 100 * DAY, Some(100 * DAY))],
        );
    }
    let jumps = vec![ClockJump { found_at: NOW + 100 * DAY, length: 100 * DAY }];
    assert_eq!(clock(&store), StoredClock { latest: Some(NOW + 100 * DAY), jumps });
    database.write(&store, &[Change::ClockRepaired { at: NOW + DAY }]);
    assert_eq!(clock(&store), StoredClock { latest: Some(NOW + DAY), jumps: Vec::new() });
    database.write(&store, &[clock_change(NOW + 2 * DAY, None)]);
    assert_eq!(clock(&store).latest, Some(NOW + 2 * DAY));
    // The newest match is the one with the greatest id, whether or not it is over.
    database.write(&store, &match_changes(&play_match(match_id(3), bots(0..3), None, 1, u32::MAX)));
    database
        .write(&store, &[Change::TournamentCreated(tournament(2)), Change::TournamentCreated(tournament(1))]);
    let tournament = Some(tournament_id(2));
    assert_eq!(
        database.run(store.newest_ids()).unwrap(),
        NewestIds { match_id: Some(match_id(3)), tournament }
    );
    database.write(&store, &match_changes(&open_match(match_id(4)).0));
    assert_eq!(database.run(store.newest_ids()).unwrap().match_id, Some(match_id(4)));
}

pub fn a_clock_repair_sets_back_unsigned_times(database: &TestDatabase) {
    let store = database.open();
    let name = bots([1]).pop().unwrap();
    let later = NOW + DAY;
    let registered = StoredBot { registered_at: later, ..bot(&name, "token") };
    let other = StoredBot { registered_at: NOW.minus(DAY), ..bot(&bots([2])[0], "token") };
    let mut created = tournament(1);
    created.created_at = later;
    let verdict = Arc::new(FormatVerdict::Standings);
    let result = TournamentResult { at: later + DAY, played: 1, total: 1, verdict };
    let signed = (0..100).map(|seed| play_match(match_id(1), bots(0..3), None, seed, u32::MAX));
    let signed =
        { signed }.find(|record| record.state().phase() == MatchPhase::Ended && record.audit().is_ok());
    let signed = signed.unwrap();
    let (open, _) = open_match(match_id(2));
    let published = StoredTranscript {
        match_id: signed.id(),
        place: QuestionPlace { seat: Seat::FIRST, ply: None },
        published_at: later,
        lines: "{}\n".into(),
    };
    let result = Change::TournamentOver {
        id: created.id,
        state: TournamentState::Finished,
        over: result,
        standings: Arc::new(standings(&[])),
    };
    let version_seen = |number, at| Change::VersionSeen { bot: name.clone(), version: version(number), at };
    database.write(&store, &[Change::Bot(registered), Change::Bot(other.clone())]);
    database.write(&store, &[Change::TournamentCreated(created.clone()), result]);
    database.write(&store, &[match_changes(&signed), match_changes(&open)].concat());
    database.write(&store, &[Change::TranscriptPublished(Arc::new(published))]);
    database
        .write(&store, &[version_seen(1, NOW.minus(DAY)), version_seen(2, later), version_seen(1, later)]);
    database.write(&store, &[Change::RequestDone(request(1, later))]);
    let count = |store: &Arc<dyn Store>| database.run(store.later_times(NOW)).unwrap();
    // A bot, a tournament twice, a transcript, a version twice and another once, and a request.
    assert_eq!(count(&store), LaterTimes { unsigned: 8, matches: 2 });
    for _ in 0..2 {
        database.write(&store, &[Change::ClockRepaired { at: NOW }]);
        assert_eq!(count(&store), LaterTimes { unsigned: 0, matches: 2 }, "records stay");
    }
    let stored_bot = |name: &BotName| database.run(store.bot(name)).unwrap().unwrap();
    assert_eq!(stored_bot(&name).registered_at, NOW);
    assert_eq!(stored_bot(&other.name), other, "what is earlier stays");
    let stored = database.run(store.tournament(created.id)).unwrap().unwrap();
    assert_eq!((stored.created_at, stored.over.unwrap().at), (NOW, NOW));
    let versions = database.run(store.bot_versions(&name)).unwrap();
    let times: Vec<_> = versions.iter().map(|seen| (seen.first_seen, seen.last_seen)).collect();
    assert_eq!(times, [(NOW.minus(DAY), NOW), (NOW, NOW)]);
    assert_eq!(versions[0].version, version(1), "the order is that in which they were seen");
    assert_eq!(database.run(store.transcripts(signed.id())).unwrap()[0].published_at, NOW);
    assert_eq!(database.run(store.requests()).unwrap()[0].at, NOW);
    for record in [signed, open] {
        assert_eq!(database.run(store.match_record(record.id())).unwrap().unwrap().record, record);
    }
}

pub fn the_latest_version_is_the_newest_even_after_the_clock_went_back(database: &TestDatabase) {
    let store = database.open();
    let name = bots([1]).pop().unwrap();
    database.write(&store, &[Change::Bot(bot(&name, "token"))]);
    let version_seen =
        |number: u64, at| Change::VersionSeen { bot: name.clone(), version: version(number), at };
    // The maximum number of versions that are kept, all reported while the clock was ahead.
    database.write(&store, &(1..=64).map(|number| version_seen(number, NOW + 100 * DAY)).collect::<Vec<_>>());
    database.write(&store, &[version_seen(100, NOW), version_seen(2, NOW)]);
    let kept = database.run(store.bot_versions(&name)).unwrap();
    assert_eq!(kept.len(), 64);
    let newest: Vec<_> = kept.iter().take(3).map(|seen| (seen.version.clone(), seen.last_seen)).collect();
    assert_eq!(newest, [(version(2), NOW), (version(100), NOW), (version(64), NOW + 100 * DAY)]);
}

pub fn a_store_has_no_damage_after_a_clock_repair(database: &TestDatabase) {
    let store = database.open();
    for number in 1..4 {
        database
            .write(&store, &match_changes(&play_match(match_id(number), bots(0..3), None, number, u32::MAX)));
    }
    database.write(&store, &[Change::ClockRepaired { at: NOW }]);
    database.run(store.close());
    let reader = database.run(open_reader(&database.url)).unwrap();
    let found = database.run(check_store(reader.as_ref())).unwrap();
    assert_eq!((found.matches, found.described_faults), (3, Vec::new()));
    assert_eq!(database.run(reader.clock()).unwrap().latest, Some(NOW));
    database.run(reader.close());
}
