//! The settings with which a run's bots use their models.

use super::folder::RunFolder;
use crate::{Failure, tournament_file::plan::TournamentPlan};
use lastnim_core::game::BotName;
use lastnim_llm::LlmSettings;
use std::{io, time::Duration};

/// How much longer than the run a bot waits for its endpoint, so that the run stops first.
const OUTAGE_GRACE: Duration = Duration::from_hours(1);

/// Returns the models of a run, each with the bot that plays with it.
pub fn models_in_run(
    plan: &TournamentPlan,
    folder: &RunFolder,
) -> Result<Vec<(BotName, LlmSettings)>, Failure> {
    let models = plan.models();
    models.map(|(bot, settings)| Ok((bot.clone(), settings_in_run(plan, folder, bot, settings)?))).collect()
}

/// Returns the settings of a model, including those that the run decides.
pub fn settings_in_run(
    plan: &TournamentPlan,
    folder: &RunFolder,
    bot: &BotName,
    settings: &LlmSettings,
) -> Result<LlmSettings, Failure> {
    let failure = |error: io::Error| Failure::runtime(error, folder.path().display());
    let shared_ledger = folder.shared_ledger_file().map_err(failure)?;
    Ok(LlmSettings {
        transcript: Some(folder.transcript_file(bot).map_err(failure)?),
        ledger: Some(folder.ledger_file(bot).map_err(failure)?),
        rate_file: settings
            .has_rate_limit()
            .then(|| folder.rate_file(settings))
            .transpose()
            .map_err(failure)?,
        // A bot waits longer than the run, so that the run stops first.
        outage_limit: plan.llm.outage_limit + OUTAGE_GRACE,
        ..plan.llm.shared_settings(settings, &shared_ledger)
    })
}
