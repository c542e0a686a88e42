//! `lastnim tournament check`: every mistake in a tournament file, and what it comes to.

use crate::{
    cli::{
        Exit, Outcome,
        form::Form,
        toml_file::read_or_complain,
        tournament_file::{plan::TournamentPlan, player::Origin},
    },
    report::{
        Report, Section,
        tournament::clock_line,
        tournament_format::{format_line, positions_line},
    },
    tournament::{Repetition, Total},
    wire::json::message_to_json,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A tournament file.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The file, in TOML; examples of every format are in `examples/`
    file: PathBuf,
}

/// Reads the file, and says every mistake in it or what it comes to.
pub fn check_file(args: &CheckArgs, form: Form) -> Outcome {
    let Some(plan) = read_or_complain(&args.file, form, TournamentPlan::parse)? else {
        return Ok(Exit::Mistakes);
    };
    let json = || {
        let mut json = json_of(&plan);
        let repetition = plan.repetition();
        json["repetition"] = repetition
            .map(|Repetition { groups, different }| json!({ "groups": groups, "different": different }))
            .into();
        json
    };
    form.report(json, || report_of(&plan))?;
    Ok(Exit::Done)
}

/// Says how many matches there are.
pub fn match_count(total: Total) -> String {
    match total {
        Total::Exactly(1) => "1".to_owned(),
        Total::Exactly(matches) => matches.to_string(),
        Total::AtMost(matches) => format!("at most {matches}"),
        Total::Open => "open-ended: until it is stopped".to_owned(),
    }
}

fn origin_words(origin: &Origin) -> String {
    match origin {
        Origin::Command(words) => words.join(" "),
        Origin::House(bot, _) => format!("house bot {bot}"),
        Origin::Remote => "remote".to_owned(),
    }
}

fn report_of(plan: &TournamentPlan) -> Report {
    let settings = plan.settings();
    let clock = settings.clock.unwrap_or_default();
    let bots =
        plan.players.iter().map(|player| format!("{} ({})", player.name, origin_words(&player.origin)));
    let bots: Vec<_> = bots.collect();
    let facts = [
        ("title", settings.title.clone()),
        ("format", format_line(&settings)),
        ("seats", settings.seats.to_string()),
        ("bots", format!("{}: {}", bots.len(), bots.join(", "))),
        ("positions", format!("{}: {}", plan.positions(), positions_line(&settings))),
        ("matches", match_count(plan.total)),
        ("clock", clock_line(&clock)),
        ("seed", settings.seed.to_string()),
    ];
    let note = plan.repetition().map(|repetition| ("note", repetition.to_string()));
    Section::new().facts(facts.into_iter().chain(note)).into()
}

/// Makes the JSON of a tournament: what is played, and by whom.
pub fn json_of(plan: &TournamentPlan) -> Value {
    let (bound, matches) = match plan.total {
        Total::Exactly(matches) => ("exactly", Some(matches)),
        Total::AtMost(matches) => ("at_most", Some(matches)),
        Total::Open => ("open", None),
    };
    let bots = plan.players.iter().map(|player| {
        let name = player.name.to_string();
        match &player.origin {
            Origin::Command(command) => json!({ "name": name, "command": command }),
            Origin::House(house, seed) => json!({ "name": name, "house": house.name(), "seed": seed }),
            Origin::Remote => json!({ "name": name, "remote": true }),
        }
    });
    json!({
        "settings": message_to_json(&plan.settings()),
        "bots": bots.collect::<Value>(),
        "positions": plan.positions(),
        "matches": { "bound": bound, "matches": matches },
    })
}
