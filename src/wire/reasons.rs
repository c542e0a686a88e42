//! The enumerations of a record and of a session, both ways. An unknown or unspecified number has no domain value.

use super::{JoinRefusal, pb};
use crate::referee::{EndReason, ForfeitReason, RefusalReason, RowDefault};

/// A domain enumeration that is one of protobuf on the wire.
pub(crate) trait FromWire: Sized {
    /// Reads the number of an enumeration on the wire; `None` for an unspecified or unknown one.
    fn from_wire(number: i32) -> Option<Self>;
}

/// Maps a domain enumeration to a protobuf one and back, variant by variant.
macro_rules! both_ways {
    ($domain:ident, $wire:ident: $($from:ident <-> $to:ident),+ $(,)?) => {
        impl From<$domain> for pb::$wire {
            fn from(value: $domain) -> Self {
                match value {
                    $($domain::$from => Self::$to,)+
                }
            }
        }

        impl FromWire for $domain {
            fn from_wire(number: i32) -> Option<Self> {
                match pb::$wire::try_from(number).ok()? {
                    pb::$wire::Unspecified => None,
                    $(pb::$wire::$to => Some(Self::$from),)+
                }
            }
        }
    };
}

both_ways!(RowDefault, RowDefault: Late <-> Late, Invalid <-> Invalid, Forfeited <-> Forfeited);

both_ways!(ForfeitReason, ForfeitReason:
    TimedOut <-> TimedOut,
    Disconnected <-> Disconnected,
    NoShow <-> NoShow,
    Strikes <-> Strikes,
    Resigned <-> Resigned,
);

both_ways!(EndReason, EndReason:
    Finished <-> Finished,
    PlyLimit <-> PlyLimit,
    AllForfeited <-> AllForfeited,
    Cancelled <-> Cancelled,
);

both_ways!(RefusalReason, RefusalReason:
    IllegalTake <-> IllegalTake,
    NotYourTurn <-> NotYourTurn,
    FuturePly <-> FuturePly,
    Stale <-> Stale,
    InvalidRow <-> InvalidRow,
    AlreadyDeclared <-> AlreadyDeclared,
    NotStarted <-> NotStarted,
    MatchEnded <-> MatchEnded,
    Forfeited <-> Forfeited,
    UnknownMatch <-> UnknownMatch,
    Malformed <-> Malformed,
);

both_ways!(JoinRefusal, JoinRefusal:
    UnknownTournament <-> UnknownTournament,
    Started <-> Started,
    Over <-> Over,
    Field <-> Field,
    Busy <-> Busy,
    Unavailable <-> Unavailable,
);
