//! Templates of prompts.

use super::{
    LlmError,
    prompt_values::{ClockValues, prompt_values},
    question::Question,
};
use lastnim_client::{MatchView, text_input::read_text_file};
use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, SeatCount};
use minijinja::{Environment, UndefinedBehavior, syntax::SyntaxConfig};
use std::{error::Error as _, path::Path, time::Duration};

/// The built-in template.
const DEFAULT_TEMPLATE: &str = include_str!("prompt.md");
/// The name of the template in error messages.
const NAME: &str = "prompt";

/// A valid template of a prompt.
#[derive(Debug, Clone)]
pub struct PromptTemplate {
    text: String,
    environment: Environment<'static>,
}

impl PromptTemplate {
    /// Returns the built-in template.
    pub fn built_in() -> Self {
        Self::parse(DEFAULT_TEMPLATE, "default").expect("the built-in template is valid")
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

    /// Parses a template, and tries it on a row and a take; `path` is its source.
    ///
    /// # Errors
    /// If it is invalid, or uses unknown values.
    pub fn parse(text: &str, path: &str) -> Result<Self, LlmError> {
        let failed = |reason: String| LlmError::Prompt { path: path.to_owned(), reason };
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|error| failed(template_error_words(&error)))?);
        environment
            .add_template_owned(NAME, text.to_owned())
            .map_err(|error| failed(template_error_words(&error)))?;
        let template = Self { text: text.to_owned(), environment };
        let view = sample_view();
        for question in [Question::Row(view.info()), Question::Take(&view)] {
            let prompt = template.render(&question, Duration::from_mins(1)).map_err(failed)?;
            if prompt.trim().is_empty() {
                return Err(failed(format!("the prompt is empty if the question is {:?}", question.key())));
            }
        }
        Ok(template)
    }

    /// Returns the text of the template.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes the prompt for a question with this much time.
    ///
    /// # Errors
    /// Says where the template uses an unknown value.
    pub fn render(&self, question: &Question<'_>, time_left: Duration) -> Result<String, String> {
        let values = prompt_values(question, ClockValues::new(question.info().clock(), time_left));
        let template = self.environment.get_template(NAME).map_err(|error| template_error_words(&error))?;
        template.render(values).map_err(|error| template_error_words(&error))
    }
}

/// Describes an error in a template, with its line.
fn template_error_words(error: &minijinja::Error) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_prompt_is_complete() {
        let view = sample_view();
        let minute = Duration::from_mins(1);
        let take = PromptTemplate::built_in().render(&Question::Take(&view), minute).unwrap();
        for part in [
            "You are seat 2",
            "2, 3, 1",
            "take 1 counter",
            "seat 2 (you)",
            "ply 0: seat 0 took 2",
            "ply 1: seat 1 took 1",
            "60 seconds",
            "{\"take\": k}",
            "the seat whose turn it then is wins",
        ] {
            assert!(take.contains(part), "{part:?} is missing in:\n{take}");
        }
        let row = PromptTemplate::built_in().render(&Question::Row(view.info()), minute).unwrap();
        for part in ["You are seat 2", "2, 3, 4", "{\"row\": [", "offset 0: seat 2 (you)", "offset 1: seat 0"]
        {
            assert!(row.contains(part), "{part:?} is missing in:\n{row}");
        }
        assert!(!row.contains("\n\n\n") && !take.contains("\n\n\n"), "{row}\n----\n{take}");
        let mut info = view.info().clone();
        info.setup.ending = Ending::LastMoverWins;
        let other = PromptTemplate::built_in().render(&Question::Row(&info), minute).unwrap();
        assert!(
            other.contains("the seat that took it wins") && !other.contains("whose turn it then is wins")
        );
    }

    #[test]
    fn errors_in_templates_have_a_line() {
        let why = |text: &str| PromptTemplate::parse(text, "p.md").unwrap_err().to_string();
        assert!(
            why("a\n{{ seet }}").starts_with("--prompt p.md: line 2: undefined value"),
            "{}",
            why("a\n{{ seet }}")
        );
        assert!(why("{% if %}").starts_with("--prompt p.md: line 1: syntax error"), "{}", why("{% if %}"));
        assert!(
            why("{% if question == \"row\" %}x{% endif %}")
                .contains("the prompt is empty if the question is \"take\"")
        );
        assert!(PromptTemplate::parse("{{ seat }}", "p.md").is_ok());
        assert!(PromptTemplate::read(Path::new("no/such/file.md")).is_err());
    }
}
