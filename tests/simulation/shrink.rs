//! Shrinks a failing plan.

use super::plan::Plan;

/// Removes everything from a failing plan that it fails without: faults, tournaments, positions and bots. `fails`
/// executes a plan and returns whether it fails in the same way.
pub fn shrink_plan(plan: &Plan, mut fails: impl FnMut(&Plan) -> bool) -> Plan {
    let mut least = plan.clone();
    let mut chunk = least.faults.len().next_power_of_two();
    while chunk > 0 {
        let mut from = 0;
        while from < least.faults.len() {
            let mut fewer = least.clone();
            fewer.faults.drain(from..(from + chunk).min(least.faults.len()));
            if fails(&fewer) {
                least = fewer;
            } else {
                from += chunk;
            }
        }
        chunk /= 2;
    }
    while least.setting.tournaments.len() > 1 {
        let mut fewer = least.clone();
        fewer.setting.tournaments.pop();
        if !fails(&fewer) {
            break;
        }
        least = fewer;
    }
    while least.setting.tournaments[0].positions > 1 {
        let mut fewer = least.clone();
        fewer.setting.tournaments[0].positions -= 1;
        if !fails(&fewer) {
            break;
        }
        least = fewer;
    }
    let most_seats = |plan: &Plan| plan.setting.tournaments.iter().map(|one| one.seats).max().unwrap_or(2);
    while least.setting.bots.len() > most_seats(&least).max(2) {
        let mut fewer = least.clone();
        fewer.setting.bots.pop();
        let left = fewer.setting.bots.len();
        fewer.faults.retain(|fault| fault.what.bot().is_none_or(|bot| bot < left));
        if !fails(&fewer) {
            break;
        }
        least = fewer;
    }
    least
}
