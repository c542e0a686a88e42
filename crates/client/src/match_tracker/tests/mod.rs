mod lost_plies;
mod questions;
mod seen_takes;
mod talk;
mod withdrawals;

use super::*;
use crate::{MatchView, SuspensionReason, question_queue::MAX_WAITING_REPORTS};
use lastnim_core::referee::{EndReason, RefusalReason};
use lastnim_proto::pb::play_response::Event as ServerEvent;
use proptest::prelude::*;
use prost::Message as _;

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const OTHER_ID: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
const TOURNAMENT: &str = "01890a5d-ac96-774b-bcce-b302099a8059";
const ROWS: [[u32; 3]; 3] = [[0, 1, 2], [1, 0, 2], [0, 2, 1]];

fn parse(event: ServerEvent) -> Result<SessionEvent, ProtocolError> {
    SessionEvent::parse(pb::PlayResponse { event: Some(event) })
}

fn receive(tracker: &mut MatchTracker, event: ServerEvent) -> Vec<ClientAction> {
    tracker.handle_event(parse(event).unwrap()).unwrap()
}

fn event_error(tracker: &mut MatchTracker, event: ServerEvent) -> String {
    parse(event).and_then(|event| tracker.handle_event(event)).unwrap_err().to_string()
}

fn welcome(open_matches: u32) -> ServerEvent {
    ServerEvent::Welcome(pb::Welcome { bot: "b".into(), open_matches, server_version: "1".into() })
}

/// Returns a tracker with an open session.
fn tracker() -> MatchTracker {
    let mut tracker = MatchTracker::new(QuestionLimit::OneQuestion, TakeFeed::OwnTurns);
    assert!(matches!(receive(&mut tracker, welcome(0))[..], [ClientAction::Ask(BotQuestion::Connected(_))]));
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
    tracker
}

fn matrix() -> pb::AllianceMatrix {
    pb::AllianceMatrix { rows: ROWS.iter().map(|row| pb::Row { offsets: row.to_vec() }).collect() }
}

/// Returns the start of a match for three seats on the piles 2, 3 and 4. The bot has seat 1, and seat 0 moves first.
fn begun(id: &str) -> pb::MatchStarted {
    let clock = pb::Clock { initial_ms: 60_000, declaration_ms: 5_000, ..Default::default() };
    let setup = pb::MatchSetup {
        bots: vec!["a".into(), "b".into(), "c".into()],
        piles: vec![2, 3, 4],
        clock: Some(clock),
        strikes: 3,
        max_plies: 100,
        tournament_id: TOURNAMENT.into(),
        number: 7,
        ..Default::default()
    };
    pb::MatchStarted { match_id: id.into(), seat: 1, setup: Some(setup), dealt_row: None }
}

fn started(id: &str) -> ServerEvent {
    ServerEvent::MatchStarted(Box::new(begun(id)))
}

fn revealed(id: &str) -> ServerEvent {
    ServerEvent::Revealed(pb::Revealed {
        match_id: id.into(),
        alliance_matrix: Some(matrix()),
        defaulted: Vec::new(),
    })
}

fn turn_of(id: &str, ply: u32, pile: u32, counters: u64) -> pb::Turn {
    pb::Turn { match_id: id.into(), ply, pile, counters, bank_ms: 59_000 }
}

fn turn(id: &str, ply: u32, pile: u32, counters: u64) -> ServerEvent {
    ServerEvent::Turn(turn_of(id, ply, pile, counters))
}

fn snapshot(phase: pb::Phase) -> pb::Snapshot {
    pb::Snapshot { started: Some(begun(ID)), phase: phase.into(), ..Default::default() }
}

fn snapshot_in_play(turn: Option<pb::Turn>) -> ServerEvent {
    let alliance_matrix = Some(matrix());
    ServerEvent::Snapshot(Box::new(pb::Snapshot { alliance_matrix, turn, ..snapshot(pb::Phase::Playing) }))
}

