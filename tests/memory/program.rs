//! The program, whose allocator returns memory to the system.

use super::{
    ADMIN, ONE_AT_A_TIME, SESSIONS, open_and_close, register_all, running_server::RunningServer,
    until_at_most,
};
use std::fs;

/// Returns the resident memory of a server in bytes, without file mappings.
fn anonymous_memory(server: &RunningServer) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let figure = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
    figure.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_of_ended_sessions_is_returned_to_the_system() {
    const ROUNDS: usize = 2;
    let _alone = ONE_AT_A_TIME.lock().await;
    let program = RunningServer::start(ADMIN, |command| drop(command.env("LASTNIM_LOG", "off")));
    let memory = || anonymous_memory(&program);
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
