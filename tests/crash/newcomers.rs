//! Bots that join and leave a ladder while its server is killed repeatedly.

use super::database::Database;
use super::server::{Folder, Server, TIMEOUT};
use super::stage::{Stage, small_positions};
use lastnim_proto::pb::{self, FieldMovement, tournament_settings::Format};
use std::time::{Duration, Instant};

/// Duplicate groups of the ladder, which continues long after the last bot has left.
const GROUPS: u64 = 80;
/// Kills in its first half.
const KILLS: usize = 14;
/// The bots that join and leave, and the kill at which each request is sent.
const MOVES: [(usize, &str, FieldMovement); 6] = [
    (1, "emil", FieldMovement::Enters),
    (3, "bert", FieldMovement::Leaves),
    (5, "fritz", FieldMovement::Enters),
    (6, "anna", FieldMovement::Leaves),
    (8, "bert", FieldMovement::Enters),
    (11, "emil", FieldMovement::Leaves),
];
const MAX_THINKING: Duration = Duration::from_millis(8);

fn ladder(title: &str, seats: u32, groups: u64) -> pb::TournamentSettings {
    let format = Format::Ladder(pb::LadderFormat { groups, ..pb::LadderFormat::default() });
    let settings = small_positions(title, &[&[2, 5, 3], &[7], &[3, 4], &[1, 8]], 20_000);
    pb::TournamentSettings { seats, format: Some(format), ..settings }
}

/// Kills a server after a delay, and starts it again.
async fn kill_and_restart(stage: &mut Stage, server: Server, max_ms: u64) -> Server {
    let span = stage.span(max_ms);
    tokio::time::sleep(span).await;
    server.kill();
    stage.start.start().await
}

/// Asks that a bot joins or leaves while the server is killed, and repeats it until it is answered.
async fn move_during_kill(
    stage: &mut Stage,
    server: Server,
    id: &str,
    bot: &str,
    movement: FieldMovement,
) -> Server {
    let (organiser, id, bot) = (stage.organiser.clone(), id.to_owned(), bot.to_owned());
    let asking = tokio::spawn(async move {
        match movement {
            FieldMovement::Leaves => organiser.leave(&id, &bot).await,
            _ => organiser.join(&id, &bot).await,
        }
    });
    let server = kill_and_restart(stage, server, 12).await;
    asking.await.unwrap();
    server
}

async fn newcomers_are_not_lost(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    let mut server = stage.start.start().await;
    stage.invite(["anna", "bert", "cleo", "dora", "emil", "fritz"], MAX_THINKING).await;
    let id = stage.begin(ladder("newcomers", 3, GROUPS), &["anna", "bert", "cleo", "dora"]).await;
    let total = stage.organiser.tournament(&id).await.matches_total as usize;
    assert_eq!(total, GROUPS as usize * 3);
    let mut moves = MOVES.into_iter().peekable();
    for kill in 0..KILLS {
        stage.until_ended(&id, total / 2 * kill / (KILLS + 2)).await;
        server = match moves.next_if(|&(at, ..)| at == kill) {
            Some((_, bot, movement)) => move_during_kill(&mut stage, server, &id, bot, movement).await,
            None => kill_and_restart(&mut stage, server, 40).await,
        };
    }
    let ended = stage.organiser.tournament_over(&id).await;
    assert_eq!(ended.field, ["cleo", "dora", "fritz", "bert"]);
    let history = stage.organiser.field_history(&id).await.unwrap();
    let seen: Vec<_> =
        history.changes.iter().map(|change| (change.bot.as_str(), change.movement())).collect();
    assert_eq!(seen, MOVES.map(|(_, bot, movement)| (bot, movement)), "each change is made once");
    let standings = stage.organiser.standings(&id).await;
    assert_eq!(standings.len(), 6);
    assert!(standings.iter().all(|line| line.matches > 0), "{standings:?}");
    stage.judge(server, &id, &[]).await;
}

async fn a_ladder_keeps_waiting_for_bots_after_kills(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    let mut server = stage.start.start().await;
    stage.invite(["anna", "bert"], MAX_THINKING).await;
    let id = stage.begin(ladder("waiting", 2, 100), &["anna", "bert"]).await;
    for movement in [FieldMovement::Leaves, FieldMovement::Enters, FieldMovement::Leaves] {
        server = move_during_kill(&mut stage, server, &id, "bert", movement).await;
    }
    for _ in 0..2 {
        let began = Instant::now();
        while !stage.organiser.tournament(&id).await.awaits_bots {
            assert!(began.elapsed() < TIMEOUT, "it does not wait");
        }
        server = kill_and_restart(&mut stage, server, 5).await;
    }
    server = move_during_kill(&mut stage, server, &id, "bert", FieldMovement::Enters).await;
    stage.judge(server, &id, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newcomers_are_not_lost_on_sqlite() {
    newcomers_are_not_lost(Database::sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newcomers_are_not_lost_on_postgres() {
    if let Some(database) = Database::postgres() {
        newcomers_are_not_lost(|_| database).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ladder_keeps_waiting_for_bots_after_kills_on_sqlite() {
    a_ladder_keeps_waiting_for_bots_after_kills(Database::sqlite).await;
}
