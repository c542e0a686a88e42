//! Tests with a server that lost its last plies in a crash, so that its snapshots go back to an earlier ply.

use super::*;

/// Returns a snapshot of a match in play in which another seat is to move.
fn snapshot_in_another_seats_turn(ply: u32, pile: u32, counters: u64) -> ServerEvent {
    let alliance_matrix = Some(matrix());
    ServerEvent::Snapshot(Box::new(pb::Snapshot {
        alliance_matrix,
        ply,
        pile,
        counters,
        ..snapshot(pb::Phase::Playing)
    }))
}

/// Returns a tracker whose bot sent a take at ply 4 and then opened a new session.
fn reconnected() -> MatchTracker {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 4, 1, 3));
    assert_eq!(tracker.handle_answer(took(4, 3)), [sent_take(4, 3)]);
    receive(&mut tracker, welcome(1));
    tracker.handle_answer(BotAnswer::Handled);
    tracker
}

#[test]
fn match_continues_at_the_earlier_ply_of_a_snapshot() {
    let mut tracker = reconnected();
    let actions = receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    assert_eq!(expect_play_question(&actions).ply(), 1);
    assert_eq!(tracker.handle_answer(took(1, 2)), [sent_take(1, 2)]);
    let actions = receive(&mut tracker, turn(ID, 4, 1, 2));
    assert_eq!(
        expect_play_question(&actions).position().counters(),
        2,
        "the previous take belonged to another turn"
    );
    assert_eq!(tracker.handle_answer(took(4, 2)), [sent_take(4, 2)]);
}

#[test]
fn the_bot_is_asked_again_about_turns_after_an_earlier_ply() {
    let mut tracker = reconnected();
    assert!(receive(&mut tracker, snapshot_in_another_seats_turn(0, 2, 4)).is_empty());
    assert_eq!(expect_play_question(&receive(&mut tracker, turn(ID, 1, 2, 2))).ply(), 1);
    let mut tracker = reconnected();
    assert!(receive(&mut tracker, snapshot_in_another_seats_turn(3, 1, 3)).is_empty());
    let actions = receive(&mut tracker, turn(ID, 4, 1, 2));
    assert_eq!(expect_play_question(&actions).position().counters(), 2);
}

#[test]
fn the_bot_is_not_asked_about_a_lost_turn() {
    let mut tracker = in_play();
    assert!(matches!(
        receive(&mut tracker, started(OTHER_ID))[..],
        [ClientAction::Ask(BotQuestion::Declare(_))]
    ));
    receive(&mut tracker, turn(ID, 4, 1, 3));
    receive(&mut tracker, welcome(2));
    receive(&mut tracker, snapshot_in_another_seats_turn(3, 1, 3));
    assert!(receive(&mut tracker, turn(ID, 4, 1, 2)).is_empty(), "the bot is thinking about a row");
    let actions = tracker.handle_answer(declared(OTHER_ID, &[0, 1, 2]));
    assert!(matches!(actions[1..], [ClientAction::Ask(BotQuestion::Connected(_))]), "{actions:?}");
    let actions = tracker.handle_answer(BotAnswer::Handled);
    assert_eq!(expect_play_question(&actions).position().counters(), 2);
}

#[test]
fn answer_to_a_lost_turn_is_not_sent() {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 4, 1, 3));
    receive(&mut tracker, welcome(1));
    receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    let actions = tracker.handle_answer(took(4, 3));
    assert!(matches!(actions[..], [ClientAction::Ask(BotQuestion::Connected(_))]), "{actions:?}");
    assert_eq!(expect_play_question(&tracker.handle_answer(BotAnswer::Handled)).ply(), 1);
}
