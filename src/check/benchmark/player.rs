//! The bot that a benchmark measures.

use super::model_tally::ModelTally;
use crate::{Failure, OwnCommand, program_variables::ProgramVariables, runner::ProgramCommand};
use lastnim_bots::HouseBot;
use lastnim_core::game::{ConfigHash, MatchId};
use lastnim_llm::{FailureClass, Fault, LlmBot, LlmSettings, QuestionMode};
use lastnim_proto::pb;
use std::{collections::BTreeMap, path::is_separator};

/// The bot that a benchmark measures.
#[derive(Debug)]
pub enum Player {
    /// A house bot.
    House(HouseBot),
    /// A program.
    Program {
        /// The name on the card.
        name: String,
        /// The program and its arguments, as given on the command line.
        words: Vec<String>,
        /// The command that starts the program.
        command: ProgramCommand,
    },
    /// A language model.
    Model {
        /// The bot.
        bot: LlmBot,
        /// The settings of the model.
        settings: Box<LlmSettings>,
    },
}

impl Player {
    /// Finds the program that a command line names. The card has the given name, or else the command without folders.
    ///
    /// # Errors
    /// If the program does not exist.
    pub fn of_command(
        words: &[String],
        name: Option<&str>,
        variables: ProgramVariables,
        own: &OwnCommand,
    ) -> Result<Self, Failure> {
        let command = ProgramCommand::find(words, variables, own)?;
        let name = name.map_or_else(|| command_without_folders(words), ToOwned::to_owned);
        Ok(Self::Program { name, words: words.to_vec(), command })
    }

    /// Returns the card's description of the player. For a model it includes counts of questions and calls in the
    /// matches that are the keys of `takes`; the values are the numbers of takes that the model made.
    ///
    /// # Errors
    /// If the transcript of a model cannot be read.
    pub fn to_message(&self, takes: &BTreeMap<MatchId, u32>) -> Result<pb::BenchmarkPlayer, Failure> {
        use pb::benchmark_player::Kind;
        let kind = match self {
            Self::House(bot) => Kind::HouseBot(bot.to_string()),
            Self::Program { name, .. } => Kind::Program(pb::BenchmarkProgram { name: name.clone() }),
            Self::Model { bot, settings } => Kind::Model(model_message(bot, settings, takes)?),
        };
        Ok(pb::BenchmarkPlayer { kind: Some(kind) })
    }

    /// Returns the player's identity, which must be the same when a run is continued.
    pub fn identity(&self) -> String {
        match self {
            Self::House(bot) => format!("house bot {bot}"),
            Self::Program { words, .. } => format!("program {}", words.join(" ")),
            Self::Model { bot, settings } => {
                let hash = ConfigHash::from_bytes(bot.config_hash());
                format!("model {}, configuration {hash}", settings.model)
            }
        }
    }

    /// Describes the failures in this process that the model did not cause: a failing endpoint, a spent
    /// budget, or a queue that was too long. Matches with such failures say nothing about the model.
    pub fn external_failure(&self) -> Option<String> {
        let Self::Model { bot, .. } = self else { return None };
        let unanswered = bot.tally().unanswered;
        let count_of = |is_counted: fn(FailureClass) -> bool| {
            let counted = unanswered.iter().filter(|(class, _)| is_counted(**class));
            counted.map(|(class, count)| format!("{count} {class}")).collect::<Vec<_>>().join(", ")
        };
        let of_endpoint = count_of(|class| {
            class.fault() == Fault::Endpoint
                || matches!(class, FailureClass::Unusable | FailureClass::Rejected)
        });
        if !of_endpoint.is_empty() {
            return Some(format!(
                "the endpoint {} keeps failing (questions without an answer: {of_endpoint})",
                bot.endpoint_address()
            ));
        }
        let of_budget = count_of(|class| matches!(class, FailureClass::Budget | FailureClass::MatchBudget));
        if !of_budget.is_empty() {
            return Some("a budget of the model is used up and must be raised".to_owned());
        }
        let queued = count_of(|class| class == FailureClass::Queued);
        (!queued.is_empty())
            .then(|| "questions waited too long for a call: raise --concurrency or --bank".to_owned())
    }
}

/// Writes a command with paths shortened to file names, because a published card must not show the folders of a
/// machine.
fn command_without_folders(words: &[String]) -> String {
    let file_name = |path: &str| {
        let path = path.trim_end_matches(is_separator);
        path.rsplit(is_separator).next().unwrap_or_default().to_owned()
    };
    let shown = words.iter().map(|word| match word.split_once('=') {
        Some((flag, path)) => format!("{}={}", file_name(flag), file_name(path)),
        None => file_name(word),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn model_message(
    bot: &LlmBot,
    settings: &LlmSettings,
    takes: &BTreeMap<MatchId, u32>,
) -> Result<pb::BenchmarkModel, Failure> {
    let tally = settings
        .transcript
        .as_deref()
        .map_or_else(|| Ok(ModelTally::of_takes(takes)), |path| ModelTally::read_transcripts(path, takes))?;
    Ok(pb::BenchmarkModel {
        model: settings.model.clone(),
        endpoint: bot.endpoint_address(),
        config_hash: bot.config_hash().to_vec(),
        on_failure: settings.on_failure.name().to_owned(),
        questions: tally.questions,
        answered: tally.answered,
        withdrawn: tally.withdrawn,
        unanswered: failure_shares(&tally.unanswered, tally.questions),
        calls: tally.calls,
        failed_calls: failure_shares(&tally.failed_calls, tally.calls),
        prompt_tokens: tally.tokens.prompt,
        completion_tokens: tally.tokens.completion,
        unknown_takes: tally.unknown_takes(),
        mode: QuestionMode::of_settings(settings).to_string(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no exact count")]
fn failure_shares(counts: &BTreeMap<FailureClass, u64>, all: u64) -> Vec<pb::FailureShare> {
    let share = |count: u64| if all == 0 { 0.0 } else { count as f64 / all as f64 };
    counts
        .iter()
        .map(|(class, &count)| pb::FailureShare { failure: class.to_string(), count, share: share(count) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_name_has_no_folders() {
        for (command, name) in [
            ("/home/me/bots/mine", "mine"),
            ("../mine --depth 3", "mine --depth 3"),
            ("python3 /home/me/mine.py --model=/home/me/models/ -v", "python3 mine.py --model=models -v"),
            ("lastnim bot run greedy", "lastnim bot run greedy"),
            ("env HOME=/home/me ./mine", "env HOME=me mine"),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(command_without_folders(&words), name);
        }
    }
}
