use super::hall::{arena, begin, connect, name, run_silent, soon, until};
use crate::arena::Closing;
use crate::arena::match_task::MatchInput;
use crate::game::MatchId;
use crate::wire::{MatchEvent, ServerEvent, pb};
use tokio_stream::StreamExt as _;

fn turn(event: &ServerEvent) -> Option<u32> {
    match event {
        ServerEvent::InMatch { event: MatchEvent::Turn(turn), .. } => Some(turn.ply),
        ServerEvent::InMatch { event: MatchEvent::Snapshot(snapshot), .. } => {
            snapshot.turn.as_ref().map(|turn| turn.ply)
        }
        _ => None,
    }
}

fn take(match_id: MatchId, ply: u32) -> pb::PlayRequest {
    let take = pb::Take { match_id: match_id.to_string(), ply, take: 1 };
    pb::PlayRequest { action: Some(pb::play_request::Action::Take(take)) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_sessions_at_once_the_one_that_stays_is_the_one_that_plays() {
    for _ in 0..30 {
        let arena = arena().await;
        let begun = begin(&arena).unwrap();
        let playing = tokio::spawn(begun.play);
        let (first, mut first_hears) = connect(&arena, "first").unwrap();
        let mut opening = Vec::new();
        for _ in 0..16 {
            let arena = arena.clone();
            opening.push(tokio::spawn(async move { connect(&arena, "second").unwrap() }));
        }
        let mut opened = Vec::new();
        for opening in opening {
            opened.push(opening.await.unwrap());
        }
        let mut staying = Vec::new();
        for (requests, mut stream) in opened {
            match stream.next().await.expect("an end has a reason") {
                Ok(_welcome) => staying.push((requests, stream)),
                Err(closing) => assert_eq!(closing, Closing::Replaced),
            }
        }
        let [(_second, mut second_hears)] = <[_; 1]>::try_from(staying).expect("one session stays");
        let ply = until(&mut first_hears, turn).await;
        first.send(Ok(take(begun.id, ply))).unwrap();
        assert_eq!(until(&mut second_hears, turn).await, ply + 1);
        begun.handle.send(MatchInput::Cancel).await;
        soon("the end", playing).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_session_that_nobody_runs_leaves_nothing_behind() {
    let arena = arena().await;
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    let (session, mut stream) = arena.open_session(name("first")).unwrap();
    assert!(arena.bot(&name("first")).unwrap().connected);
    // The match ends while it waits for the session, whose bot was promised a snapshot.
    begun.handle.send(MatchInput::Cancel).await;
    tokio::task::yield_now().await;
    assert!(!playing.is_finished());
    drop(session);
    soon("the end of the match", playing).await.unwrap().unwrap();
    assert_eq!(arena.session_count(), 0);
    assert!(!arena.bot(&name("first")).unwrap().connected);
    assert!(matches!(stream.next().await, Some(Ok(ServerEvent::Welcome { .. }))));
    assert_eq!(stream.next().await.map(Result::err), Some(Some(Closing::Broken)));
}

#[tokio::test]
async fn a_session_that_breaks_down_leaves_nothing_behind() {
    let arena = arena().await;
    let (session, mut stream) = arena.open_session(name("first")).unwrap();
    let running = tokio::spawn(run_silent(session));
    tokio::task::yield_now().await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    assert_eq!(arena.session_count(), 0);
    assert!(!arena.bot(&name("first")).unwrap().connected);
    let reading = async { while let Some(Ok(_)) = stream.next().await {} };
    soon("the end of the stream", reading).await;
}
