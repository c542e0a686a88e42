//! An async bot that plays many matches concurrently.

use super::script::{BotSession, LONG, Script, ended, matrix, started, turn};
use lastnim_client::{AsyncBot, Choice, MatchEnd, MatchFailure, MatchView, run_async, run_async_until};
use lastnim_core::game::{MatchId, Row};
use lastnim_proto::pb::{self, play_request::Action, play_response::Event};
use std::collections::BTreeSet;
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    time::timeout,
};

fn id(number: u64) -> MatchId {
    MatchId::new(number, &[7; 10])
}

/// Declares at once, and reports each turn; the test decides on the take.
struct Pondering {
    thinks: mpsc::UnboundedSender<Thought>,
    /// Locked during a report, to check that reports do not overlap.
    hearing: Mutex<()>,
    ends: mpsc::UnboundedSender<MatchId>,
}

/// A turn that waits for its take.
struct Thought {
    id: MatchId,
    decide: oneshot::Sender<Result<u64, &'static str>>,
}

impl AsyncBot for Pondering {
    async fn declare(&self, game: &lastnim_client::MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        Ok(Choice { value: Row::standard(game.seats()), note_hash: Some([9; 32]) })
    }

    async fn play(&self, game: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        let (decide, decision) = oneshot::channel();
        self.thinks.send(Thought { id: game.id, decide })?;
        let take = decision.await.expect("the turn is dropped, so the bot panics")?;
        Ok(take.into())
    }

    async fn ended(&self, end: &MatchEnd) {
        let _alone = self.hearing.try_lock().expect("reports do not overlap");
        tokio::task::yield_now().await;
        let _ = self.ends.send(end.info.id);
    }
}

fn ponderer() -> (Pondering, mpsc::UnboundedReceiver<Thought>, mpsc::UnboundedReceiver<MatchId>) {
    let (thinks, thoughts) = mpsc::unbounded_channel();
    let (ends, ended) = mpsc::unbounded_channel();
    (Pondering { thinks, hearing: Mutex::new(()), ends }, thoughts, ended)
}

async fn next<T>(receiver: &mut mpsc::UnboundedReceiver<T>) -> T {
    timeout(LONG, receiver.recv()).await.expect("nothing comes").expect("the bot is there")
}

/// Starts a match and advances it to the bot's turn.
async fn begin(session: &mut BotSession, number: u64) {
    let match_id = id(number).to_string();
    session
        .tell(Event::MatchStarted(Box::new(pb::MatchStarted { match_id: match_id.clone(), ..started() })))
        .await;
    let Action::Declare(declared) = session.next().await else { panic!("a row is declared first") };
    assert_eq!(
        (declared.match_id.as_str(), declared.note_hash.as_slice()),
        (match_id.as_str(), &[9; 32][..])
    );
    let alliance_matrix = Some(matrix());
    session
        .tell(Event::Revealed(pb::Revealed {
            match_id: match_id.clone(),
            alliance_matrix,
            ..Default::default()
        }))
        .await;
    session.tell(Event::Turn(pb::Turn { match_id, ..turn() })).await;
}

async fn end(session: &BotSession, number: u64) {
    let (match_id, reason) = (id(number).to_string(), pb::EndReason::Finished.into());
    session
        .tell(Event::MatchEnded(Box::new(pb::MatchEnded {
            match_id,
            reason,
            winner: Some(1),
            ..Default::default()
        })))
        .await;
}

#[tokio::test]
async fn matches_run_concurrently_and_a_failure_loses_only_its_own_match() {
    let mut script = Script::start().await;
    let (bot, mut thoughts, mut ends) = ponderer();
    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(run_async_until(bot, script.options(), async {
        let _ = stopped.await;
    }));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    let mut open = Vec::new();
    for number in 0..4 {
        begin(&mut session, number).await;
        open.push(next(&mut thoughts).await);
    }
    assert_eq!(open.iter().map(|thought| thought.id).collect::<Vec<_>>(), (0..4).map(id).collect::<Vec<_>>());

    // The last turn is answered first.
    let [first, second, third, fourth]: [Thought; 4] = open.try_into().ok().unwrap();
    fourth.decide.send(Ok(2)).unwrap();
    let Action::Take(take) = session.next().await else { panic!("a take") };
    assert_eq!((take.match_id, take.take, take.note_hash), (id(3).to_string(), 2, Vec::new()));

    // An error and a panic only lose their own match.
    second.decide.send(Err("out of ideas")).unwrap();
    assert_eq!(session.next().await, Action::Resign(pb::Resign { match_id: id(1).to_string() }));
    drop(third);
    assert_eq!(session.next().await, Action::Resign(pb::Resign { match_id: id(2).to_string() }));

    // A turn is cancelled when its match ends.
    for number in 0..4 {
        end(&session, number).await;
    }
    let mut decide = first.decide;
    timeout(LONG, decide.closed()).await.expect("the turn of an ended match is not cancelled");
    let mut ended_matches = BTreeSet::new();
    for _ in 0..4 {
        ended_matches.insert(next(&mut ends).await);
    }
    assert_eq!(ended_matches, (0..4).map(id).collect());

    // Open turns are cancelled when the bot stops.
    begin(&mut session, 4).await;
    let mut open = next(&mut thoughts).await;
    stop.send(()).unwrap();
    let summary = ended(run).await.unwrap();
    timeout(LONG, open.decide.closed()).await.expect("the turn is not cancelled when the run stops");
    assert_eq!((summary.matches, summary.wins), (4, 4));
}

#[tokio::test]
async fn concurrent_calls_are_limited() {
    let mut script = Script::start().await;
    let (bot, mut thoughts, _ends) = ponderer();
    let options = script.options().concurrency(1.try_into().unwrap());
    let run = tokio::spawn(run_async(bot, options));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    begin(&mut session, 0).await;
    let first = next(&mut thoughts).await;
    let match_id = id(1).to_string();
    session.tell(Event::MatchStarted(Box::new(pb::MatchStarted { match_id, ..started() }))).await;
    // The ping is answered while the row has not been requested.
    session.tell(Event::Ping(pb::Ping { id: 5 })).await;
    assert_eq!(session.next().await, Action::Pong(pb::Pong { id: 5 }));
    first.decide.send(Ok(1)).unwrap();
    assert!(matches!(session.next().await, Action::Take(_)));
    assert!(
        matches!(session.next().await, Action::Declare(declared) if declared.match_id == id(1).to_string())
    );
    run.abort();
}
