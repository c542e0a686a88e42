//! Questions to a model, and answers.

use super::{
    claims::{PLAN, WANTS, WIN_PROBABILITY},
    prompt::PromptTemplate,
    row_notation::RowNotation,
    talk_answer::talk_schema,
};
use lastnim_client::{MatchInfo, MatchView, Message, OfferId, TalkContent, TalkRound};
use lastnim_core::game::{MatchId, Row, Seat, SeatCount};
use serde_json::{Map, Value, json};

/// A question to a model.
#[derive(Debug, Clone, Copy)]
pub enum Question<'a> {
    /// Asks what to say in a round of talk.
    Talk(&'a TalkRound),
    /// Asks which row to declare.
    Row(&'a MatchInfo),
    /// Asks how many counters to take.
    Take(&'a MatchView),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The messages to send; none to be silent.
    Talk(Vec<Message>),
    /// The row to declare.
    Row(Row),
    /// The number of counters to take.
    Take(u64),
}

impl Question<'_> {
    /// Returns the facts about the match.
    pub fn info(&self) -> &MatchInfo {
        match self {
            Self::Talk(round) => round.info(),
            Self::Row(info) => info,
            Self::Take(view) => view.info(),
        }
    }

    /// Returns the match.
    pub fn match_id(&self) -> MatchId {
        self.info().id
    }

    /// Returns the ply of the take; `None` for other questions.
    pub fn ply(&self) -> Option<u32> {
        match self {
            Self::Talk(_) | Self::Row(_) => None,
            Self::Take(view) => Some(view.ply()),
        }
    }

    /// Returns the key of the answer in JSON.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Talk(_) => "talk",
            Self::Row(_) => "row",
            Self::Take(_) => "take",
        }
    }

    /// Returns the form of the expected JSON. It has words in place of numbers, because models copy examples.
    pub fn answer_form(&self) -> &'static str {
        match self {
            Self::Talk(_) => "{\"talk\": [MESSAGE, ...]}",
            Self::Row(_) => "{\"row\": [FIRST, ..., LAST]}",
            Self::Take(_) => "{\"take\": NUMBER}",
        }
    }

    /// Returns the JSON schema of the answer to a prompt. It uses only keywords that strict implementations support, so
    /// this program checks ranges.
    pub fn answer_schema(&self, prompt: &PromptTemplate) -> Value {
        let value = match self {
            Self::Talk(_) => talk_schema(),
            Self::Row(_) => json!({ "type": "array", "items": { "type": "integer" } }),
            Self::Take(_) => json!({ "type": "integer" }),
        };
        let mut properties = Map::from_iter([
            ("why".to_owned(), json!({ "type": ["string", "null"] })),
            (self.key().to_owned(), value),
        ]);
        let seat_member = match self {
            Self::Talk(_) => None,
            Self::Row(_) => Some(WANTS),
            Self::Take(_) => prompt.asks_for_plans().then_some(PLAN),
        };
        if !matches!(self, Self::Talk(_)) {
            properties.insert(WIN_PROBABILITY.to_owned(), json!({ "type": ["number", "null"] }));
        }
        if let Some(name) = seat_member {
            properties.insert(name.to_owned(), json!({ "type": ["integer", "null"] }));
        }
        // Strict implementations require all members, so optional ones may be null.
        let required: Vec<_> = properties.keys().cloned().collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl Answer {
    /// Returns the answer of `seat` as JSON. A row lists seats, whatever the notation of the prompt, and the offer of a
    /// pact is a text such as `0: 1>2; 1: 1>2`.
    pub fn to_json(&self, seat: Seat, seats: SeatCount) -> Value {
        let order = |row: &Row| RowNotation::Seats.numbers_of(row, seat, seats);
        match self {
            Self::Talk(messages) => {
                let said = messages.iter().map(|Message { to, content }| {
                    let mut said = match content {
                        TalkContent::Text(text) => json!({ "text": text }),
                        TalkContent::Claim(row) => json!({ "claim": order(row) }),
                        TalkContent::Offer(pact) => json!({ "offer": pact.to_string() }),
                        TalkContent::Accept(OfferId { seat, round, number }) => {
                            json!({ "accept": { "seat": seat.index(), "round": round, "number": number } })
                        }
                    };
                    said["to"] = to.iter().map(Seat::index).collect();
                    said
                });
                json!({ "talk": said.collect::<Vec<_>>() })
            }
            Self::Row(row) => json!({ "row": order(row) }),
            Self::Take(take) => json!({ "take": take }),
        }
    }
}
