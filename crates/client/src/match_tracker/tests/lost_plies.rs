//! Matches of a server that lost its last plies in a crash: its snapshots go back.

use super::*;

/// A snapshot of a match in play in which another seat is to move.
fn snapshot_of_others(ply: u32, pile: u32, counters: u64) -> Told {
    let alliance_matrix = Some(matrix());
    Told::Snapshot(Box::new(pb::Snapshot {
        alliance_matrix,
        ply,
        pile,
        counters,
        ..snapshot(pb::Phase::Playing)
    }))
}

/// A book whose bot has made its take at ply 4, and whose session was opened anew.
fn reconnected() -> MatchTracker {
    let mut book = in_play();
    tell(&mut book, turn(ID, 4, 1, 3));
    assert_eq!(book.handle_answer(took(4, 3)), [sent_take(4, 3)]);
    tell(&mut book, welcome(1));
    book.handle_answer(BotAnswer::Heard);
    book
}

#[test]
fn a_match_that_a_server_took_up_at_an_earlier_ply_is_played_from_there() {
    let mut book = reconnected();
    let actions = tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    assert_eq!(asked_to_play(&actions).ply(), 1);
    assert_eq!(book.handle_answer(took(1, 2)), [sent_take(1, 2)]);
    let actions = tell(&mut book, turn(ID, 4, 1, 2));
    assert_eq!(asked_to_play(&actions).position().counters(), 2, "the take of before was of another turn");
    assert_eq!(book.handle_answer(took(4, 2)), [sent_take(4, 2)]);
}

#[test]
fn turns_after_an_earlier_ply_of_another_seat_are_new() {
    let mut book = reconnected();
    assert!(tell(&mut book, snapshot_of_others(0, 2, 4)).is_empty());
    assert_eq!(asked_to_play(&tell(&mut book, turn(ID, 1, 2, 2))).ply(), 1);
    let mut book = reconnected();
    assert!(tell(&mut book, snapshot_of_others(3, 1, 3)).is_empty());
    let actions = tell(&mut book, turn(ID, 4, 1, 2));
    assert_eq!(asked_to_play(&actions).position().counters(), 2);
}

#[test]
fn a_turn_that_waited_and_was_lost_is_not_asked() {
    let mut book = in_play();
    assert!(matches!(tell(&mut book, started(OTHER))[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    tell(&mut book, turn(ID, 4, 1, 3));
    tell(&mut book, welcome(2));
    tell(&mut book, snapshot_of_others(3, 1, 3));
    assert!(tell(&mut book, turn(ID, 4, 1, 2)).is_empty(), "the bot is thinking about a row");
    let actions = book.handle_answer(declared(OTHER, &[0, 1, 2]));
    assert!(matches!(actions[1..], [ClientAction::Ask(BotQuestion::Connected(_))]), "{actions:?}");
    let actions = book.handle_answer(BotAnswer::Heard);
    assert_eq!(asked_to_play(&actions).position().counters(), 2);
}

#[test]
fn an_answer_to_a_turn_that_was_lost_is_not_sent() {
    let mut book = in_play();
    tell(&mut book, turn(ID, 4, 1, 3));
    tell(&mut book, welcome(1));
    tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    let actions = book.handle_answer(took(4, 3));
    assert!(matches!(actions[..], [ClientAction::Ask(BotQuestion::Connected(_))]), "{actions:?}");
    assert_eq!(asked_to_play(&book.handle_answer(BotAnswer::Heard)).ply(), 1);
}