fn refused(reason: pb::RefusalReason, ply: u32, strikes_left: u32) -> ServerEvent {
    let match_id = ID.into();
    ServerEvent::Refused(pb::Refused {
        match_id,
        reason: reason.into(),
        ply,
        strikes_left,
        ..Default::default()
    })
}

fn match_id(id: &str) -> MatchId {
    id.parse().unwrap()
}

fn row(offsets: &[u64]) -> Row {
    Row::parse(offsets, lastnim_core::game::SeatCount::new(3).unwrap()).unwrap()
}

/// Returns the bot's answer with a take and a note hash.
fn took(ply: u32, take: u64) -> BotAnswer {
    BotAnswer::Take { match_id: match_id(ID), ply, take, note_hash: Some([ply as u8; 32]) }
}

/// Returns the bot's answer with a row and a note hash.
fn declared(id: &str, offsets: &[u64]) -> BotAnswer {
    BotAnswer::Row { match_id: match_id(id), row: row(offsets), note_hash: Some([7; 32]) }
}

fn sent_row(offsets: &[u64]) -> ClientAction {
    ClientAction::Send(Wire::Declare(super::declare_message(match_id(ID), &row(offsets), Some([7; 32]))))
}

fn sent_take(ply: u32, take: u64) -> ClientAction {
    ClientAction::Send(Wire::Take(super::take_message(match_id(ID), ply, take, Some([ply as u8; 32]))))
}

/// Returns a tracker with a match in play.
fn in_play() -> MatchTracker {
    let mut tracker = tracker();
    assert!(matches!(receive(&mut tracker, started(ID))[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    let answer = declared(ID, &[1, 0, 2]);
    assert_eq!(tracker.handle_answer(answer), [sent_row(&[1, 0, 2])]);
    assert!(receive(&mut tracker, revealed(ID)).is_empty());
    tracker
}

fn expect_play_question(actions: &[ClientAction]) -> &MatchView {
    match actions {
        [ClientAction::Ask(BotQuestion::Play(view))] => view,
        other => panic!("not a single request for a take: {other:?}"),
    }
}

fn expect_end_report(actions: &[ClientAction]) -> &MatchEnd {
    match actions {
        [ClientAction::Ask(BotQuestion::Ended(end))] => end,
        other => panic!("not a single report of an end: {other:?}"),
    }
}

#[test]
fn a_match_is_tracked_to_its_end() {
    let mut tracker = in_play();
    let actions = receive(&mut tracker, turn(ID, 1, 2, 3));
    let view = expect_play_question(&actions);
    assert_eq!(view.position().piles().collect::<Vec<_>>(), [2, 3, 3]);
    assert_eq!((view.ply(), view.seat.index(), view.bank_left().as_millis()), (1, 1, 59_000));
    assert_eq!(view.position().to_move(), view.seat);
    assert_eq!(view.matrix().to_string(), "0 1 2; 1 0 2; 0 2 1");
    assert_eq!(view.game().piles.as_slice(), [2, 3, 4]);
    assert_eq!(view.origin.as_ref().unwrap().number, 7);
    assert!(!view.rows_are_assigned());
    assert_eq!(tracker.handle_answer(took(1, 3)), [sent_take(1, 3)]);

    let actions = receive(&mut tracker, turn(ID, 4, 0, 2));
    assert_eq!(expect_play_question(&actions).position().piles().collect::<Vec<_>>(), [2, 0, 0]);
    assert_eq!(tracker.handle_answer(took(4, 2)), [sent_take(4, 2)]);

    assert!(!tracker.is_finished_with(TOURNAMENT));
    let seat = |seat| pb::SeatAudit {
        seat,
        satisfaction: 0.5,
        regret: 1,
        luck: -1,
        plies: 2,
        optimal_plies: 1,
        ..Default::default()
    };
    let audit = pb::Audit { seats: vec![seat(0), seat(1), seat(2)], ..Default::default() };
    let ended = pb::MatchEnded {
        match_id: ID.into(),
        reason: pb::EndReason::Finished.into(),
        winner: Some(1),
        audit: Some(audit),
        ..Default::default()
    };
    let actions = receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended)));
    let end = expect_end_report(&actions);
    assert!(end.won() && !end.forfeited && end.reason == EndReport::Known(EndReason::Finished));
    let figures = end.figures.unwrap();
    assert_eq!((figures.regret, figures.luck, figures.accuracy()), (1, -1, Some(0.5)));
    assert!(!tracker.is_finished_with(TOURNAMENT), "the bot is still handling the end");
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
    assert!(tracker.is_finished_with(TOURNAMENT));
    let expected =
        Summary { matches: 1, wins: 1, regret: 1, takes: 2, optimal_takes: 1, ..Summary::default() };
    assert_eq!(tracker.summary(), expected);
}

