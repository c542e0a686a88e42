//! The ways to misbehave.

/// One way to misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Misbehaviour {
    /// Takes nothing, one counter too many, or 2^64 - 1.
    IllegalTakes,
    /// Takes at plies that are past.
    StalePlies,
    /// Takes at plies that are to come.
    FuturePlies,
    /// Takes while another seat is to move.
    OutOfTurn,
    /// Acts in matches and joins tournaments that do not exist, and under ids that are none.
    UnknownMatches,
    /// Declares rows that are short, repeated, out of range, empty or absent, in time and out of time.
    GarbageRows,
    /// Sends messages without an action, and pongs that nobody asked for.
    EmptyMessages,
    /// Declares one row, then another.
    DeclareTwice,
    /// Resigns, and then goes on as if it had not.
    Resign,
    /// Lets its clock run out.
    Stall,
    /// Sends hundreds of takes without reading a thing.
    Flood,
    /// Drops the stream in mid-match and comes back.
    DropStream,
    /// Closes its sending side in mid-match and waits.
    HalfClose,
    /// Opens a second session beside the first.
    TwoSessions,
}

impl Misbehaviour {
    /// All of them.
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
