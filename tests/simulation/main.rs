//! Simulates the whole server in one thread from one seed, with its clock, network, store and bots, and all their
//! failures. docs/why/simulation.md explains it, and how to replay a seed.

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
mod setup;
mod shrink;
mod talk;
mod tally;
mod verdict;
mod watched;
mod world;

use disk::Defect;
use plan::{Fault, FaultKind, Plan};
use run::{run_on_defective_disk, run_plan};
use seeds::{SearchLimit, find_failure, report_failure, seconds_to_run, seed_to_replay};
use shrink::shrink_plan;
use std::time::Duration;

/// How long seeds are tried by default; `.ci/simulation` tries them for longer.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// Many more seeds than it takes to find a defect.
const SEEDS_FOR_DEFECT: SearchLimit = SearchLimit::Seeds(200);

/// Tries seeds for `SIMULATION_SECONDS`, or replays `SIMULATION_SEED`.
#[test]
fn the_promises_hold_under_all_faults() {
    if let Some(seed) = seed_to_replay() {
        let plan = Plan::draw(seed);
        println!("{plan}");
        let outcome = run_plan(&plan);
        println!("{:?}\ntrace {}", outcome.tally, outcome.trace);
        assert_eq!(outcome.violations, [], "seed {seed}");
        return;
    }
    let (tally, failure) =
        find_failure(SearchLimit::Time(seconds_to_run().unwrap_or(DEFAULT_TIME)), run_plan);
    println!("{tally:#?}");
    if let Some(failure) = failure {
        panic!("{}", report_failure(&failure, run_plan));
    }
}

#[test]
#[ignore = "runs everything twice: .ci/simulation runs it"]
fn a_seed_is_reproducible() {
    let fails = |fault: &Fault| matches!(fault.what, FaultKind::LostReply | FaultKind::StoreFails { .. });
    let failing = (4..).filter(|&seed| Plan::draw(seed).faults.iter().any(fails));
    for seed in (0..4).chain(failing.take(8)) {
        let plan = Plan::draw(seed);
        let (one, other) = (run_plan(&plan), run_plan(&plan));
        assert_eq!((one.trace, one.violations), (other.trace, other.violations), "{plan}");
    }
}

#[test]
fn a_lost_write_is_found_and_the_run_is_shrunk() {
    let run_on_bad_disk = |plan: &Plan| run_on_defective_disk(plan, Defect::Forgets(30));
    let (_, failure) = find_failure(SEEDS_FOR_DEFECT, run_on_bad_disk);
    let failure = failure.expect("the lost write is found");
    let fails = |plan: &Plan| !run_on_bad_disk(plan).violations.is_empty();
    let least = shrink_plan(&failure.plan, fails);
    assert_eq!((least.faults.len(), least.setting.tournaments.len()), (0, 1), "{least}");
}

#[test]
fn writes_accepted_from_an_old_owner_are_found() {
    let (_, failure) =
        find_failure(SEEDS_FOR_DEFECT, |plan| run_on_defective_disk(plan, Defect::TakesFromAnyone));
    assert!(failure.is_some(), "two writing owners are found");
}
