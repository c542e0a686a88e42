//! Tests of talk.

use super::*;
use crate::{
    Message, TalkContent,
    game::{Pact, SeatCount},
};

/// Returns the start of a match with two rounds of talk.
fn talking() -> pb::MatchStarted {
    let mut begun = begun(ID);
    let privacy = pb::TalkPrivacy::Private.into();
    let talk = pb::Talk { rounds: 2, round_ms: 9_000, text_chars: 500, privacy, pacts: true };
    begun.setup.as_mut().unwrap().talk = Some(talk);
    begun
}

fn snapshot_of(talk: pb::TalkState) -> ServerEvent {
    ServerEvent::Snapshot(Box::new(pb::Snapshot {
        started: Some(talking()),
        declaration_left_ms: 5_000,
        talk: Some(talk),
        ..snapshot(pb::Phase::Declaring)
    }))
}

/// Returns a tracker that has asked the bot for its messages of the first round.
fn asked() -> MatchTracker {
    let mut tracker = tracker();
    let round = expect_round(&receive(&mut tracker, ServerEvent::MatchStarted(Box::new(talking()))));
    assert_eq!(round, (0, 9_000));
    tracker
}

/// Returns the round that the bot is asked about, and the milliseconds that are left in it.
fn expect_round(actions: &[ClientAction]) -> (u32, u128) {
    match actions {
        [ClientAction::Ask(BotQuestion::Talk(round))] => (round.round(), round.time_left().as_millis()),
        other => panic!("not a single question about a round: {other:?}"),
    }
}

fn text(words: &str) -> Message {
    Message::text(words)
}

fn says(round: u32, messages: &[Message]) -> BotAnswer {
    BotAnswer::Messages { match_id: match_id(ID), round, messages: Some(messages.to_vec()) }
}

fn sent(round: u32, number: u32, message: &Message) -> Vec<ClientAction> {
    let to = message.to.iter().map(u32::from).collect();
    let content = Some((&message.content).into());
    vec![ClientAction::Send(Wire::Say(pb::Say { match_id: ID.into(), round, number, to, content }))]
}

fn ended(round: u32) -> Vec<ClientAction> {
    vec![ClientAction::Send(Wire::EndTalk(pb::EndTalk { match_id: ID.into(), round }))]
}

fn accept(tracker: &mut MatchTracker, round: u32, number: Option<u32>) -> Vec<ClientAction> {
    receive(tracker, ServerEvent::TalkAccepted(pb::TalkAccepted { match_id: ID.into(), round, number }))
}

fn refuse(tracker: &mut MatchTracker) -> Vec<ClientAction> {
    receive(tracker, refused(pb::RefusalReason::InvalidTalk, 0, 3))
}

fn from_seat(seat: u32, round: u32, number: u32, message: &Message) -> pb::TalkMessage {
    let to = message.to.iter().map(u32::from).collect();
    pb::TalkMessage { seat, round, number, to, content: Some((&message.content).into()) }
}

fn heard(round: u32, messages: &[pb::TalkMessage]) -> ServerEvent {
    ServerEvent::Heard(pb::Heard { match_id: ID.into(), round, messages: messages.to_vec() })
}

fn known(tracker: &MatchTracker) -> Vec<(u32, u32, u32)> {
    let messages = &tracker.open[&match_id(ID)].info.messages;
    messages.iter().map(|message| (message.round, message.seat.into(), message.number)).collect()
}

#[test]
fn a_bot_talks_round_by_round_and_then_declares() {
    let mut tracker = asked();
    let private =
        Message::claim(row(&[2, 0, 1])).to([lastnim_core::game::SeatCount::new(3).unwrap().seat(2).unwrap()]);
    assert_eq!(tracker.handle_answer(says(0, &[text("a"), private.clone()])), sent(0, 0, &text("a")));
    assert_eq!(accept(&mut tracker, 0, Some(0)), sent(0, 1, &private));
    assert_eq!(accept(&mut tracker, 0, Some(0)), [], "a repeated acknowledgement");
    assert_eq!(accept(&mut tracker, 0, Some(1)), ended(0));
    assert_eq!(accept(&mut tracker, 0, None), []);
    let other = from_seat(0, 0, 0, &Message::claim(row(&[1, 0, 2])));
    let unknown =
        pb::TalkMessage { number: 1, content: Some(pb::TalkContent { content: None }), ..other.clone() };
    let report = receive(&mut tracker, heard(0, &[other.clone(), unknown]));
    let [ClientAction::Ask(BotQuestion::Heard(info, 0))] = &report[..] else { panic!("{report:?}") };
    assert_eq!(info.last_claim(info.first), Some(&row(&[1, 0, 2])));
    assert_eq!(known(&tracker), [(0, 0, 0), (0, 1, 0), (0, 1, 1)]);
    assert_eq!(receive(&mut tracker, heard(0, &[other])), [], "a repeated event");
    assert_eq!(expect_round(&tracker.handle_answer(BotAnswer::Handled)), (1, 9_000));
    assert_eq!(tracker.handle_answer(says(0, &[text("late")])), [], "an answer to an earlier round");
    assert_eq!(tracker.handle_answer(says(1, &[])), ended(1));
    accept(&mut tracker, 1, None);
    receive(&mut tracker, heard(1, &[]));
    let asked = tracker.handle_answer(BotAnswer::Handled);
    assert!(
        matches!(&asked[..], [ClientAction::Ask(BotQuestion::Declare(info))] if info.messages.len() == 3)
    );
}

