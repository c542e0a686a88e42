//! Questions to a model, and answers.

use super::{
    claims::{PLAN, WANTS, WIN_PROBABILITY},
    prompt::PromptTemplate,
    row_notation::RowNotation,
};
use lastnim_client::{MatchInfo, MatchView};
use lastnim_core::game::{MatchId, Row, Seat, SeatCount};
use serde_json::{Map, Value, json};

/// A question to a model.
#[derive(Debug, Clone, Copy)]
pub enum Question<'a> {
    /// Asks which row to declare.
    Row(&'a MatchInfo),
    /// Asks how many counters to take.
    Take(&'a MatchView),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The row to declare.
    Row(Row),
    /// The number of counters to take.
    Take(u64),
}

impl Question<'_> {
    /// Returns the facts about the match.
    pub fn info(&self) -> &MatchInfo {
        match self {
            Self::Row(info) => info,
            Self::Take(view) => view.info(),
        }
    }

    /// Returns the match.
    pub fn match_id(&self) -> MatchId {
        self.info().id
    }

    /// Returns the ply of the take; `None` for a row.
    pub fn ply(&self) -> Option<u32> {
        match self {
            Self::Row(_) => None,
            Self::Take(view) => Some(view.ply()),
        }
    }

    /// Returns the key of the answer in JSON.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Row(_) => "row",
            Self::Take(_) => "take",
        }
    }

    /// Returns the form of the expected JSON. It has words in place of numbers, because models copy examples.
    pub fn answer_form(&self) -> &'static str {
        match self {
            Self::Row(_) => "{\"row\": [FIRST, ..., LAST]}",
            Self::Take(_) => "{\"take\": NUMBER}",
        }
    }

    /// Returns the JSON schema of the answer to a prompt. It uses only keywords that strict implementations support, so
    /// this program checks ranges.
    pub fn answer_schema(&self, prompt: &PromptTemplate) -> Value {
        let value = match self {
            Self::Row(_) => json!({ "type": "array", "items": { "type": "integer" } }),
            Self::Take(_) => json!({ "type": "integer" }),
        };
        let mut properties = Map::from_iter([
            ("why".to_owned(), json!({ "type": ["string", "null"] })),
            (self.key().to_owned(), value),
            (WIN_PROBABILITY.to_owned(), json!({ "type": ["number", "null"] })),
        ]);
        let seat_member = match self {
            Self::Row(_) => Some(WANTS),
            Self::Take(_) => prompt.asks_for_plans().then_some(PLAN),
        };
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
    /// Returns the answer of `seat` as JSON. A row lists seats, whatever the notation of the prompt.
    pub fn to_json(&self, seat: Seat, seats: SeatCount) -> Value {
        match self {
            Self::Row(row) => json!({ "row": RowNotation::Seats.numbers_of(row, seat, seats) }),
            Self::Take(take) => json!({ "take": take }),
        }
    }
}
