//! Answers about deals as JSON.

use super::{command::MeasuredDeal, report::word_of_take};
use lastnim_analysis::deals::{
    DealMeasures, DealtPlay, DeclarationMeasures, DoubleDealing, GroupPacts, Incentives, PactMeasures,
    PactOutcome, WhatPays,
};
use lastnim_core::{
    game::{Game, Pact, Row, Seat, SeatSet},
    oracle::HaltReason,
};
use lastnim_proto::{
    declaration::{RowSetLimits, best_declaration_message},
    json::message_to_json,
    pb,
};
use serde_json::{Value, json};

/// Writes what pays in a position and, if a deal was measured, its measures.
pub fn deals_json(
    game: &Game,
    found: &Incentives,
    measured: Option<&MeasuredDeal>,
    limits: RowSetLimits,
) -> Value {
    let lies = found
        .best_declarations
        .iter()
        .map(|lie| message_to_json(&best_declaration_message(lie, game, limits)));
    let mut answer = json!({
        "truthful_winner": found.truthful_winner,
        "what_pays": found.what_pays().map(|pays| match pays {
            WhatPays::Lie => "lie",
            WhatPays::OnlyPact => "only_pact",
            WhatPays::Nothing => "nothing",
        }),
        "lies": lies.collect::<Vec<_>>(),
        "groups": found.groups.iter().map(group_json).collect::<Vec<_>>(),
    });
    if let Some(MeasuredDeal { measures, play, .. }) = measured {
        answer["measures"] = measures_json(measures);
        if let Some(play) = play {
            answer["play"] = play_json(play);
        }
    }
    answer
}

fn group_json(group: &GroupPacts) -> Value {
    let outcome = |outcome: &PactOutcome| {
        json!({
            "winner": outcome.winner,
            "tempted": seats_of(outcome.tempted),
            "values": outcome.values,
            "count": message_to_json(&pb::Count::from(outcome.count)),
            "pact": pact_json(&outcome.pact),
        })
    };
    json!({
        "members": seats_of(group.members),
        "outcomes": group.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "reason": group.halt.map(|halt| halt.to_string()),
    })
}

fn pact_json(pact: &Pact) -> Value {
    let relation = |(before, after): (Seat, Seat)| json!({"before": before, "after": after});
    let members = pact.members().iter().map(|member| {
        json!({"seat": member.seat, "relations": member.relations().map(relation).collect::<Vec<_>>()})
    });
    members.collect()
}

fn measures_json(measures: &DealMeasures) -> Value {
    let declaration = |one: &DeclarationMeasures| {
        json!({
            "seat": one.seat,
            "distance": one.distance,
            "winner_if_truthful": one.winner_if_truthful,
            "gain": one.gain(),
            "costs": one.costs,
            "missed": found_or_reason(one.missed),
        })
    };
    let double_dealing =
        |one: &DoubleDealing| json!({"seat": one.seat, "pact": one.pact, "earlier": one.earlier});
    json!({
        "declared_winner": measures.declared_winner,
        "declarations": measures.declarations.iter().map(declaration).collect::<Vec<_>>(),
        "pacts": measures.pacts.iter().map(pact_measures_json).collect::<Vec<_>>(),
        "double_dealing": measures.double_dealing.iter().map(double_dealing).collect::<Vec<_>>(),
    })
}

fn pact_measures_json(pact: &PactMeasures) -> Value {
    let members = pact.members.iter().map(|member| {
        json!({
            "seat": member.seat,
            "kept": member.is_kept,
            "nearest_keeping_row": row_json(&member.nearest_keeping_row),
            "temptation": found_or_reason(member.temptation),
            "harms": member.harms,
        })
    });
    json!({
        "winner_if_kept": pact.winner_if_kept,
        "values": pact.values,
        "members": members.collect::<Vec<_>>(),
    })
}

fn play_json(play: &DealtPlay) -> Value {
    let seats = play.seats.iter().map(|parts| {
        json!({
            "rank_actual": parts.rank_actual,
            "rank_truthful": parts.rank_truthful,
            "declarations": parts.declarations,
            "play": parts.play,
        })
    });
    let takes = play.takes.iter().map(|take| {
        json!({
            "ply": take.ply,
            "seat": take.seat,
            "regret_if_known": take.regret_if_known,
            "regret_if_believed": take.regret_if_believed,
            "word": word_of_take(take.word).replace(' ', "_"),
        })
    });
    json!({"seats": seats.collect::<Vec<_>>(), "takes": takes.collect::<Vec<_>>()})
}

fn row_json(row: &Row) -> Value {
    message_to_json(&pb::Row::from(row))
}

fn seats_of(set: SeatSet) -> Vec<Seat> {
    set.iter().collect()
}

/// Writes a number of ranks, or why it was not found.
fn found_or_reason(found: Result<u32, HaltReason>) -> Value {
    match found {
        Ok(ranks) => json!({"ranks": ranks}),
        Err(halt) => json!({"reason": halt.to_string()}),
    }
}
