//! Templates of prompts.

use super::{
    LlmError,
    answer::ModelAnswer,
    claims::Claims,
    match_memory::EarlierAnswer,
    match_scoring::MatchScoring,
    prompt_values::{ClockValues, prompt_values},
    question::{Answer, Question},
    row_notation::RowNotation,
    thinking::Thinking,
};
use lastnim_client::{MatchView, TalkContent, TalkMessage, TalkRound, TalkTerms, text_input::read_text_file};
use lastnim_core::game::{AllianceMatrix, Ending, Game, Pact, Piles, Row, SeatCount, SeatSet};
use minijinja::{Environment, UndefinedBehavior, syntax::SyntaxConfig};
use std::{error::Error as _, path::Path, time::Duration};

/// The built-in templates, the oldest first. A version does not change after results with it have been published.
const BUILT_IN_PROMPTS: [&str; 3] =
    [include_str!("prompt_1.md"), include_str!("prompt_2.md"), include_str!("prompt_3.md")];
/// The latest version of the built-in template.
pub const LATEST_PROMPT: u8 = 3;
/// The name of the template in error messages.
const TEMPLATE_NAME: &str = "prompt";

/// A valid template of a prompt.
#[derive(Debug, Clone)]
pub struct PromptTemplate {
    text: String,
    /// The version of a built-in template; `None` for others.
    version: Option<u8>,
    mentions_talk: bool,
    environment: Environment<'static>,
}

/// The inputs of a prompt apart from the match.
#[derive(Debug, Clone)]
pub struct PromptContext {
    /// The time for the question.
    pub time_left: Duration,
    /// The scoring of the match.
    pub scoring: MatchScoring,
    /// Whether the names of bots are hidden.
    pub is_blind: bool,
    /// Whether the model thinks before it gives the JSON object.
    pub think: Thinking,
    /// The model's earlier answers in the match.
    pub memory: Vec<EarlierAnswer>,
    /// Why the server has refused messages of the model in the talk of the match.
    pub refusals: Vec<String>,
}

impl Default for PromptContext {
    fn default() -> Self {
        Self {
            time_left: Duration::from_mins(1),
            scoring: MatchScoring::Unscored,
            is_blind: false,
            think: Thinking::default(),
            memory: Vec::new(),
            refusals: Vec::new(),
        }
    }
}

impl PromptTemplate {
    /// Returns the latest built-in template.
    pub fn built_in() -> Self {
        Self::of_version(LATEST_PROMPT).expect("the latest version exists")
    }

    /// Returns a version of the built-in template, from 1; `None` if it does not exist.
    pub fn of_version(version: u8) -> Option<Self> {
        let text = BUILT_IN_PROMPTS.get(usize::from(version.checked_sub(1)?))?;
        let template = Self::parse_version(text, "default", Some(version));
        Some(template.expect("the built-in templates are valid"))
    }

    /// Reads a template from a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a valid template.
    pub fn read(path: &Path) -> Result<Self, LlmError> {
        let shown = path.display().to_string();
        let text = read_text_file(path)
            .map_err(|error| LlmError::Prompt { path: shown.clone(), reason: error.to_string() })?;
        Self::parse(&text, &shown)
    }

    /// Parses a template, and renders it for each kind of question in several contexts as a check; `path` is its source.
    ///
    /// # Errors
    /// If it is invalid, or uses unknown values.
    pub fn parse(text: &str, path: &str) -> Result<Self, LlmError> {
        Self::parse_version(text, path, None)
    }

