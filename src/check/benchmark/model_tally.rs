//! Counts the questions, calls and tokens of a language model in the matches of a card, from its transcript.
//!
//! The transcript survives an interrupted process, and matches that were open at that time do not count. So the figures
//! cover the matches on the card, whichever process played them.

use crate::{Failure, transcript_files::list_transcripts};
use lastnim_client::text_input::TextInput;
use lastnim_core::game::MatchId;
use lastnim_llm::{DecidedBy, FailureClass, TokenCount, TranscriptItem, TranscriptQuestion, read_transcript};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::BufReader,
    path::Path,
};

/// The questions, calls and tokens of a language model.
#[derive(Debug, Clone, Default)]
pub struct ModelTally {
    /// Questions for a take.
    pub questions: u64,
    /// Number of answered questions.
    pub answered: u64,
    /// Number of questions withdrawn before they were answered.
    pub withdrawn: u64,
    /// Number of questions that the model did not answer, by the last failure.
    pub unanswered: BTreeMap<FailureClass, u64>,
    /// Calls to the endpoint.
    pub calls: u64,
    /// Calls without an answer, by failure.
    pub failed_calls: BTreeMap<FailureClass, u64>,
    /// Tokens, according to the endpoint.
    pub tokens: TokenCount,
    /// By match: the number of takes that the bot made, and the plies for which the transcript has a question.
    matches: BTreeMap<MatchId, (u32, BTreeSet<u32>)>,
}

impl ModelTally {
    /// Creates a tally without questions for these matches. The values are the numbers of takes that the bot made.
    pub fn of_takes(takes: &BTreeMap<MatchId, u32>) -> Self {
        let matches = takes.iter().map(|(&id, &takes)| (id, (takes, BTreeSet::new())));
        Self { matches: matches.collect(), ..Self::default() }
    }

    /// Counts the questions of these matches in a transcript, or in all transcripts of a folder.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read_transcripts(path: &Path, takes: &BTreeMap<MatchId, u32>) -> Result<Self, Failure> {
        let mut tally = Self::of_takes(takes);
        // A pipe or a device cannot be read again.
        for file in list_transcripts(&[path.to_owned()])?.iter().filter(|file| file.is_file()) {
            let failure = |error| Failure::runtime(error, file.display());
            let input = BufReader::new(TextInput::open(file).map_err(failure)?);
            read_transcript(input, |item| {
                if let TranscriptItem::Question(question) = item {
                    tally.add_question(&question);
                }
            })
            .map_err(failure)?;
        }
        Ok(tally)
    }

    /// Adds a question if it belongs to one of the matches.
    fn add_question(&mut self, question: &TranscriptQuestion) {
        let Some((_, plies)) = self.matches.get_mut(&question.key.match_id) else { return };
        plies.extend(question.key.ply);
        self.questions += 1;
        if let Some(decision) = &question.decision {
            match (decision.by, decision.failure) {
                (DecidedBy::Model, _) => self.answered += 1,
                (DecidedBy::Withdrawn, _) => self.withdrawn += 1,
                (_, Some(class)) => *self.unanswered.entry(class).or_default() += 1,
                (_, None) => {}
            }
        }
        self.calls += question.calls.len() as u64;
        for call in &question.calls {
            if let Some(class) = call.failure {
                *self.failed_calls.entry(class).or_default() += 1;
            }
            if let Some(tokens) = call.tokens {
                self.tokens += tokens;
            }
        }
    }

    /// Returns how many takes have no question in the transcript.
    pub fn unknown_takes(&self) -> u32 {
        self.matches.values().map(|(takes, plies)| takes.saturating_sub(plies.len() as u32)).sum()
    }
}
