//! Refusals: bots can continue, and learn why their session ended.

use super::{
    host::{Host, exhibition, patient_clock, soon},
    session::{BotSession, End, declare, reason, take},
};
use lastnim_arena::Limits;
use lastnim_proto::pb::{self, play_response::Event};
use lastnim_server::Config;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const UNKNOWN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
/// The number of messages in a burst.
const BURST: usize = 400;

/// Reads to the end of a stream, and returns the refusals and the status.
async fn refusals(line: &mut BotSession) -> (Vec<pb::Refused>, Status) {
    let mut refused = Vec::new();
    let reading = async {
        loop {
            match line.inbound.message().await {
                Ok(Some(pb::PlayResponse { event: Some(Event::Refused(one)) })) => refused.push(one),
                Ok(Some(_)) => {}
                Ok(None) => return End::Clean,
                Err(status) => return End::Broken(status),
            }
        }
    };
    let end = soon("the end of the stream", reading).await.status();
    (refused, end)
}

/// Returns the example in the metadata of a status, which is in its message as well.
fn example(status: &Status) -> String {
    let example = status.get_details_error_info().unwrap().metadata["example"].clone();
    assert!(status.message().contains(&example), "{status:?}");
    example
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_bot_gets_the_turn_again() {
    let host = Host::start().await;
    let tokens = host.register_all(["erring", "calm"]).await;
    let (mut erring, _) = BotSession::open(&host, &tokens[0]).await;
    let (calm, _) = BotSession::open(&host, &tokens[1]).await;
    host.create_match(exhibition(["erring", "calm"], &[3])).await;
    let playing = calm.playing_timidly(1);
    let started = erring.started().await;
    erring.send(take(&started.match_id, 0, 1)).await;
    assert_eq!(erring.refused().await.reason(), pb::RefusalReason::NotStarted);
    // The bot has no memory: it answers the last event.
    let snapshot = erring.snapshot().await;
    assert!(snapshot.declaration_left_ms > 0);
    erring.declare_standard(snapshot.started.as_ref().unwrap()).await;
    let turn = erring.turn().await;
    erring.take(&turn, 9).await;
    assert_eq!(erring.refused().await.reason(), pb::RefusalReason::IllegalTake);
    let again = erring.turn().await;
    assert!(again.bank_ms <= turn.bank_ms);
    assert_eq!(pb::Turn { bank_ms: turn.bank_ms, ..again.clone() }, turn);
    erring.take(&again, 1).await;
    let turn = erring.turn().await;
    erring.take(&turn, 1).await;
    assert_eq!(erring.ended().await.reason(), pb::EndReason::Finished);
    soon("the end of the match", playing).await.unwrap();
}

#[tokio::test]
async fn a_burst_of_bad_takes_is_answered_before_the_session_ends() {
    let host = Host::start().await;
    let tokens = host.register_all(["hasty", "calm"]).await;
    let (mut hasty, _) = BotSession::open(&host, &tokens[0]).await;
    let (calm, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["hasty", "calm"], &[4])).await;
    let playing = calm.playing_timidly(1);
    let started = hasty.started().await;
    hasty.declare_standard(&started).await;
    let turn = hasty.turn().await;
    for _ in 0..BURST {
        hasty.outbound.try_send(pb::PlayRequest { action: Some(take(&id, turn.ply, 99)) }).unwrap();
    }
    let (refused, end) = refusals(&mut hasty).await;
    let reasons: Vec<_> = refused.iter().map(pb::Refused::reason).collect();
    assert_eq!(reasons[..3], [pb::RefusalReason::IllegalTake; 3]);
    assert!(refused[0].message.contains("a take of 99"), "{refused:?}");
    assert_eq!(
        (end.code(), reason(&end).as_str()),
        (Code::ResourceExhausted, "TOO_MANY_UNPRODUCTIVE_MESSAGES")
    );
    let example = example(&end);
    assert!(example.starts_with("the last: REFUSAL_REASON_"), "{example}");
    soon("the end of the match", playing).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_refusals_are_delivered_before_the_session_ends() {
    let limits = Limits { idle_message_burst: 60, idle_messages_per_second: 0, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let token = host.register("noisy").await;
    let (mut noisy, _) = BotSession::open(&host, &token).await;
    for ply in 0..BURST {
        let request = pb::PlayRequest { action: Some(take(UNKNOWN, ply as u32, 1)) };
        // The server closes the stream at some point, so sending may fail.
        let _ = noisy.outbound.try_send(request);
    }
    let (refused, end) = refusals(&mut noisy).await;
    assert_eq!(refused.len(), 61, "one more than the limit");
    assert_eq!(
        (end.code(), reason(&end).as_str()),
        (Code::ResourceExhausted, "TOO_MANY_UNPRODUCTIVE_MESSAGES")
    );
    let example = example(&end);
    assert!(example.contains("REFUSAL_REASON_UNKNOWN_MATCH") && example.contains(UNKNOWN), "{example}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_on_their_way_to_cancelled_matches_do_not_count() {
    const MATCHES: usize = 200;
    let limits = Limits { idle_message_burst: 60, idle_messages_per_second: 0, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let [token, _] = host.register_all(["honest", "other"]).await;
    let (mut honest, _) = BotSession::open(&host, &token).await;
    let position = |counters| pb::Piles { counters: vec![counters] };
    let settings = pb::TournamentSettings {
        title: "cancelled".into(),
        seats: 2,
        positions: (1..=MATCHES as u64 / 2).map(position).collect(),
        concurrency: MATCHES as u32,
        clock: Some(patient_clock()),
        ..Default::default()
    };
    let tournament_id = host.create_tournament(settings, &["honest", "other"]).await;
    host.start_tournament(&tournament_id).await;
    let mut started = Vec::new();
    while started.len() < MATCHES {
        started.push(honest.started().await);
    }
    host.tournaments().cancel_tournament(pb::CancelTournamentRequest { tournament_id }).await.unwrap();
    // The bot has not read the ends when it declares its rows.
    for one in &started {
        honest.declare_standard(one).await;
    }
    for _ in &started {
        assert_eq!(honest.refused().await.reason(), pb::RefusalReason::UnknownMatch);
    }
    // A flood of messages for these matches still ends the session.
    let mut sent = 0;
    while sent < 2_000
        && let Ok(()) = honest.outbound.try_send(pb::PlayRequest {
            action: Some(declare(&started[sent % MATCHES].match_id, vec![0, 1])),
        })
    {
        sent += 1;
    }
    let (refused, end) = refusals(&mut honest).await;
    assert_eq!(reason(&end), "TOO_MANY_UNPRODUCTIVE_MESSAGES");
    assert!(refused.len() <= 3 * MATCHES + 61, "at most four messages for each match are excused");
}
