//! Reads transcripts: questions with their calls and decisions.

use super::{
    CallMode, FailureClass, TokenCount, completion::ResponseSource, decision::SILENT, question_log::SAID,
};
use lastnim_core::{game::MatchId, referee::NoteHash};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::{
    collections::BTreeMap,
    io::{self, BufRead, Read as _},
};

/// The maximum length of a line. A reply can be up to 8 MiB, and the prompt in the same line can repeat earlier replies.
const MAX_LINE_BYTES: u64 = 64 << 20;
/// The maximum number of invalid lines whose numbers are kept.
const MAX_LISTED_LINES: usize = 5;

/// The identity of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionKey {
    /// The match.
    pub match_id: MatchId,
    /// The number of the seat.
    pub seat: usize,
    /// The ply of the take; `None` for a row.
    pub ply: Option<u32>,
}

/// A run of a bot, from one start to the next.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TranscriptRun {
    /// The id of the run, which all its lines have.
    pub run: String,
    /// The hash of the prompt and of the settings that cannot be amended.
    #[serde(default)]
    pub config_hash: String,
    /// The settings of the run that are read back.
    #[serde(default)]
    pub settings: RunSettings,
}

/// The settings of a run that are read back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct RunSettings {
    /// The name of the model at the endpoint.
    #[serde(default)]
    pub model: String,
}

/// A question with its calls and the bot's decision.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptQuestion {
    /// The id of its run.
    pub run: String,
    /// Its identity.
    pub key: QuestionKey,
    /// The calls, in order. Those of a row include the calls of the talk before it.
    pub calls: Vec<TranscriptCall>,
    /// What the bot said in the rounds of talk before its row, in order.
    pub said: Vec<TranscriptTalk>,
    /// The bot's decision; `None` if the bot was stopped first.
    pub decision: Option<TranscriptDecision>,
    /// The hash of its lines, to which the bot commits with its answer.
    pub hash: NoteHash,
}

/// A call to the endpoint.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct TranscriptCall {
    /// The round of talk, from 0; `None` for a call about a row or a take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The messages sent to the model.
    #[serde(default)]
    pub messages: Vec<TranscriptMessage>,
    /// The reply, if there was one.
    pub reply: Option<String>,
    /// The model's reasoning, if the endpoint showed it.
    pub reasoning: Option<String>,
    /// How the model was asked; `None` if no request was made.
    pub mode: Option<CallMode>,
    /// Where the reply came from, according to the endpoint.
    pub response: Option<ResponseSource>,
    /// The tokens, if the endpoint counted them.
    pub tokens: Option<TokenCount>,
    /// The cost; missing in transcripts of old versions.
    pub cost: Option<CallCost>,
    /// The duration.
    #[serde(default)]
    pub latency_ms: u64,
    /// The failure, unless the reply contained an answer.
    pub failure: Option<FailureClass>,
    /// A description.
    pub detail: Option<String>,
}

/// A message of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TranscriptMessage {
    /// The speaker: `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// The cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize)]
pub struct CallCost {
    /// Tokens.
    pub tokens: u64,
    /// Money, in the currency.
    pub money: f64,
}

/// A bot's decision.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct TranscriptDecision {
    /// Who made it.
    pub by: DecidedBy,
    /// The answer; `None` if the seat was given up, or the question withdrawn.
    pub answer: Option<DecidedAnswer>,
    /// The model's reasons.
    pub why: Option<String>,
    /// The claimed probability that the first choice of the row wins.
    pub win_probability: Option<f64>,
    /// The seat that the model really wants to win.
    pub wants: Option<usize>,
    /// The seat that the model tries to make win from this take on.
    pub plan: Option<usize>,
    /// Members of the answer that had invalid values.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// The last failure, unless the model answered.
    pub failure: Option<FailureClass>,
    /// The duration, including all calls and pauses.
    #[serde(default)]
    pub elapsed_ms: u64,
}

/// What a bot said in a round of talk.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TranscriptTalk {
    /// The round, from 0.
    pub round: u32,
    /// Who decided it. The bot was silent unless the model did.
    pub by: DecidedBy,
    /// The messages; `None` if the model gave no answer.
    pub answer: Option<SaidMessages>,
    /// The last failure, unless the model answered.
    pub failure: Option<FailureClass>,
    /// The duration, including all calls and pauses.
    #[serde(default)]
    pub elapsed_ms: u64,
}

