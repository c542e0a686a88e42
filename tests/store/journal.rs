//! Events on their way from the journal to record parts.

use crate::played::{bots, events_change, finished_match, match_id, open_match_of, play_match};
use crate::records::assert_kept;
use crate::test_database::TestDatabase;
use lastnim_core::game::MatchId;
use lastnim_core::referee::{MatchPhase, Record, TimedEvent};
use lastnim_store::Change;

/// Plays a finished match with at least this many takes.
fn long_match(id: MatchId, takes: u32) -> Record {
    let mut played = (0..).map(|seed| play_match(id, bots(0..3), None, seed, u32::MAX));
    played
        .find(|record| record.state().ply() >= takes && record.state().phase() == MatchPhase::Ended)
        .unwrap()
}

/// Returns the events of a match and `more` made-up ones, which need not replay.
fn with_many_events(record: &Record, more: usize) -> Vec<TimedEvent> {
    let events = record.events();
    let repeated = events[1..].iter().cycle().take(more).cloned();
    events.iter().cloned().chain(repeated).collect()
}

pub fn the_journal_stays_small_while_a_match_is_idle(database: &TestDatabase) {
    let store = database.open();
    // This match has a single event in the journal, and then none while others play.
    let still = open_match_of(match_id(1), None);
    let first = still.events().len() - 1;
    let add = events_change;
    database.write(&store, &[add(&still, 0, first)]);
    let busy = open_match_of(match_id(2), None);
    let events = with_many_events(&busy, 40_000);
    let mut client = database.client();
    let mut largest = 0;
    for (at, chunk) in events.chunks(50).enumerate() {
        let change = Change::MatchEvents { id: busy.id(), first: 50 * at, events: chunk.to_vec() };
        database.write(&store, &[change]);
        if at % 20 == 19 {
            let bytes = "SELECT CAST(coalesce(sum(length(events)), 0) AS bigint) FROM journal";
            largest = largest.max(database.number(&mut client, bytes));
        }
    }
    assert!((1_000_000..1_500_000).contains(&largest), "the journal grew to {largest} bytes");
    assert_eq!(database.run(store.match_record(still.id())).unwrap().unwrap().record.events().len(), first);
    database.write(&store, &[add(&still, first, first + 1)]);
    assert_eq!(database.run(store.match_record(still.id())).unwrap().unwrap().record, still);

    // A long match is stored in parts, and its record is unchanged.
    let long = long_match(match_id(3), 60);
    let mut from = 0;
    while from < long.events().len() {
        let to = (from + 7).min(long.events().len());
        let is_last = to == long.events().len();
        let end_change = is_last.then(|| Change::MatchOver(Box::new(finished_match(&long))));
        database.write(
            &store,
            &[Some(add(&long, from, to)), end_change].into_iter().flatten().collect::<Vec<_>>(),
        );
        from = to;
    }
    assert_kept(database, &store, std::slice::from_ref(&long));
    drop(store);
    let store = database.open();
    assert_kept(database, &store, &[long]);
    assert_eq!(database.run(store.match_record(still.id())).unwrap().unwrap().record, still);
    assert_eq!(database.number(&mut client, "SELECT count(*) FROM journal"), 0);
    let parts = format!(
        "SELECT CAST(max(length(events)) AS bigint) FROM record_parts WHERE match_id = '{}'",
        busy.id()
    );
    let longest = database.number(&mut client, &parts);
    assert!((8_192..16_384).contains(&longest), "a part of {longest} bytes");
}
