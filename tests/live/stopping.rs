//! Stopping a server.

use super::{
    host::{Host, LONG, exhibition, round_robin, soon},
    pages::get_at,
    session::{BotSession, reason},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb::{self, play_response::Event};
use lastnim_server::Config;
use std::time::{Duration, Instant};
use tonic::{Code, transport::Endpoint};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_types::StatusExt as _;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_finishes_open_matches_and_starts_nothing() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two", "late"]).await;
    let (mut one, _) = BotSession::open(&host, &tokens[0]).await;
    let (two, _) = BotSession::open(&host, &tokens[1]).await;
    host.create_match(exhibition(["one", "two"], &[3])).await;
    let two = two.playing_timidly(1);
    let started = one.started().await;
    one.declare_standard(&started).await;
    let turn = one.turn().await;

    let (channel, mut matches, address) = (host.channel.clone(), host.matches(), host.address.clone());
    assert_eq!(get_at(&address, "/readyz").await.status, 200);
    let mut health = HealthClient::new(channel.clone());
    let running = host.stop();
    let within =
        one.until(|event| if let Event::Draining(told) = event { Some(told.within_ms) } else { None });
    assert_eq!(within.await, 10_000);
    for service in ["", "lastnim.v1.ArenaService"] {
        let answer = health.check(HealthCheckRequest { service: service.into() }).await.unwrap();
        assert_eq!(answer.into_inner().status(), ServingStatus::NotServing, "{service:?}");
    }
    let readiness = get_at(&address, "/readyz").await;
    let notice = "the server is stopping: connect again later\n";
    assert_eq!((readiness.status, readiness.body.as_str()), (503, notice));
    assert_eq!(get_at(&address, "/healthz").await.status, 200, "it runs until it has stopped");
    let refused = matches.create_match(exhibition(["one", "two"], &[3])).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unavailable, "STOPPING"));
    let refused = BotSession::try_open_on(channel, &tokens[2]).await.err().unwrap();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unavailable, "STOPPING"));
    assert!(refused.get_details_retry_info().is_some());

    one.take(&turn, 1).await;
    let ended = one.play_timidly(1).await;
    assert_eq!(ended[0].reason(), pb::EndReason::Finished);
    let (mut two, _) = soon("the end of the match", two).await.unwrap();
    for line in [&mut one, &mut two] {
        let end = line.end().await.status();
        assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "STOPPING"));
    }
    drop((one, two, matches, health));
    soon("the end of the server", running).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_stops_in_time_despite_open_connections() {
    let grace = Duration::from_millis(300);
    let host = Host::with(Config { shutdown_grace: grace, ..Config::default() }).await;
    let tokens = host.register_all(["never", "reads"]).await;
    // One bot never reads, one never moves; two clients watch.
    let narrow = Endpoint::from_shared(format!("http://{}", host.address)).unwrap();
    let narrow = narrow.initial_stream_window_size(20).connect().await.unwrap();
    let mut deaf = BotSession::try_open_on(narrow, &tokens[0]).await.unwrap();
    let (mut idle, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["never", "reads"], &[3])).await;
    let mut watched =
        host.matches().watch_match(pb::WatchMatchRequest { match_id: id }).await.unwrap().into_inner();
    let party = host.house_bots(&[HouseBot::Timid, HouseBot::Greedy], 1).await;
    let settings = pb::TournamentSettings { seats: 2, ..round_robin(&[&[1]]) };
    let tournament_id = host.create_tournament(settings, &["timid", "never"]).await;
    host.start_tournament(&tournament_id).await;
    let mut progress = host
        .tournaments()
        .watch_tournament(pb::WatchTournamentRequest { tournament_id, state_only: false })
        .await
        .unwrap()
        .into_inner();

    let began = Instant::now();
    let running = host.stop();
    let end = idle.end().await.status();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "STOPPING"));
    let end = loop {
        match soon("the end of the watching", watched.message()).await {
            Ok(event) => assert!(event.is_some(), "the match is not over"),
            Err(status) => break status,
        }
    };
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "STOPPING"));
    let end = loop {
        match soon("the end of the watching", progress.message()).await {
            Ok(state) => assert!(state.is_some(), "the tournament is not over"),
            Err(status) => break status,
        }
    };
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "STOPPING"));
    soon("the end of the server", running).await.unwrap().unwrap();
    let took = began.elapsed();
    assert!(took >= grace, "{took:?}");
    // It finally reads, and finds the connection closed.
    deaf.end().await.status();
    party.dismiss().await;
}

#[tokio::test]
async fn a_server_with_nothing_to_do_stops_at_once() {
    // Open matches would get more time than this test waits.
    let host = Host::with(Config { shutdown_grace: 2 * LONG, ..Config::default() }).await;
    let token = host.register("idle").await;
    let (mut idle, _) = BotSession::open(&host, &token).await;
    let running = host.stop();
    assert_eq!(idle.end().await.reason(), "STOPPING");
    soon("the end of the server", running).await.unwrap().unwrap();
}
