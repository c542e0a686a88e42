//! Checks the models of a tournament file before the first match: whether they can play, and have enough time.

use super::folder::working_folder;
use crate::{Failure, tournament_file::plan::TournamentPlan};
use lastnim_llm::{LlmError, LlmSettings};
use lastnim_proto::pb;
use lastnim_report::words::format_duration;
use std::path::Path;

/// The minimum time that a model should have for a row, and on average for each of [`USUAL_TAKES`] takes.
const MIN_ANSWER_MILLIS: u64 = 60_000;
/// The number of takes in a match for which a model's clock should be enough.
const USUAL_TAKES: u64 = 10;

/// Checks that each model can play: the address of its endpoint and its prompt are valid, its key is set, and its
/// budgets are complete.
///
/// # Errors
/// Names the first bot whose model cannot play.
pub fn check_models(plan: &TournamentPlan, file: &Path) -> Result<(), Failure> {
    let folder = working_folder(file)?;
    for (bot, settings) in plan.models() {
        let settings = plan.llm.shared_settings(settings, Path::new(""));
        check_model(&settings, &folder)
            .map_err(|why| Failure::input(format!("{}: bot {bot}: {why}", file.display())))?;
    }
    Ok(())
}

/// Checks a model. The path of its prompt is relative to `folder`, in which its bot will run.
fn check_model(settings: &LlmSettings, folder: &Path) -> Result<(), LlmError> {
    let prompt = settings.prompt.as_ref().map(|prompt| folder.join(prompt));
    LlmSettings { prompt, ..settings.clone() }.check_readiness()
}

/// Returns a warning for each reason why the clock is short for the models.
pub fn short_clock_warnings(plan: &TournamentPlan) -> Vec<String> {
    let settings = plan.settings();
    let clock = settings.clock.unwrap_or_default();
    let declares = matches!(settings.alliance(), pb::AllianceMode::Declared | pb::AllianceMode::Dealt);
    let models: Vec<_> = plan.models().collect();
    if models.is_empty() {
        return Vec::new();
    }
    // A bot gets the first increment only after its first take.
    let first_take_ms = u64::from(clock.initial_ms);
    let usual_match_ms = first_take_ms + USUAL_TAKES * u64::from(clock.increment_ms);
    let row_ms = u64::from(clock.declaration_ms);
    let mut warnings = Vec::new();
    for (bot, model) in &models {
        let timeout = u64::try_from(model.turn_timeout.as_millis()).unwrap_or(u64::MAX);
        if first_take_ms < timeout {
            warnings.push(format!(
                "the clock is short for {bot}: it has {} for its first take, but turn_timeout allows the model {}",
                format_duration(first_take_ms),
                format_duration(timeout)
            ));
        }
    }
    if usual_match_ms < USUAL_TAKES * MIN_ANSWER_MILLIS {
        warnings.push(format!(
            "the clock is short for models: they have {} for {USUAL_TAKES} takes, less than a minute per take",
            format_duration(usual_match_ms)
        ));
    }
    if declares && row_ms < MIN_ANSWER_MILLIS {
        warnings.push(format!(
            "the clock is short for models: they have {} to declare a row, less than a minute",
            format_duration(row_ms)
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(clock: &str, timeout: &str) -> Vec<String> {
        let text = format!(
            "seats = 2\nalliance = \"declared\"\n{clock}\npositions = {{ list = [[2, 2]] }}\n[[bot]]\nname = \"a\"\nhouse = \"greedy\"\n\
             [[bot]]\nname = \"m\"\nllm = {{ model = \"m\", turn_timeout = \"{timeout}\" }}\n"
        );
        short_clock_warnings(&TournamentPlan::parse(&text).unwrap())
    }

    #[test]
    fn short_clocks_are_reported() {
        let long = "clock = \"15m+100ms\"\ndeclare_within = \"1m\"";
        assert_eq!(warnings(long, "15m"), Vec::<String>::new());
        assert_eq!(
            warnings(long, "1000s"),
            [
                "the clock is short for m: it has 15 min 0 s for its first take, but turn_timeout allows the model 16 min 40 s"
            ]
        );
        let short = "clock = \"50s+5s\"\ndeclare_within = \"59s999ms\"";
        let found = warnings(short, "50s");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].ends_with("they have 1 min 40 s for 10 takes, less than a minute per take"),
            "{found:?}"
        );
        assert!(found[1].ends_with("they have 59 s to declare a row, less than a minute"), "{found:?}");
        let clock = "clock = \"1m+54s\"\ndeclare_within = \"1m\"";
        assert_eq!(warnings(clock, "1m"), Vec::<String>::new());
    }
}
