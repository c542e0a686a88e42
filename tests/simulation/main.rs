//! The whole server in one thread from one seed: its clock, its network, its store and its bots are simulated, and all that can
//! go wrong with them does. docs/why/simulation.md says what is simulated, and how to replay a seed.

mod bounds;
mod disk;
mod history;
#[path = "../hostile_bot/mod.rs"]
mod hostile_bot;
mod network;
mod plan;
mod players;
mod run;
mod seeds;
mod shrink;
mod tally;
mod verdict;
mod world;

use disk::Defect;
use plan::{Fault, Plan, Trouble};
use run::{run_on_defective_disk, run_plan};
use seeds::{find_failure, report_failure, seconds_to_run, seed_to_replay};
use shrink::shrink_plan;
use std::time::Duration;

/// How long seeds are tried where nobody says how long.
const USUAL_TIME: Duration = Duration::from_secs(15);

/// Tries seeds for as long as `SIMULATION_SECONDS` says, or replays the one that `SIMULATION_SEED` names.
#[test]
fn whatever_goes_wrong_the_promises_hold() {
    if let Some(seed) = seed_to_replay() {
        let plan = Plan::draw(seed);
        println!("{plan}");
        let outcome = run_plan(&plan);
        println!("{:?}\ntrace {}", outcome.tally, outcome.trace);
        assert_eq!(outcome.violations, [], "seed {seed}");
        return;
    }
    let (tally, failure) = find_failure(seconds_to_run().unwrap_or(USUAL_TIME), run_plan);
    println!("{tally:#?}");
    if let Some(failure) = failure {
        panic!("{}", report_failure(&failure, run_plan));
    }
}

#[test]
#[ignore = "makes runs twice: .ci/simulation runs it"]
fn a_seed_can_be_had_again() {
    let fails = |fault: &Fault| matches!(fault.what, Trouble::LostReply | Trouble::StoreFails { .. });
    let failing = (4..).filter(|&seed| Plan::draw(seed).faults.iter().any(fails));
    for seed in (0..4).chain(failing.take(8)) {
        let plan = Plan::draw(seed);
        let (one, other) = (run_plan(&plan), run_plan(&plan));
        assert_eq!((one.trace, one.violations), (other.trace, other.violations), "{plan}");
    }
}

#[test]
fn a_disk_that_forgets_a_write_is_found_and_the_run_is_shrunk() {
    let on_bad_disk = |plan: &Plan| run_on_defective_disk(plan, Defect::Forgets(30));
    let (_, failure) = find_failure(Duration::from_mins(2), on_bad_disk);
    let failure = failure.expect("a write that is lost is found");
    let fails = |plan: &Plan| !on_bad_disk(plan).violations.is_empty();
    let least = shrink_plan(&failure.plan, fails);
    assert_eq!((least.faults.len(), least.setting.tournaments.len()), (0, 1), "{least}");
}

#[test]
fn a_store_that_takes_writes_of_its_old_owner_is_found() {
    let (_, failure) =
        find_failure(Duration::from_mins(4), |plan| run_on_defective_disk(plan, Defect::TakesFromAnyone));
    assert!(failure.is_some(), "two owners that both write are found");
}
