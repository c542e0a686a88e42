//! Which callers may call which methods.

use super::{
    host::{Host, bearing, exhibition, round_robin, soon},
    session::{BotSession, reason, take},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb::{
    self, arena_service_client::ArenaServiceClient, bot_service_client::BotServiceClient,
    entry_service_client::EntryServiceClient, match_service_client::MatchServiceClient,
    oracle_service_client::OracleServiceClient, tournament_service_client::TournamentServiceClient,
};
use lastnim_server::Config;
use std::{
    io,
    sync::{Arc, Mutex},
};
use tonic::{Code, Request, transport::Channel};
use tracing_subscriber::{Layer as _, filter::dynamic_filter_fn, prelude::*};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Nobody,
    Stranger,
    Viewer,
    Bot,
    Admin,
}

const CALLERS: [Caller; 5] = [Caller::Nobody, Caller::Stranger, Caller::Viewer, Caller::Bot, Caller::Admin];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Admin,
    Bot,
    /// A bot for itself, or the admin.
    OnBehalf,
    /// Anyone with a token.
    Known,
    Anybody,
}

/// Calls most methods, with almost empty messages, and returns the code of each answer.
async fn codes(channel: &Channel, token: Option<&str>) -> Vec<(&'static str, Allowed, Code)> {
    fn with<T>(token: Option<&str>, message: T) -> Request<T> {
        match token {
            None => Request::new(message),
            Some(token) => bearing(token, message),
        }
    }
    let code = |error: Option<tonic::Status>| error.map_or(Code::Ok, |status| status.code());
    let mut arena = ArenaServiceClient::new(channel.clone());
    let mut bots = BotServiceClient::new(channel.clone());
    let mut entries = EntryServiceClient::new(channel.clone());
    let mut matches = MatchServiceClient::new(channel.clone());
    let mut tournaments = TournamentServiceClient::new(channel.clone());
    let mut oracle = OracleServiceClient::new(channel.clone());
    let mut seen = Vec::new();
    macro_rules! call {
        ($client:ident.$rpc:ident($message:expr), $allowed:ident) => {
            let answer = soon(stringify!($rpc), $client.$rpc(with(token, $message))).await;
            seen.push((stringify!($rpc), Allowed::$allowed, code(answer.err())));
        };
    }
    call!(arena.play(tokio_stream::empty::<pb::PlayRequest>()), Bot);
    call!(bots.register_bot(pb::RegisterBotRequest::default()), Admin);
    call!(entries.create_entry_code(pb::CreateEntryCodeRequest::default()), Admin);
    call!(entries.revoke_entry_code(pb::RevokeEntryCodeRequest::default()), Admin);
    call!(entries.register_entrant(pb::RegisterEntrantRequest::default()), Anybody);
    call!(bots.rotate_token(pb::RotateTokenRequest { name: "other".into() }), Admin);
    call!(bots.rotate_token(pb::RotateTokenRequest { name: "nobody".into() }), Admin);
    call!(bots.remove_bot(pb::RemoveBotRequest { name: "nobody".into() }), Admin);
    call!(bots.get_bot(pb::GetBotRequest::default()), Known);
    call!(bots.get_caller(pb::GetCallerRequest {}), Known);
    call!(bots.list_bots(pb::ListBotsRequest::default()), Known);
    call!(bots.list_lost_seats(pb::ListLostSeatsRequest::default()), Known);
    call!(matches.create_match(pb::CreateMatchRequest::default()), OnBehalf);
    call!(matches.prune_records(pb::PruneRecordsRequest::default()), Admin);
    call!(matches.get_match(pb::GetMatchRequest::default()), Known);
    call!(matches.list_matches(pb::ListMatchesRequest::default()), Known);
    call!(matches.watch_match(pb::WatchMatchRequest::default()), Known);
    call!(matches.get_record(pb::GetRecordRequest::default()), Known);
    call!(tournaments.create_tournament(pb::CreateTournamentRequest::default()), Admin);
    call!(
        tournaments.join_tournament(pb::JoinTournamentRequest { bot: "other".into(), ..Default::default() }),
        Admin
    );
    call!(tournaments.join_tournament(pb::JoinTournamentRequest::default()), OnBehalf);
    call!(tournaments.start_tournament(pb::StartTournamentRequest::default()), Admin);
    call!(tournaments.cancel_tournament(pb::CancelTournamentRequest::default()), Admin);
    call!(tournaments.get_tournament(pb::GetTournamentRequest::default()), Known);
    call!(tournaments.get_tournament_activity(pb::GetTournamentActivityRequest::default()), Known);
    call!(tournaments.list_tournaments(pb::ListTournamentsRequest::default()), Known);
    call!(tournaments.get_standings(pb::GetStandingsRequest::default()), Known);
    call!(tournaments.get_manifest(pb::GetManifestRequest::default()), Known);
    call!(tournaments.watch_tournament(pb::WatchTournamentRequest::default()), Known);
    call!(oracle.solve(pb::SolveRequest::default()), Known);
    call!(oracle.audit(pb::AuditRequest::default()), Known);
    call!(oracle.build_tree(pb::BuildTreeRequest::default()), Known);
    call!(oracle.explain(pb::ExplainRequest::default()), Known);
    call!(oracle.assess_robustness(pb::AssessRobustnessRequest::default()), Known);
    call!(oracle.find_best_declaration(pb::FindBestDeclarationRequest::default()), Known);
    call!(oracle.check_truth(pb::CheckTruthRequest::default()), Known);
    call!(oracle.find_equilibria(pb::FindEquilibriaRequest::default()), Known);
    call!(oracle.rationalise(pb::RationaliseRequest::default()), Known);
    call!(oracle.solve_ruleset(pb::SolveRulesetRequest::default()), Known);
    call!(oracle.solve_variant(pb::SolveVariantRequest::default()), Known);
    call!(oracle.list_grundy_values(pb::ListGrundyValuesRequest::default()), Known);
    call!(oracle.audit_bot(pb::AuditBotRequest::default()), Known);
    call!(oracle.audit_records(tokio_stream::empty::<pb::AuditRecordsRequest>()), Known);
    call!(oracle.solve_batch(tokio_stream::empty::<pb::SolveBatchRequest>()), Known);
    call!(oracle.audit_batch(tokio_stream::empty::<pb::AuditBatchRequest>()), Known);
    seen
}

