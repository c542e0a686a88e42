//! The checks, one file for each subject.

mod agreement;
mod ends;
mod forfeits;
mod order;
mod refusals;
mod rows;
mod setups;
mod snapshots;
mod takes;
mod times;
mod turns;

use super::{
    finding::{Finding, Findings},
    match_log::MatchLog,
    replayed_match::ReplayedMatch,
};
use lastnim_core::referee::Record;

/// Compares the logs of a match with its record, or with each other if the record is missing.
pub fn check_match(id: &str, log: &MatchLog<'_>, record: Option<&Record>) -> Vec<Finding> {
    let mut findings = Findings::new(id);
    order::check_order(log, &mut findings);
    let Some(record) = record else {
        agreement::check_agreement(log, &mut findings);
        return findings.into_sorted();
    };
    let replayed = ReplayedMatch::new(record);
    setups::check_setups(log, &replayed, &mut findings);
    rows::check_rows(log, &replayed, &mut findings);
    takes::check_takes(log, &replayed, &mut findings);
    turns::check_turns(log, &replayed, &mut findings);
    snapshots::check_snapshots(log, &replayed, &mut findings);
    refusals::check_refusals(log, &replayed, &mut findings);
    forfeits::check_forfeits(log, &replayed, &mut findings);
    ends::check_ends(log, &replayed, &mut findings);
    times::check_times(log, &replayed, &mut findings);
    findings.into_sorted()
}
