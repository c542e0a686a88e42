//! Watching matches and tournaments.

use super::{
    host::{Host, exhibition, round_robin, soon},
    proxy::{Proxy, start_impatient_proxy},
    session::{BotSession, reason},
};
use lastnim_arena::Limits;
use lastnim_bots::HouseBot;
use lastnim_client::{ResumedStream, SeenEvents, WatchUpdate, connect, status_of_error};
use lastnim_proto::{
    pb::{self, record_event, tournament_service_client::TournamentServiceClient},
    record::parse_record,
};
use lastnim_server::Config;
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};
use tonic::{Code, transport::Endpoint};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_get_the_whole_record_and_the_audit() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let (mut one, _) = BotSession::open(&host, &tokens[0]).await;
    let (two, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["one", "two"], &[4, 3])).await;
    let request = pb::WatchMatchRequest { match_id: id.clone() };
    let mut early = host.matches().watch_match(request.clone()).await.unwrap().into_inner();
    let two = two.playing_timidly(1);
    let started = one.started().await;
    one.declare_standard(&started).await;
    let turn = one.turn().await;
    let mut midway = host.matches().watch_match(request.clone()).await.unwrap().into_inner();
    one.take(&turn, 1).await;
    let ended = one.play_timidly(1).await.remove(0);
    soon("the end of the match", two).await.unwrap();
    let mut late = host.matches().watch_match(request).await.unwrap().into_inner();

    let record = host.record(&id).await;
    parse_record(&record).unwrap();
    let unhashed = record.events.iter().map(|event| pb::RecordEvent { hash: Vec::new(), ..event.clone() });
    let unhashed: Vec<_> = unhashed.collect();
    for stream in [&mut early, &mut midway, &mut late] {
        let mut seen = Vec::new();
        let mut audit = None;
        while let Some(event) = soon("an event", stream.message()).await.unwrap() {
            assert_eq!(audit, None, "the audit comes last");
            audit = event.audit;
            seen.push(event.event.unwrap());
        }
        assert_eq!(seen, unhashed, "watchers are sent no hashes");
        assert_eq!(audit, ended.audit);
    }
    assert!(matches!(record.events.last().unwrap().event, Some(record_event::Event::Ended(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn excess_and_slow_watchers_are_dropped() {
    let limits = Limits { watchers: 2, watcher_queue: 8, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let tokens = host.register_all(["one", "two"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut two, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["one", "two"], &[2; 300])).await;
    let request = pb::WatchMatchRequest { match_id: id.clone() };
    let narrow = Endpoint::from_shared(format!("http://{}", host.address)).unwrap();
    let narrow = narrow.initial_stream_window_size(100).connect().await.unwrap();
    let mut client = pb::match_service_client::MatchServiceClient::new(narrow);
    let mut deaf = client.watch_match(request.clone()).await.unwrap().into_inner();
    let _other = host.matches().watch_match(request.clone()).await.unwrap();
    let refused = host.matches().watch_match(request.clone()).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "FULL"));
    let playing = one.playing_timidly(1);
    two.play_timidly(1).await;
    soon("the end of the match", playing).await.unwrap();
    let end = loop {
        match soon("the end of the watching", deaf.message()).await {
            Ok(event) => assert!(event.is_some(), "it missed events"),
            Err(status) => break status,
        }
    };
    assert_eq!((end.code(), reason(&end).as_str()), (Code::ResourceExhausted, "SLOW_READER"));
    assert_eq!(host.get_match(&id).await.r#match.unwrap().reason(), pb::EndReason::Finished);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_can_be_watched() {
    let host = Host::start().await;
    let trio = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];
    let party = host.house_bots(&trio, 1).await;
    let settings = pb::TournamentSettings { start_when: 4, concurrency: 1, ..round_robin(&[&[2], &[3]]) };
    let tournament_id = host.create_tournament(settings, &trio.map(HouseBot::kind)).await;
    let request = pb::WatchTournamentRequest { tournament_id: tournament_id.clone(), state_only: false };
    let states_only = pb::WatchTournamentRequest { state_only: true, ..request.clone() };
    let mut states_only = host.tournaments().watch_tournament(states_only).await.unwrap().into_inner();
    let mut states = host.tournaments().watch_tournament(request).await.unwrap().into_inner();
    let open = soon("the first state", states.message()).await.unwrap().unwrap();
    let tournament = open.tournament.unwrap();
    assert_eq!(tournament.state(), pb::TournamentState::Open);
    assert_eq!(tournament.settings.unwrap().positions.len(), 2);
    assert_eq!(open.standings.len(), 3);
    assert!(open.standings.iter().all(|line| line.matches == 0 && line.satisfaction.is_none()));

    // The test drives the fourth bot, so that it can hold up the tournament.
    let token = host.register("hand").await;
    let (mut hand, _) = BotSession::open(&host, &token).await;
    let join = pb::JoinTournamentRequest { tournament_id: tournament_id.clone(), bot: "hand".into() };
    host.tournaments().join_tournament(join).await.unwrap();
    let (mut played, mut own) = (0, 0);
    while played < 24 {
        let get = pb::GetStandingsRequest { tournament_id: tournament_id.clone(), cross_table: false };
        let standings = host.tournaments().get_standings(get).await.unwrap().into_inner().standings;
        assert_eq!(standings.len(), 4);
        let seats: u32 = standings.iter().map(|line| line.matches).sum();
        let wins: u32 = standings.iter().map(|line| line.wins).sum();
        assert_eq!(seats, 3 * wins, "the standings are of whole matches");
        if wins < 24 {
            // Of 24 matches the bot plays 18; the standings may not include the last one yet.
            if own < 18 {
                hand.play_timidly(1).await;
                own += 1;
            }
        }
        played = wins;
    }
    let mut seen = Vec::new();
    while let Some(state) = soon("a state", states.message()).await.unwrap() {
        // A heartbeat has no tournament.
        let Some(tournament) = state.tournament else { continue };
        assert_eq!(tournament.settings, None, "they came with the first state");
        seen.push((tournament.matches_played, tournament.state()));
    }
    assert!(seen.windows(2).all(|two| two[0].0 <= two[1].0), "{seen:?}");
    assert_eq!(seen.last(), Some(&(24, pb::TournamentState::Finished)));
    let mut only = Vec::new();
    while let Some(message) = soon("a state", states_only.message()).await.unwrap() {
        let Some(state) = message.tournament.as_ref().map(pb::Tournament::state) else { continue };
        let tournament =
            pb::Tournament { id: tournament_id.clone(), state: state.into(), ..pb::Tournament::default() };
        let nothing_else = pb::WatchTournamentResponse { tournament: Some(tournament), ..Default::default() };
        assert_eq!(message, nothing_else);
        only.push(state);
    }
    assert_eq!(only.first(), Some(&pb::TournamentState::Open));
    assert_eq!(only.last(), Some(&pb::TournamentState::Finished));
    assert!(only.len() <= 3, "it is sent when it changes: {only:?}");
    let late = host.tournament_over(&tournament_id).await;
    assert!(late.tournament.is_some_and(|tournament| tournament.settings.is_some()));
    let get = pb::GetStandingsRequest { tournament_id: tournament_id.clone(), cross_table: false };
    assert_eq!(host.tournaments().get_standings(get).await.unwrap().into_inner().standings, late.standings);
    let bots: BTreeSet<String> = late.standings.into_iter().map(|line| line.bot).collect();
    assert_eq!(bots.len(), 4);
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_watchers_may_miss_states_but_not_the_end() {
    let host = Host::start().await;
    let trio = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];
    let party = host.house_bots(&trio, 1).await;
    let sample = pb::RoundRobinFormat { groups: 150 };
    let format = Some(pb::tournament_settings::Format::RoundRobin(sample));
    let settings = pb::TournamentSettings { format, ..round_robin(&[&[2, 3], &[4]]) };
    let tournament_id = host.create_tournament(settings, &trio.map(HouseBot::kind)).await;
    let narrow = Endpoint::from_shared(format!("http://{}", host.address)).unwrap();
    let narrow = narrow.initial_stream_window_size(200).connect().await.unwrap();
    let mut watcher = TournamentServiceClient::new(narrow);
    let request = pb::WatchTournamentRequest { tournament_id: tournament_id.clone(), state_only: false };
    let mut states = watcher.watch_tournament(request).await.unwrap().into_inner();

    let began = Instant::now();
    host.start_tournament(&tournament_id).await;
    let ended = host.tournament_over(&tournament_id).await;
    let passed = began.elapsed();
    assert_eq!(ended.tournament.unwrap().matches_played, 450);
    let mut seen = Vec::new();
    while let Some(state) = soon("a state", states.message()).await.unwrap() {
        if state.tournament.is_some() {
            assert_eq!(state.standings.len(), 3);
            seen.push(state);
        }
    }
    let last = seen.last().unwrap();
    assert_eq!(last.tournament.as_ref().unwrap().state(), pb::TournamentState::Finished);
    assert_eq!((&last.standings, &last.verdict), (&ended.standings, &ended.verdict));
    // There are at most ten states per second, plus the first ones and the last.
    let most = 3 + passed.as_millis() / 100;
    assert!(seen.len() as u128 <= most, "{} states in {passed:?}", seen.len());
    party.dismiss().await;
}

/// Attempts to see that a quiet stream lasts.
const MAX_TRIES: usize = 5;

/// A server that sends heartbeats often.
async fn lively_host() -> Host {
    let limits = Limits { ping_interval: Duration::from_millis(200), ..Limits::default() };
    Host::with(Config { limits, ..Config::default() }).await
}

/// Follows a match as `lastnim match watch` does.
fn follow(address: &str, id: &str) -> ResumedStream<pb::WatchMatchResponse> {
    let (address, request) = (address.to_owned(), pb::WatchMatchRequest { match_id: id.to_owned() });
    ResumedStream::new(Duration::from_secs(2), move || {
        let (address, request) = (address.clone(), request.clone());
        Box::pin(async move {
            let channel = connect(&address).await.map_err(|error| status_of_error(&error))?;
            let mut matches = pb::match_service_client::MatchServiceClient::new(channel);
            Ok(matches.watch_match(request).await?.into_inner())
        })
    })
}

/// Reads news into `seen` until `is_enough`. Returns the reasons of losses.
async fn read_news(
    stream: &mut ResumedStream<pb::WatchMatchResponse>,
    seen: &mut (SeenEvents, Vec<pb::RecordEvent>),
    mut is_enough: impl FnMut(&WatchUpdate<pb::WatchMatchResponse>, usize) -> bool,
) -> Vec<String> {
    let mut losses = Vec::new();
    loop {
        let news = soon("news", stream.next_update()).await.unwrap();
        match &news {
            WatchUpdate::Opened => seen.0.restart(),
            WatchUpdate::Lost(reason) => losses.push(reason.clone()),
            WatchUpdate::Message(watched) => {
                seen.1.extend(watched.event.clone().filter(|event| seen.0.note(event)));
            }
        }
        if is_enough(&news, seen.1.len()) {
            return losses;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watcher_reconnects_after_a_silent_proxy_and_sees_each_event_once() {
    let host = lively_host().await;
    let tokens = host.register_all(["one", "two"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (two, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["one", "two"], &[4, 3])).await;
    let proxy = Proxy::to(&host.address).await;
    let mut stream = follow(&proxy.address, &id);
    let mut seen = Default::default();
    // Heartbeats keep a quiet stream beyond the silence at which it would count as lost, unless this process stalls.
    let mut tries = 1;
    loop {
        let began = Instant::now();
        let losses = read_news(&mut stream, &mut seen, |_, _| began.elapsed() > Duration::from_secs(3)).await;
        if losses.is_empty() {
            break;
        }
        assert!(tries < MAX_TRIES, "{losses:?}");
        tries += 1;
    }
    proxy.freeze();
    let losses = read_news(&mut stream, &mut seen, |news, _| matches!(news, WatchUpdate::Lost(_))).await;
    assert!(losses[0].contains("silent"), "{losses:?}");
    let playing = [one.playing_timidly(1), two.playing_timidly(1)];
    for playing in playing {
        soon("the end of the match", playing).await.unwrap();
    }
    proxy.forward_new();
    let record = host.record(&id).await;
    read_news(&mut stream, &mut seen, |_, count| count >= record.events.len()).await;
    let unhashed = record.events.iter().map(|event| pb::RecordEvent { hash: Vec::new(), ..event.clone() });
    assert_eq!(seen.1, unhashed.collect::<Vec<_>>());

    let mut unknown = follow(&host.address, "01890a5d-ac96-774b-bcce-b302099a8057");
    let refused = soon("a refusal", unknown.next_update()).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound, "no use in trying again");
}

/// Watches a quiet tournament and a quiet match through a proxy that cuts connections without data. Returns whether both
/// streams last for several times as long as it waits.
async fn quiet_streams_last(host: &Host) -> bool {
    let limit = Duration::from_secs(1);
    let tokens = host.register_all(["one", "two"]).await;
    let (_one, _) = BotSession::open(host, &tokens[0]).await;
    let match_id = host.create_match(exhibition(["one", "two"], &[3])).await;
    let tournament_id = host.create_tournament(round_robin(&[&[2]]), &[]).await;
    let address = start_impatient_proxy(&host.address, limit).await;
    // Each stream has its own connection, so that neither keeps the other open.
    let mut matches = pb::match_service_client::MatchServiceClient::new(connect(&address).await.unwrap());
    let mut tournaments = TournamentServiceClient::new(connect(&address).await.unwrap());
    let request = pb::WatchMatchRequest { match_id };
    let mut events = matches.watch_match(request).await.unwrap().into_inner();
    let request = pb::WatchTournamentRequest { tournament_id, state_only: false };
    let mut states = tournaments.watch_tournament(request).await.unwrap().into_inner();
    let end = Instant::now() + 4 * limit;
    while Instant::now() < end {
        let news = async { (events.message().await, states.message().await) };
        let (Ok(event), Ok(state)) = soon("news", news).await else { return false };
        assert!(event.is_some() && state.is_some(), "neither has ended");
    }
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heartbeats_keep_quiet_streams_open_behind_proxies_that_count_data() {
    let mut tries = 1;
    // A stall of this process may be as long as the proxy's patience.
    while !quiet_streams_last(&lively_host().await).await {
        assert!(tries < MAX_TRIES, "the proxy cuts streams with heartbeats");
        tries += 1;
    }
    let limits = Limits { ping_interval: Duration::from_secs(20), ..Limits::default() };
    let rare = Host::with(Config { limits, ..Config::default() }).await;
    assert!(!quiet_streams_last(&rare).await, "the proxy cuts streams without heartbeats");
}
