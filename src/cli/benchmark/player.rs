//! Who plays a benchmark.

use crate::{
    bots::HouseBot,
    cli::{
        Failure, OwnCommand,
        runner::{ProgramCommand, find_program},
    },
    game::ConfigHash,
    llm::{FailureClass, LlmBot, LlmSettings},
    wire::pb,
};
use std::{collections::BTreeMap, env, ffi::OsString};

/// Who plays.
#[derive(Debug)]
pub enum Player {
    /// A house bot.
    House(HouseBot),
    /// A program.
    Program {
        /// The words of the command line.
        words: Vec<String>,
        /// What starts it.
        command: ProgramCommand,
    },
    /// A language model.
    Model {
        /// The bot.
        bot: LlmBot,
        /// Its settings.
        settings: Box<LlmSettings>,
    },
}

impl Player {
    /// Finds the program that a command line names.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn of_command(words: &[String], own: &OwnCommand) -> Result<Self, Failure> {
        let (word, arguments) =
            words.split_first().ok_or_else(|| Failure::input("COMMAND: required after `--`"))?;
        let workplace = env::current_dir().map_err(|error| Failure::runtime(error, "the current folder"))?;
        let program = find_program(word, &workplace, own);
        let mut started = program.map_err(|why| Failure::input(format!("{word}: {why}")))?;
        started.extend(arguments.iter().map(OsString::from));
        let command = ProgramCommand { words: started, own: own.clone(), workplace };
        Ok(Self::Program { words: words.to_vec(), command })
    }

    /// Says on the card who plays.
    pub fn to_message(&self) -> pb::BenchmarkPlayer {
        use pb::benchmark_player::Kind;
        let kind = match self {
            Self::House(bot) => Kind::HouseBot(bot.to_string()),
            Self::Program { words, .. } => Kind::Program(pb::BenchmarkProgram { command: words.clone() }),
            Self::Model { bot, settings } => Kind::Model(model_message(bot, settings)),
        };
        pb::BenchmarkPlayer { kind: Some(kind) }
    }

    /// Says what has to be the same for a run to be carried on.
    pub fn identity(&self) -> String {
        match self {
            Self::House(bot) => format!("house bot {bot}"),
            Self::Program { words, .. } => format!("program {}", words.join(" ")),
            Self::Model { bot, settings } => {
                format!(
                    "model {}, configuration {}",
                    settings.model,
                    ConfigHash::from_bytes(bot.config_hash())
                )
            }
        }
    }

    /// Returns how many questions failed for reasons that are not the model's: the endpoint or a budget. Such matches say nothing of it.
    pub fn failures_of_others(&self) -> u64 {
        match self {
            Self::House(_) | Self::Program { .. } => 0,
            Self::Model { bot, .. } => {
                let is_of_others = |class: FailureClass| {
                    class.is_of_endpoint() || matches!(class, FailureClass::Rejected | FailureClass::Budget)
                };
                let unanswered = bot.tally().unanswered;
                unanswered.iter().filter(|(class, _)| is_of_others(**class)).map(|(_, count)| count).sum()
            }
        }
    }
}

fn model_message(bot: &LlmBot, settings: &LlmSettings) -> pb::BenchmarkModel {
    let tally = bot.tally();
    pb::BenchmarkModel {
        model: settings.model.clone(),
        endpoint: bot.endpoint_address(),
        config_hash: bot.config_hash().to_vec(),
        on_failure: tally.policy.name().to_owned(),
        questions: tally.questions,
        answered: tally.answered,
        withdrawn: tally.withdrawn,
        unanswered: failure_shares(&tally.unanswered, tally.questions),
        calls: tally.calls,
        failed_calls: failure_shares(&tally.failures, tally.calls),
        prompt_tokens: tally.tokens.prompt,
        completion_tokens: tally.tokens.completion,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no exact count")]
fn failure_shares(counts: &BTreeMap<FailureClass, u64>, all: u64) -> Vec<pb::FailureShare> {
    let share = |count: u64| if all == 0 { 0.0 } else { count as f64 / all as f64 };
    counts
        .iter()
        .map(|(class, &count)| pb::FailureShare { failure: class.to_string(), count, share: share(count) })
        .collect()
}
