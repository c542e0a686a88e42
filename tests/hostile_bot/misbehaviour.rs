//! The misbehaviours.

/// A misbehaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Misbehaviour {
    /// Takes nothing, one counter too many, or 2^64 - 1.
    IllegalTakes,
    /// Takes at past plies.
    StalePlies,
    /// Takes at future plies.
    FuturePlies,
    /// Takes while another seat is to move.
    OutOfTurn,
    /// Acts in unknown matches, joins unknown tournaments, and uses invalid ids.
    UnknownMatches,
    /// Declares rows that are short, repeated, out of range, empty or missing, in time and late.
    GarbageRows,
    /// Sends messages without an action, and unsolicited pongs.
    EmptyMessages,
    /// Declares one row, then another.
    DeclareTwice,
    /// Resigns, then continues.
    Resign,
    /// Lets its clock run out.
    Stall,
    /// Sends hundreds of takes without reading.
    Flood,
    /// Drops the stream during a match and reconnects.
    DropStream,
    /// Closes its sending side during a match and waits.
    HalfClose,
    /// Opens a second session while the first is open.
    TwoSessions,
}

impl Misbehaviour {
    /// All misbehaviours.
    pub const ALL: [Self; 14] = [
        Self::IllegalTakes,
        Self::StalePlies,
        Self::FuturePlies,
        Self::OutOfTurn,
        Self::UnknownMatches,
        Self::GarbageRows,
        Self::EmptyMessages,
        Self::DeclareTwice,
        Self::Resign,
        Self::Stall,
        Self::Flood,
        Self::DropStream,
        Self::HalfClose,
        Self::TwoSessions,
    ];
}
