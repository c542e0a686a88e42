//! The findings that checks report.

use super::match_log::LoggedMessage;

/// How certain a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The log and the record cannot both be true.
    Contradiction,
    /// The finding depends on delays that neither the log nor the record shows.
    Doubt,
}

/// The kind of a finding. If a match has no record, its logs are compared with each other instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The server sent a bot a setup that differs from the record.
    Setup,
    /// The server sent a bot rows that differ from the record.
    Rows,
    /// The record has a row that its bot never sent.
    RowNeverSent,
    /// A row was replaced by the standard one without a valid reason.
    RowReplaced,
    /// The server sent a bot a take that differs from the record.
    Take,
    /// A take that the server announced is not in the record.
    TakeMissing,
    /// The record has a take that its bot never sent.
    TakeNeverSent,
    /// The server gave a bot a turn that was not its own, gave it a turn too early or too late, or showed it a position
    /// that differs from the record.
    Turn,
    /// A message showed an earlier ply than a previous message.
    WentBack,
    /// A refusal is unjustified.
    Refusal,
    /// A strike is in the record but was not reported to the bot, or was reported but is not in the record.
    Strike,
    /// The server reported a lost seat to a bot differently from the record.
    Forfeit,
    /// A seat was lost without a valid reason.
    ForfeitReason,
    /// The server reported the end of a match to a bot differently from the record.
    End,
    /// The server sent a message about a match after its end, or sent the end twice in one session.
    AfterEnd,
    /// The audit sent to a bot differs from the oracle's.
    Audit,
    /// A snapshot differs from the record.
    Snapshot,
    /// The time in a bank does not follow from the charges in the record.
    Bank,
    /// A charge or a loss on time does not fit the times in the record.
    Time,
    /// A take or a row that the record treats as late was in time according to the bot's clock.
    Late,
    /// A take was charged more time than it took according to the bot's clock.
    Charge,
    /// The record of an announced match is missing or fails verification.
    Record,
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [Self; 22] = [
        Self::Setup,
        Self::Rows,
        Self::RowNeverSent,
        Self::RowReplaced,
        Self::Take,
        Self::TakeMissing,
        Self::TakeNeverSent,
        Self::Turn,
        Self::WentBack,
        Self::Refusal,
        Self::Strike,
        Self::Forfeit,
        Self::ForfeitReason,
        Self::End,
        Self::AfterEnd,
        Self::Audit,
        Self::Snapshot,
        Self::Bank,
        Self::Time,
        Self::Late,
        Self::Charge,
        Self::Record,
    ];

    /// Returns the name of the kind in JSON, such as `row_never_sent`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Rows => "rows",
            Self::RowNeverSent => "row_never_sent",
            Self::RowReplaced => "row_replaced",
            Self::Take => "take",
            Self::TakeMissing => "take_missing",
            Self::TakeNeverSent => "take_never_sent",
            Self::Turn => "turn",
            Self::WentBack => "went_back",
            Self::Refusal => "refusal",
            Self::Strike => "strike",
            Self::Forfeit => "forfeit",
            Self::ForfeitReason => "forfeit_reason",
            Self::End => "end",
            Self::AfterEnd => "after_end",
            Self::Audit => "audit",
            Self::Snapshot => "snapshot",
            Self::Bank => "bank",
            Self::Time => "time",
            Self::Late => "late",
            Self::Charge => "charge",
            Self::Record => "record",
        }
    }

    /// Returns how certain findings of this kind are.
    pub fn certainty(self) -> Certainty {
        match self {
            Self::Late | Self::Charge => Certainty::Doubt,
            _ => Certainty::Contradiction,
        }
    }
}

/// An inconsistency that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of inconsistency.
    pub kind: FindingKind,
    /// The id of the match in the log.
    pub match_id: String,
    /// The ply, if the finding is about one.
    pub ply: Option<u32>,
    /// The index of the log, and the line number; `None` if only the record shows the contradiction.
    pub line: Option<(usize, u64)>,
    /// A description of what the log and the record say.
    pub message: String,
}

/// The findings about one match.
#[derive(Debug)]
pub(super) struct Findings {
    match_id: String,
    found: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(match_id: &str) -> Self {
        Self { match_id: match_id.to_owned(), found: Vec::new() }
    }

    /// Adds a finding about a log line.
    pub(super) fn add(
        &mut self,
        kind: FindingKind,
        message: &LoggedMessage<'_>,
        ply: impl Into<Option<u32>>,
        detail: String,
    ) {
        self.push(kind, Some((message.log, message.line)), ply.into(), detail);
    }

    /// Adds a finding that only the record shows.
    pub(super) fn add_record_finding(&mut self, kind: FindingKind, ply: u32, detail: String) {
        self.push(kind, None, Some(ply), detail);
    }

    fn push(&mut self, kind: FindingKind, line: Option<(usize, u64)>, ply: Option<u32>, message: String) {
        self.found.push(Finding { kind, match_id: self.match_id.clone(), ply, line, message });
    }

    /// Returns the findings, sorted by log line.
    pub(super) fn into_sorted(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|finding| (finding.line, finding.ply, finding.kind));
        self.found
    }
}
