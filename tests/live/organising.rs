//! Actions of organisers, valid and invalid.

use super::{
    host::{Host, exhibition, patient_clock, round_robin, soon},
    session::{BotSession, reason},
    vanish::forfeits,
};
use lastnim_arena::Limits;
use lastnim_bots::HouseBot;
use lastnim_proto::pb::{self, bot_service_client::BotServiceClient};
use lastnim_server::Config;
use std::collections::BTreeSet;
use tonic::{Code, Status};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};
use tonic_types::StatusExt as _;

const TRIO: [HouseBot; 3] = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];
const TRIO_NAMES: [&str; 3] = ["timid", "greedy", "oracle"];

fn fields(status: &Status) -> Vec<String> {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_details_bad_request().unwrap_or_else(|| panic!("no fields in {status:?}"));
    details.field_violations.into_iter().map(|violation| violation.field).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_tournament_can_be_cancelled() {
    let host = Host::start().await;
    let names = ["idle-1", "idle-2", "idle-3", "idle-4"];
    let tokens = host.register_all(names).await;
    let (mut line, _) = BotSession::open(&host, &tokens[0]).await;
    let settings = pb::TournamentSettings { concurrency: 5, ..round_robin(&[&[3]]) };
    let id = host.create_tournament(settings, &names).await;
    host.start_tournament(&id).await;
    line.started().await;
    let request = pb::CancelTournamentRequest { tournament_id: id.clone() };
    let cancelling = async { host.tournaments().cancel_tournament(request.clone()).await };
    let cancelled = soon("the end of the tournament", cancelling).await.unwrap().into_inner();
    let tournament = cancelled.tournament.unwrap();
    assert_eq!(tournament.state(), pb::TournamentState::Cancelled);
    assert_eq!(tournament.matches_total, 12);
    let ended = line.ended().await;
    assert_eq!((ended.reason(), ended.winner, ended.audit), (pb::EndReason::Cancelled, None, None));
    let matches = host.matches_of(&id).await;
    assert_eq!(matches.len(), 5, "no further match was started");
    assert!(matches.iter().all(|one| one.reason() == pb::EndReason::Cancelled && one.winner.is_none()));
    let last = host.tournament_over(&id).await;
    assert!(last.standings.iter().all(|line| line.matches == 0 && line.forfeits == 0));
    assert_eq!(host.bot("idle-1").await.open_matches, 0);
    let again = host.tournaments().cancel_tournament(request).await.unwrap_err();
    assert_eq!((again.code(), reason(&again).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
}

#[tokio::test]
async fn a_cancelled_tournament_admits_no_bots() {
    let host = Host::start().await;
    host.register("late").await;
    let tournament_id = host.create_tournament(round_robin(&[&[3]]), &[]).await;
    let cancel = pb::CancelTournamentRequest { tournament_id: tournament_id.clone() };
    host.tournaments().cancel_tournament(cancel).await.unwrap();
    let join = pb::JoinTournamentRequest { tournament_id: tournament_id.clone(), bot: "late".into() };
    let refused = host.tournaments().join_tournament(join).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let start = pb::StartTournamentRequest { tournament_id };
    let refused = host.tournaments().start_tournament(start).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starting_needs_enough_bots_and_works_once() {
    let host = Host::start().await;
    let party = host.house_bots(&TRIO, 1).await;
    host.register("late").await;
    let id = host.create_tournament(round_robin(&[&[3]]), &["timid", "greedy", "timid"]).await;
    let start = pb::StartTournamentRequest { tournament_id: id.clone() };
    let refused = host.tournaments().start_tournament(start.clone()).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "FIELD"));
    assert!(refused.message().contains("2 bots"), "joining twice is harmless: {}", refused.message());
    let join = |bot: &str| pb::JoinTournamentRequest { tournament_id: id.clone(), bot: bot.into() };
    let unknown = host.tournaments().join_tournament(join("nobody")).await.unwrap_err();
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "NO_SUCH_BOT"));
    host.tournaments().join_tournament(join("oracle")).await.unwrap();
    host.start_tournament(&id).await;
    let refused = host.tournaments().start_tournament(start).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
    let late = host.tournaments().join_tournament(join("late")).await.unwrap_err();
    assert_eq!((late.code(), reason(&late).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
    host.tournaments().join_tournament(join("timid")).await.expect("members can join again");
    assert_eq!(host.tournament_over(&id).await.tournament.unwrap().matches_played, 3);
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_starts_when_enough_bots_have_joined() {
    let host = Host::start().await;
    let party = host.house_bots(&TRIO, 1).await;
    let settings = pb::TournamentSettings { start_when: 3, ..round_robin(&[&[3]]) };
    let id = host.create_tournament(settings, &TRIO_NAMES[..2]).await;
    let get = pb::GetTournamentRequest { tournament_id: id.clone() };
    let open = host.tournaments().get_tournament(get).await.unwrap().into_inner().tournament.unwrap();
    assert_eq!((open.state(), open.matches_total), (pb::TournamentState::Open, 0));
    let join = pb::JoinTournamentRequest { tournament_id: id.clone(), bot: TRIO_NAMES[2].into() };
    let joined = host.tournaments().join_tournament(join).await.unwrap().into_inner().tournament.unwrap();
    assert_ne!(joined.state(), pb::TournamentState::Open);
    assert_eq!(joined.matches_total, 3);
    let last = host.tournament_over(&id).await.tournament.unwrap();
    assert_eq!((last.state(), last.matches_played), (pb::TournamentState::Finished, 3));
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_show_forfeits_its_matches_and_others_get_results() {
    let host = Host::start().await;
    let party = host.house_bots(&TRIO, 1).await;
    host.register("ghost").await;
    let clock = pb::Clock { declaration_ms: 5_000, ..patient_clock() };
    // All matches wait for the ghost at once.
    let settings = pb::TournamentSettings { clock: Some(clock), concurrency: 12, ..round_robin(&[&[2, 3]]) };
    let id = host.create_tournament(settings, &["timid", "ghost", "greedy", "oracle"]).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    party.dismiss().await;
    assert_eq!(last.tournament.unwrap().matches_played, 12);
    for line in &last.standings {
        let expected = if line.bot == "ghost" { (9, 9, 9, 0) } else { (9, 0, 0, line.wins) };
        assert_eq!((line.matches, line.forfeits, line.no_shows, line.wins), expected, "{line:?}");
    }
    let ghost = last.standings.iter().find(|line| line.bot == "ghost").unwrap();
    assert_eq!((ghost.place, ghost.accuracy, ghost.points), (4, None, 0.0));
    for one in host.matches_of(&id).await {
        let seat = one.setup.unwrap().bots.iter().position(|bot| bot == "ghost");
        let expected: Vec<_> =
            seat.map(|seat| (seat as u32, pb::ForfeitReason::NoShow)).into_iter().collect();
        assert_eq!(forfeits(&host, &one.id).await, expected);
    }
}

#[tokio::test]
async fn invalid_matches_are_refused_by_field() {
    let host = Host::start().await;
    host.register_all(["one", "two"]).await;
    let refusal = async |request| host.matches().create_match(request).await.unwrap_err();
    let good_exhibition = || exhibition(["one", "two"], &[3]);

    let unknown = refusal(exhibition(["one", "stranger"], &[3])).await;
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "NO_SUCH_BOT"));
    assert!(unknown.message().contains("stranger"));

    let row = |offsets: &[u32]| pb::Row { offsets: offsets.to_vec() };
    let matrix = |rows: &[&[u32]]| {
        Some(pb::AllianceMatrix { rows: rows.iter().map(|offsets| row(offsets)).collect() })
    };
    let clock = pb::Clock { initial_ms: 0, ..patient_clock() };
    let cases = [
        (exhibition(["one", "one"], &[3]), vec!["bots"]),
        (exhibition(["one", "Two!"], &[3]), vec!["bots[1]"]),
        (exhibition(["one"], &[3]), vec!["bots"]),
        (exhibition(["one", "two"], &[]), vec!["piles"]),
        (exhibition(["one", "two"], &[1, 0]), vec!["piles"]),
        (exhibition(["one", "two"], &[u64::MAX]), vec!["piles"]),
        (exhibition(["one", "two"], &[1; 1_025]), vec!["piles"]),
        (pb::CreateMatchRequest { first: 2, ..good_exhibition() }, vec!["first"]),
        (pb::CreateMatchRequest { ending: 7, ..good_exhibition() }, vec!["ending"]),
        (pb::CreateMatchRequest { strikes: 101, ..good_exhibition() }, vec!["strikes"]),
        (pb::CreateMatchRequest { max_plies: 70_000, ..good_exhibition() }, vec!["max_plies"]),
        (pb::CreateMatchRequest { clock: Some(clock), ..good_exhibition() }, vec!["clock.initial_ms"]),
        (
            pb::CreateMatchRequest {
                assigned: matrix(&[&[0, 1], &[1, 1]]),
                alliance: 0,
                ..good_exhibition()
            },
            vec!["assigned.rows[1]"],
        ),
        (
            pb::CreateMatchRequest { first: 9, ending: 9, ..exhibition(["x y", "two"], &[]) },
            vec!["bots[0]", "piles", "ending"],
        ),
    ];
    for (request, expected) in cases {
        let refused = refusal(request.clone()).await;
        let named = fields(&refused);
        for field in expected {
            assert!(
                named.iter().any(|name| name == field || name.starts_with(&format!("{field}."))),
                "{field} is not among {named:?} for {request:?}"
            );
        }
    }
    let refused = refusal(pb::CreateMatchRequest {
        assigned: matrix(&[&[0, 1, 2][..]; 3]),
        alliance: 0,
        ..good_exhibition()
    })
    .await;
    assert!(fields(&refused)[0].starts_with("assigned"));
}

#[tokio::test]
async fn lists_have_pages() {
    let host = Host::start().await;
    let names: Vec<String> = (0..7).map(|number| format!("bot-{number}")).collect();
    for name in &names {
        host.register(name).await;
    }
    let mut seen = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = pb::ListBotsRequest { page_size: 3, page_token };
        let page = host.bots().list_bots(request).await.unwrap().into_inner();
        seen.push(page.bots.iter().map(|bot| bot.name.clone()).collect::<Vec<_>>());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 1]);
    assert_eq!(seen.concat(), names);

    let mut created = Vec::new();
    for _ in 0..4 {
        created.push(host.create_match(exhibition(["bot-1", "bot-2"], &[1])).await);
    }
    created.push(host.create_match(exhibition(["bot-1", "bot-3"], &[1])).await);
    let list = async |bot: &str, page_token: &str| {
        let request = pb::ListMatchesRequest {
            bots: vec![bot.into()],
            page_size: 2,
            page_token: page_token.into(),
            ..Default::default()
        };
        let page = host.matches().list_matches(request).await.unwrap().into_inner();
        let ids: Vec<String> = page.matches.into_iter().map(|one| one.id).collect();
        (ids, page.next_page_token)
    };
    let (first, token) = list("bot-2", "").await;
    let (second, rest) = list("bot-2", &token).await;
    assert_eq!((first.len(), second.len(), rest.as_str()), (2, 2, ""));
    let both: BTreeSet<String> = first.into_iter().chain(second).collect();
    assert_eq!(both, created[..4].iter().cloned().collect());
    assert_eq!(list("bot-3", "").await, (vec![created[4].clone()], String::new()));

    for request in [
        pb::ListBotsRequest { page_size: 1_001, page_token: String::new() },
        pb::ListBotsRequest { page_size: 1, page_token: "no name!".into() },
    ] {
        fields(&host.bots().list_bots(request).await.unwrap_err());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_are_listed_by_state_bots_and_reason() {
    let host = Host::start().await;
    host.register_all(["one", "two", "three"]).await;
    let settings = pb::TournamentSettings { concurrency: 2, seats: 2, ..round_robin(&[&[3]]) };
    let cup = host.create_tournament(settings, &["one", "two", "three"]).await;
    host.start_tournament(&cup).await;
    let open_matches = async || {
        let state = pb::MatchState::Open.into();
        let request = pb::ListMatchesRequest { state, ..Default::default() };
        host.matches().list_matches(request).await.unwrap().into_inner().matches
    };
    while open_matches().await.len() < 2 {
        tokio::task::yield_now().await;
    }
    let voided = open_matches().await[0].id.clone();
    let target = Some(pb::void_matches_request::Target::MatchId(voided.clone()));
    let pause = pb::PauseTournamentRequest { tournament_id: cup.clone(), ..Default::default() };
    host.tournaments().pause_tournament(pause).await.unwrap();
    let void = pb::VoidMatchesRequest {
        tournament_id: cup.clone(),
        target,
        reason: "again".into(),
        ..Default::default()
    };
    host.tournaments().void_matches(void).await.unwrap();
    let exhibition = host.create_match(exhibition(["one", "two"], &[1])).await;
    let list = async |request: pb::ListMatchesRequest| {
        let listed = host.matches().list_matches(request).await?.into_inner();
        Ok::<_, Status>(listed.matches.into_iter().map(|listed| listed.id).collect::<BTreeSet<_>>())
    };
    let any_match = pb::ListMatchesRequest::default;
    let state = |state: pb::MatchState| state.into();
    let reason = |reason: pb::EndReason| reason.into();
    let bots = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let only = |id: &String| BTreeSet::from([id.clone()]);
    let is_voided = async || {
        list(pb::ListMatchesRequest { state: state(pb::MatchState::Voided), ..any_match() }).await.unwrap()
    };
    soon("the voided match", async {
        while is_voided().await != only(&voided) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let cancelled = pb::ListMatchesRequest { reason: reason(pb::EndReason::Cancelled), ..any_match() };
    assert_eq!(list(cancelled.clone()).await.unwrap(), only(&voided));
    let over_request = pb::ListMatchesRequest { state: state(pb::MatchState::Over), ..cancelled };
    assert_eq!(list(over_request).await.unwrap(), BTreeSet::new());
    let (all, open) = (list(any_match()).await.unwrap(), open_matches().await);
    assert_eq!(all.len(), open.len() + 1, "the others are open");
    assert!(open.iter().any(|open| open.id == exhibition) && open.iter().all(|open| open.id != voided));
    let of_two_bots = pb::ListMatchesRequest {
        bots: bots(&["two", "one"]),
        state: state(pb::MatchState::Open),
        ..any_match()
    };
    let seats = |of: &pb::Match| of.setup.as_ref().map(|setup| setup.bots.clone()).unwrap_or_default();
    let expected = open.iter().filter(|open| seats(open).iter().all(|bot| bot == "one" || bot == "two"));
    assert_eq!(list(of_two_bots.clone()).await.unwrap(), expected.map(|open| open.id.clone()).collect());
    let cup_request = pb::ListMatchesRequest { tournament_id: cup, ..of_two_bots };
    assert!(!list(cup_request).await.unwrap().contains(&exhibition));

    for (request, field) in [
        (pb::ListMatchesRequest { state: 9, ..any_match() }, "state"),
        (pb::ListMatchesRequest { reason: 5, ..any_match() }, "reason"),
        (pb::ListMatchesRequest { bots: bots(&["one", "No One"]), ..any_match() }, "bots[1]"),
        (pb::ListMatchesRequest { bots: bots(&["one"; 33]), ..any_match() }, "bots"),
        (pb::ListMatchesRequest { state: state(pb::MatchState::Open), reason: 1, ..any_match() }, "reason"),
    ] {
        assert_eq!(fields(&list(request).await.unwrap_err()), [field]);
    }
}

#[tokio::test]
async fn tournaments_are_listed_by_their_state() {
    let host = Host::start().await;
    host.register_all(["one", "two", "three"]).await;
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.push(host.create_tournament(round_robin(&[&[9]]), &["one", "two", "three"]).await);
        if number % 3 == 1 {
            host.start_tournament(&ids[number]).await;
        } else if number % 3 == 2 {
            let request = pb::CancelTournamentRequest { tournament_id: ids[number].clone() };
            host.tournaments().cancel_tournament(request).await.unwrap();
        }
    }
    let list = async |state: i32, page_token: String| {
        let request = pb::ListTournamentsRequest { page_size: 1, page_token, state };
        let page = host.tournaments().list_tournaments(request).await?.into_inner();
        let ids: Vec<String> = page.tournaments.into_iter().map(|listed| listed.id).collect();
        Ok::<_, tonic::Status>((ids, page.next_page_token))
    };
    for (first, state) in
        [pb::TournamentState::Open, pb::TournamentState::Running, pb::TournamentState::Cancelled]
            .into_iter()
            .enumerate()
    {
        let (newest, token) = list(state.into(), String::new()).await.unwrap();
        let (oldest, _) = list(state.into(), token).await.unwrap();
        let mut listed = [newest, oldest].concat();
        listed.sort();
        let mut expected = [ids[first].clone(), ids[first + 3].clone()];
        expected.sort();
        assert_eq!(listed, expected, "{state:?}");
    }
    let finished = list(pb::TournamentState::Finished.into(), String::new()).await.unwrap();
    assert_eq!(finished, (vec![], String::new()));
    assert_eq!(fields(&list(5, String::new()).await.unwrap_err()), ["state"]);
}

#[tokio::test]
async fn ended_tournaments_do_not_count_for_the_limit() {
    let limits = Limits { tournaments: 2, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let settings = || round_robin(&[&[1]]);
    let first = host.create_tournament(settings(), &[]).await;
    let second = host.create_tournament(settings(), &[]).await;
    let request = pb::CreateTournamentRequest { settings: Some(settings()), ..Default::default() };
    let refused = host.tournaments().create_tournament(request).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "FULL"));
    let cancel = pb::CancelTournamentRequest { tournament_id: second.clone() };
    host.tournaments().cancel_tournament(cancel).await.unwrap();
    let third = host.create_tournament(settings(), &[]).await;
    let list = host.tournaments().list_tournaments(pb::ListTournamentsRequest::default()).await.unwrap();
    let kept: BTreeSet<String> = list.into_inner().tournaments.into_iter().map(|one| one.id).collect();
    assert_eq!(kept, [first, second.clone(), third].into());
    let request = pb::GetStandingsRequest { tournament_id: second, cross_table: false };
    assert!(host.tournaments().get_standings(request).await.unwrap().into_inner().standings.is_empty());
}

#[tokio::test]
async fn health_and_reflection_need_no_token() {
    let host = Host::start().await;
    let services = ["Arena", "Bot", "Match", "Oracle", "Server", "Tournament", "Transcript"]
        .map(|name| format!("lastnim.v1.{name}Service"));
    let mut health = HealthClient::new(host.channel.clone());
    for service in services.iter().map(String::as_str).chain([""]) {
        let answer = health.check(HealthCheckRequest { service: service.into() }).await.unwrap();
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving, "{service:?}");
    }
    let unknown = health.check(HealthCheckRequest { service: "lastnim.v1.None".into() }).await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);

    let question = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut reflection = ServerReflectionClient::new(host.channel.clone());
    let answers = reflection.server_reflection_info(tokio_stream::iter([question])).await.unwrap();
    let answer = soon("an answer", answers.into_inner().message()).await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("{answer:?} is not a list")
    };
    let listed: BTreeSet<String> = list.service.into_iter().map(|service| service.name).collect();
    assert!(services.iter().all(|service| listed.contains(service)), "{listed:?}");
    assert!(listed.contains("grpc.health.v1.Health"));
}

#[tokio::test]
async fn names_are_unique_and_the_number_of_bots_is_limited() {
    let limits = Limits { bots: 1, ..Limits::default() };
    let host = Host::with(Config { limits, open_registration: true, ..Config::default() }).await;
    let mut anybody = BotServiceClient::new(host.channel.clone());
    let register = |name: &str| pb::RegisterBotRequest { name: name.into(), ..Default::default() };
    anybody.register_bot(register("taken")).await.unwrap();
    let taken = anybody.register_bot(register("taken")).await.unwrap_err();
    assert_eq!((taken.code(), reason(&taken).as_str()), (Code::AlreadyExists, "NAME_TAKEN"));
    let full = anybody.register_bot(register("other")).await.unwrap_err();
    assert_eq!((full.code(), reason(&full).as_str()), (Code::ResourceExhausted, "FULL"));
    for bad in ["", "Upper", "-dash", &"x".repeat(33), "sp ace", "../up"] {
        assert_eq!(fields(&anybody.register_bot(register(bad)).await.unwrap_err()), ["name"], "{bad:?}");
    }
}