#[test]
fn assigned_rows_are_not_declared() {
    let mut tracker = tracker();
    let mut begun = begun(ID);
    begun.setup.as_mut().unwrap().assigned = Some(matrix());
    assert!(receive(&mut tracker, ServerEvent::MatchStarted(Box::new(begun))).is_empty());
    let actions = receive(&mut tracker, turn(ID, 1, 2, 4));
    assert_eq!(expect_play_question(&actions).ply(), 1);
}

#[test]
fn repeated_turn_gets_the_same_take() {
    let mut tracker = in_play();
    assert_eq!(expect_play_question(&receive(&mut tracker, turn(ID, 1, 2, 3))).ply(), 1);
    assert!(receive(&mut tracker, turn(ID, 1, 2, 3)).is_empty(), "the bot is thinking about this turn");
    assert_eq!(tracker.handle_answer(took(1, 2)), [sent_take(1, 2)]);
    assert_eq!(receive(&mut tracker, turn(ID, 1, 2, 3)), [sent_take(1, 2)]);
}

#[test]
fn missing_note_hash_is_sent_empty() {
    let mut tracker = tracker();
    receive(&mut tracker, started(ID));
    let answer = BotAnswer::Row { match_id: match_id(ID), row: row(&[0, 1, 2]), note_hash: None };
    let [ClientAction::Send(Wire::Declare(declare))] = &tracker.handle_answer(answer)[..] else {
        panic!("expected a row")
    };
    assert!(declare.note_hash.is_empty());
    receive(&mut tracker, revealed(ID));
    receive(&mut tracker, turn(ID, 1, 2, 3));
    let answer = BotAnswer::Take { match_id: match_id(ID), ply: 1, take: 2, note_hash: None };
    let [ClientAction::Send(Wire::Take(take))] = &tracker.handle_answer(answer)[..] else {
        panic!("expected a take")
    };
    assert!(take.note_hash.is_empty());
}

#[test]
fn matches_resume_from_snapshots() {
    let mut tracker = in_play();
    assert_eq!(expect_play_question(&receive(&mut tracker, turn(ID, 1, 2, 3))).ply(), 1);
    assert!(receive(&mut tracker, welcome(1)).is_empty());
    assert!(receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 3)))).is_empty());
    let actions = tracker.handle_answer(took(1, 2));
    assert_eq!(actions[0], sent_take(1, 2));
    assert!(matches!(actions[1..], [ClientAction::Ask(BotQuestion::Connected(_))]));
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
    // The take was lost with its stream, so the turn in the snapshot is answered with the same take, without asking the
    // bot.
    receive(&mut tracker, welcome(1));
    assert_eq!(receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 3)))), [sent_take(1, 2)]);
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
    receive(&mut tracker, welcome(1));
    assert!(receive(&mut tracker, snapshot_in_play(None)).is_empty());
}

