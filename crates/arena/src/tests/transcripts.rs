//! Tests for publishing transcripts: which ones are accepted, and that the size limit still holds when callers abandon
//! their requests.

use super::fixture::{BANK, arena, begin, connect, duel_setup, read_until, shaky_arena, with_timeout};
use super::sessions::{take, turn};
use super::shaky_store::{ShakyStore, StoreBehaviour};
use crate::matches::shard::MatchInput;
use crate::retention::transcripts::check_talk_is_public;
use crate::{Arena, ArenaError, NewTranscript};
use lastnim_core::game::MatchId;
use lastnim_core::referee::{EndReason, MatchSetup, TalkPrivacy, TalkTerms};
use lastnim_store::{PruneFilter, StoreError};
use lastnim_tournament::OracleAccess;

/// More than half of a seat's transcript limit, so that two of these do not fit.
const LARGE: usize = 3 << 20;

/// Plays a number of plies, cancels the match unless it is over, and returns its id.
async fn play(arena: &Arena, setup: MatchSetup, plies: u32) -> MatchId {
    let (first, mut first_hears) = connect(arena, "first").unwrap();
    let (second, mut second_hears) = connect(arena, "second").unwrap();
    let begun = arena.begin_match(setup, None, OracleAccess::Open, None).unwrap();
    let playing = tokio::spawn(begun.play);
    for ply in 0..plies {
        let (requests, hears) =
            if ply.is_multiple_of(2) { (&first, &mut first_hears) } else { (&second, &mut second_hears) };
        while read_until(hears, turn).await != ply {}
        requests.send(Ok(take(begun.id, ply))).unwrap();
    }
    let next = if plies.is_multiple_of(2) { &mut first_hears } else { &mut second_hears };
    if plies < 5 {
        while read_until(next, turn).await != plies {}
        begun.handle.send(MatchInput::Cancel);
    }
    with_timeout("the end", playing).await.unwrap().unwrap();
    begun.id
}

async fn publish(arena: &Arena, match_id: MatchId, seat: usize, ply: Option<u32>) -> Result<(), ArenaError> {
    publish_lines(arena, match_id, seat, ply, 10).await
}

async fn publish_lines(
    arena: &Arena,
    match_id: MatchId,
    seat: usize,
    ply: Option<u32>,
    bytes: usize,
) -> Result<(), ArenaError> {
    let lines = "x".repeat(bytes).into();
    arena.publish_transcript(None, NewTranscript { match_id, seat, ply, lines }).await
}

async fn refused_questions(arena: &Arena, id: MatchId, questions: &[(usize, Option<u32>)]) -> Vec<bool> {
    let mut refused = Vec::new();
    for &(seat, ply) in questions {
        refused.push(match publish(arena, id, seat, ply).await {
            Ok(()) => false,
            Err(ArenaError::NoSuchQuestion { match_id, .. }) if match_id == id => true,
            Err(error) => panic!("{error}"),
        });
    }
    refused
}

#[tokio::test]
async fn a_transcript_has_only_questions_about_turns_of_its_seat() {
    let arena = arena().await;
    let finished = play(&arena, duel_setup(), 5).await;
    assert_eq!(arena.match_summary(finished).await.unwrap().0.end.unwrap().0, EndReason::Finished);
    let takes = [(0, Some(0)), (1, Some(0)), (0, Some(1)), (1, Some(1)), (0, Some(4)), (1, Some(5))];
    let refused = refused_questions(&arena, finished, &takes).await;
    assert_eq!(refused, [false, true, true, false, false, true]);
    // When the match was cancelled, a seat had already been asked for the next take, so that question exists.
    let cancelled = play(&arena, duel_setup(), 3).await;
    let takes = [(0, Some(2)), (1, Some(3)), (0, Some(3)), (0, Some(4)), (1, Some(5))];
    assert_eq!(refused_questions(&arena, cancelled, &takes).await, [false, false, true, true, true]);
}

#[tokio::test]
async fn a_transcript_has_no_question_about_an_assigned_row() {
    let arena = arena().await;
    let assigned = play(&arena, duel_setup(), 1).await;
    assert_eq!(refused_questions(&arena, assigned, &[(0, None), (1, None)]).await, [true, true]);
    let declared = cancel_match(&arena, MatchSetup { assigned: None, ..duel_setup() }).await;
    assert_eq!(refused_questions(&arena, declared, &[(0, None), (1, None)]).await, [false, false]);
}

/// Begins a match, cancels it before a seat has declared its row, and returns its id.
async fn cancel_match(arena: &Arena, setup: MatchSetup) -> MatchId {
    let begun = arena.begin_match(setup, None, OracleAccess::Open, None).unwrap();
    let playing = tokio::spawn(begun.play);
    with_timeout("the beginning", begun.begun).await.unwrap();
    begun.handle.send(MatchInput::Cancel);
    with_timeout("the end", playing).await.unwrap().unwrap();
    begun.id
}

