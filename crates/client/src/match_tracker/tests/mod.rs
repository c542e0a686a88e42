mod lost_plies;
mod seen_takes;
mod withdrawals;

use super::*;
use crate::{MatchView, SuspensionReason, question_queue::MAX_WAITING_REPORTS};
use lastnim_core::referee::{EndReason, RefusalReason};
use lastnim_proto::pb::play_response::Event as Told;
use proptest::prelude::*;
use prost::Message as _;

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const OTHER: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
const TOURNAMENT: &str = "01890a5d-ac96-774b-bcce-b302099a8059";
const ROWS: [[u32; 3]; 3] = [[0, 1, 2], [1, 0, 2], [0, 2, 1]];

fn parse(event: Told) -> Result<SessionEvent, ProtocolError> {
    SessionEvent::parse(pb::PlayResponse { event: Some(event) })
}

fn tell(book: &mut MatchTracker, event: Told) -> Vec<ClientAction> {
    book.handle_event(parse(event).unwrap()).unwrap()
}

fn refuse(book: &mut MatchTracker, event: Told) -> String {
    parse(event).and_then(|event| book.handle_event(event)).unwrap_err().to_string()
}

fn welcome(open_matches: u32) -> Told {
    Told::Welcome(pb::Welcome { bot: "b".into(), open_matches, server_version: "1".into() })
}

/// A book whose bot has heard of its session.
fn book() -> MatchTracker {
    let mut book = MatchTracker::new(Attention::OneQuestion, TakeFeed::OwnTurns);
    assert!(matches!(tell(&mut book, welcome(0))[..], [ClientAction::Ask(BotQuestion::Connected(_))]));
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
    book
}

fn matrix() -> pb::AllianceMatrix {
    pb::AllianceMatrix { rows: ROWS.iter().map(|row| pb::Row { offsets: row.to_vec() }).collect() }
}

/// Seat 1 of three on the piles 2, 3, 4; seat 0 moves first.
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
    pb::MatchStarted { match_id: id.into(), seat: 1, setup: Some(setup) }
}

fn started(id: &str) -> Told {
    Told::MatchStarted(Box::new(begun(id)))
}

fn revealed(id: &str) -> Told {
    Told::Revealed(pb::Revealed {
        match_id: id.into(),
        alliance_matrix: Some(matrix()),
        defaulted: Vec::new(),
    })
}

fn turn_of(id: &str, ply: u32, pile: u32, counters: u64) -> pb::Turn {
    pb::Turn { match_id: id.into(), ply, pile, counters, bank_ms: 59_000 }
}

fn turn(id: &str, ply: u32, pile: u32, counters: u64) -> Told {
    Told::Turn(turn_of(id, ply, pile, counters))
}

fn snapshot(phase: pb::Phase) -> pb::Snapshot {
    pb::Snapshot { started: Some(begun(ID)), phase: phase.into(), ..Default::default() }
}

fn snapshot_in_play(turn: Option<pb::Turn>) -> Told {
    let alliance_matrix = Some(matrix());
    Told::Snapshot(Box::new(pb::Snapshot { alliance_matrix, turn, ..snapshot(pb::Phase::Playing) }))
}

fn refused(reason: pb::RefusalReason, ply: u32, strikes_left: u32) -> Told {
    let match_id = ID.into();
    Told::Refused(pb::Refused { match_id, reason: reason.into(), ply, strikes_left, ..Default::default() })
}

fn match_id(id: &str) -> MatchId {
    id.parse().unwrap()
}

fn row(offsets: &[u64]) -> Row {
    Row::parse(offsets, lastnim_core::game::SeatCount::new(3).unwrap()).unwrap()
}

/// The bot's take, with a note hash.
fn took(ply: u32, take: u64) -> BotAnswer {
    BotAnswer::Take { match_id: match_id(ID), ply, take, note_hash: Some([ply as u8; 32]) }
}

