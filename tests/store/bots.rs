//! Bots in a store.

use crate::played::{bots, events_change, match_id, play_match, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::{standings, tournament};
use lastnim_core::game::{BotName, BotProfile};
use lastnim_core::referee::Timestamp;
use lastnim_store::{Change, FieldHistory, Store, StoredBot, TokenHash, TournamentResult};
use lastnim_tournament::{FieldChange, FieldMovement, FormatVerdict, TournamentState};
use std::sync::Arc;

pub fn bot(name: &BotName, token: &str) -> StoredBot {
    let registered_at = Timestamp::from_micros(1_700_000_000_123_456);
    StoredBot {
        name: name.clone(),
        registered_at,
        token: TokenHash::of_token(token),
        profile: BotProfile::default(),
    }
}

pub fn stored_bots_are_read_back(database: &TestDatabase) {
    let store = database.open();
    let names = bots([3, 1, 2]);
    for name in &names {
        database.write(&store, &[Change::Bot(bot(name, "first"))]);
    }
    let profile = BotProfile {
        team: Some("Nimbers; DROP TABLE bots".parse().unwrap()),
        author: Some("Ada ' L. 東".parse().unwrap()),
        link: Some("https://example.org/?a='b".parse().unwrap()),
    };
    let described = StoredBot { profile, ..bot(&bots([4])[0], "fourth") };
    database.write(&store, &[Change::Bot(described.clone())]);
    assert_eq!(database.run(store.bot(&described.name)), Ok(Some(described.clone())));
    database.write(&store, &[Change::BotRemoved { name: described.name }]);
    database.write(&store, &[Change::Bot(bot(&names[0], "second"))]);
    assert_eq!(database.run(store.bot(&names[0])), Ok(Some(bot(&names[0], "second"))));
    assert_eq!(database.run(store.bot(&names[1])), Ok(Some(bot(&names[1], "first"))));
    let changes = ["third", "fourth", "fifth"].map(|token| Change::Bot(bot(&names[2], token)));
    database.write(&store, &changes);
    assert_eq!(
        database.run(store.bot(&names[2])),
        Ok(Some(bot(&names[2], "fifth"))),
        "the last of several changes in a transaction counts"
    );
    assert_eq!(database.run(store.bot(&"nobody".parse().unwrap())), Ok(None));
    let page = |after: Option<&BotName>, limit| {
        let page = database.run(store.bots(after, limit)).unwrap();
        page.into_iter().map(|bot| bot.name).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 9), bots([1, 2, 3]));
    assert_eq!(page(None, 2), bots([1, 2]));
    assert_eq!(page(Some(&names[2]), 9), bots([3]));
    assert!(database.run(store.bots(Some(&names[0]), 9)).unwrap().is_empty());
}

pub fn bots_are_removed(database: &TestDatabase) {
    let store = database.open();
    let names = bots([1, 2, 3]);
    for name in &names {
        database.write(&store, &[Change::Bot(bot(name, "first"))]);
    }
    let has_played = |name: &BotName| database.run(store.has_played(name)).unwrap();
    // One bot has a seat in a match that has just begun. Another has a line in standings with a match, and the third a
    // line without matches.
    let record = play_match(match_id(1), bots([1, 4]), None, 4, u32::MAX);
    let [seated, listed, idle] = &names[..] else { unreachable!("there are three") };
    let (id, stored) = (tournament_id(1), tournament(1));
    let lines = standings(&[idle.clone(), listed.clone()]);
    assert_eq!((lines[0].matches, lines[1].matches), (0, 1));
    database.write(&store, &[Change::TournamentCreated(stored)]);
    for (at, name) in [listed, idle].into_iter().enumerate() {
        database.write(&store, &[Change::TournamentJoined { id, place: at, bot: name.clone() }]);
    }
    let verdict = Arc::new(FormatVerdict::Standings);
    let result = TournamentResult { at: Timestamp::from_micros(7), played: 1, total: 1, verdict };
    let change = FieldChange { round: 2, bot: idle.clone(), movement: FieldMovement::Leaves };
    database.write(
        &store,
        &[
            Change::FieldChanged { id, seq: 0, change },
            Change::TournamentOver {
                id,
                state: TournamentState::Finished,
                over: result,
                standings: Arc::new(lines),
            },
            events_change(&record, 0, 1),
        ],
    );
    assert_eq!([seated, listed, idle].map(has_played), [true, true, false]);

    let unheard_ends = |store: &Arc<dyn Store>| {
        database.run(store.unacknowledged_tournament_ends(idle, Timestamp::default(), 9)).unwrap().len()
    };
    assert_eq!(unheard_ends(&store), 1);
    // Writing it again is harmless, and the last change in a batch counts.
    let removed = Change::BotRemoved { name: idle.clone() };
    database.write(&store, &[removed.clone(), removed.clone()]);
    let assert_gone = |store: &Arc<dyn Store>| {
        assert_eq!(database.run(store.bot(idle)), Ok(None));
        let field = database.run(store.tournament(id)).unwrap().unwrap().field;
        assert_eq!(*field, std::slice::from_ref(listed));
        let history = database.run(store.field_history(id)).unwrap();
        assert_eq!(history, FieldHistory { start: vec![listed.clone()], changes: Vec::new() });
        let lines = database.run(store.standings(id)).unwrap();
        assert_eq!(lines.iter().map(|line| &line.bot).collect::<Vec<_>>(), [listed]);
        assert_eq!(unheard_ends(store), 0, "a later bot of this name does not get its ends");
    };
    assert_gone(&store);
    database.write(&store, &[Change::Bot(bot(idle, "second")), removed.clone()]);
    assert_gone(&store);
    database.write(&store, &[removed, Change::Bot(bot(idle, "third"))]);
    assert_eq!(database.run(store.bot(idle)), Ok(Some(bot(idle, "third"))));
    assert_eq!(database.run(store.bots(None, 9)).unwrap().len(), 3);
}
