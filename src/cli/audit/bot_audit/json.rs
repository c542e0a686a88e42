//! The JSON of an audit of many matches.

use super::intake::Read;
use crate::{
    auditing::{
        BotFindings, Estimate, Favour, Figures, Findings, GroupCount, Interval, MIN_GROUPS, PairFindings,
        Preference, Puzzle, REPLICATES, Rationalisable, RowSource, Scope, Slice, Untested,
    },
    game::{BotName, Row},
};
use serde_json::{Value, json};

/// Writes all that was found.
pub fn document(scope: &Scope, seed: u64, findings: &Findings, read: &Read) -> Value {
    let (groups, exact) = match findings.groups {
        GroupCount::Exactly(groups) => (groups, true),
        GroupCount::About(groups) => (groups, false),
    };
    json!({
        "bot": match scope {
            Scope::Bot(bot) => Some(bot.as_str()),
            Scope::Field => None,
        },
        "matches": findings.matches,
        "groups": groups,
        "groups_exact": exact,
        "records": read.json(),
        "seed": seed,
        "replicates": REPLICATES,
        "crowded_out": findings.crowded_out,
        "p_corrected_for": {
            "bot": match scope {
                Scope::Bot(bot) => Some(bot.as_str()),
                Scope::Field => None,
            },
            "pairs": findings.pairs.iter().filter(|pair| pair.untested().is_none()).count(),
        },
        "bots": findings.bots.iter().map(bot).collect::<Value>(),
        "pairs": findings.pairs.iter().map(|pair| json!({
            "mover": pair.mover.as_str(),
            "other": pair.other.as_str(),
            "matches": pair.matches,
            "cost": pair.cost,
            "gave": pair.gave,
            "ledger": pair.ledger(),
            "errors": pair.errors,
            "favour": favour(pair),
            "flagged": pair.favour.is_flagged(),
        })).collect::<Value>(),
    })
}

fn favour(pair: &PairFindings) -> Value {
    match pair.favour {
        Favour::Tested { per_error, p_value, p_corrected } => {
            json!({ "tested": true, "per_error": per_error, "p_value": p_value, "p_corrected": p_corrected })
        }
        Favour::TooFewGroups => json!({
            "tested": false,
            "reason": pair.untested().map(Untested::name),
            "usable_groups": pair.usable_groups,
            "needed_groups": MIN_GROUPS,
        }),
    }
}

fn bot(found: &BotFindings) -> Value {
    let mut bot = figures(&found.figures);
    bot["bot"] = found.bot.as_str().into();
    bot["preferences"] = found.preferences.iter().map(preference).collect();
    let examples = found.kingmaking.examples.iter().map(|ply| {
        json!({
            "match_id": ply.match_id.to_string(),
            "ply": ply.ply,
            "take": ply.take,
            "regret": ply.regret,
            "gainer": ply.gainer.as_str(),
            "gain": ply.gain,
        })
    });
    bot["kingmaking"] = json!({ "plies": found.kingmaking.plies, "examples": examples.collect::<Value>() });
    bot["puzzles"] = found.puzzles.iter().map(puzzle).collect();
    bot
}

fn figures(figures: &Figures) -> Value {
    json!({
        "matches": figures.matches,
        "plies": figures.plies,
        "optimal_plies": figures.optimal_plies,
        "regret": figures.regret,
        "wins": figures.wins,
        "forfeits": figures.forfeits,
        "accuracy": estimate(figures.accuracy),
        "regret_per_ply": estimate(figures.regret_per_ply),
        "regret_per_match": estimate(figures.regret_per_match),
        "satisfaction": estimate(figures.satisfaction),
        "win_share": estimate(figures.win_share),
        "luck_per_match": estimate(figures.luck_per_match),
        "forfeit_share": estimate(figures.forfeit_share),
        "by_phase": figures.by_phase.iter().map(|kind| slice("phase", kind.circumstance.name(), kind)).collect::<Value>(),
        "by_live_piles": figures
            .by_live_piles
            .iter()
            .map(|kind| slice("live_piles", kind.circumstance.name(), kind))
            .collect::<Value>(),
    })
}

fn slice<C>(key: &str, name: &str, slice: &Slice<C>) -> Value {
    json!({
        key: name,
        "plies": slice.plies,
        "optimal_plies": slice.optimal_plies,
        "accuracy": estimate(slice.accuracy),
        "regret_per_ply": estimate(slice.regret_per_ply),
    })
}

fn estimate(estimate: Option<Estimate>) -> Value {
    match estimate {
        None => Value::Null,
        Some(Estimate { value, interval: Interval::Between { low, high } }) => {
            json!({ "value": value, "low": low, "high": high })
        }
        Some(Estimate { value, interval: Interval::TooFewGroups { groups } }) => {
            json!({ "value": value, "low": null, "high": null, "too_few_groups": groups })
        }
    }
}

fn preference(preference: &Preference) -> Value {
    let rows = preference.rows.iter().map(|held| {
        json!({
            "row": held.row.offsets(),
            "source": source(held.source),
            "matches": held.matches,
            "plies": held.plies,
            "optimal_plies": held.optimal_plies,
            "agreement": held.agreement,
        })
    });
    let explained = &preference.explained;
    let rationalisable = match &preference.rationalisable {
        Rationalisable::ByRows { rows, example } => json!({
            "count": rows.to_string(),
            "count_is_exact": *rows < u64::MAX,
            "example": example.offsets(),
            "contradiction": null,
        }),
        Rationalisable::Uncounted { example } => json!({
            "count": "1",
            "count_is_exact": false,
            "example": example.offsets(),
            "contradiction": null,
        }),
        Rationalisable::Contradicted { cycle } => json!({
            "count": "0",
            "count_is_exact": true,
            "example": null,
            "contradiction": cycle,
        }),
    };
    json!({
        "seats": preference.seats.get(),
        "rows": rows.collect::<Value>(),
        "other_rows": preference.other_rows,
        "choices": preference.choices,
        "chosen_over": preference.chosen_over,
        "best_fit": preference.best_fit.as_ref().map(|fit| {
            json!({
                "row": fit.row.offsets(),
                "agreement": fit.agreement,
                "plies": fit.plies,
                "optimal_plies": fit.optimal_plies,
            })
        }),
        "rationalisable": {
            "declared_believed": rationalisable,
            "common_knowledge": {
                "count": explained.rows.at_least().to_string(),
                "count_is_exact": explained.rows.is_exact() && explained.left_out == 0,
                "example": explained.example.as_ref().map(Row::offsets),
                "matches_left_out": explained.left_out,
            },
        },
    })
}

/// Returns the word for where a row came from.
pub fn source(source: RowSource) -> &'static str {
    match source {
        RowSource::Declared => "declared",
        RowSource::Assigned => "assigned",
    }
}

fn puzzle(puzzle: &Puzzle) -> Value {
    json!({
        "match_id": puzzle.match_id.to_string(),
        "ply": puzzle.ply,
        "bots": puzzle.bots.iter().map(BotName::as_str).collect::<Value>(),
        "piles": puzzle.piles,
        "seat": puzzle.seat.index(),
        "alliance_matrix": puzzle.matrix.rows().iter().map(Row::offsets).collect::<Value>(),
        "ending": puzzle.ending.name(),
        "take": puzzle.take,
        "optimal_takes": puzzle.optimal_takes.iter().map(|range| [range.lo, range.hi]).collect::<Value>(),
        "winner_if_optimal": puzzle.winner_if_optimal.index(),
        "winner_after": puzzle.winner_after.index(),
        "regret": puzzle.regret,
        "harm": puzzle.harm,
    })
}