/// The bot's row, with a note hash.
fn declared(id: &str, offsets: &[u64]) -> BotAnswer {
    BotAnswer::Row { match_id: match_id(id), row: row(offsets), note_hash: Some([7; 32]) }
}

fn sent_row(offsets: &[u64]) -> ClientAction {
    ClientAction::Send(Wire::Declare(super::declare_message(match_id(ID), &row(offsets), Some([7; 32]))))
}

fn sent_take(ply: u32, take: u64) -> ClientAction {
    ClientAction::Send(Wire::Take(super::take_message(match_id(ID), ply, take, Some([ply as u8; 32]))))
}

/// A book whose bot declared and whose match is in play.
fn in_play() -> MatchTracker {
    let mut book = book();
    assert!(matches!(tell(&mut book, started(ID))[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    let answer = declared(ID, &[1, 0, 2]);
    assert_eq!(book.handle_answer(answer), [sent_row(&[1, 0, 2])]);
    assert!(tell(&mut book, revealed(ID)).is_empty());
    book
}

fn asked_to_play(actions: &[ClientAction]) -> &MatchView {
    match actions {
        [ClientAction::Ask(BotQuestion::Play(view))] => view,
        other => panic!("not one question for a take: {other:?}"),
    }
}

fn asked_of_end(actions: &[ClientAction]) -> &MatchEnd {
    match actions {
        [ClientAction::Ask(BotQuestion::Ended(end))] => end,
        other => panic!("not one report of an end: {other:?}"),
    }
}

#[test]
fn a_match_from_end_to_end() {
    let mut book = in_play();
    let actions = tell(&mut book, turn(ID, 1, 2, 3));
    let view = asked_to_play(&actions);
    assert_eq!(view.position().piles().collect::<Vec<_>>(), [2, 3, 3]);
    assert_eq!((view.ply(), view.seat.index(), view.bank_left().as_millis()), (1, 1, 59_000));
    assert_eq!(view.position().to_move(), view.seat);
    assert_eq!(view.matrix().to_string(), "0 1 2; 1 0 2; 0 2 1");
    assert_eq!(view.game().piles.as_slice(), [2, 3, 4]);
    assert_eq!(view.origin.as_ref().unwrap().number, 7);
    assert!(!view.rows_are_assigned());
    assert_eq!(book.handle_answer(took(1, 3)), [sent_take(1, 3)]);

    let actions = tell(&mut book, turn(ID, 4, 0, 2));
    assert_eq!(asked_to_play(&actions).position().piles().collect::<Vec<_>>(), [2, 0, 0]);
    assert_eq!(book.handle_answer(took(4, 2)), [sent_take(4, 2)]);

    assert!(!book.is_done_with(TOURNAMENT));
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
    let actions = tell(&mut book, Told::MatchEnded(Box::new(ended)));
    let end = asked_of_end(&actions);
    assert!(end.won() && !end.forfeited && end.reason == EndReport::Told(EndReason::Finished));
    let figures = end.figures.unwrap();
    assert_eq!((figures.regret, figures.luck, figures.accuracy()), (1, -1, Some(0.5)));
    assert!(!book.is_done_with(TOURNAMENT), "the bot is still hearing of the end");
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
    assert!(book.is_done_with(TOURNAMENT));
    let expected =
        Summary { matches: 1, wins: 1, regret: 1, takes: 2, optimal_takes: 1, ..Summary::default() };
    assert_eq!(book.summary(), expected);
}

#[test]
fn assigned_rows_are_not_declared() {
    let mut book = book();
    let mut begun = begun(ID);
    begun.setup.as_mut().unwrap().assigned = Some(matrix());
    assert!(tell(&mut book, Told::MatchStarted(Box::new(begun))).is_empty());
    let actions = tell(&mut book, turn(ID, 1, 2, 4));
    assert_eq!(asked_to_play(&actions).ply(), 1);
}

#[test]
fn a_repeated_turn_is_answered_once_by_the_bot_and_again_by_the_book() {
    let mut book = in_play();
    assert_eq!(asked_to_play(&tell(&mut book, turn(ID, 1, 2, 3))).ply(), 1);
    assert!(tell(&mut book, turn(ID, 1, 2, 3)).is_empty(), "the bot is thinking about it");
    assert_eq!(book.handle_answer(took(1, 2)), [sent_take(1, 2)]);
    assert_eq!(tell(&mut book, turn(ID, 1, 2, 3)), [sent_take(1, 2)]);
}

#[test]
fn a_row_and_a_take_without_a_note_hash_are_sent_without() {
    let mut book = book();
    tell(&mut book, started(ID));
    let answer = BotAnswer::Row { match_id: match_id(ID), row: row(&[0, 1, 2]), note_hash: None };
    let [ClientAction::Send(Wire::Declare(declare))] = &book.handle_answer(answer)[..] else {
        panic!("a row")
    };
    assert!(declare.note_hash.is_empty());
    tell(&mut book, revealed(ID));
    tell(&mut book, turn(ID, 1, 2, 3));
    let answer = BotAnswer::Take { match_id: match_id(ID), ply: 1, take: 2, note_hash: None };
    let [ClientAction::Send(Wire::Take(take))] = &book.handle_answer(answer)[..] else { panic!("a take") };
    assert!(take.note_hash.is_empty());
}

#[test]
fn a_lost_session_is_taken_up_from_the_snapshots() {
    let mut book = in_play();
    assert_eq!(asked_to_play(&tell(&mut book, turn(ID, 1, 2, 3))).ply(), 1);
    assert!(tell(&mut book, welcome(1)).is_empty());
    assert!(tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 3)))).is_empty());
    let actions = book.handle_answer(took(1, 2));
    assert_eq!(actions[0], sent_take(1, 2));
    assert!(matches!(actions[1..], [ClientAction::Ask(BotQuestion::Connected(_))]));
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
    // The take was sent on a stream that broke: the snapshot's turn is answered without asking again.
    tell(&mut book, welcome(1));
    assert_eq!(tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 3)))), [sent_take(1, 2)]);
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
    tell(&mut book, welcome(1));
    assert!(tell(&mut book, snapshot_in_play(None)).is_empty());
}

