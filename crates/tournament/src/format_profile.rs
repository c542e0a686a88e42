//! What is true of all tournaments of a format.

use super::TournamentFormat;

/// What is true of all tournaments of a format: how it is named, who may play it, and what its course depends on.
#[derive(Debug, PartialEq, Eq)]
pub struct FormatProfile {
    /// Its name in snake case, as `round_robin`.
    pub name: &'static str,
    /// Its name in a sentence, as `round robin`.
    pub title: &'static str,
    /// Who meets whom.
    pub summary: &'static str,
    /// The largest field.
    pub max_bots: usize,
    /// Whether bots may come and go while it is played.
    pub has_open_field: bool,
    /// What its pairings depend on.
    pub course: FormatCourse,
    /// What shows its course, besides standings.
    pub view: CourseView,
}

/// What the pairings of a format depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatCourse {
    /// On nothing: all of them are known at the start.
    Planned,
    /// Those of a round on the results of the rounds before.
    InRounds,
    /// It ends as soon as the results of whole groups give an answer.
    UntilDecided,
}

/// What shows the course of a tournament, besides its standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourseView {
    /// Nothing more.
    Standings,
    /// The scores of one bot against each opponent.
    Opponents,
    /// The tables of each round.
    Rounds,
    /// The tables of each round, and who went on.
    Bracket,
    /// Ratings over time.
    Ratings,
    /// The capital of a sequential test over time.
    Capital,
}

/// The largest field of any tournament: its standings go into one message.
const MAX_BOTS: usize = 10_000;
/// The largest field of a format that keeps in mind who met whom.
const MAX_PAIRED_BOTS: usize = 4_096;
/// The most bots that a ladder has at once. Its ratings keep the covariance of every pair of bots; with this many bots, a match
/// takes half a millisecond to rate.
const MAX_LADDER_BOTS: usize = 1_024;

/// A format whose pairings are known at the start, and whose standings show its course.
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
    /// Rounds in which bots of like scores meet.
    pub const SWISS: &'static Self = &Self {
        name: "swiss",
        title: "Swiss",
        summary: "bots of like scores meet",
        max_bots: MAX_PAIRED_BOTS,
        course: FormatCourse::InRounds,
        view: CourseView::Rounds,
        ..PLANNED
    };
    /// Rounds after which the best of each table go on.
    pub const KNOCKOUT: &'static Self = &Self {
        name: "knockout",
        title: "knockout",
        summary: "the best of each table go on",
        max_bots: MAX_PAIRED_BOTS,
        course: FormatCourse::InRounds,
        view: CourseView::Bracket,
        ..PLANNED
    };
    /// Matches of bots of like ratings, open-ended.
    pub const LADDER: &'static Self = &Self {
        name: "ladder",
        title: "ladder",
        summary: "bots of like strength, until it is stopped",
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

    /// Returns its name with dashes, as in flags and files.
    pub fn word(&self) -> String {
        self.name.replace('_', "-")
    }
}

impl TournamentFormat {
    /// Returns what is true of all tournaments of the format.
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
