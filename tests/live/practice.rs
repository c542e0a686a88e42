//! House bots hosted by the server, and practice against them.

use super::{
    host::{Host, bearing, exhibition, round_robin, soon},
    session::{BotSession, reason},
};
use lastnim_arena::{Arena, Backend, Limits, Principal};
use lastnim_bots::HouseBot;
use lastnim_client::{Error, Options, Practice, practice, practice_until};
use lastnim_proto::pb::{self, match_service_client::MatchServiceClient};
use lastnim_server::{Config, ServeError, Shutdown, run_server};
use lastnim_store::{RetentionLimits, StoreError, StoreUrl, Token};
use std::{fs, future::pending, path::Path, process, time::Duration};
use tokio::{net::TcpListener, sync::oneshot};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

pub fn hosting(house: &[&str]) -> Config {
    Config { house: house.iter().map(|bot| bot.parse().unwrap()).collect(), ..Config::default() }
}

/// Asks for a match with a token.
async fn create(host: &Host, token: &str, request: pb::CreateMatchRequest) -> Result<String, Status> {
    let mut matches = MatchServiceClient::new(host.channel.clone());
    let created = soon("an answer", matches.create_match(bearing(token, request))).await?;
    Ok(created.into_inner().r#match.unwrap().id)
}

fn refusal(answer: Result<String, Status>) -> (Code, String, String) {
    let status = answer.unwrap_err();
    (status.code(), reason(&status), status.message().to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_practises_against_house_bots_and_nobody_else() {
    let host = Host::with(hosting(&["oracle", "easy=timid"])).await;
    let [alice, _] = host.register_all(["alice", "bob"]).await;
    let (line, _) = BotSession::open(&host, &alice).await;
    let playing = line.playing_timidly(2);
    for bots in [["alice", "oracle"], ["easy", "alice"]] {
        let id = create(&host, &alice, exhibition(bots, &[3, 4])).await.unwrap();
        let last = host.watched_to_its_end(&id).await.pop().unwrap();
        let audit = last.audit.expect("the match was finished");
        let house = usize::from(bots[0] == "alice");
        assert!(audit.seats[house].plies > 0, "{audit:?}");
        assert_eq!(host.get_match(&id).await.r#match.unwrap().setup.unwrap().tournament_id, "");
    }
    playing.await.unwrap();

    let others = [
        exhibition(["alice", "bob"], &[3]),
        exhibition(["bob", "oracle"], &[3]),
        exhibition(["oracle", "easy"], &[3]),
        exhibition(["alice", "timid"], &[3]),
        pb::CreateMatchRequest {
            bots: ["alice", "oracle", "bob"].map(str::to_owned).to_vec(),
            ..exhibition(["alice", "oracle"], &[3])
        },
    ];
    for request in others {
        let (code, reason, message) = refusal(create(&host, &alice, request).await);
        assert_eq!((code, reason.as_str()), (Code::PermissionDenied, "NOT_PRACTICE"));
        let expected = "alice may only start matches against house bots; this server hosts easy, oracle";
        assert_eq!(message, expected);
    }
    let viewers = create(&host, host.viewer.reveal(), exhibition(["alice", "oracle"], &[3])).await;
    assert_eq!(refusal(viewers).1, "WRONG_ROLE");
    // The admin may start any match.
    host.create_match(exhibition(["alice", "bob"], &[3])).await;
    let id = host.create_match(exhibition(["oracle", "easy"], &[3])).await;
    assert!(host.watched_to_its_end(&id).await.pop().unwrap().audit.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_practice_matches_are_limited() {
    let limits = Limits { practice_matches: 3, practice_matches_per_bot: 2, ..Limits::default() };
    let host = Host::with(Config { limits, ..hosting(&["oracle"]) }).await;
    let [one, two] = host.register_all(["one", "two"]).await;
    let exhibition_of = |bot| exhibition([bot, "oracle"], &[2]);
    let first = create(&host, &one, exhibition_of("one")).await.unwrap();
    create(&host, &one, exhibition_of("one")).await.unwrap();
    let full = refusal(create(&host, &one, exhibition_of("one")).await);
    assert_eq!((full.0, full.1.as_str()), (Code::ResourceExhausted, "FULL"));
    assert!(full.2.contains("the limit on open practice matches for this bot is reached (2)"), "{}", full.2);
    create(&host, &two, exhibition_of("two")).await.unwrap();
    let full = refusal(create(&host, &two, exhibition_of("two")).await);
    assert!(full.2.contains("the limit on open practice matches is reached (3)"), "{}", full.2);
    // The admin's exhibitions are not limited.
    host.create_match(exhibition(["one", "two"], &[2])).await;

    let (line, _) = BotSession::open(&host, &one).await;
    let playing = line.playing_timidly(2);
    host.watched_to_its_end(&first).await;
    playing.await.unwrap();
    host.until_bot("one", |bot| bot.open_matches == 1).await;
    for _ in 0..2 {
        create(&host, &one, exhibition_of("one")).await.unwrap();
    }
    assert_eq!(refusal(create(&host, &one, exhibition_of("one")).await).1, "FULL");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn practice_matches_per_minute_are_limited() {
    let limits = Limits { practice_per_minute: 1, ..Limits::default() };
    let host = Host::with(Config { limits, ..hosting(&["oracle"]) }).await;
    let [one, two] = host.register_all(["one", "two"]).await;
    create(&host, &one, exhibition(["one", "oracle"], &[2])).await.unwrap();
    let status = create(&host, &one, exhibition(["one", "oracle"], &[2])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "TOO_MUCH_PRACTICE"));
    let message = status.message();
    assert!(message.starts_with("one has started 1 practice match in a minute: try again in "), "{message}");
    let delay = status.get_details_retry_info().unwrap().retry_delay.unwrap();
    assert!(delay <= Duration::from_mins(1), "{delay:?}");
    create(&host, &two, exhibition(["two", "oracle"], &[2])).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn house_bots_belong_to_the_server() {
    let host = Host::with(hosting(&["oracle"])).await;
    assert_eq!(host.bot("oracle").await.house_bot, "oracle");
    host.until_bot("oracle", |bot| bot.connected).await;
    let name = || "oracle".to_owned();
    let taken = host
        .bots()
        .register_bot(pb::RegisterBotRequest { name: name(), ..Default::default() })
        .await
        .unwrap_err();
    assert_eq!((taken.code(), reason(&taken).as_str()), (Code::AlreadyExists, "NAME_TAKEN"));
    let kept = host.bots().rotate_token(pb::RotateTokenRequest { name: name() }).await.unwrap_err();
    assert_eq!((kept.code(), reason(&kept).as_str()), (Code::FailedPrecondition, "HOUSE_BOT"));
    let kept = host.bots().remove_bot(pb::RemoveBotRequest { name: name() }).await.unwrap_err();
    assert_eq!((kept.code(), reason(&kept).as_str()), (Code::FailedPrecondition, "HOUSE_BOT"));
    // It plays in tournaments like any other bot, if the admin enters it.
    let party = host.house_bots(&[HouseBot::Timid, HouseBot::Greedy], 1).await;
    let id = host.create_tournament(round_robin(&[&[3, 4]]), &["oracle", "timid", "greedy"]).await;
    host.start_tournament(&id).await;
    let ended = host.tournament_over(&id).await;
    let oracle = ended.standings.iter().find(|line| line.bot == "oracle").unwrap();
    assert_eq!((oracle.matches, oracle.forfeits, oracle.accuracy), (3, 0, Some(1.0)));
    party.dismiss().await;
}

/// A server on a store that outlasts it.
pub struct Served {
    pub address: String,
    pub admin: Token,
    stop: oneshot::Sender<()>,
    running: tokio::task::JoinHandle<Result<(), ServeError>>,
}

/// Returns the address of an empty store.
pub fn new_store(name: &str) -> StoreUrl {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("practice-{name}-{}", process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    StoreUrl::Sqlite(folder.join("lastnim.db"))
}

pub async fn serve(store: &StoreUrl, config: Config) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, admin) = (listener.local_addr().unwrap().to_string(), Token::generate());
    // The last tasks of the previous server release its store when they end.
    let opening = async {
        loop {
            match lastnim_store::open_store(store, RetentionLimits::default()).await {
                Err(StoreError::Taken(_)) => tokio::task::yield_now().await,
                opened => return opened.unwrap(),
            }
        }
    };
    let store = soon("the store", opening).await;
    let backend = Backend { store, ..Backend::in_memory() };
    let tokens = [(admin.clone(), Principal::Admin)];
    let arena = Arena::open(config.limits.clone(), backend, tokens).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = Box::pin(async {
        drop(stopped.await);
        Shutdown::Graceful
    });
    let running = tokio::spawn(run_server(listener.into(), arena, config, shutdown));
    Served { address, admin, stop, running }
}

impl Served {
    pub async fn stop(self) -> Result<(), ServeError> {
        drop(self.stop);
        soon("the end of the server", self.running).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn practice_continues_after_a_restart_and_names_stay_reserved() {
    let store = new_store("restart");
    let config = |house: &[&str]| Config { shutdown_grace: Duration::ZERO, ..hosting(house) };
    let first = serve(&store, config(&["oracle", "greedy"])).await;
    let host = Host::at(&first.address, &first.admin).await;
    let alice = host.register("alice").await;
    let id = create(&host, &alice, exhibition(["oracle", "alice"], &[3, 4])).await.unwrap();
    first.stop().await.unwrap();

    let second = serve(&store, config(&["oracle"])).await;
    let host = Host::at(&second.address, &second.admin).await;
    // The open match counts, and continues.
    let (line, welcome) = BotSession::open(&host, &alice).await;
    assert_eq!((welcome.bot.as_str(), welcome.open_matches), ("alice", 1));
    let playing = line.playing_timidly(1);
    let last = host.watched_to_its_end(&id).await.pop().unwrap();
    assert!(last.audit.unwrap().seats[0].plies > 0, "the house bot is back");
    playing.await.unwrap();
    // A house bot that is no longer hosted cannot play until the admin gives it a token.
    let bot = host.bot("greedy").await;
    assert!(!bot.connected && bot.house_bot.is_empty());
    assert_eq!(refusal(create(&host, &alice, exhibition(["alice", "greedy"], &[3])).await).1, "NOT_PRACTICE");
    let refused = host
        .bots()
        .register_bot(pb::RegisterBotRequest { name: "greedy".into(), ..Default::default() })
        .await;
    assert_eq!(reason(&refused.unwrap_err()), "NAME_TAKEN");
    let request = pb::RotateTokenRequest { name: "greedy".into() };
    let token = host.bots().rotate_token(request).await.unwrap().into_inner().token;
    BotSession::open(&host, &token).await;
    second.stop().await.unwrap();

    let why = serve(&store, config(&["greedy"])).await.running.await.unwrap().unwrap_err();
    let expected =
        "house bot greedy: the name is taken: choose another, for example --house my-greedy=greedy";
    assert_eq!(why.to_string(), expected);
    let why =
        serve(&StoreUrl::Memory, config(&["oracle", "oracle"])).await.running.await.unwrap().unwrap_err();
    assert!(why.to_string().starts_with("house bot oracle: the name is taken"), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_practice_match_is_finished_before_the_server_stops() {
    let store = StoreUrl::Memory;
    let served = serve(&store, hosting(&["oracle"])).await;
    let host = Host::at(&served.address, &served.admin).await;
    let alice = host.register("alice").await;
    let (mut line, _) = BotSession::open(&host, &alice).await;
    let id = create(&host, &alice, exhibition(["alice", "oracle"], &[9])).await.unwrap();
    let started = line.started().await;
    line.declare_standard(&started).await;
    let turn = line.turn().await;
    let stopping = tokio::spawn(served.stop());
    line.until(|event| matches!(event, pb::play_response::Event::Draining(_)).then_some(())).await;
    line.take(&turn, 1).await;
    let ended = line.play_timidly(1).await.pop().unwrap();
    assert_eq!((ended.match_id.as_str(), ended.reason()), (id.as_str(), pb::EndReason::Finished));
    assert!(ended.audit.unwrap().seats[1].plies > 0, "the house bot played on");
    stopping.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sdk_practises_in_one_line() {
    let host = Host::with(hosting(&["oracle", "easy=timid"])).await;
    let token = host.register("alice").await;
    let options = || Options::new(&host.address, &token);
    let summary = soon("practice", practice(HouseBot::Greedy.build_bot(0), options())).await.unwrap();
    assert_eq!((summary.matches, summary.forfeits), (6, 0));
    let plan = Practice::default().against(["easy"]).piles([2, 2]).rounds(2);
    let practising = practice_until(HouseBot::Oracle.build_bot(0), options(), plan, pending());
    let summary = soon("practice", practising).await.unwrap();
    assert_eq!((summary.matches, summary.accuracy()), (4, Some(1.0)));
    let list = pb::ListMatchesRequest { bots: vec!["alice".into()], ..Default::default() };
    let played = host.matches().list_matches(list).await.unwrap().into_inner().matches;
    let setups: Vec<_> = played.into_iter().map(|game| game.setup.unwrap()).collect();
    assert_eq!(setups[..4].iter().map(|setup| setup.piles.as_slice()).collect::<Vec<_>>(), [&[2, 2]; 4]);
    let tables: Vec<_> = setups[4..].iter().rev().map(|setup| setup.bots.join(" ")).collect();
    let expected = [
        "alice easy oracle",
        "oracle alice easy",
        "easy oracle alice",
        "alice oracle easy",
        "easy alice oracle",
        "oracle easy alice",
    ];
    assert_eq!(tables, expected);
    assert!(setups.iter().all(|setup| setup.assigned.is_none()), "rows are declared");

    let nobody = Practice::default().against(["bob"]);
    let refused = practice_until(HouseBot::Greedy.build_bot(0), options(), nobody, pending());
    let refused = soon("an answer", refused).await.unwrap_err().to_string();
    assert!(refused.starts_with("practice: alice may only start matches against house bots"), "{refused}");
    let bare = Host::start().await;
    let options = Options::new(&bare.address, bare.register("alice").await);
    let refused = soon("an answer", practice(HouseBot::Greedy.build_bot(0), options)).await.unwrap_err();
    assert!(matches!(refused, Error::NoHouseBots { .. }), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_for_practice_counts_once() {
    let limits = Limits { practice_per_minute: 1, practice_matches_per_bot: 1, ..Limits::default() };
    let host = Host::with(Config { limits, ..hosting(&["oracle"]) }).await;
    let [alice] = host.register_all(["alice"]).await;
    let request =
        |id: &str| pb::CreateMatchRequest { request_id: id.into(), ..exhibition(["alice", "oracle"], &[2]) };
    let (one, two) =
        tokio::join!(create(&host, &alice, request("again")), create(&host, &alice, request("again")));
    let id = one.unwrap();
    assert_eq!(two.unwrap(), id);
    assert_eq!(create(&host, &alice, request("again")).await.unwrap(), id);
    let (code, why, _) = refusal(create(&host, &alice, request("")).await);
    assert_eq!((code, why.as_str()), (Code::ResourceExhausted, "TOO_MUCH_PRACTICE"));
    let (code, _, message) = refusal(create(&host, &alice, request("a b")).await);
    assert_eq!(code, Code::InvalidArgument);
    let expected = "request_id: \"a b\": expected 1 to 64 visible ASCII characters";
    assert!(message.starts_with(expected), "{message}");
}
