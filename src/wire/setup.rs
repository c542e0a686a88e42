//! Setups, clocks and terms of matches, both ways.

use super::game::{parse_alliance_matrix, parse_ending, parse_piles};
use super::{Field, Violations, pb, play::whole_millis};
use crate::game::{AllianceMatrix, BotName, BySeat, SeatCount};
use crate::referee::{
    Clock, DEFAULT_MAX_PLIES, DEFAULT_STRIKES, MatchSetup, MatchSetupError, Origin, Terms, TermsError,
};
use std::time::Duration;

impl From<&Clock> for pb::Clock {
    fn from(clock: &Clock) -> Self {
        Self {
            initial_ms: whole_millis(clock.initial),
            increment_ms: whole_millis(clock.increment),
            lag_quota_ms: whole_millis(clock.lag_quota),
            lag_total_ms: whole_millis(clock.lag_total),
            declaration_ms: whole_millis(clock.declaration),
        }
    }
}

impl From<&MatchSetup> for pb::MatchSetup {
    fn from(setup: &MatchSetup) -> Self {
        let origin = setup.origin.as_ref();
        Self {
            bots: setup.bots.iter().map(ToString::to_string).collect(),
            piles: setup.piles.as_slice().to_vec(),
            first: setup.first.into(),
            ending: pb::Ending::from(setup.ending).into(),
            clock: Some(setup.clock().into()),
            strikes: setup.terms.strikes,
            max_plies: setup.terms.max_plies,
            assigned: setup.assigned.as_ref().map(Into::into),
            tournament_id: origin.map_or_else(String::new, |origin| origin.tournament.to_string()),
            number: origin.map_or(0, |origin| origin.number),
            group: origin.map_or(0, |origin| origin.group),
        }
    }
}

/// Reads the terms of a match, which stand in fields of the message at `field`. A clock that is not given, and a number
/// of 0, are the default.
pub fn parse_terms(
    clock: Option<&pb::Clock>,
    strikes: u32,
    max_plies: u32,
    field: Option<Field<'_>>,
    violations: &mut Violations,
) -> Option<Terms> {
    let terms = Terms {
        clock: clock.map_or_else(Clock::default, clock_of),
        strikes: if strikes == 0 { DEFAULT_STRIKES } else { strikes },
        max_plies: if max_plies == 0 { DEFAULT_MAX_PLIES } else { max_plies },
    };
    terms.check().map_err(|errors| report_terms(&errors, field, violations)).ok()
}

/// Reads the setup of a match to be created.
pub fn parse_new_setup(request: &pb::CreateMatchRequest, violations: &mut Violations) -> Option<MatchSetup> {
    let terms = parse_terms(request.clock.as_ref(), request.strikes, request.max_plies, None, violations);
    let draft = Draft {
        bots: &request.bots,
        piles: &request.piles,
        first: request.first,
        ending: request.ending,
        assigned: request.assigned.as_ref(),
    };
    parse_draft(&draft, terms, None, violations)
}

/// Reads the setup in a record.
pub fn parse_recorded_setup(
    setup: &pb::MatchSetup,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<MatchSetup> {
    let at_clock = field.member("clock");
    let clock = violations.require(at_clock, setup.clock.as_ref()).map(clock_of);
    let terms = clock.and_then(|clock| {
        let terms = Terms { clock, strikes: setup.strikes, max_plies: setup.max_plies };
        terms.check().map_err(|errors| report_terms(&errors, Some(field), violations)).ok()
    });
    let origin = if setup.tournament_id.is_empty() {
        Some(None)
    } else {
        let tournament = violations.keep(field.member("tournament_id"), setup.tournament_id.parse());
        tournament.map(|tournament| Some(Origin { tournament, number: setup.number, group: setup.group }))
    };
    let draft = Draft {
        bots: &setup.bots,
        piles: &setup.piles,
        first: setup.first,
        ending: setup.ending,
        assigned: setup.assigned.as_ref(),
    };
    let setup = parse_draft(&draft, terms, Some(field), violations);
    Some(MatchSetup { origin: origin?, ..setup? })
}

/// What a new setup and a recorded one have in common.
struct Draft<'a> {
    bots: &'a [String],
    piles: &'a [u64],
    first: u32,
    ending: i32,
    assigned: Option<&'a pb::AllianceMatrix>,
}

