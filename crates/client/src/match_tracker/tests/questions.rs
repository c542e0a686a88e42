//! Tests of how many questions the bot is asked at a time, and in which order.

use super::*;

#[test]
fn questions_come_one_at_a_time_and_only_for_open_matches() {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 1, 2, 3));
    assert!(receive(&mut tracker, started(OTHER_ID)).is_empty(), "the bot is thinking");
    let cancelled = |id: &str| {
        let reason = pb::EndReason::Cancelled.into();
        ServerEvent::MatchEnded(Box::new(pb::MatchEnded {
            match_id: id.into(),
            reason,
            ..Default::default()
        }))
    };
    assert!(receive(&mut tracker, cancelled(OTHER_ID)).is_empty());
    assert!(receive(&mut tracker, cancelled(ID)).is_empty());
    let actions = tracker.handle_answer(took(1, 2));
    assert_eq!(expect_end_report(&actions).info.id, match_id(OTHER_ID));
    assert_eq!(expect_end_report(&tracker.handle_answer(BotAnswer::Handled)).info.id, match_id(ID));
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
    assert_eq!(tracker.summary().cancelled, 2);
}

#[test]
fn waiting_questions_are_bounded() {
    let mut tracker = tracker();
    receive(&mut tracker, started(ID));
    for number in 0..3 * MAX_WAITING_REPORTS as u64 {
        let id = MatchId::new(number, &[1; 10]).to_string();
        assert!(receive(&mut tracker, started(&id)).is_empty());
        let ended = pb::MatchEnded { match_id: id, winner: Some(0), ..Default::default() };
        assert!(receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended))).is_empty());
    }
    assert!(tracker.questions.len() <= MAX_WAITING_REPORTS + 2);
    assert_eq!(tracker.summary().matches, 3 * MAX_WAITING_REPORTS as u64);
}

#[test]
fn concurrent_bot_gets_several_questions_and_withdrawals() {
    let mut tracker = MatchTracker::new(QuestionLimit::Requests(2.try_into().unwrap()), TakeFeed::OwnTurns);
    assert_eq!(receive(&mut tracker, welcome(0)).len(), 1);
    let third = MatchId::new(3, &[3; 10]).to_string();
    let asked_question = |actions: &[ClientAction]| match actions {
        [.., ClientAction::Ask(BotQuestion::Declare(info))] => Some(info.id),
        _ => None,
    };
    assert_eq!(asked_question(&receive(&mut tracker, started(ID))), Some(match_id(ID)));
    assert_eq!(asked_question(&receive(&mut tracker, started(OTHER_ID))), Some(match_id(OTHER_ID)));
    assert_eq!(receive(&mut tracker, started(&third)), []);
    // The bot still answers the withdrawn question, which makes room for the third one.
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(0), ..Default::default() };
    let told = receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended)));
    assert_eq!(told, [ClientAction::Withdraw(match_id(ID))]);
    assert_eq!(asked_question(&tracker.handle_answer(BotAnswer::Withdrawn)), Some(match_id(&third)));
    // The report of the end waited until the bot had handled the welcome.
    assert!(matches!(
        tracker.handle_answer(BotAnswer::Handled)[..],
        [ClientAction::Ask(BotQuestion::Ended(_))]
    ));
    let answer = tracker.handle_answer(declared(OTHER_ID, &[1, 0, 2]));
    assert!(matches!(answer[..], [ClientAction::Send(Wire::Declare(_))]));
}
