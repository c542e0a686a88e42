//! The program, whose allocator returns memory to the system.

use super::{ADMIN, ONE_AT_A_TIME, SESSIONS, open_and_close, register_all, until_at_most};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A running server.
struct Program {
    process: Child,
    address: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Program {
    fn serve() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_lastnim"))
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--store", "memory"])
            .env("LASTNIM_ADMIN_TOKEN", ADMIN)
            .env_remove("LASTNIM_VIEWER_TOKEN")
            .env("LASTNIM_LOG", "off")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let opening: serde_json::Value = serde_json::from_str(&line).unwrap();
        let address = opening["listening"].as_str().expect("an address").to_owned();
        Self { process, address }
    }

    /// Returns its resident memory in bytes, without file mappings.
    fn anonymous_memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let figure = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
        figure.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_of_ended_sessions_is_returned_to_the_system() {
    const ROUNDS: usize = 2;
    let _alone = ONE_AT_A_TIME.lock().await;
    let program = Program::serve();
    let memory = || program.anonymous_memory();
    let tokens = register_all(&program.address).await;
    let before = memory();
    println!("{} KiB before", before >> 10);
    let mut stay_at_most = None;
    for round in 1..=ROUNDS {
        let open = open_and_close(&program.address, &tokens, memory).await;
        let max = *stay_at_most.get_or_insert(before + open.saturating_sub(before) / 2);
        until_at_most(max, &format!("after round {round}"), memory).await;
        println!("round {round}: {} KiB with {SESSIONS} sessions, {} after", open >> 10, memory() >> 10);
    }
}