fn parse_draft(
    draft: &Draft<'_>,
    terms: Option<Terms>,
    field: Option<Field<'_>>,
    violations: &mut Violations,
) -> Option<MatchSetup> {
    let bots = parse_bots(draft.bots, at(field.as_ref(), "bots"), violations);
    let piles = parse_piles(draft.piles, at(field.as_ref(), "piles"), violations);
    let ending = parse_ending(draft.ending, at(field.as_ref(), "ending"), violations);
    let assigned: Option<Option<AllianceMatrix>> = match draft.assigned {
        None => Some(None),
        Some(matrix) => parse_alliance_matrix(matrix, at(field.as_ref(), "assigned"), violations).map(Some),
    };
    let bots = bots?;
    for misfit in MatchSetup::misfits(&bots, assigned.as_ref().and_then(Option::as_ref)) {
        let member = match misfit {
            MatchSetupError::Assigned { .. } => "assigned",
            _ => "bots",
        };
        violations.report(at(field.as_ref(), member), misfit);
    }
    let first = violations.keep(at(field.as_ref(), "first"), bots.seats().seat(draft.first as usize));
    let setup = MatchSetup {
        first: first?,
        ending: ending?,
        terms: terms?,
        assigned: assigned?,
        ..MatchSetup::new(bots, piles?)
    };
    // Whatever is wrong with it is reported by now.
    setup.check().ok()
}

fn parse_bots(bots: &[String], field: Field<'_>, violations: &mut Violations) -> Option<BySeat<BotName>> {
    violations.keep(field, SeatCount::new(bots.len()))?;
    let names: Vec<Option<BotName>> = bots
        .iter()
        .enumerate()
        .map(|(seat, name)| violations.keep(field.element(seat), name.parse()))
        .collect();
    names.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
}

fn clock_of(clock: &pb::Clock) -> Clock {
    let ms = |millis: u32| Duration::from_millis(millis.into());
    Clock {
        initial: ms(clock.initial_ms),
        increment: ms(clock.increment_ms),
        lag_quota: ms(clock.lag_quota_ms),
        lag_total: ms(clock.lag_total_ms),
        declaration: ms(clock.declaration_ms),
    }
}

fn report_terms(errors: &[TermsError], field: Option<Field<'_>>, violations: &mut Violations) {
    for error in errors {
        match error {
            TermsError::Strikes(_) => violations.report(at(field.as_ref(), "strikes"), error),
            TermsError::MaxPlies(_) => violations.report(at(field.as_ref(), "max_plies"), error),
            TermsError::Clock(time) => {
                violations.report(at(field.as_ref(), "clock").member(time.field), time);
            }
        }
    }
}

fn at<'a>(message: Option<&'a Field<'a>>, name: &'static str) -> Field<'a> {
    match message {
        Some(message) => message.member(name),
        None => Field::root(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ending;

    fn request() -> pb::CreateMatchRequest {
        pb::CreateMatchRequest {
            bots: vec!["a".into(), "b".into()],
            piles: vec![1, 2],
            ..pb::CreateMatchRequest::default()
        }
    }

    fn parse(request: &pb::CreateMatchRequest) -> Result<MatchSetup, Violations> {
        let mut violations = Violations::default();
        let parsed = parse_new_setup(request, &mut violations);
        violations.finish(parsed)
    }

    #[test]
    fn what_is_not_given_has_a_default() {
        let setup = parse(&request()).unwrap();
        assert_eq!(setup.terms, Terms::default());
        assert_eq!(
            (setup.first.index(), setup.ending, setup.assigned, setup.origin),
            (0, Ending::default(), None, None)
        );
        let given = pb::CreateMatchRequest {
            clock: Some(pb::Clock { initial_ms: 1, declaration_ms: 1, ..pb::Clock::default() }),
            strikes: 1,
            max_plies: 7,
            ..request()
        };
        let terms = parse(&given).unwrap().terms;
        assert_eq!((terms.clock.initial, terms.clock.increment), (Duration::from_millis(1), Duration::ZERO));
        assert_eq!((terms.strikes, terms.max_plies), (1, 7));
    }

    #[test]
    fn every_mistake_is_named_by_its_field() {
        let clock = pb::Clock { increment_ms: u32::MAX, ..pb::Clock::default() };
        let refused = parse(&pb::CreateMatchRequest {
            bots: vec!["a".into(), "a".into()],
            piles: vec![],
            first: 2,
            ending: 3,
            assigned: Some(pb::AllianceMatrix::default()),
            clock: Some(clock),
            strikes: 101,
            max_plies: 65_537,
        });
        let refused = refused.unwrap_err();
        let fields: Vec<_> = refused.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        let clock = ["clock.initial_ms", "clock.increment_ms", "clock.declaration_ms"];
        let others = ["piles", "ending", "assigned.rows", "bots", "first"];
        assert_eq!(fields, [["strikes", "max_plies"].as_slice(), &clock, &others].concat());
        let nothing = parse(&pb::CreateMatchRequest::default()).unwrap_err();
        assert_eq!(
            nothing.to_string(),
            "bots: 0 seats: a game has 2 to 32; piles: 0 piles: a game has 1 to 1024"
        );
    }
}
