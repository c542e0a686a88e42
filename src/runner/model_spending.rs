//! What the models of a run have cost, and what they are likely to cost until its end.

use super::{folder::RunPaths, saved_run::SavedRun};
use crate::{
    Failure,
    played_matches::{MatchSelectionArgs, MatchStateArg},
    remote::{MAX_PAGE_SIZE, RemoteServer},
};
use lastnim_core::game::TournamentId;
use lastnim_llm::{Amount, SpentAmounts};
use lastnim_proto::pb;
use lastnim_report::Section;
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
};

/// The maximum number of models named in a line; the others are only part of the sum.
const MAX_NAMED_MODELS: usize = 5;

/// The ledgers of a run's models.
#[derive(Debug, Clone, Default)]
pub struct ModelLedgers {
    /// The name of each bot with a model, and the path of its ledger.
    ledgers: Vec<(String, PathBuf)>,
}

/// The cost of a model in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpending {
    /// The bot.
    bot: String,
    /// The cost so far.
    spent: Amount,
    /// An estimate of the cost from now on; `None` if the tournament is not running, has no fixed number of matches, or
    /// no match of the model is over.
    to_come: Option<Amount>,
}

impl ModelLedgers {
    /// Finds the ledgers of a file's run.
    pub fn of_run(file: &Path, run: &SavedRun) -> Self {
        let paths = RunPaths::of_file(file);
        Self { ledgers: run.model_bots().map(|bot| (bot.to_owned(), paths.ledger_file(bot))).collect() }
    }

    /// Finds the ledgers of a file's run; returns no ledgers if there is no run.
    ///
    /// # Errors
    /// If the saved run cannot be read.
    pub fn find_of_file(file: &Path) -> Result<Self, Failure> {
        let saved = SavedRun::read(&RunPaths::of_file(file).saved_run_file())?;
        Ok(saved.map(|run| Self::of_run(file, &run)).unwrap_or_default())
    }

    /// Reads what each model has cost, and estimates what it will cost.
    ///
    /// # Errors
    /// If a ledger cannot be read, or the server does not list the open matches.
    pub async fn read_spending(
        &self,
        remote: &RemoteServer,
        tournament: &pb::Tournament,
    ) -> Result<Vec<ModelSpending>, Failure> {
        if self.ledgers.is_empty() {
            return Ok(Vec::new());
        }
        let is_running = tournament.state() == pb::TournamentState::Running;
        let open = if is_running { list_open_matches(remote, &tournament.id).await? } else { HashSet::new() };
        let spending = self.ledgers.iter().map(|(bot, ledger)| {
            let amounts = match SpentAmounts::read(ledger) {
                // The ledger does not exist until the bot starts.
                Err(error) if error.kind() == io::ErrorKind::NotFound => SpentAmounts::default(),
                read => read.map_err(|error| Failure::runtime(error, ledger.display()))?,
            };
            let (played, all) = (tournament.matches_played, tournament.matches_total);
            let to_come = is_running.then(|| amounts.estimate_remaining_cost(played, all, &open)).flatten();
            Ok(ModelSpending { bot: bot.clone(), spent: amounts.total(), to_come })
        });
        spending.collect()
    }
}

/// Lists the ids of open matches.
async fn list_open_matches(remote: &RemoteServer, tournament: &str) -> Result<HashSet<String>, Failure> {
    let tournament: TournamentId = tournament
        .parse()
        .map_err(|error| Failure::runtime(error, "the server sent an invalid tournament id"))?;
    let which = MatchSelectionArgs {
        tournament: Some(tournament),
        state: Some(MatchStateArg::Open),
        ..MatchSelectionArgs::default()
    };
    let mut request = which.list_request(MAX_PAGE_SIZE);
    let mut open = HashSet::new();
    loop {
        let page = remote.answer(remote.match_client().list_matches(request.clone())).await?;
        open.extend(page.matches.into_iter().map(|game| game.id));
        if page.next_page_token.is_empty() {
            return Ok(open);
        }
        request.page_token = page.next_page_token;
    }
}

impl ModelSpending {
    fn words(&self) -> String {
        let to_come = self.to_come.map(|to_come| format!(" (about {to_come} to come)"));
        format!("{}{}", self.spent, to_come.unwrap_or_default())
    }

    /// Returns the total cost of the models; `None` if there are fewer than two.
    fn sum_spending(models: &[Self]) -> Option<Self> {
        let spent = models.iter().fold(Amount::default(), |sum, model| sum + model.spent);
        let to_come = models.iter().try_fold(Amount::default(), |sum, model| Some(sum + model.to_come?));
        (models.len() > 1).then(|| Self { bot: "all models".to_owned(), spent, to_come })
    }
}

/// Describes the cost in one line; `None` without models.
pub fn spending_line(models: &[ModelSpending]) -> Option<String> {
    let named = models.iter().take(MAX_NAMED_MODELS).cloned().chain(ModelSpending::sum_spending(models));
    let named: Vec<_> = named.map(|model| format!("{} {}", model.bot, model.words())).collect();
    (!named.is_empty()).then(|| format!("spent: {}", named.join("; ")))
}

/// Reports the cost of each model; `None` without models.
pub fn spending_section(models: &[ModelSpending]) -> Option<Section> {
    let facts = models.iter().cloned().chain(ModelSpending::sum_spending(models));
    let facts = facts.map(|model| (model.bot.clone(), model.words()));
    (!models.is_empty()).then(|| Section::with_heading("Cost of the models").facts(facts))
}

/// Returns the JSON of the cost of each model.
pub fn spending_json(models: &[ModelSpending]) -> Value {
    let models = models.iter().map(|ModelSpending { bot, spent, to_come }| {
        json!({ "bot": bot, "spent": spent.to_json(), "to_come": to_come.map(|amount| amount.to_json()) })
    });
    models.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spending_line_names_each_model_and_the_sum() {
        let model = |bot: &str, tokens: u64, to_come: Option<u64>| ModelSpending {
            bot: bot.to_owned(),
            spent: Amount { tokens, ..Amount::default() },
            to_come: to_come.map(|tokens| Amount { tokens, money: 500_000_000_000, ..Amount::default() }),
        };
        assert_eq!(spending_line(&[]), None);
        let (one, two) = (model("a", 100, Some(50)), model("b", 7, None));
        let spending = "a 100 tokens (about 50 tokens, costing 0.500000 to come)";
        assert_eq!(spending_line(std::slice::from_ref(&one)), Some(format!("spent: {spending}")));
        let line = spending_line(&[one.clone(), two]).unwrap();
        assert_eq!(line, format!("spent: {spending}; b 7 tokens; all models 107 tokens"));
        let line = spending_line(&vec![one; 7]).unwrap();
        assert_eq!(line.matches(spending).count(), 5, "{line}");
        assert!(
            line.ends_with("all models 700 tokens (about 350 tokens, costing 3.500000 to come)"),
            "{line}"
        );
    }
}