#[test]
fn a_snapshot_alone_is_enough_to_play() {
    let mut tracker = tracker();
    receive(&mut tracker, welcome(1));
    tracker.handle_answer(BotAnswer::Handled);
    let actions = receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 4, 1, 3))));
    assert_eq!(expect_play_question(&actions).position().piles().collect::<Vec<_>>(), [2, 3, 0]);
}

#[test]
fn snapshot_while_declaring_asks_for_the_row_once() {
    let declaring = || {
        ServerEvent::Snapshot(Box::new(pb::Snapshot {
            declaration_left_ms: 900,
            ..snapshot(pb::Phase::Declaring)
        }))
    };
    let mut tracker = tracker();
    assert!(matches!(receive(&mut tracker, declaring())[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    assert!(receive(&mut tracker, declaring()).is_empty(), "the bot is thinking about its row");
    let sent = sent_row(&[2, 1, 0]);
    let answer = declared(ID, &[2, 1, 0]);
    assert_eq!(tracker.handle_answer(answer), std::slice::from_ref(&sent));
    assert_eq!(receive(&mut tracker, declaring()), [sent], "the row was lost with the session");
    assert!(
        receive(&mut tracker, ServerEvent::Snapshot(Box::new(snapshot(pb::Phase::Declaring)))).is_empty(),
        "the server has the row"
    );
    assert!(receive(&mut tracker, started(ID)).is_empty());
}

fn caught_up() -> ServerEvent {
    ServerEvent::CaughtUp(pb::CaughtUp::default())
}

/// Returns the end of a match that the bot missed and in which its seat was forfeited.
fn missed_end(id: &str) -> ServerEvent {
    let forfeited =
        pb::Forfeited { match_id: id.into(), seat: 1, reason: pb::ForfeitReason::TimedOut.into() };
    ServerEvent::MatchEnded(Box::new(pb::MatchEnded {
        match_id: id.into(),
        reason: pb::EndReason::Finished.into(),
        winner: Some(2),
        started: Some(begun(id)),
        forfeited: vec![forfeited],
        ..Default::default()
    }))
}

#[test]
fn matches_missing_after_a_reconnect_ended_unseen() {
    let mut tracker = in_play();
    receive(&mut tracker, started(OTHER_ID));
    tracker.handle_answer(declared(OTHER_ID, &[0, 1, 2]));
    let actions = receive(&mut tracker, welcome(1));
    assert!(matches!(actions[..], [ClientAction::Ask(BotQuestion::Connected(_))]));
    assert!(receive(&mut tracker, snapshot_in_play(None)).is_empty());
    assert!(
        tracker.handle_answer(BotAnswer::Handled).is_empty(),
        "the end of the other match may still arrive"
    );
    let actions = receive(&mut tracker, caught_up());
    let end = expect_end_report(&actions);
    assert_eq!((end.info.id, end.reason, end.winner), (match_id(OTHER_ID), EndReport::Unseen, None));
    assert_eq!(tracker.summary().unseen, 1);
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
}

#[test]
fn missed_end_is_reported_once_with_its_reason() {
    let mut tracker = in_play();
    receive(&mut tracker, welcome(0));
    tracker.handle_answer(BotAnswer::Handled);
    let actions = receive(&mut tracker, missed_end(ID));
    let end = expect_end_report(&actions);
    assert_eq!((end.info.id, end.reason), (match_id(ID), EndReport::Known(EndReason::Finished)));
    assert!(end.forfeited && end.winner.unwrap().index() == 2);
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty());
    assert!(receive(&mut tracker, missed_end(ID)).is_empty(), "repeated ends are not reported");
    assert!(receive(&mut tracker, caught_up()).is_empty());
    assert_eq!((tracker.summary().matches, tracker.summary().forfeits, tracker.summary().unseen), (1, 1, 0));
}

#[test]
fn end_of_an_earlier_process_is_reported_but_not_counted() {
    let mut tracker = tracker();
    receive(&mut tracker, welcome(0));
    tracker.handle_answer(BotAnswer::Handled);
    let actions = receive(&mut tracker, missed_end(OTHER_ID));
    assert_eq!(
        (expect_end_report(&actions).info.id, expect_end_report(&actions).forfeited),
        (match_id(OTHER_ID), true)
    );
    tracker.handle_answer(BotAnswer::Handled);
    assert!(receive(&mut tracker, missed_end(OTHER_ID)).is_empty());
    assert_eq!(tracker.summary(), Summary::default());
}

#[test]
fn snapshot_of_an_ended_match_does_not_report_its_end() {
    let mut tracker = in_play();
    receive(&mut tracker, welcome(1));
    tracker.handle_answer(BotAnswer::Handled);
    assert!(receive(&mut tracker, ServerEvent::Snapshot(Box::new(snapshot(pb::Phase::Ended)))).is_empty());
    assert!(receive(&mut tracker, caught_up()).is_empty());
    let actions = receive(&mut tracker, missed_end(ID));
    assert_eq!(expect_end_report(&actions).reason, EndReport::Known(EndReason::Finished));
}

#[test]
fn end_of_a_tournament_is_reported() {
    let mut tracker = tracker();
    let standing = pb::Standing { place: 2, points: 1.5, matches: 4, wins: 1, ..Default::default() };
    let ended = pb::TournamentEnded {
        tournament_id: TOURNAMENT.into(),
        title: "Spring".into(),
        state: pb::TournamentState::Finished.into(),
        standing: Some(standing),
        bots: 3,
    };
    let actions = receive(&mut tracker, ServerEvent::TournamentEnded(Box::new(ended.clone())));
    let [ClientAction::Ask(BotQuestion::TournamentEnded(end))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((end.place, end.matches, end.bots, end.title.as_str()), (2, 4, 3, "Spring"));
    let running = pb::TournamentEnded { state: pb::TournamentState::Running.into(), ..ended };
    let message = event_error(&mut tracker, ServerEvent::TournamentEnded(Box::new(running)));
    assert!(message.contains("tournament_ended.state"), "{message}");
}

#[test]
fn unknown_matches_and_events_are_ignored() {
    let mut tracker = tracker();
    assert!(receive(&mut tracker, turn(OTHER_ID, 1, 2, 3)).is_empty());
    assert!(receive(&mut tracker, revealed(OTHER_ID)).is_empty());
    let ended = pb::MatchEnded { match_id: OTHER_ID.into(), winner: Some(77), ..Default::default() };
    assert!(receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended))).is_empty());
    let unknown = SessionEvent::parse(pb::PlayResponse { event: None }).unwrap();
    assert!(tracker.handle_event(unknown).unwrap().is_empty());
}

