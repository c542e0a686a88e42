//! Properties of formats.

use super::TournamentFormat;

/// The properties of a format: its names, its limits, what its pairings depend on, and how its progress is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct FormatProfile {
    /// The name of the format in snake case, such as `round_robin`.
    pub name: &'static str,
    /// The name of the format in running text, such as `round robin`.
    pub title: &'static str,
    /// A short description of which bots meet.
    pub summary: &'static str,
    /// Maximum number of bots.
    pub max_bots: usize,
    /// Whether bots may enter and leave during the tournament.
    pub has_open_field: bool,
    /// Whether bots may withdraw from a running tournament. In a ladder, they leave and may return.
    pub allows_withdrawal: bool,
    /// How the format schedules its matches.
    pub scheduling: SchedulingMode,
    /// The view that shows a tournament's progress, in addition to the standings.
    pub view: ProgressView,
}

/// How a format schedules its matches: what the pairings and the end of the tournament depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchedulingMode {
    /// The pairings do not depend on results: all of them are known at the start.
    Planned,
    /// The pairings depend on the results of earlier rounds.
    InRounds,
    /// The pairings are known at the start, but the tournament ends as soon as the results of whole groups give an
    /// answer.
    UntilDecided,
}

/// A view that shows a tournament's progress, in addition to its standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressView {
    /// No view in addition to the standings.
    Standings,
    /// The scores of one bot against each opponent.
    Opponents,
    /// The tables of each round.
    Rounds,
    /// The tables of each round, and which bots advanced.
    Bracket,
    /// Ratings over time.
    Ratings,
    /// The capital of the bets in a sequential test, over time.
    Capital,
}

/// Maximum number of bots in any tournament; the standings of all of them must fit in one message.
const MAX_BOTS: usize = 10_000;
/// Maximum number of bots in a format that keeps track of which bots have met.
const MAX_PAIRED_BOTS: usize = 4_096;
/// Maximum number of bots in a ladder. Its ratings store the covariance of every pair; with this many bots, updating
/// them after a match takes up to about a millisecond.
const MAX_LADDER_BOTS: usize = 1_024;

/// The profile of a round robin, on which most others are based: the pairings are known at the start, and only the
/// standings show the progress.
const ROUND_ROBIN: FormatProfile = FormatProfile {
    name: "round_robin",
    title: "round robin",
    summary: "all sets of bots meet, or a balanced sample of them",
    max_bots: MAX_BOTS,
    has_open_field: false,
    allows_withdrawal: true,
    scheduling: SchedulingMode::Planned,
    view: ProgressView::Standings,
};

impl FormatProfile {
    /// All sets of bots play, or a balanced sample of them.
    pub const ROUND_ROBIN: &'static Self = &ROUND_ROBIN;
    /// One bot plays against all the others.
    pub const GAUNTLET: &'static Self = &Self {
        name: "gauntlet",
        title: "gauntlet",
        summary: "one bot against the field",
        view: ProgressView::Opponents,
        ..ROUND_ROBIN
    };
    /// Rounds in which bots with similar scores meet.
    pub const SWISS: &'static Self = &Self {
        name: "swiss",
        title: "Swiss",
        summary: "bots with similar scores meet",
        max_bots: MAX_PAIRED_BOTS,
        scheduling: SchedulingMode::InRounds,
        view: ProgressView::Rounds,
        ..ROUND_ROBIN
    };
    /// Rounds after which the best bots of each table advance.
    pub const KNOCKOUT: &'static Self = &Self {
        name: "knockout",
        title: "knockout",
        summary: "the best bots of each table advance",
        max_bots: MAX_PAIRED_BOTS,
        allows_withdrawal: false,
        scheduling: SchedulingMode::InRounds,
        view: ProgressView::Bracket,
        ..ROUND_ROBIN
    };
    /// An open-ended series of matches, which bots can join and leave at any time.
    pub const LADDER: &'static Self = &Self {
        name: "ladder",
        title: "ladder",
        summary: "bots come and go until an organiser ends the tournament",
        max_bots: MAX_LADDER_BOTS,
        has_open_field: true,
        allows_withdrawal: false,
        scheduling: SchedulingMode::InRounds,
        view: ProgressView::Ratings,
    };
    /// A sequential test of whether one bot is better than another.
    pub const SPRT: &'static Self = &Self {
        name: "sprt",
        title: "sequential test",
        summary: "is one bot better than another?",
        allows_withdrawal: false,
        scheduling: SchedulingMode::UntilDecided,
        view: ProgressView::Capital,
        ..ROUND_ROBIN
    };
    /// All formats.
    pub const ALL: [&'static Self; 6] =
        [Self::ROUND_ROBIN, Self::GAUNTLET, Self::SWISS, Self::KNOCKOUT, Self::LADDER, Self::SPRT];

    /// Returns the name of the format with hyphens, as it is written in command-line flags and in files.
    pub fn hyphenated_name(&self) -> String {
        self.name.replace('_', "-")
    }
}

impl TournamentFormat {
    /// Returns the properties of the format.
    pub fn profile(&self) -> &'static FormatProfile {
        match self {
            Self::RoundRobin | Self::Sample { .. } => FormatProfile::ROUND_ROBIN,
            Self::Gauntlet { .. } => FormatProfile::GAUNTLET,
            Self::Swiss { .. } => FormatProfile::SWISS,
            Self::Knockout { .. } => FormatProfile::KNOCKOUT,
            Self::Ladder(_) => FormatProfile::LADDER,
            Self::Sprt(_) => FormatProfile::SPRT,
        }
    }
}
