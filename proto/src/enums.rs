//! Maps enumerations of the domain to those of the protos and back.

use super::{JoinRefusal, ListedState, batch::SolveDetail, pb};
#[cfg(feature = "analysis")]
use lastnim_analysis::{KnowledgeReading, general::OutcomeClass};
use lastnim_core::game::Ending;
use lastnim_core::oracle::TakeSafety;
use lastnim_core::referee::{EndReason, ForfeitReason, RefusalReason, RowDefault, TalkPrivacy};
use lastnim_tournament::{
    DisqualifiedResults, FieldMovement, LadderPairing, OpenMatches, OracleAccess, RatingMeasure, Scoring,
    SprtAnswer, SprtMeasure, StandingsOrder, SuspensionReason, TieBreak, TournamentState,
};

/// A domain enumeration with a counterpart in the protos.
pub trait FromWire: Sized {
    /// The counterpart in the protos.
    type Wire: TryFrom<i32>;

    /// Converts a value of the counterpart; `None` if it is unspecified.
    fn from_known(wire: Self::Wire) -> Option<Self>;

    /// Converts a number; `None` if it is unspecified or unknown.
    fn from_wire(number: i32) -> Option<Self> {
        Self::Wire::try_from(number).ok().and_then(Self::from_known)
    }
}

/// Implements the conversions between a domain enumeration and a protobuf enumeration with the same variant names.
macro_rules! both_ways {
    ($domain:ident, $wire:ident: $($variant:ident),+ $(,)?) => {
        impl From<$domain> for pb::$wire {
            fn from(value: $domain) -> Self {
                match value {
                    $($domain::$variant => Self::$variant,)+
                }
            }
        }

        impl FromWire for $domain {
            type Wire = pb::$wire;

            fn from_known(wire: pb::$wire) -> Option<Self> {
                match wire {
                    pb::$wire::Unspecified => None,
                    $(pb::$wire::$variant => Some(Self::$variant),)+
                }
            }
        }
    };
}

both_ways!(Ending, Ending: ToMoveWins, LastMoverWins);
both_ways!(RowDefault, RowDefault: Late, Invalid, Forfeited);
both_ways!(ForfeitReason, ForfeitReason: TimedOut, Disconnected, NoShow, Strikes, Resigned, Disqualified);
both_ways!(EndReason, EndReason: Finished, PlyLimit, AllForfeited, Cancelled);
both_ways!(RefusalReason, RefusalReason:
    IllegalTake, NotYourTurn, FuturePly, Stale, InvalidRow, AlreadyDeclared, NotStarted, MatchEnded, Forfeited,
    UnknownMatch, Malformed, InvalidTalk,
);
both_ways!(TalkPrivacy, TalkPrivacy: Open, Private, Published);
both_ways!(JoinRefusal, JoinRefusal: UnknownTournament, Started, Over, Field, Busy, Unavailable, EntriesClosed, NotAllowed);
both_ways!(TournamentState, TournamentState: Open, Running, Finished, Cancelled);
both_ways!(OpenMatches, OpenMatches: Finish, Freeze);
both_ways!(DisqualifiedResults, DisqualifiedResults: Stand, Annul);
both_ways!(Scoring, Scoring: Win, Satisfaction);
both_ways!(OracleAccess, OracleAccess: Open, Closed);
both_ways!(RatingMeasure, RatingMeasure: Wins, Satisfaction);
both_ways!(LadderPairing, LadderPairing: LeastCertain, ByTurns);
both_ways!(SprtMeasure, Measure: Points, Regret);
both_ways!(FieldMovement, FieldMovement: Enters, Leaves);
both_ways!(SuspensionReason, SuspensionReason: NeverCame, LostSeats);
both_ways!(ListedState, MatchState: Open, Over, Voided, Quarantined);
both_ways!(StandingsOrder, StandingsOrder: Points, PointsPerMatch, Rating, Bracket);
both_ways!(TieBreak, TieBreak: Regret, HeadToHead, Lot);
both_ways!(SprtAnswer, SprtAnswer: Open, Better, NoBetter, Undecided);
both_ways!(SolveDetail, SolveDetail: Solution, Winner);
#[cfg(feature = "analysis")]
both_ways!(KnowledgeReading, Reading: CommonKnowledge, DeclaredBelieved);
both_ways!(TakeSafety, TakeSafety: Safe, Risky, SafeError, Error);
#[cfg(feature = "analysis")]
both_ways!(OutcomeClass, Outcome: N, P, L, R);
