//! A pilot: a run whose results and costs show how large a later tournament must be.

use super::{folder::RunPaths, saved_run::SavedRun};
use crate::{Failure, tournament_file::plan::TournamentPlan};
use lastnim_core::game::TournamentId;
use lastnim_llm::SpentAmounts;
use lastnim_proto::{pb, tournament::settings_message};
use lastnim_report::tournament_settings::setting_fact;
use lastnim_store::{StoreError, StoreUrl, open_reader};
use lastnim_tournament::{MatchResult, PilotResults, SprtMeasure};
use std::{collections::BTreeMap, io, path::Path};

/// The maximum number of results that one request reads.
const PAGE_SIZE: usize = 1_000;
/// The settings that must be the same in a pilot and in the plan, because they affect how much results vary. Each is
/// named by its label in reports.
const DECISIVE_SETTINGS: [&str; 5] = ["seats", "who wins", "wants", "scoring", "talk"];

/// The results and costs of a pilot.
#[derive(Debug)]
pub struct Pilot {
    /// The tournament.
    pub tournament: TournamentId,
    /// The results of the tournament.
    pub results: PilotResults,
    /// What the model of each bot has cost.
    pub spent: BTreeMap<String, SpentAmounts>,
}

impl Pilot {
    /// Reads the run of a file.
    ///
    /// # Errors
    /// If the file has no run, or if the run used another server, cannot be read, or had other rules than the plan.
    pub async fn read(file: &Path, plan: &TournamentPlan, measure: SprtMeasure) -> Result<Self, Failure> {
        let (paths, shown) = (RunPaths::of_file(file), file.display());
        let not_begun_failure = || {
            Failure::input(format!(
                "{shown}: this pilot has not been played, so it does not show how much bots differ: play a small tournament with `lastnim tournament run`, and name its file with --pilot"
            ))
        };
        if !file.exists() {
            return Err(Failure::input(format!("--pilot {shown}: there is no such file")));
        }
        let saved = SavedRun::read(&paths.saved_run_file())?.ok_or_else(not_begun_failure)?;
        let id = saved.tournament.as_deref().ok_or_else(not_begun_failure)?;
        let id: TournamentId =
            id.parse().map_err(|error| Failure::runtime(error, paths.saved_run_file().display()))?;
        if let Some(server) = &saved.server {
            return Err(Failure::input(format!(
                "{shown}: it was played on the server at {server}: expected a pilot with its own server, played without --server"
            )));
        }
        let store_file = paths.store_file();
        let failure = |error: StoreError| Failure::runtime(error, store_file.display());
        let url = StoreUrl::Sqlite(store_file.clone());
        let store = open_reader(&url).await.map_err(failure)?;
        let tournament = store.tournament(id).await.map_err(failure)?.ok_or_else(not_begun_failure)?;
        let rules = settings_message(&tournament.settings, &tournament.terms);
        check_rules(&rules, &plan.settings()).map_err(|why| Failure::input(format!("{shown}: {why}")))?;
        let mut results = PilotResults::new(measure, tournament.settings.scoring);
        let mut from = 0;
        loop {
            let page = store.match_results(id, from, PAGE_SIZE).await.map_err(failure)?;
            let Some(last) = page.last() else { break };
            from = last.number + 1;
            for found in page {
                let (number, group) = (found.number, found.group);
                results.add_result(&MatchResult { number, group, bots: found.bots, outcome: found.outcome });
            }
        }
        let spent = saved.model_bots().filter_map(|bot| {
            let ledger = paths.ledger_file(bot);
            match SpentAmounts::read(&ledger) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                read => Some(
                    read.map(|spent| (bot.to_owned(), spent))
                        .map_err(|error| Failure::runtime(error, ledger.display())),
                ),
            }
        });
        let spent = spent.collect::<Result<_, _>>()?;
        Ok(Self { tournament: id, results, spent })
    }
}

/// Checks that a pilot has the same rules as a plan, so that their matches are alike.
///
/// # Errors
/// Names the first setting that differs.
fn check_rules(pilot: &pb::TournamentSettings, plan: &pb::TournamentSettings) -> Result<(), String> {
    for label in DECISIVE_SETTINGS {
        let [of_pilot, of_plan] = [pilot, plan].map(|settings| setting_fact(settings, label));
        if of_pilot != of_plan {
            let [of_pilot, of_plan] =
                [of_pilot, of_plan].map(|fact| if fact.is_empty() { "nothing".to_owned() } else { fact });
            return Err(format!(
                "{label}: {of_pilot} in the pilot, but {of_plan} in the plan; this affects how much bots differ, so the pilot must have the same rules as the plan"
            ));
        }
    }
    Ok(())
}