#[test]
fn a_snapshot_alone_is_enough_to_play() {
    let mut book = book();
    tell(&mut book, welcome(1));
    book.handle_answer(BotAnswer::Heard);
    let actions = tell(&mut book, snapshot_in_play(Some(turn_of(ID, 4, 1, 3))));
    assert_eq!(asked_to_play(&actions).position().piles().collect::<Vec<_>>(), [2, 3, 0]);
}

#[test]
fn a_snapshot_while_declaring_asks_for_the_row_once() {
    let declaring = || {
        Told::Snapshot(Box::new(pb::Snapshot { declaration_left_ms: 900, ..snapshot(pb::Phase::Declaring) }))
    };
    let mut book = book();
    assert!(matches!(tell(&mut book, declaring())[..], [ClientAction::Ask(BotQuestion::Declare(_))]));
    assert!(tell(&mut book, declaring()).is_empty(), "the bot is thinking about it");
    let sent = sent_row(&[2, 1, 0]);
    let answer = declared(ID, &[2, 1, 0]);
    assert_eq!(book.handle_answer(answer), std::slice::from_ref(&sent));
    assert_eq!(tell(&mut book, declaring()), [sent], "it was lost with the session");
    assert!(tell(&mut book, Told::Snapshot(Box::new(snapshot(pb::Phase::Declaring)))).is_empty(), "it is in");
    assert!(tell(&mut book, started(ID)).is_empty());
}

fn caught_up() -> Told {
    Told::CaughtUp(pb::CaughtUp::default())
}