#[test]
fn a_ping_is_answered_while_the_bot_thinks() {
    let mut tracker = in_play();
    assert_eq!(expect_play_question(&receive(&mut tracker, turn(ID, 1, 2, 3))).ply(), 1);
    let pong = ClientAction::Send(Wire::Pong(pb::Pong { id: 9 }));
    assert_eq!(receive(&mut tracker, ServerEvent::Ping(pb::Ping { id: 9 })), [pong]);
}

#[test]
fn illegal_take_is_reported_and_asked_again() {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 1, 2, 3));
    assert_eq!(tracker.handle_answer(took(1, 4)), [sent_take(1, 4)], "only the server checks takes");
    let actions = receive(&mut tracker, refused(pb::RefusalReason::IllegalTake, 1, 2));
    let [ClientAction::Ask(BotQuestion::Refused(refusal))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(refusal.reason, Some(RefusalReason::IllegalTake));
    assert!(receive(&mut tracker, turn(ID, 1, 2, 3)).is_empty(), "the bot is handling the refusal");
    assert!(receive(&mut tracker, turn(ID, 1, 2, 3)).is_empty(), "a repeated turn is asked only once");
    assert_eq!(expect_play_question(&tracker.handle_answer(BotAnswer::Handled)).ply(), 1);
    assert_eq!(tracker.handle_answer(took(1, 0)), [sent_take(1, 0)]);
    receive(&mut tracker, refused(pb::RefusalReason::IllegalTake, 1, 0));
    assert!(tracker.handle_answer(BotAnswer::Handled).is_empty(), "the seat is forfeited");
}