#[test]
fn a_silent_bot_declares_at_once_and_still_hears_the_others() {
    let mut tracker = asked();
    let silent = BotAnswer::Messages { match_id: match_id(ID), round: 0, messages: None };
    assert!(matches!(tracker.handle_answer(silent)[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    assert_eq!(tracker.handle_answer(declared(ID, &[1, 0, 2])), [sent_row(&[1, 0, 2])]);
    let report = receive(&mut tracker, heard(0, &[from_seat(0, 0, 0, &text("hi"))]));
    assert!(matches!(report[..], [ClientAction::Ask(BotQuestion::Heard(_, 0))]));
    tracker.handle_answer(BotAnswer::Handled);
    receive(&mut tracker, heard(1, &[]));
    tracker.handle_answer(BotAnswer::Handled);
    receive(&mut tracker, revealed(ID));
    let asked = receive(&mut tracker, turn(ID, 1, 2, 3));
    assert_eq!(expect_play_question(&asked).messages.len(), 1);
}

#[test]
fn a_refused_message_is_left_out_and_the_next_gets_its_number() {
    let mut tracker = asked();
    tracker.handle_answer(says(0, &[text("too long"), text("b"), text("c")]));
    assert_eq!(refuse(&mut tracker)[..1], sent(0, 0, &text("b"))[..]);
    assert_eq!(accept(&mut tracker, 0, Some(0)), sent(0, 1, &text("c")));
    // The time is up while the last message is on its way: its refusal says nothing about the next round.
    receive(&mut tracker, heard(0, &[]));
    for _ in 0..2 {
        tracker.handle_answer(BotAnswer::Handled);
    }
    assert_eq!(tracker.handle_answer(says(1, &[text("d")])), sent(1, 0, &text("d")));
    refuse(&mut tracker);
    assert_eq!(accept(&mut tracker, 1, Some(0)), ended(1), "the message of this round was not dropped");
}

#[test]
fn unanswered_messages_are_sent_again_after_a_lost_session() {
    let mut tracker = asked();
    tracker.handle_answer(says(0, &[text("a"), text("b")]));
    accept(&mut tracker, 0, Some(0));
    let own = vec![from_seat(1, 0, 0, &text("a"))];
    let state = pb::TalkState {
        round: Some(0),
        left_ms: 4_000,
        ended: false,
        messages: own.clone(),
        pacts: Vec::new(),
    };
    receive(&mut tracker, welcome(1));
    assert_eq!(receive(&mut tracker, snapshot_of(state.clone())), sent(0, 1, &text("b")));
    assert_eq!(receive(&mut tracker, snapshot_of(state.clone())), [], "only once in a session");
    tracker.handle_answer(BotAnswer::Handled);
    assert_eq!(accept(&mut tracker, 0, Some(1)), ended(0));
    accept(&mut tracker, 0, None);
    receive(&mut tracker, welcome(1));
    assert_eq!(receive(&mut tracker, snapshot_of(state)), ended(0), "the server has lost the end of talk");
    tracker.handle_answer(BotAnswer::Handled);
    // The second round began while there was no session.
    let heard = from_seat(2, 0, 0, &text("c"));
    let later = pb::TalkState { round: Some(1), left_ms: 700, messages: vec![heard], ..Default::default() };
    receive(&mut tracker, welcome(1));
    receive(&mut tracker, snapshot_of(later));
    let report = tracker.handle_answer(BotAnswer::Handled);
    assert!(matches!(report[..], [ClientAction::Ask(BotQuestion::Heard(_, 0))]));
    assert_eq!(expect_round(&tracker.handle_answer(BotAnswer::Handled)), (1, 700));
}

#[test]
fn a_restarted_process_does_not_repeat_its_messages() {
    let mut tracker = tracker();
    let own = vec![from_seat(1, 0, 0, &text("a"))];
    let state =
        pb::TalkState { round: Some(0), left_ms: 4_000, ended: false, messages: own, ..Default::default() };
    assert_eq!(expect_round(&receive(&mut tracker, snapshot_of(state))), (0, 4_000));
    let many = ["a", "b", "c", "d", "e", "f"].map(text);
    assert_eq!(tracker.handle_answer(says(0, &many)), sent(0, 1, &many[1]));
    assert_eq!(accept(&mut tracker, 0, Some(1)), sent(0, 2, &many[2]));
    assert_eq!(accept(&mut tracker, 0, Some(2)), sent(0, 3, &many[3]));
    assert_eq!(accept(&mut tracker, 0, Some(3)), ended(0), "a seat sends four messages in a round");

    let mut tracker = super::tracker();
    let done = pb::TalkState { round: Some(0), left_ms: 4_000, ended: true, ..Default::default() };
    assert_eq!(receive(&mut tracker, snapshot_of(done)), [], "the earlier process has ended its talk");
    let over = pb::TalkState { ended: true, ..Default::default() };
    let reports = receive(&mut tracker, snapshot_of(over));
    assert!(matches!(reports[..], [ClientAction::Ask(BotQuestion::Heard(_, 0))]));
    tracker.handle_answer(BotAnswer::Handled);
    assert!(matches!(
        tracker.handle_answer(BotAnswer::Handled)[..],
        [ClientAction::Ask(BotQuestion::Declare(_))]
    ));
}

/// Returns a pact in which seat 1 promises to rank seat 0 before seat 2, and seat 0 promises nothing.
fn pact() -> Pact {
    Pact::parse(SeatCount::new(3).unwrap(), &[(1, vec![(0, 2)]), (0, vec![])]).unwrap()
}

#[test]
fn a_bot_hears_and_accepts_a_pact() {
    let mut tracker = asked();
    tracker.handle_answer(says(0, &[]));
    accept(&mut tracker, 0, None);
    let offer = from_seat(0, 0, 2, &Message::offer(pact()));
    receive(&mut tracker, heard(0, &[pb::TalkMessage { to: vec![1], ..offer }]));
    let offered = tracker.open[&match_id(ID)].info.messages[0].clone();
    assert_eq!(offered.content, TalkContent::Offer(pact()));
    let signed_pacts = |tracker: &MatchTracker| {
        let pacts = tracker.open[&match_id(ID)].info.pacts();
        pacts.iter().map(|offered| (offered.pact.clone(), offered.is_signed())).collect::<Vec<_>>()
    };
    assert_eq!(signed_pacts(&tracker), [(pact(), false)]);
    let acceptance = Message::accept(offered.offer_id());
    tracker.handle_answer(BotAnswer::Handled);
    assert_eq!(tracker.handle_answer(says(1, std::slice::from_ref(&acceptance))), sent(1, 0, &acceptance));
    assert_eq!(accept(&mut tracker, 1, Some(0)), ended(1));
    assert_eq!(signed_pacts(&tracker), [(pact(), true)]);
    accept(&mut tracker, 1, None);
    receive(&mut tracker, heard(1, &[from_seat(2, 1, 0, &acceptance)]));
    let messages = &tracker.open[&match_id(ID)].info.messages;
    assert_eq!(
        messages[1..].iter().map(|message| &message.content).collect::<Vec<_>>(),
        [&acceptance.content; 2]
    );
}

#[test]
fn a_restarted_process_does_not_offer_a_pact_again() {
    let mut tracker = tracker();
    let offer = Message::offer(pact());
    let own = vec![pb::TalkMessage { to: vec![0], ..from_seat(1, 0, 0, &offer) }];
    receive(&mut tracker, snapshot_of(pb::TalkState { round: Some(0), messages: own, ..Default::default() }));
    assert_eq!(tracker.handle_answer(says(0, &[offer, text("b")])), sent(0, 1, &text("b")));
}

#[test]
fn a_round_that_ends_withdraws_its_question() {
    let mut tracker = MatchTracker::new(QuestionLimit::Requests(9.try_into().unwrap()), TakeFeed::OwnTurns);
    receive(&mut tracker, welcome(0));
    receive(&mut tracker, ServerEvent::MatchStarted(Box::new(talking())));
    let actions = receive(&mut tracker, heard(0, &[]));
    let [ClientAction::Withdraw(_), ClientAction::Ask(BotQuestion::Talk(next))] = &actions[..] else {
        panic!("{actions:?}")
    };
    assert_eq!(next.round(), 1);
    assert_eq!(receive(&mut tracker, revealed(ID)), [ClientAction::Withdraw(match_id(ID))]);
}

#[test]
fn impossible_talk_messages_are_errors() {
    let mut tracker = asked();
    let hello = text("hello");
    let cycle = pb::Pact {
        members: vec![pb::PactMember { seat: 0, relations: vec![pb::PactRelation { before: 1, after: 1 }] }],
    };
    let cycle = pb::TalkContent { content: Some(pb::talk_content::Content::Offer(cycle)) };
    let cycle = pb::TalkMessage { content: Some(cycle), ..from_seat(0, 0, 0, &hello) };
    for (message, why) in [
        (from_seat(3, 0, 0, &hello), "heard.messages.seat: seat 3: expected 0 to 2"),
        (from_seat(0, 2, 0, &hello), "heard.messages.round: round 2: expected less than 2"),
        (from_seat(0, 0, 4, &hello), "heard.messages.number: number 4: expected less than 4"),
        (cycle, "heard.messages.offer: seat 0 cannot put seat 1 before seat 1"),
    ] {
        let refused = event_error(&mut tracker, heard(0, &[message]));
        assert!(refused.contains(why), "{refused}");
    }
    let TalkContent::Text(said) = &hello.content else { panic!("a text") };
    assert_eq!(said, "hello");
    assert_eq!(receive(&mut tracker, heard(2, &[])), [], "a round that the match does not have");
}
