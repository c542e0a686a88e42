//! The lines of a transcript, read back as questions with their calls and their decision.

use super::{FailureClass, TokenCount};
use lastnim_core::{game::MatchId, referee::NoteHash};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    io::{self, BufRead, Read as _},
};

/// The most bytes of a line: a reply has up to 8 MiB, and a few are shown to the model again.
const MAX_LINE_BYTES: u64 = 64 << 20;
/// The lines that cannot be read of which the numbers are kept.
const MAX_NUMBERED: usize = 5;

/// What a question is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionKey {
    /// The match.
    pub match_id: MatchId,
    /// The number of the seat.
    pub seat: usize,
    /// The number of the take; none for a row.
    pub ply: Option<u32>,
}

/// One start of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TranscriptRun {
    /// What all its lines are marked with.
    pub run: String,
    /// The hash of the prompt and of all settings.
    #[serde(default)]
    pub config_hash: String,
    /// Its settings, as far as they are of interest.
    #[serde(default)]
    pub settings: RunSettings,
}

/// What is read of the settings of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct RunSettings {
    /// The model, as its endpoint calls it.
    #[serde(default)]
    pub model: String,
}

/// A question, with what was asked, what was replied, and what the bot then did.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptQuestion {
    /// Of which run it is.
    pub run: String,
    /// What it is known by.
    pub key: QuestionKey,
    /// The calls, in order.
    pub calls: Vec<TranscriptCall>,
    /// What the bot did; none if the bot was ended before it did anything.
    pub decision: Option<TranscriptDecision>,
    /// The hash of its lines, to which the bot commits with its answer.
    pub hash: NoteHash,
}

/// A call of the endpoint.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct TranscriptCall {
    /// What the model was shown.
    #[serde(default)]
    pub messages: Vec<TranscriptMessage>,
    /// What it replied; none if no reply came.
    pub reply: Option<String>,
    /// What it says of its reasoning beside the reply.
    pub reasoning: Option<String>,
    /// The tokens that it took; none if the endpoint did not count them.
    pub tokens: Option<TokenCount>,
    /// What it counts as having cost; nothing in transcripts of versions that did not write it.
    pub cost: Option<CallCost>,
    /// How long it took.
    #[serde(default)]
    pub latency_ms: u64,
    /// What failed; none if it brought an answer.
    pub failure: Option<FailureClass>,
    /// What happened, in words.
    pub detail: Option<String>,
}

/// What was said in a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TranscriptMessage {
    /// By whom: `user` or `assistant`.
    pub role: String,
    /// What.
    pub content: String,
}

/// What a call counts as having cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize)]
pub struct CallCost {
    /// Tokens.
    pub tokens: u64,
    /// Money, in the currency.
    pub money: f64,
}

/// What a bot did in the end.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct TranscriptDecision {
    /// Who decided it.
    pub by: DecidedBy,
    /// The answer; none if the seat was given up, or the question withdrawn.
    pub answer: Option<DecidedAnswer>,
    /// Why, as the model says.
    pub why: Option<String>,
    /// How likely the model takes it to be that the seat wins that its row wants most.
    pub win_probability: Option<f64>,
    /// The seat that the model would like to win.
    pub wants: Option<usize>,
    /// Members of the answer that were out of range.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// What failed last; none if the model answered.
    pub failure: Option<FailureClass>,
    /// How long it took, with all calls and pauses.
    #[serde(default)]
    pub elapsed_ms: u64,
}

/// Who decides an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The model.
    Model,
    /// The policy, which gives up the seat.
    Forfeit,
    /// The policy, which takes one.
    FirstLegal,
    /// The policy, which takes any number.
    Random,
    /// Nobody: the match went on without the answer.
    Withdrawn,
}

/// An answer of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DecidedAnswer {
    /// A row, by its offsets.
    Row(Vec<u64>),
    /// A take.
    Take(u64),
}

/// What a transcript holds.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptItem {
    /// A start of the bot.
    Run(TranscriptRun),
    /// A question that is over, or at the end of the transcript one that is not.
    Question(Box<TranscriptQuestion>),
}

/// The lines that are none of a transcript. A run that was killed may have left one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnreadLines {
    /// How many.
    pub count: u64,
    /// The numbers of the first of them, from 1.
    pub numbers: Vec<u64>,
}

impl UnreadLines {
    fn add_line(&mut self, number: u64) {
        self.count += 1;
        if self.numbers.len() < MAX_NUMBERED {
            self.numbers.push(number);
        }
    }
}

/// What is read of every line first.
#[derive(Debug, Deserialize)]
struct LineHead {
    event: String,
    #[serde(default)]
    run: String,
    match_id: Option<String>,
    seat: Option<usize>,
    ply: Option<u32>,
}

/// A question whose decision has not come.
#[derive(Default)]
struct OpenQuestion {
    hasher: blake3::Hasher,
    calls: Vec<TranscriptCall>,
}