/// The end of a match that the bot may have missed, in which it lost its seat.
fn missed_end(id: &str) -> Told {
    let forfeited =
        pb::Forfeited { match_id: id.into(), seat: 1, reason: pb::ForfeitReason::TimedOut.into() };
    Told::MatchEnded(Box::new(pb::MatchEnded {
        match_id: id.into(),
        reason: pb::EndReason::Finished.into(),
        winner: Some(2),
        started: Some(begun(id)),
        forfeited: vec![forfeited],
        ..Default::default()
    }))
}

#[test]
fn matches_that_nothing_tells_of_ended_unseen() {
    let mut book = in_play();
    tell(&mut book, started(OTHER));
    book.handle_answer(declared(OTHER, &[0, 1, 2]));
    let actions = tell(&mut book, welcome(1));
    assert!(matches!(actions[..], [ClientAction::Ask(BotQuestion::Connected(_))]));
    assert!(tell(&mut book, snapshot_in_play(None)).is_empty());
    assert!(book.handle_answer(BotAnswer::Heard).is_empty(), "its end may still be told");
    let actions = tell(&mut book, caught_up());
    let end = asked_of_end(&actions);
    assert_eq!((end.info.id, end.reason, end.winner), (match_id(OTHER), EndReport::Unseen, None));
    assert_eq!(book.summary().unseen, 1);
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
}

#[test]
fn an_end_that_was_missed_is_heard_with_its_reason_and_once() {
    let mut book = in_play();
    tell(&mut book, welcome(0));
    book.handle_answer(BotAnswer::Heard);
    let actions = tell(&mut book, missed_end(ID));
    let end = asked_of_end(&actions);
    assert_eq!((end.info.id, end.reason), (match_id(ID), EndReport::Told(EndReason::Finished)));
    assert!(end.forfeited && end.winner.unwrap().index() == 2);
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
    assert!(tell(&mut book, missed_end(ID)).is_empty(), "it is told again in case it was not heard");
    assert!(tell(&mut book, caught_up()).is_empty());
    assert_eq!((book.summary().matches, book.summary().forfeits, book.summary().unseen), (1, 1, 0));
}

#[test]
fn an_end_of_a_match_before_this_process_is_heard_and_not_counted() {
    let mut book = book();
    tell(&mut book, welcome(0));
    book.handle_answer(BotAnswer::Heard);
    let actions = tell(&mut book, missed_end(OTHER));
    assert_eq!((asked_of_end(&actions).info.id, asked_of_end(&actions).forfeited), (match_id(OTHER), true));
    book.handle_answer(BotAnswer::Heard);
    assert!(tell(&mut book, missed_end(OTHER)).is_empty());
    assert_eq!(book.summary(), Summary::default());
}

#[test]
fn a_match_whose_snapshot_shows_its_end_is_told_of_it_next() {
    let mut book = in_play();
    tell(&mut book, welcome(1));
    book.handle_answer(BotAnswer::Heard);
    assert!(tell(&mut book, Told::Snapshot(Box::new(snapshot(pb::Phase::Ended)))).is_empty());
    assert!(tell(&mut book, caught_up()).is_empty());
    let actions = tell(&mut book, missed_end(ID));
    assert_eq!(asked_of_end(&actions).reason, EndReport::Told(EndReason::Finished));
}