#[test]
fn after_a_refusal_the_bot_is_asked_with_its_remaining_time() {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 1, 2, 3));
    assert_eq!(tracker.handle_answer(took(1, 4)), [sent_take(1, 4)]);
    receive(&mut tracker, refused(pb::RefusalReason::IllegalTake, 1, 2));
    receive(&mut tracker, ServerEvent::Turn(pb::Turn { bank_ms: 7, ..turn_of(ID, 1, 2, 3) }));
    assert_eq!(expect_play_question(&tracker.handle_answer(BotAnswer::Handled)).bank_left().as_millis(), 7);
    assert_eq!(tracker.handle_answer(took(1, 2)), [sent_take(1, 2)]);
    // The refusal is about another message, so sending the pending take again does no harm.
    receive(&mut tracker, refused(pb::RefusalReason::AlreadyDeclared, 1, 2));
    assert_eq!(receive(&mut tracker, turn(ID, 1, 2, 3)), [sent_take(1, 2)]);
}

#[test]
fn snapshot_after_a_refusal_does_not_confirm_other_matches() {
    let declaring = |id: &str| {
        let started = Some(begun(id));
        let snapshot = pb::Snapshot { started, declaration_left_ms: 9, ..snapshot(pb::Phase::Declaring) };
        ServerEvent::Snapshot(Box::new(snapshot))
    };
    let mut tracker = tracker();
    for id in [ID, OTHER_ID] {
        receive(&mut tracker, started(id));
    }
    receive(&mut tracker, welcome(2));
    receive(&mut tracker, declaring(ID));
    receive(&mut tracker, refused(pb::RefusalReason::NotStarted, 0, 2));
    receive(&mut tracker, declaring(ID));
    assert_eq!(tracker.summary().unseen, 0, "the snapshot of the other match has not arrived yet");
    assert_eq!(tracker.snapshots_due, 1);
}

#[test]
fn suspension_is_reported() {
    let mut tracker = tracker();
    let notice = |tournament_id: &str, reason| pb::Suspended {
        tournament_id: tournament_id.into(),
        reason,
        message: "b is suspended".into(),
        from_round: 7,
        lost: 5,
        no_shows: 2,
        last: 40,
    };
    let actions = receive(
        &mut tracker,
        ServerEvent::Suspended(notice(OTHER_ID, pb::SuspensionReason::LostSeats.into())),
    );
    let [ClientAction::Ask(BotQuestion::Suspended(heard))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((heard.tournament.to_string().as_str(), heard.message.as_str()), (OTHER_ID, "b is suspended"));
    assert_eq!(heard.reason, Some(SuspensionReason::LostSeats));
    assert_eq!((heard.from_round, heard.lost, heard.no_shows, heard.last), (7, 5, 2, 40));
    assert!(
        receive(&mut tracker, ServerEvent::Suspended(notice(OTHER_ID, 99))).is_empty(),
        "the bot is handling the first suspension"
    );
    let actions = tracker.handle_answer(BotAnswer::Handled);
    let [ClientAction::Ask(BotQuestion::Suspended(heard))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(heard.reason, None, "a newer server may send reasons that this version does not know");
    assert!(
        event_error(&mut tracker, ServerEvent::Suspended(notice("x", 1))).contains("suspended.tournament_id")
    );
}

#[test]
fn answers_for_a_forfeited_seat_are_not_sent() {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 1, 2, 3));
    let forfeit_event = |seat| {
        let reason = pb::ForfeitReason::TimedOut.into();
        ServerEvent::Forfeited(pb::Forfeited { match_id: ID.into(), seat, reason })
    };
    assert!(receive(&mut tracker, forfeit_event(0)).is_empty());
    assert!(receive(&mut tracker, forfeit_event(1)).is_empty());
    assert!(tracker.handle_answer(took(1, 2)).is_empty(), "too late");
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(1), ..Default::default() };
    let actions = receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended)));
    assert!(expect_end_report(&actions).forfeited);
    assert_eq!((tracker.summary().forfeits, tracker.summary().wins), (1, 0));
}

