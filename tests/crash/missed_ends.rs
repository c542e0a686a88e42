//! Ends that were not announced before the server was killed reach every bot.

use super::database::Database;
use super::stage::{Stage, small_positions};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_bot_is_sent_every_end_although_the_server_is_killed() {
    const BOTS: [&str; 3] = ["anna", "bert", "cleo"];
    let mut stage = Stage::new(Database::sqlite);
    let mut server = stage.start.start().await;
    stage.invite(BOTS, Duration::ZERO).await;
    let positions: [&[u64]; 6] = [&[4, 5], &[12], &[1, 2, 6], &[3, 4], &[7], &[2, 2, 5]];
    let id = stage.begin(small_positions("killed", &positions, 60_000), &BOTS).await;
    for kill in 1..=4 {
        stage.until_ended(&id, 4 * kill).await;
        let pause = stage.span(20);
        tokio::time::sleep(pause).await;
        server.kill();
        server = stage.start.start().await;
    }
    stage.organiser.tournament_over(&id).await;
    // The next server sends this end to bots that missed it.
    server.kill();
    let server = stage.start.start().await;
    let matches = stage.organiser.matches(&id).await;
    assert_eq!(matches.len(), 18);
    let all_told = || {
        let told = stage.ledger.told();
        let was_sent_match_ends = |bot: &str| {
            matches.iter().all(|one| told.ends_sent_to.contains(&(bot.to_owned(), one.id.clone())))
        };
        let was_sent_tournament_end =
            |bot: &str| told.tournament_ends_sent_to.contains(&(bot.to_owned(), id.clone()));
        BOTS.iter().all(|bot| was_sent_match_ends(bot) && was_sent_tournament_end(bot))
    };
    stage.until("the ends of all matches and of the tournament", all_told).await;
    stage.judge(server, &id, &[]).await;
}