#[test]
fn a_bot_hears_of_the_end_of_a_tournament() {
    let mut book = book();
    let standing = pb::Standing { place: 2, points: 1.5, matches: 4, wins: 1, ..Default::default() };
    let ended = pb::TournamentEnded {
        tournament_id: TOURNAMENT.into(),
        title: "Spring".into(),
        state: pb::TournamentState::Finished.into(),
        standing: Some(standing),
        bots: 3,
    };
    let actions = tell(&mut book, Told::TournamentEnded(Box::new(ended.clone())));
    let [ClientAction::Ask(BotQuestion::TournamentEnded(end))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((end.place, end.matches, end.bots, end.title.as_str()), (2, 4, 3, "Spring"));
    let running = pb::TournamentEnded { state: pb::TournamentState::Running.into(), ..ended };
    let message = refuse(&mut book, Told::TournamentEnded(Box::new(running)));
    assert!(message.contains("tournament_ended.state"), "{message}");
}

#[test]
fn events_of_unknown_matches_and_kinds_are_passed_over() {
    let mut book = book();
    assert!(tell(&mut book, turn(OTHER, 1, 2, 3)).is_empty());
    assert!(tell(&mut book, revealed(OTHER)).is_empty());
    let ended = pb::MatchEnded { match_id: OTHER.into(), winner: Some(77), ..Default::default() };
    assert!(tell(&mut book, Told::MatchEnded(Box::new(ended))).is_empty());
    let unknown = SessionEvent::parse(pb::PlayResponse { event: None }).unwrap();
    assert!(book.handle_event(unknown).unwrap().is_empty());
}

#[test]
fn a_ping_is_answered_while_the_bot_thinks() {
    let mut book = in_play();
    assert_eq!(asked_to_play(&tell(&mut book, turn(ID, 1, 2, 3))).ply(), 1);
    let pong = ClientAction::Send(Wire::Pong(pb::Pong { id: 9 }));
    assert_eq!(tell(&mut book, Told::Ping(pb::Ping { id: 9 })), [pong]);
}

#[test]
fn an_illegal_take_is_reported_and_the_bot_asked_again() {
    let mut book = in_play();
    tell(&mut book, turn(ID, 1, 2, 3));
    assert_eq!(book.handle_answer(took(1, 4)), [sent_take(1, 4)], "the server is the referee");
    let actions = tell(&mut book, refused(pb::RefusalReason::IllegalTake, 1, 2));
    let [ClientAction::Ask(BotQuestion::Refused(refusal))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(refusal.reason, Some(RefusalReason::IllegalTake));
    assert!(tell(&mut book, turn(ID, 1, 2, 3)).is_empty(), "the bot is hearing of the refusal");
    assert!(tell(&mut book, turn(ID, 1, 2, 3)).is_empty(), "it is asked once, however often it is told");
    assert_eq!(asked_to_play(&book.handle_answer(BotAnswer::Heard)).ply(), 1);
    assert_eq!(book.handle_answer(took(1, 0)), [sent_take(1, 0)]);
    tell(&mut book, refused(pb::RefusalReason::IllegalTake, 1, 0));
    assert!(book.handle_answer(BotAnswer::Heard).is_empty(), "the seat is lost");
}

#[test]
fn a_refused_bot_is_asked_again_with_the_time_that_it_has_left() {
    let mut book = in_play();
    tell(&mut book, turn(ID, 1, 2, 3));
    assert_eq!(book.handle_answer(took(1, 4)), [sent_take(1, 4)]);
    tell(&mut book, refused(pb::RefusalReason::IllegalTake, 1, 2));
    tell(&mut book, Told::Turn(pb::Turn { bank_ms: 7, ..turn_of(ID, 1, 2, 3) }));
    assert_eq!(asked_to_play(&book.handle_answer(BotAnswer::Heard)).bank_left().as_millis(), 7);
    assert_eq!(book.handle_answer(took(1, 2)), [sent_take(1, 2)]);
    // Of another message: the take that is under way is sent again, which does no harm.
    tell(&mut book, refused(pb::RefusalReason::AlreadyDeclared, 1, 2));
    assert_eq!(tell(&mut book, turn(ID, 1, 2, 3)), [sent_take(1, 2)]);
}

#[test]
fn a_snapshot_after_a_refusal_stands_for_no_other_match() {
    let declaring = |id: &str| {
        let started = Some(begun(id));
        let snapshot = pb::Snapshot { started, declaration_left_ms: 9, ..snapshot(pb::Phase::Declaring) };
        Told::Snapshot(Box::new(snapshot))
    };
    let mut book = book();
    for id in [ID, OTHER] {
        tell(&mut book, started(id));
    }
    tell(&mut book, welcome(2));
    tell(&mut book, declaring(ID));
    tell(&mut book, refused(pb::RefusalReason::NotStarted, 0, 2));
    tell(&mut book, declaring(ID));
    assert_eq!(book.summary().unseen, 0, "the snapshot of the other match is still to come");
    assert_eq!(book.snapshots_due, 1);
}

#[test]
fn a_bot_that_is_suspended_hears_why() {
    let mut book = book();
    let notice = |tournament_id: &str, reason| pb::Suspended {
        tournament_id: tournament_id.into(),
        reason,
        message: "b is suspended".into(),
        from_round: 7,
        lost: 5,
        no_shows: 2,
        last: 40,
    };
    let actions = tell(&mut book, Told::Suspended(notice(OTHER, pb::SuspensionReason::LostSeats.into())));
    let [ClientAction::Ask(BotQuestion::Suspended(heard))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((heard.tournament.to_string().as_str(), heard.message.as_str()), (OTHER, "b is suspended"));
    assert_eq!(heard.reason, Some(SuspensionReason::LostSeats));
    assert_eq!((heard.from_round, heard.lost, heard.no_shows, heard.last), (7, 5, 2, 40));
    assert!(tell(&mut book, Told::Suspended(notice(OTHER, 99))).is_empty(), "it thinks of the first one");
    let actions = book.handle_answer(BotAnswer::Heard);
    let [ClientAction::Ask(BotQuestion::Suspended(heard))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(heard.reason, None, "a newer server may have more reasons");
    assert!(refuse(&mut book, Told::Suspended(notice("x", 1))).contains("suspended.tournament_id"));
}

#[test]
fn a_lost_seat_is_not_asked_and_its_end_says_so() {
    let mut book = in_play();
    tell(&mut book, turn(ID, 1, 2, 3));
    let forfeited = |seat| {
        let reason = pb::ForfeitReason::TimedOut.into();
        Told::Forfeited(pb::Forfeited { match_id: ID.into(), seat, reason })
    };
    assert!(tell(&mut book, forfeited(0)).is_empty());
    assert!(tell(&mut book, forfeited(1)).is_empty());
    assert!(book.handle_answer(took(1, 2)).is_empty(), "too late");
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(1), ..Default::default() };
    let actions = tell(&mut book, Told::MatchEnded(Box::new(ended)));
    assert!(asked_of_end(&actions).forfeited);
    assert_eq!((book.summary().forfeits, book.summary().wins), (1, 0));
}

#[test]
fn one_question_at_a_time_and_none_of_a_closed_match() {
    let mut book = in_play();
    tell(&mut book, turn(ID, 1, 2, 3));
    assert!(tell(&mut book, started(OTHER)).is_empty(), "the bot is thinking");
    let cancelled = |id: &str| {
        let reason = pb::EndReason::Cancelled.into();
        Told::MatchEnded(Box::new(pb::MatchEnded { match_id: id.into(), reason, ..Default::default() }))
    };
    assert!(tell(&mut book, cancelled(OTHER)).is_empty());
    assert!(tell(&mut book, cancelled(ID)).is_empty());
    let actions = book.handle_answer(took(1, 2));
    assert_eq!(asked_of_end(&actions).info.id, match_id(OTHER));
    assert_eq!(asked_of_end(&book.handle_answer(BotAnswer::Heard)).info.id, match_id(ID));
    assert!(book.handle_answer(BotAnswer::Heard).is_empty());
    assert_eq!(book.summary().cancelled, 2);
}

#[test]
fn what_waits_for_a_bot_that_never_answers_is_bounded() {
    let mut book = book();
    tell(&mut book, started(ID));
    for number in 0..3 * MAX_WAITING_REPORTS as u64 {
        let id = MatchId::new(number, &[1; 10]).to_string();
        assert!(tell(&mut book, started(&id)).is_empty());
        let ended = pb::MatchEnded { match_id: id, winner: Some(0), ..Default::default() };
        assert!(tell(&mut book, Told::MatchEnded(Box::new(ended))).is_empty());
    }
    assert!(book.questions.len() <= MAX_WAITING_REPORTS + 2);
    assert_eq!(book.summary().matches, 3 * MAX_WAITING_REPORTS as u64);
}

#[test]
fn what_comes_late_changes_nothing() {
    let mut book = in_play();
    assert!(matches!(tell(&mut book, turn(ID, 4, 1, 3))[..], [ClientAction::Ask(BotQuestion::Play(_))]));
    // A turn that the match has left behind.
    assert_eq!(tell(&mut book, turn(ID, 1, 2, 4)), []);
    assert_eq!(book.handle_answer(took(4, 1)), [sent_take(4, 1)]);
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(0), ..Default::default() };
    tell(&mut book, Told::MatchEnded(Box::new(ended)));
    assert_eq!(book.handle_answer(BotAnswer::Heard), []);
    assert!(book.is_done_with(TOURNAMENT));
    // A match that is known to be over does not begin again.
    assert_eq!(tell(&mut book, started(ID)), []);
    assert_eq!(tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 4)))), []);
    assert!(book.is_done_with(TOURNAMENT));
}