#[test]
fn late_events_are_ignored() {
    let mut tracker = in_play();
    assert!(matches!(
        receive(&mut tracker, turn(ID, 4, 1, 3))[..],
        [ClientAction::Ask(BotQuestion::Play(_))]
    ));
    // This turn is from a ply before the current one.
    assert_eq!(receive(&mut tracker, turn(ID, 1, 2, 4)), []);
    assert_eq!(tracker.handle_answer(took(4, 1)), [sent_take(4, 1)]);
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(0), ..Default::default() };
    receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended)));
    assert_eq!(tracker.handle_answer(BotAnswer::Handled), []);
    assert!(tracker.is_finished_with(TOURNAMENT));
    // A match that is over does not begin again, whatever arrives.
    assert_eq!(receive(&mut tracker, started(ID)), []);
    assert_eq!(receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 4)))), []);
    assert!(tracker.is_finished_with(TOURNAMENT));
}

#[test]
fn match_presumed_over_continues_if_it_is_open() {
    let mut tracker = in_play();
    receive(&mut tracker, welcome(0));
    let caught_up = ServerEvent::CaughtUp(pb::CaughtUp::default());
    receive(&mut tracker, caught_up);
    assert_eq!(tracker.summary().unseen, 1);
    receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 4))));
    // The new session and the presumed end of the match are reported first.
    tracker.handle_answer(BotAnswer::Handled);
    let asked = tracker.handle_answer(BotAnswer::Handled);
    assert!(matches!(asked[..], [ClientAction::Ask(BotQuestion::Play(_))]), "{asked:?}");
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(0), ..Default::default() };
    receive(&mut tracker, ServerEvent::MatchEnded(Box::new(ended)));
    assert_eq!(tracker.summary().matches, 1);
}

#[test]
fn resignation_is_repeated_until_confirmed() {
    let mut tracker = in_play();
    receive(&mut tracker, turn(ID, 1, 2, 4));
    let resigned = || ClientAction::Send(Wire::Resign(pb::Resign { match_id: ID.into() }));
    let given_up = BotAnswer::Resigned { match_id: match_id(ID) };
    assert_eq!(tracker.handle_answer(given_up.clone()), [resigned()]);
    // The resignation was lost with the session.
    receive(&mut tracker, welcome(1));
    assert_eq!(tracker.handle_answer(BotAnswer::Handled), []);
    assert_eq!(receive(&mut tracker, snapshot_in_play(Some(turn_of(ID, 1, 2, 4)))), [resigned()]);
    assert_eq!(
        receive(
            &mut tracker,
            ServerEvent::Forfeited(pb::Forfeited { match_id: ID.into(), seat: 1, ..Default::default() })
        ),
        []
    );
    let lost = ServerEvent::Snapshot(Box::new(pb::Snapshot {
        alliance_matrix: Some(matrix()),
        forfeited: vec![1],
        ..snapshot(pb::Phase::Playing)
    }));
    assert_eq!(receive(&mut tracker, lost), []);
}

proptest! {
    #[test]
    fn garbage_from_the_server_never_causes_a_panic(
        which in 0_usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(1), ..Default::default() };
        let events = [
            started(ID),
            revealed(ID),
            turn(ID, 1, 2, 3),
            snapshot_in_play(Some(turn_of(ID, 1, 2, 3))),
            ServerEvent::MatchEnded(Box::new(ended)),
        ];
        let mut bytes = pb::PlayResponse { event: Some(events[which].clone()) }.encode_to_vec();
        let len = bytes.len();
        for (place, byte) in changes {
            bytes[place.index(len)] = byte;
        }
        if let Ok(Ok(event)) = pb::PlayResponse::decode(&bytes[..]).map(SessionEvent::parse) {
            // The event need not fit the match: an error is fine, and only a panic fails this test.
            let _ = in_play().handle_event(event);
        }
    }
}

