//! A server that is killed repeatedly, from its first start to the end of its tournament.

use super::database::Database;
use super::server::{Folder, Server, Start};
use super::stage::{Stage, long_exhibition, small_positions};
use lastnim_bots::HouseBot;
use lastnim_client::{Options, run_until};
use lastnim_proto::pb::TournamentSettings;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Kills during the tournament, spread evenly over its matches except for the last ones.
const KILLS: usize = 28;
/// The minimum number of kills while matches of the tournament are open.
const MIN_KILLS_IN_PLAY: usize = 20;
/// After every fifth kill, the server is killed twice more before it answers.
const KILLS_PER_DOUBLE_KILL: usize = 5;
/// After every fourth kill, the SDK bot is restarted, since its pauses double with each failed session.
const KILLS_PER_SDK_RESTART: usize = 4;
/// The kill after which the server stays down for longer than any bank.
const LONG_DOWNTIME_AT: usize = 9;
/// The bank of every seat in a match of the tournament.
const BANK_MS: u32 = 6_000;
/// The maximum thinking time of a witness.
const MAX_THINKING: Duration = Duration::from_millis(12);

/// Kills a server after a delay.
async fn kill_in(server: Server, span: Duration) {
    tokio::time::sleep(span).await;
    server.kill();
}

/// Starts the server and kills it before it answers, `times` times; then starts it and waits.
async fn start_again(stage: &mut Stage, times: usize) -> Server {
    for _ in 0..times {
        let span = stage.span(40);
        kill_in(stage.start.launch(), span).await;
    }
    stage.start.start().await
}

/// Runs an action, possibly interrupted by a kill.
async fn run_across_kill<T>(
    stage: &mut Stage,
    server: &mut Option<Server>,
    deed: impl Future<Output = T>,
) -> T {
    if stage.draw.number_below(2) == 0 {
        return deed.await;
    }
    let span = stage.span(12);
    let start: Start = stage.start.clone();
    let running = server.take().expect("a server runs");
    let (done, again) = tokio::join!(deed, async move {
        kill_in(running, span).await;
        start.start().await
    });
    *server = Some(again);
    done
}

/// Plays a tournament as an SDK bot, which is restarted when `restarts` changes.
fn sdk_bot(start: &Start, token: &str, tournament: &str, restarts: watch::Receiver<usize>) -> JoinHandle<()> {
    let options = Options::new(start.address(), token).tournament(tournament);
    tokio::spawn(async move {
        loop {
            let bot = HouseBot::Random.build_bot(5);
            let mut changed = restarts.clone();
            changed.mark_unchanged();
            let (ends, ended) = tokio::sync::oneshot::channel();
            let run = run_until(bot, options.clone(), async move {
                // After the last restart, it plays to the end.
                if changed.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
                let _ = ends.send(());
            });
            run.await.expect("the bot survives all kills");
            if ended.await.is_err() {
                return;
            }
        }
    })
}

async fn kills_lose_nothing(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    let server = start_again(&mut stage, 3).await;
    let mut server = Some(server);
    let organiser = stage.organiser.clone();
    let mut tokens = Vec::new();
    for name in ["anna", "bert", "cleo", "dora", "emil"] {
        tokens.push(run_across_kill(&mut stage, &mut server, organiser.register(name)).await);
    }
    let field = ["anna", "bert", "cleo", "dora"];
    let positions = [&[2, 5, 6][..], &[12], &[3, 4, 5], &[1, 1, 8], &[4, 7], &[10]].repeat(2);
    let settings = small_positions("kills", &positions, BANK_MS);
    let settings = TournamentSettings {
        start_when: field.len() as u32,
        alliance: lastnim_proto::pb::AllianceMode::Dealt.into(),
        ..settings
    };
    let id = run_across_kill(&mut stage, &mut server, organiser.create_tournament(&settings)).await;
    let request = long_exhibition(["anna", "emil"], 1_400);
    let exhibition = run_across_kill(&mut stage, &mut server, organiser.create_match(&request)).await;
    for name in field {
        run_across_kill(&mut stage, &mut server, organiser.join(&id, name)).await;
    }
    stage.witnesses.watch(&stage.start.address(), &id, &stage.ledger);
    for (name, token) in ["anna", "bert", "cleo"].into_iter().zip(&tokens) {
        stage.start_bot(name, token.clone(), MAX_THINKING);
    }
    stage.start_bot("emil", tokens[4].clone(), MAX_THINKING);
    let (restarts, restarted) = watch::channel(0);
    let sdk = sdk_bot(&stage.start, &tokens[3], &id, restarted);

    let total = organiser.tournament(&id).await.matches_total as usize;
    assert_eq!(total, 144);
    let (mut in_play, mut killed_again) = (0, 0);
    for kill in 0..KILLS {
        stage.until_ended(&id, total * kill / (KILLS + 3)).await;
        let span = stage.span(80);
        kill_in(server.take().expect("a server runs"), span).await;
        // Otherwise the next server starts on the unchanged database.
        let open = if kill % 2 == 0 { Some(stage.check_tables().await) } else { None };
        if kill == LONG_DOWNTIME_AT {
            tokio::time::sleep(Duration::from_millis(u64::from(BANK_MS) + 500)).await;
        }
        if kill % KILLS_PER_SDK_RESTART == 0 {
            restarts.send_replace(kill);
        }
        let times = if kill % KILLS_PER_DOUBLE_KILL == 0 { 2 } else { 0 };
        killed_again += times;
        let again = start_again(&mut stage, times).await;
        let resumed_matches = again.count_resumed_matches();
        if let Some(open) = open.filter(|_| times == 0) {
            assert_eq!(resumed_matches, open, "every open match is resumed");
        }
        // One of them is the exhibition.
        in_play += usize::from(resumed_matches > 1);
        server = Some(again);
    }
    assert!(in_play >= MIN_KILLS_IN_PLAY, "{in_play} kills while matches of the tournament were open");
    // The server is killed twice more, near the end of the tournament.
    for left in [2, 0] {
        stage.until_ended(&id, total - left).await;
        let span = stage.span(5);
        kill_in(server.take().expect("a server runs"), span).await;
        server = Some(start_again(&mut stage, 0).await);
    }
    println!(
        "{in_play} kills while matches of the tournament were open, {killed_again} before the server answered"
    );
    for name in ["anna", "bert", "cleo", "dora", "emil"] {
        assert_eq!(organiser.bot(name).await.name, name);
    }
    sdk.await.unwrap();
    stage.judge(server.expect("a server runs"), &id, &[exhibition]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_on_sqlite() {
    kills_lose_nothing(Database::sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_on_postgres() {
    if let Some(database) = Database::postgres() {
        kills_lose_nothing(|_| database).await;
    }
}
