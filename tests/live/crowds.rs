//! Large numbers of matches, sessions and seats.

use super::{
    host::{Host, exhibition, patient_clock, round_robin, soon},
    session::BotSession,
    vanish::forfeits,
};
use lastnim_arena::Limits;
use lastnim_bots::HouseBot;
use lastnim_client::connect;
use lastnim_proto::pb::{self, play_response::Event};
use lastnim_server::Config;
use std::collections::BTreeSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_plays_two_hundred_matches_on_one_stream() {
    const MATCHES: usize = 200;
    let host = Host::start().await;
    let tokens = host.register_all(["busy", "other"]).await;
    let (busy, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut other, _) = BotSession::open(&host, &tokens[1]).await;
    let mut ids = BTreeSet::new();
    for _ in 0..MATCHES {
        ids.insert(host.create_match(exhibition(["busy", "other"], &[3, 2])).await);
    }
    // The other bot only reads so far, so every match waits for its row.
    let mut waiting = BTreeSet::new();
    while waiting.len() < MATCHES {
        waiting.insert(other.started().await.match_id);
    }
    assert_eq!(host.bot("other").await.open_matches as usize, MATCHES);
    // Both reconnect and get all their matches at once.
    drop((busy, other));
    let (busy, welcome) = BotSession::open(&host, &tokens[0]).await;
    assert_eq!(welcome.open_matches as usize, MATCHES);
    let (other, welcome) = BotSession::open(&host, &tokens[1]).await;
    assert_eq!(welcome.open_matches as usize, MATCHES);
    let playing = [busy.playing_timidly(MATCHES), other.playing_timidly(MATCHES)];
    for playing in playing {
        let (_, ended) = soon("the end of the matches", playing).await.unwrap();
        let seen: BTreeSet<String> = ended.iter().map(|end| end.match_id.clone()).collect();
        assert_eq!(seen, ids);
        assert!(ended.iter().all(|end| end.reason() == pb::EndReason::Finished));
    }
    for id in ids.iter().take(20) {
        assert_eq!(forfeits(&host, id).await, []);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frequent_reconnects_leak_no_sessions() {
    // If one session in a hundred leaked, no slot would be left in the end.
    let limits = Limits { sessions: 8, ..Limits::default() };
    let host = Host::with(Config { limits, connections: 16, ..Config::default() }).await;
    let tokens = host.register_all(["restless", "calm"]).await;
    let (calm, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["restless", "calm"], &[4])).await;
    let playing = calm.playing_timidly(1);
    let channel = connect(&host.address).await.unwrap();
    for round in 0..1_000 {
        let line = match round % 4 {
            // This session is dropped before it is answered.
            0 => {
                let opening = BotSession::try_open_on(channel.clone(), &tokens[0]);
                tokio::select! {
                    biased;
                    line = opening => line.ok(),
                    () = tokio::task::yield_now() => None,
                }
            }
            // The dropped session may arrive later and replace this one, so do not wait for a welcome.
            1 => BotSession::try_open_on(channel.clone(), &tokens[0]).await.ok(),
            // The next session is on a separate connection.
            2 if round % 20 == 2 => Some(BotSession::open(&host, &tokens[0]).await.0),
            _ => Some(BotSession::open_on(channel.clone(), &tokens[0]).await.0),
        };
        drop(line);
    }
    host.until_bot("restless", |bot| !bot.connected).await;
    let (mut restless, welcome) = BotSession::open(&host, &tokens[0]).await;
    assert_eq!(welcome.open_matches, 1);
    restless.play_timidly(1).await;
    soon("the end of the match", playing).await.unwrap();
    assert_eq!(forfeits(&host, &id).await, []);
    for number in 0..6 {
        let token = host.register(&format!("new-{number}")).await;
        let entering = async { while BotSession::try_open_on(channel.clone(), &token).await.is_err() {} };
        soon("a place", entering).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_tournaments_share_the_limit_of_open_matches() {
    // The limit on open matches is below what the tournament would play, so it has to wait, and another one as well.
    let limits = Limits { open_matches: 40, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let names = HouseBot::BASIC.map(HouseBot::kind);
    let settings = || pb::TournamentSettings { concurrency: 64, ..round_robin(&[&[2, 2], &[1, 3]]) };
    let first = host.create_tournament(settings(), &names).await;
    let second = host.create_tournament(settings(), &names).await;
    host.start_tournament(&first).await;
    host.start_tournament(&second).await;
    for id in [first, second] {
        let last = host.tournament_over(&id).await;
        assert_eq!(last.tournament.unwrap().matches_played, 120);
        assert!(last.standings.iter().all(|line| (line.matches, line.forfeits) == (60, 0)));
        let numbers: BTreeSet<u64> =
            host.matches_of(&id).await.into_iter().map(|one| one.setup.unwrap().number).collect();
        assert_eq!(numbers.len(), 120);
    }
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_with_32_seats_and_1024_piles_finish() {
    let host = Host::start().await;
    let names: [String; 32] = std::array::from_fn(|number| format!("bot-{number}"));
    let mut playing = Vec::new();
    for name in &names {
        let token = host.register(name).await;
        playing.push(BotSession::open(&host, &token).await.0.playing_timidly(1));
    }
    let id = host.create_match(exhibition(names.each_ref().map(String::as_str), &[1; 1_024])).await;
    for playing in playing {
        let (_, ended) = soon("the end of the match", playing).await.unwrap();
        assert_eq!(ended[0].reason(), pb::EndReason::Finished);
        assert_eq!(ended[0].audit.as_ref().unwrap().plies.len(), 1_024);
    }
    assert_eq!(forfeits(&host, &id).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_subscribed_to_its_own_turns_gets_no_others() {
    let host = Host::start().await;
    let tokens = host.register_all(["terse", "other"]).await;
    let (mut terse, _) = BotSession::open(&host, &tokens[0]).await;
    let (other, _) = BotSession::open(&host, &tokens[1]).await;
    let subscribe = pb::Subscribe { feed: pb::Feed::OwnTurns.into() };
    terse.send(pb::play_request::Action::Subscribe(subscribe)).await;
    let request = pb::CreateMatchRequest {
        clock: Some(patient_clock()),
        max_plies: 9,
        ..exhibition(["terse", "other"], &[u64::MAX >> 1])
    };
    let id = host.create_match(request).await;
    let playing = other.playing_timidly(1);
    let mut heard = Vec::new();
    let started = terse.started().await;
    terse.declare_standard(&started).await;
    let ended = loop {
        match terse.event().await {
            Event::Turn(turn) => terse.take(&turn, 1).await,
            Event::Took(took) => heard.push((took.ply, took.seat)),
            Event::MatchEnded(ended) => break ended,
            _ => {}
        }
    };
    assert_eq!(heard, [(0, 0), (2, 0), (4, 0), (6, 0), (8, 0)]);
    assert_eq!((ended.match_id.as_str(), ended.reason()), (id.as_str(), pb::EndReason::PlyLimit));
    assert!(ended.winner.is_some());
    soon("the end of the match", playing).await.unwrap();
}