#[test]
fn open_matches_are_limited() {
    let mut tracker = tracker();
    let id = |number: usize| format!("01890a5d-ac96-774b-bcce-{number:012x}");
    for number in 0..MAX_OPEN_MATCHES {
        let _ = receive(&mut tracker, started(&id(number)));
    }
    let surplus = id(MAX_OPEN_MATCHES);
    let expected = format!("match {surplus}, but the bot already has 20000 open matches, the maximum");
    assert_eq!(event_error(&mut tracker, started(&surplus)), expected);
    let snapshot = snapshot(pb::Phase::Declaring);
    let begun = pb::MatchStarted { match_id: surplus, ..begun(ID) };
    let surplus = pb::Snapshot { started: Some(begun), ..snapshot };
    assert_eq!(event_error(&mut tracker, ServerEvent::Snapshot(Box::new(surplus))), expected);
    let _ = receive(&mut tracker, started(&id(7)));
}

#[test]
fn outdated_turns_do_not_pile_up_for_a_busy_bot() {
    let mut tracker = in_play();
    for number in 0..100 {
        let _ = receive(&mut tracker, turn(ID, 1 + 3 * number, 2, 4));
    }
    assert_eq!(tracker.questions.len(), 1);
}

#[test]
fn contradictory_messages_from_the_server_are_errors() {
    let mut tracker = tracker();
    receive(&mut tracker, started(ID));
    assert_eq!(
        event_error(&mut tracker, turn(ID, 1, 2, 3)),
        format!("a turn in match {ID} before the rows were revealed")
    );
    receive(&mut tracker, revealed(ID));
    for (ply, pile, counters) in
        [(0, 2, 3), (1, 3, 1), (1, 2, 5), (1, 2, 0), (1, u32::MAX, 1), (u32::MAX - 1, 2, 3)]
    {
        let message = event_error(&mut tracker, turn(ID, ply, pile, counters));
        assert!(message.contains("an impossible turn for seat "), "{message}");
    }
    let two_rows = pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![0, 1] }; 2] };
    let wrong = pb::Revealed { match_id: ID.into(), alliance_matrix: Some(two_rows), ..Default::default() };
    assert_eq!(event_error(&mut tracker, ServerEvent::Revealed(wrong)), "2 rows for a match with 3 seats");
    let nobody = pb::MatchEnded { match_id: ID.into(), winner: Some(3), ..Default::default() };
    assert_eq!(
        event_error(&mut tracker, ServerEvent::MatchEnded(Box::new(nobody))),
        "seat 3: expected 0 to 2"
    );
    assert_eq!(
        event_error(
            &mut tracker,
            ServerEvent::MatchStarted(Box::new(pb::MatchStarted { setup: None, ..begun(ID) }))
        ),
        "an invalid event: match_started.setup: missing"
    );
    assert!(
        event_error(&mut tracker, turn("no uuid", 1, 2, 3)).contains("turn.match_id: match id \"no uuid\"")
    );
    assert_eq!(
        event_error(
            &mut tracker,
            ServerEvent::Snapshot(Box::new(pb::Snapshot { phase: 9, ..snapshot(pb::Phase::Playing) }))
        ),
        "an invalid event: snapshot.phase: 9 is not a known value: expected 0 to 4"
    );
    assert_eq!(
        event_error(&mut tracker, ServerEvent::Snapshot(Box::new(snapshot(pb::Phase::Playing)))),
        "an invalid event: snapshot.alliance_matrix: missing"
    );
}
