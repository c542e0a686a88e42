//! Two servers on PostgreSQL with a synchronous replica. Any one of the four processes is killed, again and again.

use super::postgres_server::PostgresServer;
use super::server::{Server, Start, TIMEOUT};
use super::stage::{Stage, long_exhibition, small_positions};
use super::standby::{SERVES, STANDS_BY, stand_by};
use std::env;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The environment variable with the number of kills: 4 by default, so that each process is killed once.
const ROUNDS: &str = "LASTNIM_FAILOVER_ROUNDS";
/// How often the positions of the tournament are repeated for each kill, so that it is not over before the last one.
const REPEATS_PER_KILL: usize = 2;
/// Standbys that the primary waits for at each commit.
const SYNCHRONOUS: &str = "pg_stat_replication WHERE sync_state = 'sync'";

#[derive(Debug, Clone, Copy)]
enum Victim {
    ActiveServer,
    StandbyServer,
    Primary,
    Replica,
}

/// The four processes; the primary is the stage's database.
struct Processes {
    active: Server,
    standby: Server,
    replica: PostgresServer,
    stage: Stage,
}

impl Processes {
    /// Kills a process. Its counterpart takes over, and a successor takes the place of the counterpart.
    async fn kill(self, victim: Victim) -> Self {
        let Self { active, standby, mut replica, mut stage } = self;
        let [killed, other] = match victim {
            Victim::ActiveServer => [active, standby],
            Victim::StandbyServer => [standby, active],
            Victim::Primary => {
                stage.postgres().kill();
                replica.kill();
                stage.postgres().fail_over(replica);
                let replica = add_replica(&mut stage).await;
                return Self { active, standby, replica, stage };
            }
            Victim::Replica => {
                replica.kill();
                replica.restart();
                return Self { active, standby, replica, stage };
            }
        };
        let (start, served) = (killed.start.clone(), other.start.log_text().matches(SERVES).count());
        let stood_by = start.log_text().matches(STANDS_BY).count();
        killed.kill();
        if matches!(victim, Victim::ActiveServer) {
            other.start.wait_for_log(SERVES, served + 1).await;
        }
        let successor = stand_by(&start, stood_by + 1).await;
        Self { active: other, standby: successor, replica, stage }
    }

    /// Waits until one server serves, and calls it the active one. After a slow failover of the database, either one may
    /// continue.
    async fn wait_until_one_serves(&mut self) {
        let began = Instant::now();
        while !is_ready(&self.active.start) {
            std::mem::swap(&mut self.active, &mut self.standby);
            assert!(began.elapsed() < TIMEOUT, "no server serves: {}", self.active.start.log_text());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Starts a replica of the primary, which waits for it at each commit from now on.
async fn add_replica(stage: &mut Stage) -> PostgresServer {
    let replica = stage.postgres().replica();
    stage.database.damage("ALTER SYSTEM SET synchronous_standby_names = '*'").await;
    stage.database.damage("SELECT pg_reload_conf()").await;
    let began = Instant::now();
    loop {
        let mut reader = stage.database.reader().await;
        let synchronous = reader.count(SYNCHRONOUS).await;
        reader.close().await;
        if synchronous > 0 {
            return replica;
        }
        assert!(began.elapsed() < TIMEOUT, "the replica does not follow");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns whether a server serves.
pub fn is_ready(start: &Start) -> bool {
    let Ok(mut stream) = TcpStream::connect(start.address()) else { return false };
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", start.address());
    let mut answer = String::new();
    let asked = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
    asked.is_ok() && answer.starts_with("HTTP/1.1 200")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_one_of_two_servers_and_two_databases_may_be_killed() {
    let Some((mut stage, second)) = Stage::for_pair() else { return };
    let rounds = env::var(ROUNDS).map_or(4, |rounds| rounds.parse::<usize>().expect(ROUNDS));
    let active = stage.start.start().await;
    let standby = stand_by(&second, 1).await;
    let replica = add_replica(&mut stage).await;
    let names = ["anna", "bert", "cleo", "dora"];
    stage.invite(names, Duration::from_millis(10)).await;
    let positions = [&[4, 5][..], &[1, 2, 6]].repeat(REPEATS_PER_KILL * rounds);
    let tournament = stage.begin(small_positions("four", &positions, 20_000), &names).await;
    let mut processes = Processes { active, standby, replica, stage };
    let (mut victims, mut exhibitions) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        if victims.is_empty() {
            use Victim::{ActiveServer, Primary, Replica, StandbyServer};
            victims.extend([ActiveServer, StandbyServer, Primary, Replica]);
        }
        let stage = &mut processes.stage;
        let drawn = stage.draw.number_below(victims.len() as u64);
        let victim = victims.swap_remove(drawn as usize);
        // A match that lasts longer than the failover.
        exhibitions.push(stage.organiser.create_match(&long_exhibition(["anna", "bert"], 400)).await);
        stage.until_takes(stage.ledger.take_count() + 10).await;
        let began = Instant::now();
        processes = processes.kill(victim).await;
        processes.stage.until_takes(processes.stage.ledger.take_count() + 20).await;
        processes.wait_until_one_serves().await;
        let played = processes.stage.organiser.tournament(&tournament).await;
        let matches = format!("{} of {} matches", played.matches_played, played.matches_total);
        println!("round {round}: {victim:?}, {:.1?}, {matches}", began.elapsed());
    }
    let Processes { active, standby, replica, stage } = processes;
    for start in [&active.start, &standby.start] {
        let logged = start.log_text();
        assert!(!logged.contains("THE DATABASE LOST COMMITS"), "{logged}");
    }
    stage.organiser.tournament_over(&tournament).await;
    for id in &exhibitions {
        stage.organiser.match_over(id).await;
    }
    drop(standby);
    stage.judge(active, &tournament, &exhibitions).await;
    // Without it, commits would wait.
    drop(replica);
}
