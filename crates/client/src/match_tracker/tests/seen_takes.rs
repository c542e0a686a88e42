//! What a bot sees of the takes of others.

use super::*;

fn took_event(ply: u32, seat: u32, take: u64) -> Told {
    Told::Took(pb::Took { match_id: ID.into(), ply, seat, take, steward: false })
}

/// A book whose bot hears all takes, and whose match is in play.
fn in_play_with_all_takes() -> MatchTracker {
    let mut book = MatchTracker { take_feed: TakeFeed::All, ..book() };
    tell(&mut book, started(ID));
    book.handle_answer(declared(ID, &[1, 0, 2]));
    tell(&mut book, revealed(ID));
    book
}

fn seen(view: &MatchView) -> Vec<(u32, u64, u64)> {
    view.seen_takes().iter().map(|seen| (seen.ply, seen.before.counters(), seen.take)).collect()
}

#[test]
fn a_bot_that_wants_all_takes_sees_them_in_its_turn() {
    let mut book = in_play_with_all_takes();
    assert!(tell(&mut book, took_event(0, 0, 1)).is_empty());
    assert_eq!(seen(asked_to_play(&tell(&mut book, turn(ID, 1, 2, 3)))), [(0, 4, 1)]);
    book.handle_answer(took(1, 3));
    for (ply, seat, take) in [(1, 1, 3), (2, 2, 1), (3, 0, 2)] {
        assert!(tell(&mut book, took_event(ply, seat, take)).is_empty());
    }
    let actions = tell(&mut book, turn(ID, 4, 0, 2));
    let view = asked_to_play(&actions);
    assert_eq!(seen(view), [(0, 4, 1), (1, 3, 3), (2, 3, 1), (3, 2, 2)]);
    assert_eq!(view.seen_takes()[2].before.to_move().index(), 2);
}

#[test]
fn a_bot_that_wants_its_own_turns_alone_sees_no_takes() {
    let mut book = in_play();
    tell(&mut book, took_event(0, 0, 1));
    assert_eq!(seen(asked_to_play(&tell(&mut book, turn(ID, 1, 2, 3)))), []);
}

#[test]
fn takes_that_were_made_without_a_session_are_missing() {
    let mut book = in_play_with_all_takes();
    tell(&mut book, took_event(0, 0, 1));
    tell(&mut book, turn(ID, 1, 2, 3));
    book.handle_answer(took(1, 1));
    tell(&mut book, welcome(1));
    book.handle_answer(BotAnswer::Heard);
    let alliance_matrix = Some(matrix());
    let snapshot =
        pb::Snapshot { alliance_matrix, ply: 3, pile: 2, counters: 1, ..snapshot(pb::Phase::Playing) };
    assert!(tell(&mut book, Told::Snapshot(Box::new(snapshot))).is_empty());
    tell(&mut book, took_event(3, 0, 1));
    assert_eq!(seen(asked_to_play(&tell(&mut book, turn(ID, 4, 1, 3)))), [(0, 4, 1), (3, 1, 1)]);
}

#[test]
fn takes_that_a_server_lost_are_taken_back() {
    let mut book = in_play_with_all_takes();
    tell(&mut book, took_event(0, 0, 1));
    tell(&mut book, turn(ID, 1, 2, 3));
    book.handle_answer(took(1, 1));
    for (ply, seat) in [(1, 1), (2, 2)] {
        tell(&mut book, took_event(ply, seat, 1));
    }
    tell(&mut book, welcome(1));
    book.handle_answer(BotAnswer::Heard);
    let alliance_matrix = Some(matrix());
    let snapshot =
        pb::Snapshot { alliance_matrix, ply: 2, pile: 2, counters: 2, ..snapshot(pb::Phase::Playing) };
    assert!(tell(&mut book, Told::Snapshot(Box::new(snapshot))).is_empty());
    tell(&mut book, took_event(2, 2, 2));
    tell(&mut book, took_event(3, 0, 1));
    let actions = tell(&mut book, turn(ID, 4, 1, 2));
    assert_eq!(seen(asked_to_play(&actions)), [(0, 4, 1), (1, 3, 1), (2, 2, 2), (3, 3, 1)]);
}

#[test]
fn takes_are_not_copied_once_a_turn_is_answered() {
    let mut book = in_play_with_all_takes();
    tell(&mut book, took_event(0, 0, 1));
    let actions = tell(&mut book, turn(ID, 1, 2, 3));
    let is_shared = |book: &MatchTracker| book.open[&ID.parse().unwrap()].seen_takes.newest().is_shared();
    assert!(is_shared(&book), "the bot looks at them");
    drop(actions);
    book.handle_answer(took(1, 3));
    assert!(!is_shared(&book));
}
