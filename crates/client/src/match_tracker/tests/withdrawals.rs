//! Tests of which pending questions a concurrent bot is told to drop.

use super::*;

/// Returns a tracker whose bot is thinking about its row.
fn declaring() -> MatchTracker {
    let mut tracker = MatchTracker::new(QuestionLimit::Requests(9.try_into().unwrap()), TakeFeed::OwnTurns);
    receive(&mut tracker, welcome(0));
    assert!(matches!(receive(&mut tracker, started(ID))[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    tracker
}

fn dropped() -> ClientAction {
    ClientAction::Withdraw(match_id(ID))
}

#[test]
fn question_about_the_row_is_withdrawn_when_rows_are_revealed() {
    assert_eq!(receive(&mut declaring(), revealed(ID)), [dropped()]);
    let actions = receive(&mut declaring(), snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    assert!(matches!(&actions[..], [first, ClientAction::Ask(BotQuestion::Play(_))] if *first == dropped()));
    let mut tracker = declaring();
    tracker.handle_answer(declared(ID, &[1, 0, 2]));
    assert_eq!(receive(&mut tracker, revealed(ID)), [], "the bot has already declared its row");
}

#[test]
fn overtaken_turn_is_withdrawn() {
    let mut tracker = declaring();
    receive(&mut tracker, revealed(ID));
    assert!(matches!(
        receive(&mut tracker, turn(ID, 1, 2, 3))[..],
        [ClientAction::Ask(BotQuestion::Play(_))]
    ));
    assert_eq!(receive(&mut tracker, turn(ID, 1, 2, 3)), []);
    // Another session of the bot has made the take at ply 1.
    let next = receive(&mut tracker, turn(ID, 4, 1, 3));
    let [first, ClientAction::Ask(BotQuestion::Play(view))] = &next[..] else { panic!("{next:?}") };
    assert_eq!((first, view.ply()), (&dropped(), 4));
    tracker.handle_answer(took(4, 1));
    assert!(
        matches!(receive(&mut tracker, turn(ID, 7, 0, 2))[..], [ClientAction::Ask(_)]),
        "the bot has already answered its last turn"
    );
}

#[test]
fn turn_lost_by_the_server_is_withdrawn() {
    let mut tracker = declaring();
    tracker.handle_answer(BotAnswer::Handled);
    receive(&mut tracker, revealed(ID));
    assert!(matches!(
        receive(&mut tracker, turn(ID, 4, 1, 3))[..],
        [ClientAction::Ask(BotQuestion::Play(_))]
    ));
    receive(&mut tracker, welcome(1));
    let actions = receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    let [first, ClientAction::Ask(BotQuestion::Play(view))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((first, view.ply()), (&dropped(), 1));
}