#[tokio::test]
async fn transcripts_cannot_reveal_messages_that_stay_private() {
    let arena = arena().await;
    for (privacy, reason) in [
        (TalkPrivacy::Open, None),
        (TalkPrivacy::Published, Some("the match has no winner")),
        (TalkPrivacy::Private, Some("the privacy of its talk is \"private\", not \"open\" or \"published\"")),
    ] {
        let mut setup = MatchSetup { assigned: None, ..duel_setup() };
        setup.terms.talk = Some(TalkTerms { privacy, ..TalkTerms::default() });
        let match_id = cancel_match(&arena, setup).await;
        let refusal = reason.map(|reason| ArenaError::PrivateTalk { match_id, reason });
        assert_eq!(publish(&arena, match_id, 0, None).await.err(), refusal, "{privacy:?}");
        assert_eq!(arena.transcripts(match_id).await.unwrap().len(), usize::from(refusal.is_none()));

        let mut won = arena.match_summary(match_id).await.unwrap().0;
        let setup = won.setup.clone().unwrap();
        won.end = Some((EndReason::Finished, Some(setup.first)));
        let is_refused = check_talk_is_public(&setup, &won).is_err();
        assert_eq!(is_refused, privacy == TalkPrivacy::Private, "{privacy:?} with a winner");
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_that_ended_by_forfeits_has_one_unanswered_question() {
    let arena = arena().await;
    let begun = begin(&arena).unwrap();
    // No bot connects.
    tokio::spawn(begun.play).await.unwrap().unwrap();
    let summary = arena.match_summary(begun.id).await.unwrap().0;
    assert_eq!(summary.end.unwrap().0, EndReason::AllForfeited);
    let (plies, mover) = (summary.plies, summary.plies as usize % 2);
    let takes = [(mover, Some(plies)), (1 - mover, Some(plies + 1))];
    assert_eq!(refused_questions(&arena, begun.id, &takes).await, [false, true]);
}

/// Starts an action, and stops waiting for it once its write is blocked.
async fn abandon_blocked_write<T: Send + 'static>(
    store: &ShakyStore,
    act: impl Future<Output = T> + Send + 'static,
) {
    store.set(StoreBehaviour::Hangs);
    let acting = tokio::spawn(act);
    with_timeout("a write that hangs", store.wait_for_blocked_write()).await;
    acting.abort();
    assert!(acting.await.is_err_and(|error| error.is_cancelled()));
}

/// Starts to publish a transcript, unblocks the store once the publication waits, and returns the answer.
async fn publish_after_blocked_write(
    store: &ShakyStore,
    arena: &Arena,
    id: MatchId,
    ply: u32,
    bytes: usize,
) -> Result<(), ArenaError> {
    let behind = arena.clone();
    let publishing = tokio::spawn(async move { publish_lines(&behind, id, 0, Some(ply), bytes).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    store.set(StoreBehaviour::Fine);
    with_timeout("an answer", publishing).await.unwrap()
}

#[tokio::test]
async fn transcripts_of_abandoned_requests_count_towards_the_limit() {
    let (store, arena) = shaky_arena().await;
    let id = play(&arena, duel_setup(), 5).await;
    let caller = arena.clone();
    abandon_blocked_write(&store, async move { publish_lines(&caller, id, 0, Some(0), LARGE).await }).await;
    let refused = publish_after_blocked_write(&store, &arena, id, 2, LARGE).await.unwrap_err();
    let ArenaError::TranscriptSize { bytes, .. } = refused else { panic!("{refused}") };
    assert_eq!(bytes, 2 * LARGE as u64);
    assert_eq!(arena.transcripts(id).await.unwrap().len(), 1);
    // The first transcript still fits when it is published again, since it replaces itself.
    publish_lines(&arena, id, 0, Some(0), LARGE).await.unwrap();
}

#[tokio::test]
async fn transcripts_of_a_pruned_record_cannot_be_published() {
    let (store, arena) = shaky_arena().await;
    let id = play(&arena, duel_setup(), 5).await;
    publish(&arena, id, 0, Some(0)).await.unwrap();
    let pruner = arena.clone();
    let all = PruneFilter { tournament: None, over_before: arena.now() + 2 * BANK, keep_newest: 0 };
    abandon_blocked_write(&store, async move { pruner.prune_records(all).await }).await;
    let refusal = ArenaError::Store(StoreError::Pruned(id));
    assert_eq!(publish_after_blocked_write(&store, &arena, id, 2, 10).await.unwrap_err(), refusal);
    assert_eq!(publish(&arena, id, 0, Some(0)).await.unwrap_err(), refusal);
    assert_eq!(arena.transcripts(id).await.unwrap(), []);
}