#[test]
fn a_match_that_ended_unseen_is_played_on_if_it_is_open_after_all() {
    let mut book = in_play();
    tell(&mut book, welcome(0));
    let caught_up = Told::CaughtUp(pb::CaughtUp::default());
    tell(&mut book, caught_up);
    assert_eq!(book.summary().unseen, 1);
    tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 4))));
    // It hears of the session and of the end before it is asked.
    book.handle_answer(BotAnswer::Heard);
    let asked = book.handle_answer(BotAnswer::Heard);
    assert!(matches!(asked[..], [ClientAction::Ask(BotQuestion::Play(_))]), "{asked:?}");
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(0), ..Default::default() };
    tell(&mut book, Told::MatchEnded(Box::new(ended)));
    assert_eq!(book.summary().matches, 1);
}

#[test]
fn a_seat_that_is_given_up_is_resigned_until_the_server_knows() {
    let mut book = in_play();
    tell(&mut book, turn(ID, 1, 2, 4));
    let resigned = || ClientAction::Send(Wire::Resign(pb::Resign { match_id: ID.into() }));
    let given_up = BotAnswer::Resigned { match_id: match_id(ID) };
    assert_eq!(book.handle_answer(given_up.clone()), [resigned()]);
    // It was lost with the session.
    tell(&mut book, welcome(1));
    assert_eq!(book.handle_answer(BotAnswer::Heard), []);
    assert_eq!(tell(&mut book, snapshot_in_play(Some(turn_of(ID, 1, 2, 4)))), [resigned()]);
    assert_eq!(
        tell(
            &mut book,
            Told::Forfeited(pb::Forfeited { match_id: ID.into(), seat: 1, ..Default::default() })
        ),
        []
    );
    let lost = Told::Snapshot(Box::new(pb::Snapshot {
        alliance_matrix: Some(matrix()),
        forfeited: vec![1],
        ..snapshot(pb::Phase::Playing)
    }));
    assert_eq!(tell(&mut book, lost), []);
}

