//! What a check finds.

use super::match_log::LoggedMessage;

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Both cannot be true.
    Contradiction,
    /// It depends on delays that no log and no record shows.
    Doubt,
}

/// What kind of a finding it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The match was set up otherwise than a bot was told.
    Setup,
    /// A bot was told of rows that are not those of the match.
    Rows,
    /// The record has a row that its bot never sent.
    RowNeverSent,
    /// A row was replaced by the standard one for a reason that does not hold.
    RowReplaced,
    /// A bot was told of another take than the one of its ply.
    Take,
    /// A take that was announced is not in the record.
    TakeMissing,
    /// The record has a take that its bot never sent.
    TakeNeverSent,
    /// A bot was asked for a take that was not its own to make, or shown another position.
    Turn,
    /// A match went back behind what had been announced.
    WentBack,
    /// A refusal answers nothing that was sent, or its reason does not hold.
    Refusal,
    /// A strike stands in the record and was not told, or the other way round.
    Strike,
    /// A bot was told otherwise how a seat was lost.
    Forfeit,
    /// A seat was lost for a reason that does not hold.
    ForfeitReason,
    /// A bot was told otherwise how the match ended.
    End,
    /// Something of a match came after its end, or the end twice in a session.
    AfterEnd,
    /// A bot was sent another audit than the oracle's.
    Audit,
    /// A snapshot shows another match.
    Snapshot,
    /// A bank does not follow from what the record charges.
    Bank,
    /// The times of the record do not allow what it charges, or a loss on time.
    Time,
    /// A take or a row was in time by the bot's own clock.
    Late,
    /// A take was charged more than it took by the bot's own clock.
    Charge,
    /// The record of a match that was announced is not there, or does not verify.
    Record,
}

impl FindingKind {
    /// Every kind.
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

    /// Returns the word for it, for programs.
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

    /// Returns how sure a finding of this kind is.
    pub fn certainty(self) -> Certainty {
        match self {
            Self::Late | Self::Charge => Certainty::Doubt,
            _ => Certainty::Contradiction,
        }
    }
}

/// Something that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// The match, as the log names it.
    pub match_id: String,
    /// The ply, where it is about one.
    pub ply: Option<u32>,
    /// The log, by its place among those given, and the line in it that shows it; none for what the record alone shows.
    pub line: Option<(usize, u64)>,
    /// What the log says, and what the record.
    pub message: String,
}

/// The findings of one match.
#[derive(Debug)]
pub(super) struct Findings {
    match_id: String,
    found: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(match_id: &str) -> Self {
        Self { match_id: match_id.to_owned(), found: Vec::new() }
    }

    /// Adds what a line shows.
    pub(super) fn add(
        &mut self,
        kind: FindingKind,
        message: &LoggedMessage<'_>,
        ply: impl Into<Option<u32>>,
        words: String,
    ) {
        self.push(kind, Some((message.log, message.line)), ply.into(), words);
    }

    /// Adds what the record alone shows.
    pub(super) fn add_of_record(&mut self, kind: FindingKind, ply: u32, words: String) {
        self.push(kind, None, Some(ply), words);
    }

    fn push(&mut self, kind: FindingKind, line: Option<(usize, u64)>, ply: Option<u32>, message: String) {
        self.found.push(Finding { kind, match_id: self.match_id.clone(), ply, line, message });
    }

    /// Returns them in the order of the lines.
    pub(super) fn into_sorted(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|finding| (finding.line, finding.ply, finding.kind));
        self.found
    }
}