    fn parse_version(text: &str, path: &str, version: Option<u8>) -> Result<Self, LlmError> {
        let failure = |reason: String| LlmError::Prompt { path: path.to_owned(), reason };
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|error| failure(template_error_text(&error)))?);
        environment
            .add_template_owned(TEMPLATE_NAME, text.to_owned())
            .map_err(|error| failure(template_error_text(&error)))?;
        let parsed = environment.get_template(TEMPLATE_NAME);
        let used = parsed.map(|parsed| parsed.undeclared_variables(false)).unwrap_or_default();
        let mentions_talk = used.contains("talk");
        let template = Self { text: text.to_owned(), version, mentions_talk, environment };
        let view = sample_view();
        let talking = talking_view();
        let rounds = [0, 1].map(|round| TalkRound::practice(talking.info(), round));
        let about_talk = rounds.iter().map(Question::Talk).filter(|_| mentions_talk);
        let others = [&view, &talking].map(|view| [Question::Row(view.info()), Question::Take(view)]);
        for question in others.into_iter().flatten().chain(about_talk) {
            for context in sample_contexts(&view) {
                let prompt = template.render(&question, &context).map_err(failure)?;
                if prompt.trim().is_empty() {
                    return Err(failure(format!(
                        "the prompt is empty if the question is {:?}",
                        question.key()
                    )));
                }
            }
        }
        Ok(template)
    }

    /// Returns the text of the template.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the notation of rows in answers to this prompt.
    pub fn row_notation(&self) -> RowNotation {
        // Version 1 asks for offsets; later versions ask for seat numbers.
        if self.version == Some(1) { RowNotation::Offsets } else { RowNotation::Seats }
    }

    /// Returns whether answers with a take may state a plan. Versions 1 and 2 do not ask for one.
    pub fn asks_for_plans(&self) -> bool {
        !matches!(self.version, Some(1 | 2))
    }

    /// Returns whether the template uses the value `talk`. Otherwise the model takes no part in talk.
    pub fn mentions_talk(&self) -> bool {
        self.mentions_talk
    }

    /// Writes the prompt for a question.
    ///
    /// # Errors
    /// If the template uses an unknown value. The error says where.
    pub fn render(&self, question: &Question<'_>, context: &PromptContext) -> Result<String, String> {
        let clock = ClockValues::new(question.info().clock(), context.time_left);
        let values = prompt_values(question, clock, context, self.row_notation());
        let template =
            self.environment.get_template(TEMPLATE_NAME).map_err(|error| template_error_text(&error))?;
        template.render(values).map_err(|error| template_error_text(&error))
    }
}

/// Describes an error in a template, with its line.
fn template_error_text(error: &minijinja::Error) -> String {
    let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{line}{}{detail}{source}", error.kind())
}

/// Returns a match of three seats after some takes.
fn sample_view() -> MatchView {
    let three = SeatCount::new(3).expect("3 is a valid number of seats");
    let piles = Piles::parse(&[2, 3, 4]).expect("the piles are valid");
    let game =
        Game::new(piles, AllianceMatrix::standard(three), 0, Ending::default()).expect("seat 0 exists");
    MatchView::practice(&game, &[2, 1]).expect("these takes are legal")
}

/// Returns the same match after two rounds of talk, with private and public messages of each kind.
fn talking_view() -> MatchView {
    let view = sample_view();
    let seats = view.seats();
    let all: Vec<_> = seats.iter().collect();
    let own = view.info().seat;
    let mut setup = view.info().setup.clone();
    setup.terms.talk = Some(TalkTerms { pacts: true, ..TalkTerms::default() });
    let talking =
        MatchView::replay(view.info().id, setup, view.matrix(), &[2, 1]).expect("these takes are legal");
    let promises = vec![(own.index(), all[0].index())];
    let pact =
        Pact::parse(seats, &[(0, promises.clone()), (own.index(), promises)]).expect("the pact is valid");
    let offer = TalkMessage {
        seat: all[0],
        round: 0,
        number: 0,
        to: [own].into_iter().collect(),
        content: TalkContent::Offer(pact),
    };
    let accept = TalkContent::Accept(offer.offer_id());
    let said =
        |seat, number, content| TalkMessage { seat, round: 1, number, to: SeatSet::default(), content };
    let messages = vec![
        offer,
        said(all[1], 0, TalkContent::Text("hello".to_owned())),
        said(all[1], 1, TalkContent::Claim(Row::standard(seats))),
        said(own, 0, accept),
    ];
    talking.with_messages(messages).with_dealt_row(Row::standard(seats))
}

/// Returns contexts that together have every scoring, both ways to think, hidden names and every kind of memory.
fn sample_contexts(view: &MatchView) -> Vec<PromptContext> {
    let claims =
        || Claims { why: Some("parity".to_owned()), win_probability: Some(0.5), ..Claims::default() };
    let row_claims = Claims { wants: Some(view.info().seat), ..claims() };
    let row = ModelAnswer { answer: Answer::Row(Row::standard(view.seats())), claims: row_claims };
    let take_claims = Claims { plan: Some(view.info().seat), ..claims() };
    let take = ModelAnswer { answer: Answer::Take(1), claims: take_claims };
    let memory = [EarlierAnswer { ply: None, given: row }, EarlierAnswer { ply: Some(0), given: take }];
    let contexts = MatchScoring::ALL.into_iter().flat_map(|scoring| {
        [
            PromptContext { scoring, ..PromptContext::default() },
            PromptContext {
                scoring,
                is_blind: true,
                think: Thinking::Before,
                memory: memory.to_vec(),
                refusals: vec!["round 0 of talk is over".to_owned()],
                ..PromptContext::default()
            },
        ]
    });
    contexts.collect()
}

#[cfg(test)]
mod tests;
