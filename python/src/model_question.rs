//! What a language model is asked and how its reply is read: by the code of `lastnim bot llm`.

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
    Answer, Completion, GivenAnswer, LlmError, Message, PromptTemplate, Question, Speaker, correct_answer,
    read_answer,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::time::Duration;

/// How a reply was read: a take with what the model says beside it, or why it cannot be used.
#[pyclass(module = "lastnim._lastnim", frozen, get_all)]
pub struct ModelReply {
    /// The take, which the rules allow; none if the reply cannot be used.
    take: Option<u64>,
    /// Why the model takes so.
    why: Option<String>,
    /// How likely it says the seat wins that its row wants most, 0 to 1.
    win_probability: Option<f64>,
    /// The class of the failure, such as `unparsable`; none if there is a take.
    failure: Option<&'static str>,
    /// What happened, in words; none if there is a take.
    detail: Option<String>,
}

/// The question for a take, with the messages to a model as `lastnim bot llm` writes them.
#[pyclass(module = "lastnim._lastnim")]
pub struct ModelQuestion {
    view: MatchView,
    solution: Solution,
    messages: Vec<Message>,
}

#[pymethods]
impl ModelQuestion {
    /// Asks for a take in a game, which is JSON, after the takes of all seats so far: `bots` are the names of the bots, by seat, and
    /// `time_left` are the seconds that the prompt names. `template` is the text of a template, none for the program's own.
    #[new]
    #[pyo3(signature = (game, takes, bots, time_left, template=None))]
    fn new(
        game: &str,
        takes: Vec<u64>,
        bots: Vec<String>,
        time_left: f64,
        template: Option<&str>,
    ) -> PyResult<Self> {
        let time = Duration::try_from_secs_f64(time_left)
            .map_err(|error| PyValueError::new_err(format!("time_left: {time_left}: {error}")))?;
        let template = match template {
            Some(text) => PromptTemplate::parse(text, "template").map_err(|error| match error {
                LlmError::Prompt { path, reason } => PyValueError::new_err(format!("{path}: {reason}")),
                other => value_error(other),
            })?,
            None => PromptTemplate::built_in(),
        };
        let view = view_of_match(&read_game(game)?, &takes, bots, time)?;
        let prompt = template
            .render(&Question::Take(&view), time)
            .map_err(|reason| PyValueError::new_err(format!("the prompt cannot be made: {reason}")))?;
        Ok(Self { solution: Solution::new(view.game()), messages: vec![Message::of_user(prompt)], view })
    }

    /// The messages to the model, in order, each with who says it: the prompt and, after a reply that could not be used, that reply
    /// and what was wrong with it.
    #[getter]
    fn messages(&self) -> Vec<(&'static str, &str)> {
        self.messages.iter().map(|message| (role_of(message.speaker), message.text.as_str())).collect()
    }

    /// The seat to move.
    #[getter]
    fn seat(&self) -> usize {
        self.view.position().to_move().index()
    }

    /// The number of the take to come, from 0.
    #[getter]
    fn ply(&self) -> u32 {
        self.view.ply()
    }

    /// The id of the position, and the set of `lastnim oracle dataset` that it belongs to.
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

    /// Reads a reply. If it cannot be used, the messages are those of the next call.
    #[pyo3(signature = (text, refusal, finish_reason))]
    fn read_reply(&mut self, text: String, refusal: String, finish_reason: Option<String>) -> ModelReply {
        // A reply in one piece has come to its end, also if it does not say why.
        let finish_reason = Some(finish_reason.unwrap_or_else(|| "stop".to_owned()));
        let completion = Completion { text, refusal, finish_reason, ..Completion::default() };
        let question = Question::Take(&self.view);
        let read = match completion.find_failure() {
            Some(failure) => Err(failure),
            None => read_answer(&question, &completion.text),
        };
        match read {
            Ok(GivenAnswer { answer: Answer::Take(take), claims }) => ModelReply {
                take: Some(take),
                why: claims.why,
                win_probability: claims.win_probability,
                failure: None,
                detail: None,
            },
            Ok(GivenAnswer { answer: Answer::Row(_), .. }) => unreachable!("a take was asked for"),
            Err(failure) => {
                correct_answer(&mut self.messages, &question, &completion.text, &failure);
                ModelReply {
                    take: None,
                    why: None,
                    win_probability: None,
                    failure: Some(failure.class.name()),
                    detail: Some(failure.detail),
                }
            }
        }
    }

    /// Returns the ranks, 0 to n-1, that the seat to move would lose by a take, in its own row.
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
        PyValueError::new_err(format!("bots: {given} of them: the game has {}", seats.get()))
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
