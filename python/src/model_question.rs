//! Prompts for language models and their replies, with the code of `lastnim bot run llm`.

use crate::{
    dataset_positions::identity_of_game,
    envs::regret_of_take,
    rehearsal::{read_game, value_error},
};
use lastnim_client::MatchView;
use lastnim_core::{
    game::{BotName, BySeat, Game, MatchId, Piles},
    oracle::Solution,
    referee::{Clock, MatchSetup, Terms},
};
use lastnim_llm::{
    Answer, Claims, Completion, EarlierAnswer, Fault, GivenAnswer, LATEST_PROMPT, LlmError, MatchScoring,
    Message, PromptContext, PromptTemplate, Question, RowNotation, Speaker, correct_answer, read_answer,
};
use lastnim_tournament::Scoring;
use pyo3::{exceptions::PyValueError, prelude::*};
use std::time::Duration;

/// A parsed reply: a take with the model's comments, or why the reply is unusable.
#[pyclass(module = "lastnim._lastnim", frozen, get_all)]
pub struct ModelReply {
    /// The legal take; None if the reply is unusable.
    take: Option<u64>,
    /// The model's reason for the take.
    why: Option<String>,
    /// The model's probability, 0 to 1, that the seat its row prefers most wins.
    win_probability: Option<f64>,
    /// The class of the failure, such as `unparsable`; None if there is a take.
    failure: Option<&'static str>,
    /// Whose fault it is: `model`, `endpoint` or `settings`; None if there is a take.
    fault: Option<&'static str>,
    /// The failure in words; None if there is a take.
    detail: Option<String>,
}

/// A request for a take, with the messages that `lastnim bot run llm` would send.
#[pyclass(module = "lastnim._lastnim")]
pub struct ModelQuestion {
    view: MatchView,
    solution: Solution,
    rows: RowNotation,
    messages: Vec<Message>,
}

/// The settings of `lastnim bot run llm` that change a prompt, and what the model said before.
#[derive(FromPyObject)]
struct PromptSettings {
    /// The version of the built-in template; None for the latest.
    #[pyo3(item)]
    prompt_version: Option<u8>,
    /// Replaces the built-in template.
    #[pyo3(item)]
    template: Option<String>,
    /// `win` or `satisfaction`.
    #[pyo3(item)]
    scoring: String,
    /// Whether the names of bots are hidden.
    #[pyo3(item)]
    blind: bool,
    /// `none` or `before`.
    #[pyo3(item)]
    think: String,
    /// The takes of the model so far: ply, take, reason and claimed probability.
    #[pyo3(item)]
    said: Vec<(u32, u64, Option<String>, Option<f64>)>,
}

impl PromptSettings {
    fn read_template(&self) -> PyResult<PromptTemplate> {
        let version = self.prompt_version.unwrap_or(LATEST_PROMPT);
        match &self.template {
            Some(_) if version != LATEST_PROMPT => Err(PyValueError::new_err(format!(
                "prompt_version: {version}: it selects a built-in template, but template is given"
            ))),
            Some(text) => PromptTemplate::parse(text, "template").map_err(|error| match error {
                LlmError::Prompt { path, reason } => PyValueError::new_err(format!("{path}: {reason}")),
                other => value_error(other),
            }),
            None => PromptTemplate::of_version(version).ok_or_else(|| {
                PyValueError::new_err(format!("prompt_version: {version}: expected 1 to {LATEST_PROMPT}"))
            }),
        }
    }

    fn into_context(self, time_left: Duration) -> PyResult<PromptContext> {
        let scoring = match self.scoring.as_str() {
            "win" => Scoring::Win,
            "satisfaction" => Scoring::Satisfaction,
            other => {
                let why = format!("scoring: {other:?}: expected win or satisfaction");
                return Err(PyValueError::new_err(why));
            }
        };
        let memory = self.said.into_iter().map(|(ply, take, why, win_probability)| {
            let claims = Claims { why, win_probability, ..Claims::default() };
            EarlierAnswer { ply: Some(ply), given: GivenAnswer { answer: Answer::Take(take), claims } }
        });
        Ok(PromptContext {
            time_left,
            scoring: MatchScoring::Of(scoring),
            is_blind: self.blind,
            think: self.think.parse().map_err(|error| PyValueError::new_err(format!("think: {error}")))?,
            memory: memory.collect(),
        })
    }
}

