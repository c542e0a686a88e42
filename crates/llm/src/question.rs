//! What a model is asked, and what it can answer.

use super::claims::{WANTS, WIN_PROBABILITY};
use lastnim_client::{MatchInfo, MatchView};
use lastnim_core::game::{MatchId, Row};
use serde_json::{Map, Value, json};

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub enum Question<'a> {
    /// Which row to declare.
    Row(&'a MatchInfo),
    /// How many counters to take.
    Take(&'a MatchView),
}

/// What the bot does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The row that it declares.
    Row(Row),
    /// The counters that it takes.
    Take(u64),
}

impl Question<'_> {
    /// Returns the match as it was fixed before the first take.
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

    /// Returns the number of the take; none for a row.
    pub fn ply(&self) -> Option<u32> {
        match self {
            Self::Row(_) => None,
            Self::Take(view) => Some(view.ply()),
        }
    }

    /// Returns the key of the answer in its JSON.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Row(_) => "row",
            Self::Take(_) => "take",
        }
    }

    /// Returns an answer of the form that is expected.
    pub fn example(&self) -> String {
        match self {
            Self::Row(info) => json!({ "row": Row::standard(info.seats()).offsets() }).to_string(),
            Self::Take(view) => json!({ "take": view.position().counters().min(2) }).to_string(),
        }
    }

    /// Returns the JSON schema of the answer. It has only what every strict reader of schemas knows, so that ranges are checked here.
    pub fn answer_schema(&self) -> Value {
        let value = match self {
            Self::Row(_) => json!({ "type": "array", "items": { "type": "integer" } }),
            Self::Take(_) => json!({ "type": "integer" }),
        };
        let mut properties = Map::from_iter([
            ("why".to_owned(), json!({ "type": ["string", "null"] })),
            (self.key().to_owned(), value),
            (WIN_PROBABILITY.to_owned(), json!({ "type": ["number", "null"] })),
        ]);
        if matches!(self, Self::Row(_)) {
            properties.insert(WANTS.to_owned(), json!({ "type": ["integer", "null"] }));
        }
        // A strict reader wants all members to be required; null stands for those that a model leaves out.
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
    /// Makes its JSON, as a model says it.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Row(row) => json!({ "row": row.offsets() }),
            Self::Take(take) => json!({ "take": take }),
        }
    }
}
