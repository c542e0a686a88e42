//! Writes prompts for language models and reads their replies, with the code of `lastnim bot run llm`.

use crate::{
    dataset_positions::identity_of_game,
    envs::regret_of_take,
    rehearsal::{read_game, value_error},
};
use lastnim_client::{MatchInfo, MatchView};
use lastnim_core::{
    game::{AllianceMatrix, BotName, BySeat, Game, MatchId, Piles},
    oracle::Solution,
    referee::{Clock, MatchSetup, Terms},
};
use lastnim_llm::{
    Answer, CallFailure, Completion, Fault, LATEST_PROMPT, LlmError, MatchMemories, MatchScoring, Memory,
    Message, ModelAnswer, PromptContext, PromptTemplate, Question, RowNotation, Speaker, append_correction,
    read_answer,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::time::Duration;

/// A parsed reply: an answer with the model's comments, or why the reply is unusable.
#[pyclass(module = "lastnim._lastnim", frozen)]
pub struct ModelReply {
    ply: Option<u32>,
    read: Result<ModelAnswer, CallFailure>,
}

#[pymethods]
impl ModelReply {
    /// The number of the take in the match, from 0; None for a row.
    #[getter]
    fn ply(&self) -> Option<u32> {
        self.ply
    }

    /// The legal take; None if the question is about a row, or the reply is unusable.
    #[getter]
    fn take(&self) -> Option<u64> {
        match self.read.as_ref().ok()?.answer {
            Answer::Take(take) => Some(take),
            Answer::Talk(_) | Answer::Row(_) => None,
        }
    }

    /// The row, as offsets from the model's seat; None if the question is about a take, or the reply is unusable.
    #[getter]
    fn row(&self) -> Option<Vec<usize>> {
        match &self.read.as_ref().ok()?.answer {
            Answer::Row(row) => Some(row.offsets().iter().copied().map(usize::from).collect()),
            Answer::Talk(_) | Answer::Take(_) => None,
        }
    }

    /// The model's reason.
    #[getter]
    fn why(&self) -> Option<&str> {
        self.read.as_ref().ok()?.claims.why.as_deref()
    }

    /// The probability, 0 to 1, that the model gives to a win by the first seat in its row.
    #[getter]
    fn win_probability(&self) -> Option<f64> {
        self.read.as_ref().ok()?.claims.win_probability
    }

    /// The seat that the model says it really wants to win; only with a row.
    #[getter]
    fn wants(&self) -> Option<usize> {
        self.read.as_ref().ok()?.claims.wants.map(lastnim_client::game::Seat::index)
    }

    /// The seat that the model says it tries to make win from this take on; only with a take.
    #[getter]
    fn plan(&self) -> Option<usize> {
        self.read.as_ref().ok()?.claims.plan.map(lastnim_client::game::Seat::index)
    }

    /// The class of the failure, such as `unparsable`; None if the reply is usable.
    #[getter]
    fn failure(&self) -> Option<&'static str> {
        Some(self.read.as_ref().err()?.class.name())
    }

    /// Whose fault it is: `model`, `endpoint` or `settings`; None if the reply is usable.
    #[getter]
    fn fault(&self) -> Option<&'static str> {
        Some(self.read.as_ref().err()?.class.fault().name())
    }

    /// A description of the failure; None if the reply is usable.
    #[getter]
    fn detail(&self) -> Option<&str> {
        Some(&self.read.as_ref().err()?.detail)
    }
}

/// A question to a model, with the messages that `lastnim bot run llm` would send.
#[pyclass(module = "lastnim._lastnim")]
pub struct ModelQuestion {
    subject: Subject,
    rows: RowNotation,
    messages: Vec<Message>,
}

/// What a question is about.
enum Subject {
    Row(Box<MatchInfo>),
    Take(Box<MatchView>, Solution),
}

impl Subject {
    fn question(&self) -> Question<'_> {
        match self {
            Self::Row(info) => Question::Row(info),
            Self::Take(view, _) => Question::Take(view),
        }
    }
}