/// The messages of a bot in a round of talk.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SaidMessages {
    /// The messages, in order.
    pub talk: Vec<SaidMessage>,
}

/// A message of a bot.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SaidMessage {
    /// What kind of message it is.
    #[serde(flatten)]
    pub kind: SaidKind,
    /// The seats that hear it; empty if everyone does, and for pacts.
    #[serde(default)]
    pub to: Vec<usize>,
}

/// A kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SaidKind {
    /// A text.
    Text(IgnoredAny),
    /// A claim of a row.
    Claim(IgnoredAny),
    /// An offer of a pact.
    Offer(IgnoredAny),
    /// The acceptance of a pact.
    Accept(IgnoredAny),
}

/// Who made a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The model.
    Model,
    /// The policy, by giving up the seat.
    Forfeit,
    /// The policy, by taking one counter.
    FirstLegal,
    /// The policy, at random.
    Random,
    /// The policy for talk, by sending nothing.
    Silent,
    /// No one: the match continued without the answer.
    Withdrawn,
}

/// An answer of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DecidedAnswer {
    /// The seats of a row, the most wanted first.
    Row(Vec<u64>),
    /// A take.
    Take(u64),
}

/// An item of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptItem {
    /// A start of the bot.
    Run(TranscriptRun),
    /// A finished question, or an unfinished one at the end of the transcript.
    Question(Box<TranscriptQuestion>),
}

/// The invalid lines of a transcript. A killed run may leave one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvalidLines {
    /// How many lines are invalid.
    pub count: u64,
    /// The line numbers of the first ones, from 1.
    pub numbers: Vec<u64>,
}

impl InvalidLines {
    fn add_line(&mut self, number: u64) {
        self.count += 1;
        if self.numbers.len() < MAX_LISTED_LINES {
            self.numbers.push(number);
        }
    }
}

/// The fields common to all lines.
#[derive(Debug, Deserialize)]
struct LineHead {
    event: String,
    #[serde(default)]
    run: String,
    match_id: Option<String>,
    seat: Option<usize>,
    ply: Option<u32>,
}

/// A question without a decision so far.
#[derive(Default)]
struct OpenQuestion {
    hasher: blake3::Hasher,
    calls: Vec<TranscriptCall>,
    said: Vec<TranscriptTalk>,
}

/// Reads the lines of a transcript, and passes each item to `visit`; a question is passed on once its decision is read.
/// Unknown lines about a match are included in the hash of their question.
///
/// # Errors
/// If reading fails.
pub fn read_transcript(
    mut input: impl BufRead,
    mut visit: impl FnMut(TranscriptItem),
) -> io::Result<InvalidLines> {
    let mut open: BTreeMap<(QuestionKey, String), OpenQuestion> = BTreeMap::new();
    let mut unread = InvalidLines::default();
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
            SAID => match parse_line(&line) {
                Some(said) => asked.said.push(said),
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
        let Self { calls, said, .. } = self;
        TranscriptItem::Question(Box::new(TranscriptQuestion { run, key, calls, said, decision, hash }))
    }
}

impl DecidedBy {
    /// Returns the decider's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Forfeit => "forfeit",
            Self::FirstLegal => "first-legal",
            Self::Random => "random",
            Self::Silent => SILENT,
            Self::Withdrawn => "withdrawn",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> (Vec<TranscriptItem>, InvalidLines) {
        let mut items = Vec::new();
        let unread = read_transcript(text.as_bytes(), |item| items.push(item)).unwrap();
        (items, unread)
    }

    #[test]
    fn lines_are_grouped_by_run_match_seat_and_ply() {
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
            line("a", "outage", 3, ""),
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
        // These questions had no decision when the bot stopped.
        let unfinished =
            |item: &TranscriptItem| matches!(item, TranscriptItem::Question(open) if open.decision.is_none());
        assert!(rest.len() == 2 && rest.iter().all(unfinished), "{rest:?}");
    }

    #[test]
    fn written_words_are_read_back() {
        for by in [
            DecidedBy::Model,
            DecidedBy::Forfeit,
            DecidedBy::FirstLegal,
            DecidedBy::Random,
            DecidedBy::Silent,
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
