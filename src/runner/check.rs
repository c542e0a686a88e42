//! `lastnim tournament check`: lists the mistakes in a tournament file, or shows the number of its matches and what they
//! can resolve.

use super::{
    folder::RunPaths,
    model_checks::{check_models, short_clock_warnings},
    probes::{ModelProbe, probe_models},
    resolution::{resolution_json, resolution_text},
};
use crate::{
    CommandExit, CommandResult, Failure,
    form::OutputFormat,
    runtime,
    toml_file::read_or_print_mistakes,
    tournament_file::{
        llm_entry::llm_json,
        plan::TournamentPlan,
        player::{BotOrigin, ProgramEntry},
        sandbox_table::SANDBOX_KIND,
    },
};
use lastnim_core::{duration_text::duration_text, game::BotName};
use lastnim_llm::LlmSettings;
use lastnim_proto::{json::message_to_json, pb};
use lastnim_report::{Report, Section, tournament_settings::setting_fact, words::count_with_noun};
use lastnim_tournament::{RepeatedGroups, TotalMatches};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The flags of `lastnim tournament check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The file, in TOML; examples of every format are in `examples/`
    file: PathBuf,
    /// Calls each model once to check that its endpoint answers
    #[arg(long)]
    probe: bool,
}

/// Reads the file and prints its mistakes or its plan.
pub fn check_file(args: &CheckArgs, form: OutputFormat) -> CommandResult {
    let Some(plan) = read_or_print_mistakes(&args.file, form, TournamentPlan::parse)? else {
        return Ok(CommandExit::Mistakes);
    };
    check_models(&plan, &args.file)?;
    check_passed_variables(&plan, &args.file)?;
    if !args.probe {
        return print_plan(&plan, None, form);
    }
    runtime::run_on_runtime(None, async {
        let file = args.file.display();
        let probes = probe_models(models_with_ledgers(&plan, &args.file))
            .await
            .map_err(|why| Failure::input(format!("{file}: {why}")))?;
        let printed = print_plan(&plan, Some(&probes), form)?;
        match probes.iter().filter(|probe| probe.failure.is_some()).count() {
            0 => Ok(printed),
            failed => {
                let models = count_with_noun(failed as u64, "model does", "models do");
                Err(Failure::Runtime(anyhow::Error::msg(format!("{file}: {models} not answer"))))
            }
        }
    })
}

/// Returns the models of a tournament, with settings that charge calls to the ledgers of its run if one has begun.
fn models_with_ledgers(plan: &TournamentPlan, file: &Path) -> Vec<(BotName, LlmSettings)> {
    let run = RunPaths::of_file(file);
    let models = plan.models().map(|(bot, settings)| {
        let settings = match run.ledger_files(bot) {
            None => settings.clone(),
            Some([own, shared]) => {
                LlmSettings { ledger: Some(own), ..plan.llm.shared_settings(settings, &shared) }
            }
        };
        (bot.clone(), settings)
    });
    models.collect()
}

/// Prints the plan and, if the models were called, which of them answer.
fn print_plan(plan: &TournamentPlan, probes: Option<&[ModelProbe]>, form: OutputFormat) -> CommandResult {
    let json = || {
        let mut json = plan_json(plan);
        let repetition = plan.find_repetition();
        json["repetition"] = repetition
            .map(|RepeatedGroups { groups, different }| json!({ "groups": groups, "different": different }))
            .into();
        json["resolution"] = resolution_json(plan.resolve());
        json["note"] = two_seats_note(&plan.settings()).into();
        json["warnings"] = short_clock_warnings(plan).into();
        if let Some(probes) = probes {
            json["probes"] = probes.iter().map(ModelProbe::to_json).collect();
        }
        json
    };
    form.print_report(json, || plan_report(plan, probes.unwrap_or_default()))?;
    Ok(CommandExit::Done)
}

/// Checks that the environment variables that the file passes on to programs (`pass_env`) are set.
///
/// # Errors
/// Names the first bot with a variable that is not set.
pub fn check_passed_variables(plan: &TournamentPlan, file: &Path) -> Result<(), Failure> {
    for (bot, program) in plan.programs() {
        if let Some(name) = program.variables.find_unset() {
            let file = file.display();
            let what = format!("{file}: bot {bot}: pass_env: {name} is not set: set it, or leave it out");
            return Err(Failure::input(what));
        }
    }
    Ok(())
}

/// Describes the number of matches.
pub fn match_count_text(total: TotalMatches) -> String {
    match total {
        TotalMatches::Exactly(1) => "1".to_owned(),
        TotalMatches::Exactly(matches) => matches.to_string(),
        TotalMatches::AtMost(matches) => format!("at most {matches}"),
        TotalMatches::Open => "no fixed number; the tournament runs until an organiser stops it".to_owned(),
    }
}

fn origin_text(origin: &BotOrigin) -> String {
    match origin {
        BotOrigin::Command(program) => program.words.join(" "),
        BotOrigin::House(bot, _) => format!("house bot {bot}"),
        BotOrigin::Llm(settings, _) => format!("model {}", settings.model),
        BotOrigin::Remote => "remote".to_owned(),
    }
}

fn plan_report(plan: &TournamentPlan, probes: &[ModelProbe]) -> Report {
    let settings = plan.settings();
    let fact = |label| setting_fact(&settings, label);
    let bots = plan.players.iter().map(|player| format!("{} ({})", player.name, origin_text(&player.origin)));
    let bots: Vec<_> = bots.collect();
    let facts = [
        ("title", fact("title")),
        ("format", fact("format")),
        ("seats", fact("seats")),
        ("bots", format!("{}: {}", bots.len(), bots.join(", "))),
        ("positions", format!("{}: {}", plan.position_count(), fact("positions"))),
        ("matches", match_count_text(plan.total)),
        ("models", plan.model_cost_bound().map(|bound| bound.to_string()).unwrap_or_default()),
        ("talk", talk_text(&settings)),
        ("clock", fact("clock")),
        ("seed", fact("seed")),
        ("methods", fact("methods")),
        ("best bot", resolution_text(plan.resolve())),
    ];
    let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    let notes = plan.find_repetition().map(|repetition| repetition.to_string());
    let notes = notes.into_iter().chain(two_seats_note(&settings).map(str::to_owned));
    let notes = notes.map(|note| ("note", note));
    let warnings = short_clock_warnings(plan).into_iter().map(|warning| ("warning", warning));
    let probes = probes.iter().map(|probe| ("probe", probe.line()));
    Section::new().facts(facts.chain(notes).chain(warnings).chain(probes)).into()
}

/// Describes the talk, and how long it takes at most; empty if seats do not talk.
fn talk_text(settings: &pb::TournamentSettings) -> String {
    let Some(talk) = &settings.talk else { return String::new() };
    let longest = Duration::from_millis(talk.round_ms.into()) * talk.rounds;
    format!("{}; at most {} per match", setting_fact(settings, "talk"), duration_text(longest))
}

/// Explains what declared rows mean in matches of two seats; `None` for other matches.
fn two_seats_note(settings: &pb::TournamentSettings) -> Option<&'static str> {
    (settings.seats == 2 && settings.alliance() == pb::AllianceMode::Declared).then_some(
        "with two seats and declared rows, a bot can declare that it wants the other seat to win, and still play for itself at no cost, \
         so its accuracy and regret mean nothing; with `alliance = \"standard\"` both seats play to win",
    )
}