#[pymethods]
impl ModelQuestion {
    /// Asks for a take in a game in JSON after `takes`. `bots` are the names by seat, `time_left` is the number of seconds
    /// for templates, and `settings` those of the prompt.
    #[new]
    fn new(
        game: &str,
        takes: Vec<u64>,
        bots: Vec<String>,
        time_left: f64,
        settings: PromptSettings,
    ) -> PyResult<Self> {
        let time = Duration::try_from_secs_f64(time_left)
            .map_err(|error| PyValueError::new_err(format!("time_left: {time_left}: {error}")))?;
        let template = settings.read_template()?;
        let context = settings.into_context(time)?;
        let view = view_of_match(&read_game(game)?, &takes, bots, time)?;
        let prompt = template
            .render(&Question::Take(&view), &context)
            .map_err(|reason| PyValueError::new_err(format!("the prompt cannot be written: {reason}")))?;
        Ok(Self {
            solution: Solution::new(view.game()),
            rows: template.row_notation(),
            messages: vec![Message::of_user(prompt)],
            view,
        })
    }

    /// The messages to the model, in order, each with its role: the prompt and, after an unusable reply, that reply and its
    /// mistake.
    #[getter]
    fn messages(&self) -> Vec<(&'static str, &str)> {
        self.messages.iter().map(|message| (role_of(message.speaker), message.text.as_str())).collect()
    }

    /// The seat to move.
    #[getter]
    fn seat(&self) -> usize {
        self.view.position().to_move().index()
    }

    /// The number of the next take, from 0.
    #[getter]
    fn ply(&self) -> u32 {
        self.view.ply()
    }

    /// The id of the position, and its set in `lastnim oracle dataset`.
    #[getter]
    fn identity(&self) -> PyResult<(String, &'static str)> {
        let position = self.view.position();
        let piles: Vec<u64> = position.piles().collect();
        let piles = Piles::parse_partly_emptied(&piles).map_err(value_error)?;
        let matrix = self.view.matrix().clone();
        let game =
            Game::new(piles, matrix, position.to_move().index(), self.view.ending).map_err(value_error)?;
        Ok(identity_of_game(&game))
    }

    /// Reads a reply. If it is unusable by the fault of the model, `messages` become those of the next call.
    #[pyo3(signature = (text, refusal, finish_reason))]
    fn read_reply(&mut self, text: String, refusal: String, finish_reason: Option<String>) -> ModelReply {
        // A reply without a finish reason counts as complete.
        let finish_reason = Some(finish_reason.unwrap_or_else(|| "stop".to_owned()));
        let completion = Completion { text, refusal, finish_reason, ..Completion::default() };
        let question = Question::Take(&self.view);
        let read = match completion.find_failure() {
            Some(failure) => Err(failure),
            None => read_answer(&question, self.rows, &completion.text),
        };
        match read {
            Ok(GivenAnswer { answer: Answer::Take(take), claims }) => ModelReply {
                take: Some(take),
                why: claims.why,
                win_probability: claims.win_probability,
                failure: None,
                fault: None,
                detail: None,
            },
            Ok(GivenAnswer { answer: Answer::Row(_), .. }) => unreachable!("a take was requested"),
            Err(failure) => {
                if failure.class.fault() == Fault::Model {
                    correct_answer(&mut self.messages, &question, &completion.text, &failure);
                }
                ModelReply {
                    take: None,
                    why: None,
                    win_probability: None,
                    failure: Some(failure.class.name()),
                    fault: Some(failure.class.fault().name()),
                    detail: Some(failure.detail),
                }
            }
        }
    }

    /// Returns the ranks, 0 to n-1, that a take would cost the seat to move in its own row.
    fn regret(&self, take: u64) -> PyResult<usize> {
        regret_of_take(&self.solution, self.view.matrix(), self.view.position(), take).map_err(value_error)
    }
}

fn view_of_match(game: &Game, takes: &[u64], bots: Vec<String>, time: Duration) -> PyResult<MatchView> {
    let names =
        bots.iter().map(|name| name.parse::<BotName>().map_err(value_error)).collect::<PyResult<Vec<_>>>()?;
    let seats = game.matrix.seats();
    let given = names.len();
    let names = BySeat::try_from(names).ok().filter(|names: &BySeat<BotName>| names.seats() == seats);
    let names = names.ok_or_else(|| {
        PyValueError::new_err(format!("bots: {given} names: expected {}, one per seat", seats.get()))
    })?;
    let clock = Clock { initial: time, ..Clock::default() };
    let setup = MatchSetup {
        first: game.first_seat(),
        ending: game.ending,
        assigned: Some(game.matrix.clone()),
        terms: Terms { clock, ..Terms::default() },
        ..MatchSetup::new(names, game.piles.clone())
    };
    MatchView::replay(MatchId::new(0, &[0; 10]), setup, &game.matrix, takes).map_err(value_error)
}

fn role_of(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    }
}