#[test]
fn a_bot_that_thinks_about_many_matches_is_asked_of_several_and_told_what_it_may_drop() {
    let mut book = MatchTracker::new(Attention::Requests(2.try_into().unwrap()), TakeFeed::OwnTurns);
    assert_eq!(tell(&mut book, welcome(0)).len(), 1);
    let third = MatchId::new(3, &[3; 10]).to_string();
    let asked = |actions: &[ClientAction]| match actions {
        [.., ClientAction::Ask(BotQuestion::Declare(info))] => Some(info.id),
        _ => None,
    };
    assert_eq!(asked(&tell(&mut book, started(ID))), Some(match_id(ID)));
    assert_eq!(asked(&tell(&mut book, started(OTHER))), Some(match_id(OTHER)));
    assert_eq!(tell(&mut book, started(&third)), []);
    // Its answer still comes, and only then is there room for the third.
    let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(0), ..Default::default() };
    let told = tell(&mut book, Told::MatchEnded(Box::new(ended)));
    assert_eq!(told, [ClientAction::Withdraw(match_id(ID))]);
    assert_eq!(asked(&book.handle_answer(BotAnswer::Withdrawn)), Some(match_id(&third)));
    // The end was waiting for the welcome to be heard.
    assert!(matches!(book.handle_answer(BotAnswer::Heard)[..], [ClientAction::Ask(BotQuestion::Ended(_))]));
    let answer = book.handle_answer(declared(OTHER, &[1, 0, 2]));
    assert!(matches!(answer[..], [ClientAction::Send(Wire::Declare(_))]));
}

