//! Reads requests for sequences of Grundy values, and writes the sequences as messages.

use super::{RequestField, pb, ruleset::field_of_error};
use lastnim_analysis::general::{
    GrundyDecomposition, GrundySequence, Period, Ruleset, SequenceGame, SequenceGameError, SequenceLaw,
};
use thiserror::Error;

/// The size of the largest pile for which a Grundy value may be listed.
pub const MAX_LISTED_SIZE: u32 = 100_000;

/// The error for a list whose largest pile would be larger than [`MAX_LISTED_SIZE`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}: expected at most {MAX_LISTED_SIZE}")]
pub struct ListedSizeError(pub u32);

/// A request for the Grundy values of all piles up to a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceQuestion {
    /// The game whose Grundy values are listed.
    pub game: SequenceGame,
    /// The size of the largest pile in the list.
    pub to: u32,
}

/// Reads a request for a sequence of Grundy values.
pub fn parse_sequence_question(
    request: &pb::ListGrundyValuesRequest,
    field: RequestField<'_>,
) -> Option<SequenceQuestion> {
    let ruleset = field.member("ruleset").ok_or_report(request.ruleset.parse::<Ruleset>());
    let to = field.member("to").ok_or_report(check_listed_size(request.to));
    let game = ruleset.and_then(|ruleset| {
        let parsed = SequenceGame::parse(ruleset, &request.set, request.max);
        let name = match &parsed {
            Err(SequenceGameError::Numbers(error)) => field_of_error(error),
            _ => "ruleset",
        };
        field.member(name).ok_or_report(parsed)
    });
    Some(SequenceQuestion { game: game?, to: to? })
}

/// Checks the size of the largest pile in a list.
///
/// # Errors
/// If the pile is too large.
pub fn check_listed_size(to: u32) -> Result<u32, ListedSizeError> {
    if to <= MAX_LISTED_SIZE { Ok(to) } else { Err(ListedSizeError(to)) }
}

impl From<&GrundySequence> for pb::ListGrundyValuesResponse {
    fn from(sequence: &GrundySequence) -> Self {
        let terms = (0..).zip(&sequence.values).map(|(size, &value)| pb::SequenceTerm {
            size,
            outcome: pb::Outcome::from(GrundySequence::outcome_of_value(value)).into(),
            grundy: value.into(),
        });
        let (law, period, values_searched) = match &sequence.law {
            SequenceLaw::Identity => (pb::SequenceLaw::Identity, None, 0),
            SequenceLaw::Periodic(period) => (pb::SequenceLaw::Periodic, Some(period.into()), 0),
            SequenceLaw::NotFound { values } => (pb::SequenceLaw::NotFound, None, *values as u64),
            _ => (pb::SequenceLaw::NoCriterion, None, 0),
        };
        Self {
            ruleset: sequence.game.ruleset().name().into(),
            set: sequence.game.allowed_takes().iter().map(|&take| take.into()).collect(),
            ending: pb::Ending::from(GrundyDecomposition::ENDING).into(),
            terms: terms.collect(),
            law: law.into(),
            period,
            values_searched,
        }
    }
}

impl From<&Period> for pb::SequencePeriod {
    fn from(period: &Period) -> Self {
        let sizes = |sizes: &[usize]| sizes.iter().map(|&size| size as u64).collect();
        Self {
            start: period.start as u64,
            length: period.length as u64,
            theorem: period.theorem.name().into(),
            checked_to: period.checked_to as u64,
            exceptions: sizes(&period.exceptions),
            zero_remainders: sizes(&period.zero_remainders),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request};

    #[test]
    fn mistakes_are_reported_by_field() {
        let request = |ruleset: &str| pb::ListGrundyValuesRequest {
            ruleset: ruleset.into(),
            to: 9,
            ..Default::default()
        };
        let fields = |request: pb::ListGrundyValuesRequest| -> Vec<String> {
            let violations = parse_request(|field| parse_sequence_question(&request, field)).err();
            violations
                .iter()
                .flat_map(Violations::as_slice)
                .map(|violation| violation.field.clone())
                .collect()
        };
        assert_eq!(fields(request("advanced-nim")), Vec::<String>::new());
        assert_eq!(
            fields(pb::ListGrundyValuesRequest { max: Some(3), ..request("take-away") }),
            Vec::<String>::new()
        );
        assert_eq!(fields(request("chess")), ["ruleset"]);
        assert_eq!(fields(request("end-nim")), ["ruleset"]);
        assert_eq!(fields(request("subtraction")), ["set"]);
        assert_eq!(
            fields(pb::ListGrundyValuesRequest { max: Some(2_000), ..request("subtraction") }),
            ["max"]
        );
        assert_eq!(fields(pb::ListGrundyValuesRequest { set: vec![1], ..request("kayles") }), ["set"]);
        assert_eq!(
            fields(pb::ListGrundyValuesRequest { to: MAX_LISTED_SIZE + 1, ..request("kayles") }),
            ["to"]
        );
    }
}
