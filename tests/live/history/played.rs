//! Three matches, logged by all bots: one with a strike and a reconnect, one with an invalid row and a resignation, and
//! one lost on time.

use super::logged_session::{LoggedSession, TestLog};
use crate::host::{Host, exhibition, patient_clock, soon};
use lastnim_bots::HouseBot;
use lastnim_client::{Options, run_until};
use lastnim_core::referee::Record;
use lastnim_history::{Finding, MatchLog, SessionLogs, check_match};
use lastnim_proto::{
    pb::{self, play_request::Action, play_response::Event},
    record::verify_record,
};
use std::{
    collections::BTreeMap,
    env, fs,
    path::PathBuf,
    process,
    sync::atomic::{AtomicU32, Ordering},
};
use tokio::sync::watch;

/// The logs of alice, bob and carol as lines, and the records of their matches.
#[derive(Clone)]
pub struct Played {
    pub logs: [Vec<String>; 3],
    pub records: BTreeMap<String, Record>,
    /// In the order of play.
    pub ids: [String; 3],
}

/// What carol does in a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conduct {
    /// She errs, and loses her stream at her second turn.
    ErrAndReturn,
    /// She declares an invalid row, and resigns at her first turn.
    Resign,
    /// She does not answer.
    Sleep,
}

pub async fn play_logged() -> Played {
    let host = Host::start().await;
    let tokens = host.register_all(["alice", "bob", "carol"]).await;
    let folder = Folder::new();
    let dismissed = watch::Sender::new(false);
    let mut playing = Vec::new();
    for (name, token, bot) in [("alice", &tokens[0], HouseBot::Greedy), ("bob", &tokens[1], HouseBot::Timid)]
    {
        let options = Options::new(&host.address, token).session_log(folder.0.join(name));
        let mut dismissal = dismissed.subscribe();
        playing.push(tokio::spawn(run_until(bot.build_bot(7), options, async move {
            let _ = dismissal.wait_for(|&dismissed| dismissed).await;
        })));
    }
    let mut log = TestLog::new();
    let mut ids = Vec::new();
    for conduct in [Conduct::ErrAndReturn, Conduct::Resign, Conduct::Sleep] {
        let initial_ms = if conduct == Conduct::Sleep { 5_000 } else { 60_000 };
        let clock = pb::Clock { initial_ms, increment_ms: 0, ..patient_clock() };
        let request = exhibition(["alice", "bob", "carol"], &[3, 4, 5]);
        for bot in ["alice", "bob"] {
            host.until_bot(bot, |bot| bot.connected).await;
        }
        let request = pb::CreateMatchRequest { clock: Some(clock), ..request };
        ids.push(play_as_carol(&host, &tokens[2], &mut log, conduct, request).await);
    }
    // Stopped bots have received everything sent before.
    for bot in ["alice", "bob"] {
        host.until_bot(bot, |bot| bot.open_matches == 0).await;
    }
    dismissed.send_replace(true);
    for bot in playing {
        soon("the end of a bot", bot).await.unwrap().unwrap();
    }
    let mut records = BTreeMap::new();
    for id in &ids {
        records.insert(id.clone(), verify_record(&host.record(id).await).unwrap().into_record());
    }
    let lines = |name: &str| {
        let text = fs::read_to_string(folder.0.join(name)).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let carol = log.lines.iter().map(lastnim_proto::session_log::SessionLogLine::write).collect();
    Played { logs: [lines("alice"), lines("bob"), carol], records, ids: ids.try_into().unwrap() }
}

async fn play_as_carol(
    host: &Host,
    token: &str,
    log: &mut TestLog,
    conduct: Conduct,
    request: pb::CreateMatchRequest,
) -> String {
    let mut line = LoggedSession::open(host, token, log).await;
    let id = host.create_match(request).await;
    let mut turns = 0;
    loop {
        match line.event().await {
            Event::MatchStarted(started) => {
                let offsets = if conduct == Conduct::Resign { vec![1, 1, 0] } else { vec![1, 0, 2] };
                let (match_id, row) = (started.match_id, Some(pb::Row { offsets }));
                line.send(Action::Declare(pb::Declare { match_id, row, note_hash: Vec::new() })).await;
            }
            Event::Turn(turn) => {
                turns += 1;
                match conduct {
                    Conduct::Sleep => {}
                    Conduct::Resign => {
                        line.send(Action::Resign(pb::Resign { match_id: turn.match_id })).await;
                    }
                    Conduct::ErrAndReturn if turns == 1 => line.take(&turn, 0).await,
                    Conduct::ErrAndReturn if turns == 3 => {
                        drop(line);
                        line = LoggedSession::open(host, token, log).await;
                    }
                    Conduct::ErrAndReturn => line.take(&turn, 1).await,
                }
            }
            Event::Snapshot(snapshot) => {
                if let Some(turn) = &snapshot.turn {
                    line.take(turn, 1).await;
                }
            }
            Event::MatchEnded(_) => return id,
            _ => {}
        }
    }
}

impl Played {
    /// Checks all matches against their records.
    pub fn check(&self) -> Vec<Finding> {
        self.check_logs(&self.records)
    }

    /// Checks all matches without their records.
    pub fn check_without_records(&self) -> Vec<Finding> {
        self.check_logs(&BTreeMap::new())
    }

    fn check_logs(&self, records: &BTreeMap<String, Record>) -> Vec<Finding> {
        let mut logs = SessionLogs::default();
        for lines in &self.logs {
            let log = logs.begin_log();
            for line in lines {
                logs.add_line(log, line).unwrap();
            }
            logs.finish_log(log).unwrap();
        }
        let check = |(id, log): (&str, MatchLog<'_>)| check_match(id, &log, records.get(id));
        logs.matches().into_iter().flat_map(check).collect()
    }
}

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("lastnim-history-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
