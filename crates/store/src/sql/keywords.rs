//! The names of enum values in database tables.
//!
//! If the protobuf schema has the same enum, each name is the one used there, in lower case and without the prefix that
//! all its values share; a test checks this.

use lastnim_core::referee::EndReason;
use lastnim_tournament::{FieldMovement, RatingMeasure, SeatLoss, TieBreak, TournamentState};

/// An enum whose values are stored in tables by name.
pub(super) trait StoredKeyword: Copy + Sized + 'static {
    /// The name of the enum in error messages.
    const KIND_NAME: &'static str;
    const KEYWORDS: &'static [(Self, &'static str)];

    fn as_keyword(self) -> &'static str;

    fn from_keyword(word: &str) -> Result<Self, String> {
        let known_words = || Self::KEYWORDS.iter().map(|(_, known)| *known).collect::<Vec<_>>().join(", ");
        let found = Self::KEYWORDS.iter().find(|(_, known)| *known == word);
        found
            .map(|&(value, _)| value)
            .ok_or_else(|| format!("{} {word:?}: expected one of {}", Self::KIND_NAME, known_words()))
    }
}

macro_rules! words {
    ($kind:ident, $called:literal: $($value:ident = $word:literal),+ $(,)?) => {
        impl StoredKeyword for $kind {
            const KIND_NAME: &'static str = $called;
            const KEYWORDS: &'static [(Self, &'static str)] = &[$((Self::$value, $word)),+];

            fn as_keyword(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }
    };
}

words!(EndReason, "end reason":
    Finished = "finished",
    PlyLimit = "ply_limit",
    AllForfeited = "all_forfeited",
    Cancelled = "cancelled",
);

words!(TournamentState, "tournament state":
    Open = "open",
    Running = "running",
    Finished = "finished",
    Cancelled = "cancelled",
);

words!(RatingMeasure, "rating measure":
    Wins = "wins",
    Satisfaction = "satisfaction",
);

words!(TieBreak, "tie-break":
    Regret = "regret",
    HeadToHead = "head_to_head",
    Lot = "lot",
);

words!(FieldMovement, "bot movement":
    Enters = "enters",
    Leaves = "leaves",
);

words!(SeatLoss, "lost seat":
    NoShow = "no_show",
    Forfeited = "forfeited",
);

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::pb;
    use std::fmt::Debug;

    fn check<T: StoredKeyword + PartialEq + Debug>(prefix: &str, on_the_wire: impl Fn(T) -> &'static str) {
        for &(value, word) in T::KEYWORDS {
            assert_eq!(value.as_keyword(), word);
            assert_eq!(T::from_keyword(word), Ok(value));
            assert_eq!(on_the_wire(value), format!("{prefix}{}", word.to_ascii_uppercase()));
        }
    }

    #[test]
    fn keywords_match_the_protocol() {
        check("END_REASON_", |value: EndReason| pb::EndReason::from(value).as_str_name());
        check("RATING_MEASURE_", |value: RatingMeasure| pb::RatingMeasure::from(value).as_str_name());
        check("TIE_BREAK_", |value: TieBreak| pb::TieBreak::from(value).as_str_name());
        check("FIELD_MOVEMENT_", |value: FieldMovement| pb::FieldMovement::from(value).as_str_name());
        check("TOURNAMENT_STATE_", |value: TournamentState| pb::TournamentState::from(value).as_str_name());
    }

    #[test]
    fn an_unknown_word_is_rejected() {
        assert_eq!(
            SeatLoss::from_keyword("gone").unwrap_err(),
            "lost seat \"gone\": expected one of no_show, forfeited"
        );
    }
}
