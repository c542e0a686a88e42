//! The answers that batches print. They are shorter than the messages that they are made from, because programs read
//! very many of them. Their keys and the order of the keys are documented and must not change.

use lastnim_proto::pb;
use lastnim_report::words::enum_word;
use serde::Serialize;
use std::ops::Not;

/// Defines an answer that has some of the fields of a message.
macro_rules! answer {
    ($(#[$doc:meta])* $name:ident of $message:ident { $($(#[$rule:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Serialize)]
        pub struct $name {
            $($(#[$rule])* $field: $type,)+
        }

        impl From<pb::$message> for $name {
            fn from(message: pb::$message) -> Self {
                Self { $($field: message.$field.into(),)+ }
            }
        }
    };
}

answer! {
    /// The solution of a game of Last Nim.
    SolutionAnswer of SolveResponse {
        winner: u32, value: u32, winner_by_first: Vec<u32>, optimal_takes: AnswerList<TakeRangeAnswer>,
    }
}

answer! {
    /// The audit of a game.
    AuditAnswer of Audit {
        winner: u32, predicted_winner: u32, plies: AnswerList<PlyAnswer>, seats: AnswerList<SeatAnswer>, ledger: AnswerList<LedgerRowCosts>,
        kingmaking_plies: Vec<u32>, first_error: Option<u32>,
    }
}

answer! {
    /// A take in an audit.
    PlyAnswer of PlyAudit {
        ply: u32, seat: u32, take: u64, predicted_before: u32, predicted_after: u32, regret: u32, optimal_takes: AnswerList<TakeRangeAnswer>,
        #[serde(skip_serializing_if = "Not::not")]
        steward: bool,
    }
}

answer! {
    /// A seat in an audit.
    SeatAnswer of SeatAudit {
        seat: u32, rank_predicted: u32, rank_actual: u32, satisfaction: f64, regret: u32, luck: i32, accuracy: Option<f64>,
    }
}

answer! {
    /// The solution of a game with an arbitrary ruleset.
    RulesetAnswer of SolveRulesetResponse {
        #[serde(rename = "game")]
        ruleset: String,
        winner: u32, value: u32, winner_by_first: Vec<u32>, options: AnswerList<MoveAnswer>, method: String, states: u64, ending: EndingName,
        #[serde(flatten)]
        two_players: TwoPlayerFields,
    }
}

answer! {
    /// A move in a game with an arbitrary ruleset.
    MoveAnswer of RulesetOption { play: String, position: String, winner: u32, optimal: bool, regret: u32, }
}

/// The name of an ending, such as `last_mover_wins`.
#[derive(Debug, Serialize)]
struct EndingName(String);

impl From<i32> for EndingName {
    fn from(ending: i32) -> Self {
        let ending = pb::Ending::try_from(ending).unwrap_or_default();
        Self(enum_word(ending.as_str_name(), "ENDING_"))
    }
}

/// A list of answers, made from a list of messages.
#[derive(Debug, Serialize)]
struct AnswerList<T>(Vec<T>);

impl<M, T: From<M>> From<Vec<M>> for AnswerList<T> {
    fn from(messages: Vec<M>) -> Self {
        Self(messages.into_iter().map(T::from).collect())
    }
}

/// An inclusive range of takes: `[lo,hi]`.
#[derive(Debug, Serialize)]
struct TakeRangeAnswer(u64, u64);

impl From<pb::TakeRange> for TakeRangeAnswer {
    fn from(range: pb::TakeRange) -> Self {
        Self(range.lo, range.hi)
    }
}

/// How many ranks one seat's takes cost each seat; negative if a seat gained ranks.
#[derive(Debug, Serialize)]
struct LedgerRowCosts(Vec<i32>);

impl From<pb::LedgerRow> for LedgerRowCosts {
    fn from(row: pb::LedgerRow) -> Self {
        Self(row.costs)
    }
}

/// The keys of an answer about a game with two players; other answers do not have them.
#[derive(Debug, Serialize)]
struct TwoPlayerFields(Option<TwoPlayersAnswer>);

#[derive(Debug, Serialize)]
struct TwoPlayersAnswer {
    outcome: String,
    grundy: Option<GrundyAnswer>,
}

#[derive(Debug, Serialize)]
struct GrundyAnswer {
    value: u64,
    ending: String,
}

impl From<Option<pb::TwoPlayers>> for TwoPlayerFields {
    fn from(two: Option<pb::TwoPlayers>) -> Self {
        let grundy = |grundy: &pb::Grundy| GrundyAnswer {
            value: grundy.value,
            ending: enum_word(grundy.ending().as_str_name(), "ENDING_"),
        };
        Self(two.map(|two| TwoPlayersAnswer {
            outcome: two.outcome().as_str_name().trim_start_matches("OUTCOME_").to_owned(),
            grundy: two.grundy.as_ref().map(grundy),
        }))
    }
}