/// Reads the lines of a transcript, and visits what they hold: a question once its decision has come. What is said of a match by lines of
/// other versions counts for the hash of its question.
///
/// # Errors
/// If they cannot be read.
pub fn read_transcript(
    mut input: impl BufRead,
    mut visit: impl FnMut(TranscriptItem),
) -> io::Result<UnreadLines> {
    let mut open: BTreeMap<(QuestionKey, String), OpenQuestion> = BTreeMap::new();
    let mut unread = UnreadLines::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Some(head) = parse_line::<LineHead>(&line) else {
            unread.add_line(number);
            continue;
        };
        let match_id = head.match_id.as_deref().and_then(|id| id.parse().ok());
        let (Some(match_id), Some(seat)) = (match_id, head.seat) else {
            match parse_line(&line).filter(|_| head.event == "run") {
                Some(run) => visit(TranscriptItem::Run(run)),
                None if matches!(head.event.as_str(), "call" | "decision") => unread.add_line(number),
                None => {}
            }
            continue;
        };
        let question = (QuestionKey { match_id, seat, ply: head.ply }, head.run);
        let asked = open.entry(question.clone()).or_default();
        asked.hasher.update(&line);
        match head.event.as_str() {
            "call" => match parse_line(&line) {
                Some(call) => asked.calls.push(call),
                None => unread.add_line(number),
            },
            "decision" => {
                let decision = parse_line(&line);
                if decision.is_none() {
                    unread.add_line(number);
                }
                if let Some(asked) = open.remove(&question) {
                    visit(asked.into_item(question, decision));
                }
            }
            _ => {}
        }
    }
    for (question, asked) in open {
        visit(asked.into_item(question, None));
    }
    Ok(unread)
}

fn parse_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

impl OpenQuestion {
    fn into_item(
        self,
        (key, run): (QuestionKey, String),
        decision: Option<TranscriptDecision>,
    ) -> TranscriptItem {
        let hash = NoteHash::from_bytes(*self.hasher.finalize().as_bytes());
        TranscriptItem::Question(Box::new(TranscriptQuestion { run, key, calls: self.calls, decision, hash }))
    }
}

impl DecidedBy {
    /// Returns its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Forfeit => "forfeit",
            Self::FirstLegal => "first-legal",
            Self::Random => "random",
            Self::Withdrawn => "withdrawn",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> (Vec<TranscriptItem>, UnreadLines) {
        let mut items = Vec::new();
        let unread = read_transcript(text.as_bytes(), |item| items.push(item)).unwrap();
        (items, unread)
    }

    #[test]
    fn questions_are_put_together_by_run_match_seat_and_ply() {
        let id = MatchId::new(1, &[0; 10]).to_string();
        let line = |run: &str, event: &str, ply: u32, more: &str| {
            format!(
                "{{\"event\":\"{event}\",\"run\":\"{run}\",\"match_id\":\"{id}\",\"seat\":1,\"ply\":{ply}{more}}}\n"
            )
        };
        let call = |failure: &str| {
            format!(
                ",\"reply\":\"x\",\"latency_ms\":5,\"failure\":{failure},\"cost\":{{\"tokens\":7,\"money\":0.5}}"
            )
        };
        let decision =
            ",\"by\":\"first-legal\",\"answer\":{\"take\":1},\"failure\":\"illegal\",\"elapsed_ms\":9";
        let lines = [
            json!({ "event": "run", "run": "a", "config_hash": "h", "settings": { "model": "m", "x": 1 } })
                .to_string()
                + "\n",
            line("a", "call", 3, &call("\"illegal\"")),
            line("b", "call", 3, &call("null")),
            line("a", "endpoint_error", 3, ""),
            line("a", "call", 4, &call("\"no such class\"")),
            "{\"event\":\"call\"}\n\n".to_owned(),
            line("a", "decision", 3, decision),
            "{\"eve".to_owned(),
        ];
        let (items, unread) = read(&lines.concat());
        assert_eq!((unread.count, unread.numbers), (3, vec![5, 6, 9]));
        let [TranscriptItem::Run(run), TranscriptItem::Question(done), rest @ ..] = items.as_slice() else {
            panic!("{items:?}")
        };
        assert_eq!((run.settings.model.as_str(), run.config_hash.as_str()), ("m", "h"));
        let expected = blake3::hash([&lines[1][..], &lines[3], &lines[6]].concat().as_bytes());
        assert_eq!((done.key.ply, done.hash.clone()), (Some(3), NoteHash::from_bytes(*expected.as_bytes())));
        assert_eq!(done.calls.len(), 1);
        assert_eq!(done.calls[0].cost, Some(CallCost { tokens: 7, money: 0.5 }));
        let decision = done.decision.as_ref().unwrap();
        assert_eq!((decision.by, &decision.answer), (DecidedBy::FirstLegal, &Some(DecidedAnswer::Take(1))));
        assert_eq!((decision.failure, decision.win_probability), (Some(FailureClass::Illegal), None));
        // What was not over when the bot ended.
        let unfinished =
            |item: &TranscriptItem| matches!(item, TranscriptItem::Question(open) if open.decision.is_none());
        assert!(rest.len() == 2 && rest.iter().all(unfinished), "{rest:?}");
    }

    #[test]
    fn words_are_those_that_are_written() {
        for by in [
            DecidedBy::Model,
            DecidedBy::Forfeit,
            DecidedBy::FirstLegal,
            DecidedBy::Random,
            DecidedBy::Withdrawn,
        ] {
            assert_eq!(serde_json::from_value::<DecidedBy>(json!(by.name())).unwrap(), by);
        }
        for policy in super::super::FailurePolicy::ALL {
            assert!(serde_json::from_value::<DecidedBy>(json!(policy.name())).is_ok(), "{policy}");
        }
        for class in FailureClass::ALL {
            assert_eq!(serde_json::from_value::<FailureClass>(json!(class.name())).unwrap(), class);
        }
    }
}