async fn check_roles(config: Config) {
    let (private, open_registration) = (config.private, config.open_registration);
    // The stranger sends a wrong token with every call.
    let host = Host::with(Config { failed_logins: 1_000, ..config }).await;
    let [bot, _] = host.register_all(["self", "other"]).await;
    for caller in CALLERS {
        let token = match caller {
            Caller::Nobody => None,
            Caller::Stranger => Some("lastnim_0000"),
            Caller::Viewer => Some(host.viewer.reveal()),
            Caller::Bot => Some(bot.as_str()),
            Caller::Admin => Some(host.admin.reveal()),
        };
        for (rpc, allowed, code) in codes(&host.channel, token).await {
            let allowed = match (allowed, rpc) {
                (Allowed::Known, _) if !private => Allowed::Anybody,
                (Allowed::Admin, "register_bot") if open_registration => Allowed::Anybody,
                _ => allowed,
            };
            let expected = match (caller, allowed) {
                (Caller::Stranger, _) => Some(Code::Unauthenticated),
                (_, Allowed::Anybody)
                | (Caller::Admin, Allowed::Admin | Allowed::OnBehalf | Allowed::Known)
                | (Caller::Bot, Allowed::Bot | Allowed::OnBehalf | Allowed::Known)
                | (Caller::Viewer, Allowed::Known) => None,
                (Caller::Nobody, _) => Some(Code::Unauthenticated),
                _ => Some(Code::PermissionDenied),
            };
            let refused = [Code::Unauthenticated, Code::PermissionDenied].contains(&code).then_some(code);
            assert_eq!(refused, expected, "{caller:?} calls {rpc}, which is for {allowed:?}: {code:?}");
        }
    }
}

#[tokio::test]
async fn roles_are_checked_on_a_private_server() {
    check_roles(Config { private: true, ..Config::default() }).await;
}

#[tokio::test]
async fn roles_are_checked_on_an_open_server() {
    check_roles(Config { open_registration: true, ..Config::default() }).await;
}