proptest! {
    #[test]
    fn garbage_from_the_server_is_an_error_at_worst(
        which in 0_usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let ended = pb::MatchEnded { match_id: ID.into(), winner: Some(1), ..Default::default() };
        let told = [
            started(ID),
            revealed(ID),
            turn(ID, 1, 2, 3),
            snapshot_in_play(Some(turn_of(ID, 1, 2, 3))),
            Told::MatchEnded(Box::new(ended)),
        ];
        let mut bytes = pb::PlayResponse { event: Some(told[which].clone()) }.encode_to_vec();
        let len = bytes.len();
        for (place, byte) in changes {
            bytes[place.index(len)] = byte;
        }
        if let Ok(Ok(event)) = pb::PlayResponse::decode(&bytes[..]).map(SessionEvent::parse) {
            // Whether it fits the match is another matter: only a panic would be wrong.
            let _ = in_play().handle_event(event);
        }
    }
}

#[test]
fn nonsense_from_the_server_is_an_error() {
    let mut book = book();
    tell(&mut book, started(ID));
    assert_eq!(
        refuse(&mut book, turn(ID, 1, 2, 3)),
        format!("a turn in match {ID} before its rows were revealed")
    );
    tell(&mut book, revealed(ID));
    for (ply, pile, counters) in
        [(0, 2, 3), (1, 3, 1), (1, 2, 5), (1, 2, 0), (1, u32::MAX, 1), (u32::MAX - 1, 2, 3)]
    {
        let message = refuse(&mut book, turn(ID, ply, pile, counters));
        assert!(message.contains("does not fit match"), "{message}");
    }
    let two_rows = pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![0, 1] }; 2] };
    let wrong = pb::Revealed { match_id: ID.into(), alliance_matrix: Some(two_rows), ..Default::default() };
    assert_eq!(refuse(&mut book, Told::Revealed(wrong)), "2 rows for a match of 3 seats");
    let nobody = pb::MatchEnded { match_id: ID.into(), winner: Some(3), ..Default::default() };
    assert_eq!(refuse(&mut book, Told::MatchEnded(Box::new(nobody))), "seat 3: the seats are 0 to 2");
    assert_eq!(
        refuse(&mut book, Told::MatchStarted(Box::new(pb::MatchStarted { setup: None, ..begun(ID) }))),
        "an event that does not fit: match_started.setup: required, but missing"
    );
    assert!(refuse(&mut book, turn("no uuid", 1, 2, 3)).contains("turn.match_id: match id \"no uuid\""));
    assert_eq!(
        refuse(
            &mut book,
            Told::Snapshot(Box::new(pb::Snapshot { phase: 9, ..snapshot(pb::Phase::Playing) }))
        ),
        "an event that does not fit: snapshot.phase: 9 is not a known value: expected 0 to 4"
    );
    assert_eq!(
        refuse(&mut book, Told::Snapshot(Box::new(snapshot(pb::Phase::Playing)))),
        "an event that does not fit: snapshot.alliance_matrix: required, but missing"
    );
}