/// Returns the JSON of a bot with a program.
fn program_json(name: &str, program: &ProgramEntry) -> Value {
    let ProgramEntry { words, variables, folder, is_sandboxed } = program;
    let mut bot = json!({ "name": name, "command": words });
    if !variables.values.is_empty() {
        bot["env"] = json!(variables.values);
    }
    if !variables.passed.is_empty() {
        bot["pass_env"] = json!(variables.passed);
    }
    if let Some(folder) = folder {
        bot["folder"] = json!(folder);
    }
    if *is_sandboxed {
        bot["sandbox"] = json!(SANDBOX_KIND);
    }
    bot
}

/// Returns the JSON of a tournament and its bots.
pub fn plan_json(plan: &TournamentPlan) -> Value {
    let (bound, matches) = match plan.total {
        TotalMatches::Exactly(matches) => ("exactly", Some(matches)),
        TotalMatches::AtMost(matches) => ("at_most", Some(matches)),
        TotalMatches::Open => ("open", None),
    };
    let bots = plan.players.iter().map(|player| {
        let name = player.name.to_string();
        match &player.origin {
            BotOrigin::Command(program) => program_json(&name, program),
            BotOrigin::House(house, seed) => {
                json!({ "name": name, "house": house.to_string(), "seed": seed })
            }
            BotOrigin::Llm(settings, seed) => {
                json!({ "name": name, "llm": llm_json(settings), "seed": seed })
            }
            BotOrigin::Remote => json!({ "name": name, "remote": true }),
        }
    });
    let mut json = json!({
        "settings": message_to_json(&plan.settings()),
        "bots": bots.collect::<Value>(),
        "positions": plan.position_count(),
        "matches": { "bound": bound, "matches": matches },
    });
    if plan.programs().any(|(_, program)| program.is_sandboxed) {
        json["sandbox"] = plan.sandbox.to_json();
    }
    if let Some(cost) = plan.model_cost_bound() {
        json["models"] = json!({ "budget": plan.llm.to_json(), "cost": cost.to_json() });
    }
    json
}
