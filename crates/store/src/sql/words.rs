//! The words by which enumerations stand in tables.
//!
//! They are those of the wire, without what all words of a kind begin with and in small letters; a test sees to that.

use lastnim_core::referee::{EndReason, ForfeitReason, RefusalReason, RowDefault};
use lastnim_tournament::{FieldMovement, RatingMeasure, SeatLoss, TournamentState};

/// An enumeration whose values stand in tables as words.
pub(super) trait StoredWord: Copy + Sized + 'static {
    /// What a value is called, for messages.
    const CALLED: &'static str;
    /// Every value and its word.
    const WORDS: &'static [(Self, &'static str)];

    /// Returns the word of a value.
    fn as_word(self) -> &'static str;

    /// Reads a word.
    fn from_word(word: &str) -> Result<Self, String> {
        let known = || Self::WORDS.iter().map(|(_, known)| *known).collect::<Vec<_>>().join(", ");
        let found = Self::WORDS.iter().find(|(_, known)| *known == word);
        found
            .map(|&(value, _)| value)
            .ok_or_else(|| format!("{} {word:?}: expected one of {}", Self::CALLED, known()))
    }
}

macro_rules! words {
    ($kind:ident, $called:literal: $($value:ident = $word:literal),+ $(,)?) => {
        impl StoredWord for $kind {
            const CALLED: &'static str = $called;
            const WORDS: &'static [(Self, &'static str)] = &[$((Self::$value, $word)),+];

            fn as_word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }
    };
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    Created,
    Declared,
    Revealed,
    Took,
    Struck,
    Forfeited,
    Ended,
}

words!(EventKind, "kind of event":
    Created = "created",
    Declared = "declared",
    Revealed = "revealed",
    Took = "took",
    Struck = "struck",
    Forfeited = "forfeited",
    Ended = "ended",
);

words!(RowDefault, "reason for a standard row":
    Late = "late",
    Invalid = "invalid",
    Forfeited = "forfeited",
);

words!(ForfeitReason, "reason of a forfeit":
    TimedOut = "timed_out",
    Disconnected = "disconnected",
    NoShow = "no_show",
    Strikes = "strikes",
    Resigned = "resigned",
    Disqualified = "disqualified",
);

words!(EndReason, "reason of an end":
    Finished = "finished",
    PlyLimit = "ply_limit",
    AllForfeited = "all_forfeited",
    Cancelled = "cancelled",
);

words!(RefusalReason, "reason of a strike":
    IllegalTake = "illegal_take",
    NotYourTurn = "not_your_turn",
    FuturePly = "future_ply",
    Stale = "stale",
    InvalidRow = "invalid_row",
    AlreadyDeclared = "already_declared",
    NotStarted = "not_started",
    MatchEnded = "match_ended",
    Forfeited = "forfeited",
    UnknownMatch = "unknown_match",
    Malformed = "malformed",
);

words!(TournamentState, "state of a tournament":
    Open = "open",
    Running = "running",
    Finished = "finished",
    Cancelled = "cancelled",
);

words!(RatingMeasure, "measure of a rating":
    Wins = "wins",
    Satisfaction = "satisfaction",
);

words!(FieldMovement, "movement of a bot":
    Enters = "enters",
    Leaves = "leaves",
);

words!(SeatLoss, "loss of a seat":
    NoShow = "no_show",
    Forfeited = "forfeited",
);

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::pb;
    use std::fmt::Debug;

    fn check<T: StoredWord + PartialEq + Debug>(prefix: &str, on_the_wire: impl Fn(T) -> &'static str) {
        for &(value, word) in T::WORDS {
            assert_eq!(value.as_word(), word);
            assert_eq!(T::from_word(word), Ok(value));
            assert_eq!(on_the_wire(value), format!("{prefix}{}", word.to_ascii_uppercase()));
        }
    }

    #[test]
    fn words_are_those_of_the_wire() {
        check("ROW_DEFAULT_", |value: RowDefault| pb::RowDefault::from(value).as_str_name());
        check("FORFEIT_REASON_", |value: ForfeitReason| pb::ForfeitReason::from(value).as_str_name());
        check("END_REASON_", |value: EndReason| pb::EndReason::from(value).as_str_name());
        check("REFUSAL_REASON_", |value: RefusalReason| pb::RefusalReason::from(value).as_str_name());
        check("RATING_MEASURE_", |value: RatingMeasure| pb::RatingMeasure::from(value).as_str_name());
        check("FIELD_MOVEMENT_", |value: FieldMovement| pb::FieldMovement::from(value).as_str_name());
        check("TOURNAMENT_STATE_", |value: TournamentState| pb::TournamentState::from(value).as_str_name());
    }

    #[test]
    fn another_word_is_refused() {
        assert_eq!(
            SeatLoss::from_word("gone").unwrap_err(),
            "loss of a seat \"gone\": expected one of no_show, forfeited"
        );
    }
}