/// The settings of `lastnim bot run llm` that change a prompt: the attributes of Python's `PromptSettings`.
#[derive(FromPyObject)]
struct PromptSettings {
    time_left: f64,
    template: Option<String>,
    prompt_version: Option<u8>,
    memory: String,
    blind: bool,
    think: String,
    scoring: String,
}

impl PromptSettings {
    fn read_template(&self) -> PyResult<PromptTemplate> {
        let version = self.prompt_version.unwrap_or(LATEST_PROMPT);
        match &self.template {
            Some(_) if version != LATEST_PROMPT => Err(PyValueError::new_err(format!(
                "prompt_version: {version}: it selects a built-in template, but template is also given: give only one"
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

    fn read_time(&self) -> PyResult<Duration> {
        let seconds = self.time_left;
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| PyValueError::new_err(format!("time_left: {seconds}: expected 0 to 1e19 seconds")))
    }

    fn read_context(&self, memories: &MatchMemories, ply: Option<u32>) -> PyResult<PromptContext> {
        let scoring = MatchScoring::ALL.into_iter().find(|scoring| scoring.name() == self.scoring);
        let scoring = scoring.ok_or_else(|| {
            let names = MatchScoring::ALL.map(MatchScoring::name).join(", ");
            PyValueError::new_err(format!("scoring: {:?}: expected one of {names}", self.scoring))
        })?;
        let memory: Memory =
            self.memory.parse().map_err(|error| PyValueError::new_err(format!("memory: {error}")))?;
        Ok(PromptContext {
            time_left: self.read_time()?,
            scoring,
            is_blind: self.blind,
            think: self.think.parse().map_err(|error| PyValueError::new_err(format!("think: {error}")))?,
            memory: match memory {
                Memory::None => Vec::new(),
                Memory::Match => memories.answers_before(match_id(), ply),
            },
            refusals: Vec::new(),
        })
    }
}

#[pymethods]
impl ModelQuestion {
    /// Asks the seat to move for its take in `game`, a game as JSON, after `takes`. `bots` are the names by seat, and
    /// `said` the model's earlier replies in the match.
    #[staticmethod]
    fn of_take(
        game: &str,
        takes: Vec<u64>,
        rows_are_assigned: bool,
        bots: Vec<String>,
        prompts: PromptSettings,
        said: Vec<Py<ModelReply>>,
    ) -> PyResult<Self> {
        let game = read_game(game)?;
        let assigned = rows_are_assigned.then(|| game.matrix.clone());
        let setup = setup_of_match(&game, assigned, bots, prompts.read_time()?)?;
        let view = MatchView::replay(match_id(), setup, &game.matrix, &takes).map_err(value_error)?;
        let solution = Solution::new(view.game());
        Self::ask(Subject::Take(Box::new(view), solution), &prompts, &said)
    }

    /// Asks a seat for its row in `game`, a game as JSON whose rows are ignored. `bots` are the names by seat.
    #[staticmethod]
    fn of_row(game: &str, seat: usize, bots: Vec<String>, prompts: PromptSettings) -> PyResult<Self> {
        let game = read_game(game)?;
        let setup = setup_of_match(&game, None, bots, prompts.read_time()?)?;
        let view = MatchView::replay(match_id(), setup, &game.matrix, &[]).map_err(value_error)?;
        let mut info = view.info().clone();
        info.seat = game.matrix.seats().seat(seat).map_err(value_error)?;
        Self::ask(Subject::Row(Box::new(info)), &prompts, &[])
    }

    /// The kind of the answer: `row` or `take`.
    #[getter]
    fn asks_for(&self) -> &'static str {
        self.subject.question().key()
    }

    /// The messages to the model, in order, each with its role: the prompt and, after an unusable reply, that reply and its
    /// mistake.
    #[getter]
    fn messages(&self) -> Vec<(&'static str, &str)> {
        self.messages.iter().map(|message| (role_of(message.speaker), message.text.as_str())).collect()
    }

    /// The number of seats in the match.
    #[getter]
    fn seats(&self) -> usize {
        self.subject.question().info().seats().get()
    }

    /// The model's seat.
    #[getter]
    fn seat(&self) -> usize {
        self.subject.question().info().seat.index()
    }

    /// The number of the next take, from 0; None for a row.
    #[getter]
    fn ply(&self) -> Option<u32> {
        self.subject.question().ply()
    }

    /// The id of the position, and its set in `lastnim oracle dataset`; None for a row, which belongs to no position.
    #[getter]
    fn identity(&self) -> PyResult<Option<(String, &'static str)>> {
        let Subject::Take(view, _) = &self.subject else { return Ok(None) };
        let position = view.position();
        let piles: Vec<u64> = position.piles().collect();
        let piles = Piles::parse_partly_emptied(&piles).map_err(value_error)?;
        let matrix = view.matrix().clone();
        let game = Game::new(piles, matrix, position.to_move().index(), view.ending).map_err(value_error)?;
        Ok(Some(identity_of_game(&game)))
    }

    /// Reads a reply. If it is unusable and the model is at fault, `messages` become those of the next call.
    #[pyo3(signature = (text, refusal=String::new(), finish_reason=None))]
    fn read_reply(&mut self, text: String, refusal: String, finish_reason: Option<String>) -> ModelReply {
        // A reply without a finish reason counts as complete.
        let finish_reason = Some(finish_reason.unwrap_or_else(|| "stop".to_owned()));
        let completion = Completion { text, refusal, finish_reason, ..Completion::default() };
        let question = self.subject.question();
        let read = match completion.find_failure() {
            Some(failure) => Err(failure),
            None => read_answer(&question, self.rows, &completion.text),
        };
        if let Err(failure) = &read
            && failure.class.fault() == Fault::Model
        {
            append_correction(&mut self.messages, &question, &completion.text, failure);
        }
        ModelReply { ply: question.ply(), read }
    }

    /// Returns the ranks, 0 to n-1, that a take would cost the seat to move in its own row.
    fn regret(&self, take: u64) -> PyResult<usize> {
        match &self.subject {
            Subject::Take(view, solution) => {
                regret_of_take(solution, view.matrix(), view.position(), take).map_err(value_error)
            }
            Subject::Row(_) => {
                Err(PyValueError::new_err("the question is about a row: only takes have regret"))
            }
        }
    }
}

impl ModelQuestion {
    fn ask(subject: Subject, prompts: &PromptSettings, said: &[Py<ModelReply>]) -> PyResult<Self> {
        let template = prompts.read_template()?;
        let memories = MatchMemories::default();
        for reply in said.iter().map(Py::get) {
            if let Ok(given) = &reply.read {
                memories.remember_answer(match_id(), reply.ply, given);
            }
        }
        let question = subject.question();
        let context = prompts.read_context(&memories, question.ply())?;
        let prompt = template
            .render(&question, &context)
            .map_err(|reason| PyValueError::new_err(format!("the prompt cannot be written: {reason}")))?;
        Ok(Self { rows: template.row_notation(), messages: vec![Message::from_user(prompt)], subject })
    }
}

/// Returns the id of the match, which no prompt shows.
fn match_id() -> MatchId {
    MatchId::new(0, &[0; 10])
}

fn setup_of_match(
    game: &Game,
    assigned: Option<AllianceMatrix>,
    bots: Vec<String>,
    time: Duration,
) -> PyResult<MatchSetup> {
    let names =
        bots.iter().map(|name| name.parse::<BotName>().map_err(value_error)).collect::<PyResult<Vec<_>>>()?;
    let seats = game.matrix.seats();
    let given = names.len();
    let names = BySeat::try_from(names).ok().filter(|names: &BySeat<BotName>| names.seats() == seats);
    let names = names.ok_or_else(|| {
        PyValueError::new_err(format!("bots: {given} names: expected {}, one per seat", seats.get()))
    })?;
    let clock = Clock { initial: time, declaration: time, ..Clock::default() };
    Ok(MatchSetup {
        first: game.first_seat(),
        ending: game.ending,
        assigned,
        terms: Terms { clock, ..Terms::default() },
        ..MatchSetup::new(names, game.piles.clone())
    })
}

fn role_of(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    }
}
