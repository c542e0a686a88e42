//! A server that stands still: stopped as a process, as one is that is moved to another machine or starved.

use super::database::Database;
use super::stage::{Stage, small_positions};
use super::verdict::sealed_record;
use lastnim_core::referee::Event;
use lastnim_proto::pb;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest that a bot thinks about a take.
const THINKS: Duration = Duration::from_millis(300);
/// Matches at once.
const CONCURRENCY: u32 = 64;

/// What the seats of all matches were charged.
struct Charges {
    /// The largest charge for one take, of each seat.
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

/// Stops a server for a while on which many matches are played with the default clock, and checks that all of them are
/// played to the end without a seat lost.
async fn stop_for(pause: Duration) -> Charges {
    let mut stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let names = ["anna", "bert", "cleo", "dora"];
    stage.invite(names, THINKS).await;
    let positions: [&[u64]; 8] = [&[2, 3], &[6], &[1, 2, 3], &[4, 2], &[3, 3], &[7], &[2, 2, 2], &[5, 1]];
    let settings = small_positions("paused", &positions, 0);
    let settings = pb::TournamentSettings { concurrency: CONCURRENCY, clock: None, ..settings };
    let id = stage.begin(settings, &names).await;
    stage.until_takes(150).await;
    let under_way = {
        let told = stage.ledger.told();
        told.started.len() - told.ends.len()
    };
    assert!(under_way >= CONCURRENCY as usize / 2, "{under_way} matches are stopped");
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
                let most: &mut Duration = largest.entry((played.id.clone(), seat.index())).or_default();
                *most = charged.max(*most);
            }
        }
    }
    let mut largest: Vec<_> = largest.into_values().collect();
    largest.sort_unstable();
    let charges = Charges { largest };
    println!(
        "{under_way} matches were stopped for {pause:?}: {forfeited} seats lost, the largest charge is {:?}, the median {:?}",
        charges.largest(),
        charges.median()
    );
    assert_eq!(forfeited, 0, "seats were lost");
    stage.start.until_said("the server did not run for a while", 1).await;
    stage.judge(server, &id, &[]).await;
    charges
}

/// For longer than a seat has for the whole match, and than a connection may be silent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_stop_costs_nobody_a_seat() {
    let pause = Duration::from_secs(12);
    let charges = stop_for(pause).await;
    assert!(charges.largest() < pause / 2, "{:?} is charged for one take", charges.largest());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_is_not_charged_to_the_bots() {
    let pause = Duration::from_secs(3);
    let charges = stop_for(pause).await;
    assert!(charges.median() < pause / 2, "{:?} is the median of the largest charges", charges.median());
}
