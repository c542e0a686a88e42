//! Properties of formats.

use super::TournamentFormat;

/// Properties of a format: its names and limits, and the inputs of its pairings.
#[derive(Debug, PartialEq, Eq)]
pub struct FormatProfile {
    /// Its name in snake case, such as `round_robin`.
    pub name: &'static str,
    /// Its name in text, such as `round robin`.
    pub title: &'static str,
    /// The bots that meet.
    pub summary: &'static str,
    /// The largest field.
    pub max_bots: usize,
    /// Whether bots may enter and leave during the tournament.
    pub has_open_field: bool,
    /// What its pairings depend on.
    pub course: FormatCourse,
    /// The view of its progress, in addition to the standings.
    pub view: CourseView,
}

/// What the pairings of a format depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatCourse {
    /// On nothing: all pairings are known at the start.
    Planned,
    /// On the results of earlier rounds.
    InRounds,
    /// On the results of whole groups: the tournament ends when they give an answer.
    UntilDecided,
}

/// The view of a tournament's progress, in addition to its standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourseView {
    /// No view apart from the standings.
    Standings,
    /// The scores of one bot against each opponent.
    Opponents,
    /// The tables of each round.
    Rounds,
    /// The tables of each round, and which bots advanced.
    Bracket,
    /// Ratings over time.
    Ratings,
    /// The capital of a sequential test over time.
    Capital,
}

/// The largest field of any tournament; its standings must fit one message.
const MAX_BOTS: usize = 10_000;
/// The largest field of a format that tracks meetings.
const MAX_PAIRED_BOTS: usize = 4_096;
/// Maximum number of bots in a ladder. Its ratings store the covariance of every pair; with this many bots, rating a
/// match takes half a millisecond.
const MAX_LADDER_BOTS: usize = 1_024;

/// Default profile: the pairings are known at the start, and the standings show the progress.
const PLANNED: FormatProfile = FormatProfile {
    name: "round_robin",
    title: "round robin",
    summary: "all sets of bots, or a balanced sample",
    max_bots: MAX_BOTS,
    has_open_field: false,
    course: FormatCourse::Planned,
    view: CourseView::Standings,
};

impl FormatProfile {
    /// All sets of bots, or a balanced sample of them.
    pub const ROUND_ROBIN: &'static Self = &PLANNED;
    /// One bot against the field.
    pub const GAUNTLET: &'static Self = &Self {
        name: "gauntlet",
        title: "gauntlet",
        summary: "one bot against the field",
        view: CourseView::Opponents,
        ..PLANNED
    };
    /// Rounds in which bots with similar scores meet.
    pub const SWISS: &'static Self = &Self {
        name: "swiss",
        title: "Swiss",
        summary: "bots with similar scores meet",
        max_bots: MAX_PAIRED_BOTS,
        course: FormatCourse::InRounds,
        view: CourseView::Rounds,
        ..PLANNED
    };
    /// Rounds after which the best of each table advance.
    pub const KNOCKOUT: &'static Self = &Self {
        name: "knockout",
        title: "knockout",
        summary: "the best of each table advance",
        max_bots: MAX_PAIRED_BOTS,
        course: FormatCourse::InRounds,
        view: CourseView::Bracket,
        ..PLANNED
    };
    /// An open-ended series of matches, whose bots come and go.
    pub const LADDER: &'static Self = &Self {
        name: "ladder",
        title: "ladder",
        summary: "bots come and go until an organiser stops it",
        max_bots: MAX_LADDER_BOTS,
        has_open_field: true,
        course: FormatCourse::InRounds,
        view: CourseView::Ratings,
    };
    /// A sequential test of two bots.
    pub const SPRT: &'static Self = &Self {
        name: "sprt",
        title: "sequential test",
        summary: "is one bot better than another?",
        course: FormatCourse::UntilDecided,
        view: CourseView::Capital,
        ..PLANNED
    };
    /// All formats.
    pub const ALL: [&'static Self; 6] =
        [Self::ROUND_ROBIN, Self::GAUNTLET, Self::SWISS, Self::KNOCKOUT, Self::LADDER, Self::SPRT];

    /// Returns its name with hyphens, as in flags and files.
    pub fn word(&self) -> String {
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
