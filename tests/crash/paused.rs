//! A server process that is stopped for a while, as if it were migrated or starved of CPU.

use super::database::Database;
use super::stage::{Stage, small_positions};
use super::verdict::sealed_record;
use lastnim_core::referee::Event;
use lastnim_proto::pb;
use std::collections::BTreeMap;
use std::time::Duration;

/// The maximum thinking time of a bot.
const MAX_THINKING: Duration = Duration::from_millis(300);
/// Concurrent matches.
const CONCURRENCY: u32 = 64;

/// The charges of all seats.
struct Charges {
    /// The largest charge of each seat for one take, in ascending order.
    largest: Vec<Duration>,
}

impl Charges {
    fn largest(&self) -> Duration {
        self.largest[self.largest.len() - 1]
    }

    fn median(&self) -> Duration {
        self.largest[self.largest.len() / 2]
    }
}

/// Stops a server that runs many matches with the default clock, and checks that all of them finish without a lost
/// seat.
async fn stop_for(pause: Duration) -> Charges {
    let mut stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let names = ["anna", "bert", "cleo", "dora"];
    stage.invite(names, MAX_THINKING).await;
    let positions: [&[u64]; 8] = [&[2, 3], &[6], &[1, 2, 3], &[4, 2], &[3, 3], &[7], &[2, 2, 2], &[5, 1]];
    let settings = small_positions("paused", &positions, 0);
    let settings = pb::TournamentSettings { concurrency: CONCURRENCY, clock: None, ..settings };
    let id = stage.begin(settings, &names).await;
    stage.until_takes(150).await;
    let open_matches = {
        let told = stage.ledger.told();
        told.started.len() - told.ends.len()
    };
    assert!(open_matches >= CONCURRENCY as usize / 2, "{open_matches} matches are stopped");
    server.signal("STOP");
    tokio::time::sleep(pause).await;
    server.signal("CONT");

    stage.organiser.tournament_over(&id).await;
    let forfeited = stage.ledger.told().forfeited.len();
    let signer = stage.organiser.public_key().await;
    let mut largest = BTreeMap::new();
    for played in stage.organiser.matches(&id).await {
        for timed in sealed_record(&stage.organiser, &played.id, signer).await.events() {
            if let Event::Took { seat, charged, .. } = timed.event {
                let largest_charge: &mut Duration =
                    largest.entry((played.id.clone(), seat.index())).or_default();
                *largest_charge = charged.max(*largest_charge);
            }
        }
    }
    let mut largest: Vec<_> = largest.into_values().collect();
    largest.sort_unstable();
    let charges = Charges { largest };
    println!(
        "{open_matches} matches were stopped for {pause:?}: {forfeited} seats lost, the largest charge is {:?}, the median {:?}",
        charges.largest(),
        charges.median()
    );
    assert_eq!(forfeited, 0, "seats were lost");
    stage.start.wait_for_log("the server was stalled", 1).await;
    stage.judge(server, &id, &[]).await;
    charges
}

/// The pause is longer than the bank of a seat, and than the keepalive timeout of a connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_pause_of_the_server_costs_no_seat() {
    stop_for(Duration::from_secs(12)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_of_the_server_is_not_charged_to_the_bots() {
    let pause = Duration::from_secs(6);
    let charges = stop_for(pause).await;
    assert!(charges.median() < pause / 2, "{:?} is the median of the largest charges", charges.median());
}
