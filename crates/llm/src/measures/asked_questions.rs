//! The questions in transcripts, without their texts.

use super::{question_tally::CallTally, spending::Spending};
use crate::transcript_reader::{
    QuestionKey, TranscriptCall, TranscriptDecision, TranscriptItem, TranscriptQuestion, TranscriptRun,
    TranscriptTalk, read_transcript,
};
use lastnim_core::{game::MatchId, referee::NoteHash};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{self, BufRead},
};

/// The maximum number of invalid lines that are named.
const MAX_PLACES: usize = 20;

/// The maximum length of a model's name.
const MAX_MODEL_CHARS: usize = 100;

/// The questions in transcripts, by match.
#[derive(Debug, Default)]
pub struct AskedQuestions {
    pub(super) files: u64,
    pub(super) unread_lines: u64,
    pub(super) unread_places: Vec<String>,
    pub(super) given_twice: u64,
    pub(super) runs: HashMap<String, RunSummary>,
    /// In the order of ids, so that the questions named in reports are deterministic.
    pub(super) by_match: BTreeMap<MatchId, Vec<AskedQuestion>>,
    seen: HashSet<NoteHash>,
}

/// A run of a bot, from one start to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RunSummary {
    pub(super) model: String,
    pub(super) config_hash: String,
    /// The spending of all calls of the run.
    pub(super) spending: Spending,
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AskedQuestion {
    pub(super) run: String,
    pub(super) key: QuestionKey,
    pub(super) calls: CallTally,
    /// The spending, without that for talk.
    pub(super) spending: Spending,
    /// What the bot said before its row.
    pub(super) said: Vec<TranscriptTalk>,
    pub(super) talk_spending: Spending,
    pub(super) decision: Option<TranscriptDecision>,
    pub(super) hash: NoteHash,
}

impl AskedQuestions {
    /// Reads a transcript from a file called `name`. A question that occurs again counts only once.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_file(&mut self, name: &str, input: impl BufRead) -> io::Result<()> {
        self.files += 1;
        let unread = read_transcript(input, |item| match item {
            TranscriptItem::Run(run) => self.add_run(run),
            TranscriptItem::Question(question) => self.add_question(*question),
        })?;
        self.unread_lines += unread.count;
        let room = MAX_PLACES.saturating_sub(self.unread_places.len());
        self.unread_places.extend(unread.numbers.iter().take(room).map(|line| format!("{name}:{line}")));
        Ok(())
    }

    /// Returns the matches that have questions, but whose records have not been found yet.
    pub fn matches(&self) -> impl Iterator<Item = MatchId> {
        self.by_match.keys().copied()
    }

    fn add_run(&mut self, run: TranscriptRun) {
        let known = self.runs.entry(run.run).or_default();
        // Reports are shown on terminals, and the author of the transcript chose this text.
        let model = run.settings.model.replace(char::is_control, " ").chars().take(MAX_MODEL_CHARS).collect();
        (known.model, known.config_hash) = (model, run.config_hash);
    }

    fn add_question(&mut self, question: TranscriptQuestion) {
        let TranscriptQuestion { run, key, calls, said, decision, hash } = question;
        if !self.seen.insert(hash.clone()) {
            self.given_twice += 1;
            return;
        }
        let is_talk = |call: &&TranscriptCall| call.round.is_some();
        let mut spending = Spending::of_calls(calls.iter().filter(|call| !is_talk(call)));
        spending.millis = decision.as_ref().map_or(0, |decision| decision.elapsed_ms);
        let mut talk_spending = Spending::of_calls(calls.iter().filter(is_talk));
        talk_spending.millis = said.iter().fold(0, |sum, said| said.elapsed_ms.saturating_add(sum));
        let run_spending = &mut self.runs.entry(run.clone()).or_default().spending;
        run_spending.add_spending(&spending);
        run_spending.add_spending(&talk_spending);
        // The model's reasons are dropped here; they remain in the transcript.
        let decision = decision.map(|decision| TranscriptDecision { why: None, ..decision });
        let calls = CallTally::of_calls(&calls);
        self.by_match.entry(key.match_id).or_default().push(AskedQuestion {
            run,
            key,
            calls,
            spending,
            said,
            talk_spending,
            decision,
            hash,
        });
    }
}
