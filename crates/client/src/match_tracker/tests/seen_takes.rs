//! Tests of which takes a bot sees.

use super::*;

fn took_event(ply: u32, seat: u32, take: u64) -> ServerEvent {
    ServerEvent::Took(pb::Took { match_id: ID.into(), ply, seat, take, steward: false })
}

/// Returns a tracker with a match in play, for a bot that receives all takes.
fn in_play_with_all_takes() -> MatchTracker {
    let mut tracker = MatchTracker { take_feed: TakeFeed::All, ..tracker() };
    receive(&mut tracker, started(ID));
    tracker.handle_answer(declared(ID, &[1, 0, 2]));
    receive(&mut tracker, revealed(ID));
    tracker
}

fn seen(view: &MatchView) -> Vec<(u32, u64, u64)> {
    view.seen_takes().iter().map(|seen| (seen.ply, seen.before.counters(), seen.take)).collect()
}

#[test]
fn all_takes_are_visible_with_feed_all() {
    let mut tracker = in_play_with_all_takes();
    assert!(receive(&mut tracker, took_event(0, 0, 1)).is_empty());
    assert_eq!(seen(expect_play_question(&receive(&mut tracker, turn(ID, 1, 2, 3)))), [(0, 4, 1)]);
    tracker.handle_answer(took(1, 3));
    for (ply, seat, take) in [(1, 1, 3), (2, 2, 1), (3, 0, 2)] {
        assert!(receive(&mut tracker, took_event(ply, seat, take)).is_empty());
    }
    let actions = receive(&mut tracker, turn(ID, 4, 0, 2));
    let view = expect_play_question(&actions);
    assert_eq!(seen(view), [(0, 4, 1), (1, 3, 3), (2, 3, 1), (3, 2, 2)]);
    assert_eq!(view.seen_takes()[2].before.to_move().index(), 2);
}

#[test]
fn no_takes_are_visible_with_feed_own_turns() {
    let mut tracker = in_play();
    receive(&mut tracker, took_event(0, 0, 1));
    assert_eq!(seen(expect_play_question(&receive(&mut tracker, turn(ID, 1, 2, 3)))), []);
}

#[test]
fn takes_during_a_lost_session_are_missing() {
    let mut tracker = in_play_with_all_takes();
    receive(&mut tracker, took_event(0, 0, 1));
    receive(&mut tracker, turn(ID, 1, 2, 3));
    tracker.handle_answer(took(1, 1));
    receive(&mut tracker, welcome(1));
    tracker.handle_answer(BotAnswer::Handled);
    let alliance_matrix = Some(matrix());
    let snapshot =
        pb::Snapshot { alliance_matrix, ply: 3, pile: 2, counters: 1, ..snapshot(pb::Phase::Playing) };
    assert!(receive(&mut tracker, ServerEvent::Snapshot(Box::new(snapshot))).is_empty());
    receive(&mut tracker, took_event(3, 0, 1));
    assert_eq!(seen(expect_play_question(&receive(&mut tracker, turn(ID, 4, 1, 3)))), [(0, 4, 1), (3, 1, 1)]);
}

#[test]
fn takes_lost_by_the_server_are_removed() {
    let mut tracker = in_play_with_all_takes();
    receive(&mut tracker, took_event(0, 0, 1));
    receive(&mut tracker, turn(ID, 1, 2, 3));
    tracker.handle_answer(took(1, 1));
    for (ply, seat) in [(1, 1), (2, 2)] {
        receive(&mut tracker, took_event(ply, seat, 1));
    }
    receive(&mut tracker, welcome(1));
    tracker.handle_answer(BotAnswer::Handled);
    let alliance_matrix = Some(matrix());
    let snapshot =
        pb::Snapshot { alliance_matrix, ply: 2, pile: 2, counters: 2, ..snapshot(pb::Phase::Playing) };
    assert!(receive(&mut tracker, ServerEvent::Snapshot(Box::new(snapshot))).is_empty());
    receive(&mut tracker, took_event(2, 2, 2));
    receive(&mut tracker, took_event(3, 0, 1));
    let actions = receive(&mut tracker, turn(ID, 4, 1, 2));
    assert_eq!(seen(expect_play_question(&actions)), [(0, 4, 1), (1, 3, 1), (2, 2, 2), (3, 3, 1)]);
}

#[test]
fn takes_are_not_copied_once_a_turn_is_answered() {
    let mut tracker = in_play_with_all_takes();
    receive(&mut tracker, took_event(0, 0, 1));
    let actions = receive(&mut tracker, turn(ID, 1, 2, 3));
    let is_shared =
        |tracker: &MatchTracker| tracker.open[&ID.parse().unwrap()].seen_takes.newest().is_shared();
    assert!(is_shared(&tracker), "the bot's view shares the takes");
    drop(actions);
    tracker.handle_answer(took(1, 3));
    assert!(!is_shared(&tracker));
}
