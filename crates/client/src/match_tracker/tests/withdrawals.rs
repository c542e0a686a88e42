//! What a bot that thinks about many matches at once need not think about any more.

use super::*;

/// A book whose bot thinks about the row of a match.
fn declaring() -> MatchTracker {
    let mut book = MatchTracker::new(Attention::Requests(9.try_into().unwrap()), TakeFeed::OwnTurns);
    tell(&mut book, welcome(0));
    assert!(matches!(tell(&mut book, started(ID))[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    book
}

fn dropped() -> ClientAction {
    ClientAction::Withdraw(match_id(ID))
}

#[test]
fn a_row_that_is_revealed_needs_no_thought() {
    assert_eq!(tell(&mut declaring(), revealed(ID)), [dropped()]);
    let in_play = tell(&mut declaring(), snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    assert!(matches!(&in_play[..], [first, ClientAction::Ask(BotQuestion::Play(_))] if *first == dropped()));
    let mut book = declaring();
    book.handle_answer(declared(ID, &[1, 0, 2]));
    assert_eq!(tell(&mut book, revealed(ID)), [], "the row is made");
}

#[test]
fn a_turn_that_is_overtaken_needs_no_thought() {
    let mut book = declaring();
    tell(&mut book, revealed(ID));
    assert!(matches!(tell(&mut book, turn(ID, 1, 2, 3))[..], [ClientAction::Ask(BotQuestion::Play(_))]));
    assert_eq!(tell(&mut book, turn(ID, 1, 2, 3)), []);
    // Another session of the bot has moved.
    let next = tell(&mut book, turn(ID, 4, 1, 3));
    let [first, ClientAction::Ask(BotQuestion::Play(view))] = &next[..] else { panic!("{next:?}") };
    assert_eq!((first, view.ply()), (&dropped(), 4));
    book.handle_answer(took(4, 1));
    assert!(matches!(tell(&mut book, turn(ID, 7, 0, 2))[..], [ClientAction::Ask(_)]), "the take is made");
}

#[test]
fn a_turn_that_a_server_lost_needs_no_thought() {
    let mut book = declaring();
    book.handle_answer(BotAnswer::Heard);
    tell(&mut book, revealed(ID));
    assert!(matches!(tell(&mut book, turn(ID, 4, 1, 3))[..], [ClientAction::Ask(BotQuestion::Play(_))]));
    tell(&mut book, welcome(1));
    let actions = tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 3))));
    let [first, ClientAction::Ask(BotQuestion::Play(view))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((first, view.ply()), (&dropped(), 1));
}
