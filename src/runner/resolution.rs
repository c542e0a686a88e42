//! What the matches of a tournament can resolve, in words and as JSON.

use lastnim_bots::{ERROR_PERCENTS, FirstPlaces, NeededSize, Resolution, ResolutionError};
use lastnim_report::opponent_scores::wilson_interval;
use serde_json::{Value, json};

/// Says how often the best bot of a typical field finishes first, and what it would take for 90%. The text is a
/// sentence without its subject, which is the best bot.
pub fn resolution_text(resolution: Result<Resolution, ResolutionError>) -> String {
    let Resolution { now, simulated_size, needed, unit } = match resolution {
        Ok(resolution) => resolution,
        Err(reason) => return format!("finishes first with an unknown probability: {reason}"),
    };
    let first = match now {
        None => "finishes first with a probability that depends on the length of the tournament".to_owned(),
        Some(now) => {
            let (chance, low, high) = percents(now);
            let part = simulated_size.map(|size| format!(" with only {size} {unit}")).unwrap_or_default();
            let tournaments = now.tournaments;
            format!(
                "finishes first in {chance:.0}% of {tournaments} simulated tournaments{part} ({low:.0} to {high:.0}%)"
            )
        }
    };
    let [_, least, ..] = ERROR_PERCENTS;
    let needed = match needed {
        NeededSize::Planned => String::new(),
        NeededSize::About(size) => format!("; to reach 90%, the tournament needs about {size} {unit}"),
        NeededSize::MoreThan(size) => format!("; to reach 90%, the tournament needs more than {size} {unit}"),
    };
    format!(
        "{first} if it never errs and the others err in at least {least}% of the turns in which they can{needed}"
    )
}

/// Returns the JSON of what the matches can resolve.
pub fn resolution_json(resolution: Result<Resolution, ResolutionError>) -> Value {
    let Resolution { now, simulated_size, needed, unit } = match resolution {
        Ok(resolution) => resolution,
        Err(reason) => return json!({ "unknown": reason.to_string() }),
    };
    let now = now.map(|now| {
        let (chance, low, high) = percents(now);
        json!({
            "chance": chance / 100.0,
            "low": low / 100.0,
            "high": high / 100.0,
            "tournaments": now.tournaments,
        })
    });
    let (enough, about, more_than) = match needed {
        NeededSize::Planned => (true, None, None),
        NeededSize::About(size) => (false, Some(size), None),
        NeededSize::MoreThan(size) => (false, None, Some(size)),
    };
    json!({
        "best_first": now,
        "error_percents": ERROR_PERCENTS,
        "simulated_size": simulated_size,
        "unit": unit.to_string(),
        "enough": enough,
        "needed": about,
        "needed_more_than": more_than,
    })
}

/// Returns the chance and its 95% interval, in percent.
fn percents(FirstPlaces { first, tournaments }: FirstPlaces) -> (f64, f64, f64) {
    let (low, high) = wilson_interval(first, tournaments).unwrap_or((0.0, 1.0));
    (100.0 * f64::from(first) / f64::from(tournaments), 100.0 * low, 100.0 * high)
}
