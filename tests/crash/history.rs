//! The logs of bots do not contradict the records, although bots and servers are killed.

use super::database::Database;
use super::server::{Server, TIMEOUT};
use super::stage::{Stage, long_exhibition, small_positions};
use lastnim_proto::pb::{CreateMatchRequest, TournamentSettings};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills of the server or of a bot.
const KILLS: u64 = 24;

/// A bot program that plays until its tournament is over, and logs its sessions.
struct BotProgram {
    kind: &'static str,
    token: String,
    process: Child,
}

impl BotProgram {
    fn start(kind: &'static str, token: &str, address: &str, tournament: &str, logs: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
        command.args(["bot", "run", kind, "--server", address, "--tournament", tournament]);
        command.arg("--session-log").arg(logs.join(format!("{kind}.jsonl")));
        command.env("LASTNIM_TOKEN", token).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { kind, token: token.to_owned(), process: command.spawn().unwrap() }
    }

    fn kill(&mut self) {
        // It may have ended already, if its tournament was over.
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }
}

impl Drop for BotProgram {
    fn drop(&mut self) {
        self.kill();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_agree_with_the_records_after_kills_of_bots_and_server() {
    let mut stage = Stage::new(Database::sqlite);
    let logs = stage.folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let mut server: Option<Server> = Some(stage.start.start().await);
    let kinds = ["timid", "random", "greedy"];
    let settings = small_positions("logs", &[&[2, 5, 6], &[12], &[3, 4, 5], &[1, 1, 8], &[40]], 10_000);
    let settings = TournamentSettings { start_when: kinds.len() as u32, ..settings };
    let id = stage.organiser.create_tournament(&settings).await;
    let address = stage.start.address();
    let mut bots = Vec::new();
    for kind in kinds {
        let token = stage.organiser.register(kind).await;
        bots.push(BotProgram::start(kind, &token, &address, &id, &logs));
    }
    // The matches last long, since no take is of more than two counters.
    let lasting = |bots| CreateMatchRequest { piles: vec![2; 400], ..long_exhibition(bots, 1) };
    let mut exhibitions = Vec::new();
    for bots in [["timid", "random"], ["greedy", "timid"]] {
        exhibitions.push(stage.organiser.create_match(&lasting(bots)).await);
    }
    for _ in 0..KILLS {
        let span = stage.span(120);
        tokio::time::sleep(span).await;
        match stage.draw.number_below(kinds.len() as u64 + 2) as usize {
            bot if bot < kinds.len() => {
                let BotProgram { kind, token, .. } = &bots[bot];
                let (kind, token) = (*kind, token.clone());
                bots[bot].kill();
                bots[bot] = BotProgram::start(kind, &token, &address, &id, &logs);
            }
            _ => {
                server.take().expect("a server runs").kill();
                server = Some(stage.start.start().await);
            }
        }
    }
    stage.organiser.tournament_over(&id).await;
    for exhibition in &exhibitions {
        stage.organiser.match_over(exhibition).await;
    }
    for bot in &mut bots {
        let began = Instant::now();
        while bot.process.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < TIMEOUT, "{} does not end", bot.kind);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    let mut check = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    check.args(["audit", "history"]).arg(&logs).args(["--server", &address, "--json"]);
    let checked = check.output().unwrap();
    let printed = String::from_utf8_lossy(&checked.stdout).into_owned();
    let verdict: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{checked:?}"));
    assert_eq!(verdict["contradictions"], Value::Array(Vec::new()), "{:#}", verdict["contradictions"]);
    assert!(checked.status.success(), "{checked:?}");
    assert_eq!(verdict["checked"], verdict["matches"]);
    assert!(verdict["checked"].as_u64().unwrap() > 15, "{printed}");
    println!("{}", verdict["logs"]);
    println!("doubts: {}", verdict["doubts"]);
}
