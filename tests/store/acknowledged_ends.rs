//! Acknowledged ends.

use crate::bots::bot;
use crate::played::{all_events, bots, match_changes, match_id, open_match, play_match, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::{standings, tournament};
use lastnim_core::game::BotName;
use lastnim_core::referee::Timestamp;
use lastnim_store::{Change, TournamentResult};
use lastnim_tournament::{FormatVerdict, TournamentState};
use std::sync::Arc;

pub fn acknowledged_ends_are_kept(database: &TestDatabase) {
    let store = database.open();
    let names = bots(0..3);
    for name in &names {
        database.write(&store, &[Change::Bot(bot(name, "first"))]);
    }
    for number in 1..=5 {
        let record = play_match(match_id(number), names.clone(), None, number, u32::MAX);
        database.write(&store, &match_changes(&record));
    }
    let (open, _) = open_match(match_id(6));
    database.write(&store, &[all_events(&open)]);
    let unheard_ends = |bot: &BotName, from: u64, limit| {
        let found = database.run(store.unacknowledged_matches(bot, match_id(from), limit)).unwrap();
        let all = (0..9).map(match_id).collect::<Vec<_>>();
        let number = |id| all.iter().position(|one| one == id).unwrap();
        (found.newest.iter().map(number).collect::<Vec<_>>(), found.more)
    };
    assert_eq!(unheard_ends(&names[0], 0, 9), (vec![5, 4, 3, 2, 1], 0), "one is not over");
    assert_eq!(unheard_ends(&names[0], 0, 5), (vec![5, 4, 3, 2, 1], 0));
    assert_eq!(unheard_ends(&names[0], 0, 2), (vec![5, 4], 3));
    assert_eq!(unheard_ends(&names[0], 2, 2), (vec![5, 4], 2), "older ones are not counted");
    let acknowledge =
        |through| Change::EndsAcknowledged { bot: names[0].clone(), through: match_id(through) };
    database.write(&store, &[acknowledge(1), acknowledge(3)]);
    for _ in 0..2 {
        database.write(&store, &[acknowledge(2), Change::Bot(bot(&names[0], "second"))]);
    }
    assert_eq!(unheard_ends(&names[0], 0, 9), (vec![5, 4], 0), "it never moves back");
    assert_eq!(unheard_ends(&names[0], 5, 9), (vec![5], 0));
    assert_eq!(unheard_ends(&names[1], 0, 9).0.len(), 5, "each bot has its own");

    let (lines, since) = (Arc::new(standings(&names)), Timestamp::from_micros);
    let ends = |bot: &BotName, since, limit| {
        let found = database.run(store.unacknowledged_tournament_ends(bot, since, limit)).unwrap();
        found.into_iter().map(|end| (end.id, end.bots, end.standing)).collect::<Vec<_>>()
    };
    for number in 1..=3 {
        let stored = tournament(number);
        let verdict = Arc::new(FormatVerdict::Standings);
        let result = TournamentResult { at: since(number), played: 8, total: 12, verdict };
        let (id, standings) = (stored.id, Arc::clone(&lines));
        database.write(&store, &[Change::TournamentCreated(stored)]);
        assert_eq!(ends(&names[1], since(number), 9), []);
        database.write(
            &store,
            &[Change::TournamentOver { id, state: TournamentState::Finished, over: result, standings }],
        );
    }
    let end = |number: u64, at: usize| (tournament_id(number), 3, lines[at].clone());
    assert_eq!(ends(&names[1], since(0), 9), [end(1, 1), end(2, 1), end(3, 1)]);
    assert_eq!(ends(&names[1], since(2), 9), [end(2, 1), end(3, 1)]);
    assert_eq!(ends(&names[1], since(0), 1), [end(3, 1)], "the newest");
    for _ in 0..2 {
        database.write(
            &store,
            &[Change::TournamentEndAcknowledged { bot: names[1].clone(), id: tournament_id(2) }],
        );
    }
    assert_eq!(ends(&names[1], since(0), 9), [end(1, 1), end(3, 1)]);
    assert_eq!(ends(&names[0], since(0), 9).len(), 3);
    let found = database.run(store.unacknowledged_tournament_ends(&names[2], since(3), 9)).unwrap();
    assert_eq!(
        (found[0].title.as_str(), found[0].state),
        (tournament(3).settings.title.to_string().as_str(), TournamentState::Finished)
    );
}