#[tokio::test]
async fn headers_without_a_token_are_refused() {
    let host = Host::start().await;
    let admin = host.admin.reveal();
    for header in ["", "Bearer", "Bearer ", admin, &format!("Basic {admin}"), &format!("Bearer {admin}x")] {
        let mut request =
            Request::new(pb::RegisterBotRequest { name: "sneaky".into(), ..Default::default() });
        request.metadata_mut().insert("authorization", header.parse().unwrap());
        let mut client = BotServiceClient::new(host.channel.clone());
        let refused = client.register_bot(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated, "{header:?}");
        assert!(!format!("{refused:?}").contains(admin), "refusals do not repeat tokens");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_cannot_act_for_the_seat_of_another_bot() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two", "thief"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut two, _) = BotSession::open(&host, &tokens[1]).await;
    let (mut thief, _) = BotSession::open(&host, &tokens[2]).await;
    let id = host.create_match(exhibition(["one", "two"], &[4])).await;
    let playing = one.playing_timidly(1);
    let started = two.started().await;
    two.declare_standard(&started).await;
    let turn = two.turn().await;
    thief.take(&turn, 1).await;
    let refused = thief.refused().await;
    assert_eq!((refused.reason(), refused.match_id.as_str()), (pb::RefusalReason::UnknownMatch, id.as_str()));
    // Nor can a bot with a seat move for another seat: a take counts for the seat of the session.
    two.send(take(&id, turn.ply + 1, 1)).await;
    assert_eq!(two.refused().await.reason(), pb::RefusalReason::FuturePly);
    two.take(&turn, 1).await;
    two.play_timidly(1).await;
    soon("the end of the match", playing).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_token_is_invalid_and_its_session_closed() {
    let host = Host::start().await;
    let old = host.register("changed").await;
    let (mut line, _) = BotSession::open(&host, &old).await;
    let request = pb::RotateTokenRequest { name: "changed".into() };
    let mut own = BotServiceClient::new(host.authorized(&old));
    let new = own.rotate_token(request.clone()).await.unwrap().into_inner().token;
    let end = line.end().await.status();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unauthenticated, "TOKEN_ROTATED"));
    assert_eq!(own.rotate_token(request).await.unwrap_err().code(), Code::Unauthenticated);
    let refused = BotSession::try_open_on(host.channel.clone(), &old).await.err().unwrap();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, "BAD_TOKEN"));
    let (_line, welcome) = BotSession::open(&host, &new).await;
    assert_eq!(welcome.bot, "changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replacing_a_token_closes_a_session_that_is_opening() {
    let host = Host::with(Config { failed_logins: 1_000, ..Config::default() }).await;
    let mut token = host.register("changing").await;
    for _ in 0..100 {
        let mut bots = host.bots();
        let rotating = bots.rotate_token(pb::RotateTokenRequest { name: "changing".into() });
        let (opened, rotated) = tokio::join!(BotSession::try_open_on(host.channel.clone(), &token), rotating);
        if let Ok(mut line) = opened {
            assert_eq!(line.end().await.status().code(), Code::Unauthenticated);
        }
        token = rotated.unwrap().into_inner().token;
    }
}

/// Collects log lines.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_token_is_logged_or_listed() {
    let log = Log::default();
    let writer = log.clone();
    let here = std::thread::current().id();
    // This test runs on one thread; other threads do not matter.
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .with_filter(dynamic_filter_fn(move |_, _| std::thread::current().id() == here));
    tracing_subscriber::registry().with(layer).init();
    let host = Host::start().await;
    let mut tokens = vec![host.admin.reveal().to_owned(), host.viewer.reveal().to_owned()];
    tokens.push("lastnim_a_token_that_nobody_knows".into());
    assert!(BotSession::try_open_on(host.channel.clone(), &tokens[2]).await.is_err());
    let token = host.register("secretive").await;
    let (mut line, _) = BotSession::open(&host, &token).await;
    tokens.push(token);
    let rotated = host.bots().rotate_token(pb::RotateTokenRequest { name: "secretive".into() }).await;
    tokens.push(rotated.unwrap().into_inner().token);
    line.end().await.status();
    let party = host.house_bots(&[HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle], 1).await;
    let id = host.create_tournament(round_robin(&[&[2]]), &["timid", "greedy", "oracle"]).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    party.dismiss().await;
    // A second tournament, which does not start.
    let open = host.create_tournament(round_robin(&[&[2]]), &[]).await;
    let mut entries = EntryServiceClient::new(host.authorized(&tokens[0]));
    let request = pb::CreateEntryCodeRequest { tournament_id: open.clone(), uses: 2 };
    let entry_code = entries.create_entry_code(request).await.unwrap().into_inner().entry_code;
    let request = |entry_code: &str| {
        let (tournament_id, name, entry_code) = (open.clone(), "entrant".into(), entry_code.into());
        pb::RegisterEntrantRequest { tournament_id, name, entry_code, ..Default::default() }
    };
    let entered = entries.register_entrant(request(&entry_code)).await.unwrap().into_inner();
    tokens.push(entered.token);
    entries.register_entrant(request(&entry_code)).await.expect_err("the name is taken");
    entries.register_entrant(request(&entry_code[1..])).await.expect_err("a character is missing");
    let opened = pb::GetTournamentRequest { tournament_id: open.clone() };
    let opened = host.tournaments().get_tournament(opened).await.unwrap().into_inner();
    assert_eq!(opened.entry_code_uses, 1);

    let listed = host.bots().list_bots(pb::ListBotsRequest::default()).await.unwrap().into_inner();
    assert_eq!(listed.bots.len(), 5);
    let shown = format!("{listed:?} {last:?} {opened:?} {:?}", host.matches_of(&id).await);
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("bot registered") && logged.contains("TRACE"), "the log was captured");
    // Part of the code was also sent without its first character.
    let part = &entry_code[1..];
    let codes = [part.to_owned(), part.replace('-', "")];
    let secrets = tokens.iter().map(|token| token.strip_prefix("lastnim_").unwrap());
    for secret in secrets.chain(codes.iter().map(String::as_str)) {
        assert!(!shown.contains(secret));
        let line = logged.lines().find(|line| line.contains(secret));
        assert_eq!(line.map(|line| line.replace(secret, "(the secret)")), None);
    }
}
