//! Converts setups, clocks and terms of matches to and from messages.

use super::deal::{parse_deal, parse_deal_rule, refuse_deal};
use super::game::{parse_alliance_matrix, parse_ending, parse_piles};
use super::{RequestField, pb, play::whole_millis, talk::parse_talk};
use lastnim_core::game::{AllianceMatrix, BotName, BySeat, MAX_PACT_SEATS, PactError, SeatCount};
use lastnim_core::referee::{
    Clock, DEFAULT_MAX_PLIES, DEFAULT_STRIKES, DealRule, MatchSetup, MatchSetupError, Origin, Terms,
    TermsError,
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
            return_within_ms: clock.return_within.map(whole_millis),
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
            deal: setup.deal.as_deref().map(Into::into),
            talk: setup.terms.talk.as_ref().map(Into::into),
        }
    }
}

/// Reads the terms of a match from fields of the message at `field`. A missing clock stands for the default clock, and
/// a number of 0 for the default number.
pub fn parse_terms(
    clock: Option<&pb::Clock>,
    strikes: u32,
    max_plies: u32,
    talk: Option<&pb::Talk>,
    field: RequestField<'_>,
) -> Option<Terms> {
    let talk = talk.map(|talk| parse_talk(talk, field.member("talk")).ok_or(())).transpose().ok()?;
    let terms = Terms {
        clock: clock.map_or_else(Clock::default, clock_from_message),
        strikes: if strikes == 0 { DEFAULT_STRIKES } else { strikes },
        max_plies: if max_plies == 0 { DEFAULT_MAX_PLIES } else { max_plies },
        talk,
    };
    terms.validate().map_err(|errors| report_terms(&errors, field)).ok()
}

/// Reads the setup of a match to be created, and the rule by which its rows are dealt, if they are dealt.
pub fn parse_new_setup(
    request: &pb::CreateMatchRequest,
    field: RequestField<'_>,
) -> Option<(MatchSetup, Option<DealRule>)> {
    let terms =
        parse_terms(request.clock.as_ref(), request.strikes, request.max_plies, request.talk.as_ref(), field);
    let draft = SetupDraft {
        bots: &request.bots,
        piles: &request.piles,
        first: request.first,
        ending: request.ending,
        assigned: request.assigned.as_ref(),
    };
    let mode = field.member("alliance").known_enum::<pb::AllianceMode>(request.alliance);
    let has_standard_rows = match (mode, request.assigned.is_some()) {
        (Some(pb::AllianceMode::Unspecified), false) => request.bots.len() == 2,
        (Some(pb::AllianceMode::Standard), false) => true,
        (Some(pb::AllianceMode::Declared | pb::AllianceMode::Dealt), false)
        | (Some(pb::AllianceMode::Unspecified | pb::AllianceMode::Given), true)
        | (None, _) => false,
        (Some(pb::AllianceMode::Given), false) => {
            field.member("assigned").report("missing");
            return None;
        }
        (Some(pb::AllianceMode::Random), false) => {
            field
                .member("alliance")
                .report("ALLIANCE_MODE_RANDOM: a match has no seed to draw rows from, so draw the rows yourself and assign them");
            return None;
        }
        (Some(mode), true) => {
            let mode = mode.as_str_name();
            field
                .member("assigned")
                .report(format_args!("{mode} takes no rows: only ALLIANCE_MODE_GIVEN does"));
            return None;
        }
    };
    let setup = parse_setup_draft(&draft, terms, field);
    let (rule, rows) = (request.deal, request.deal_rows.as_slice());
    let deal_fields = [field.member("deal"), field.member("deal_rows")];
    let deal = match mode? {
        pb::AllianceMode::Dealt => {
            let seats = SeatCount::new(request.bots.len()).ok()?;
            Some(parse_deal_rule(rule, rows, seats, deal_fields)?)
        }
        mode => refuse_deal(mode, rule, rows, deal_fields).then_some(None)?,
    };
    let setup = setup?;
    if has_standard_rows && setup.terms.talk.is_some() {
        field.member("talk").report(MatchSetupError::AssignedAndTalk);
        return None;
    }
    let standard = has_standard_rows.then(|| AllianceMatrix::standard(setup.bots.seats()));
    Some((MatchSetup { assigned: standard.or(setup.assigned), ..setup }, deal))
}

/// Reads the setup that is stored in a record.
pub fn parse_recorded_setup(setup: &pb::MatchSetup, field: RequestField<'_>) -> Option<MatchSetup> {
    let clock_field = field.member("clock");
    let clock = clock_field.require(setup.clock.as_ref()).map(clock_from_message);
    let talk = setup.talk.as_ref().map(|talk| parse_talk(talk, field.member("talk")).ok_or(()));
    let talk = talk.transpose().ok()?;
    let terms = clock.and_then(|clock| {
        let terms = Terms { clock, strikes: setup.strikes, max_plies: setup.max_plies, talk };
        terms.validate().map_err(|errors| report_terms(&errors, field)).ok()
    });
    let tournament = field.member("tournament_id").parse_if_given(&setup.tournament_id);
    let origin = |tournament| Origin { tournament, number: setup.number, group: setup.group };
    let draft = SetupDraft {
        bots: &setup.bots,
        piles: &setup.piles,
        first: setup.first,
        ending: setup.ending,
        assigned: setup.assigned.as_ref(),
    };
    let drafted = parse_setup_draft(&draft, terms, field);
    let deal = match (&setup.deal, SeatCount::new(setup.bots.len())) {
        (Some(deal), Ok(seats)) => Some(parse_deal(deal, seats, field.member("deal"))),
        _ => None,
    };
    let deal = deal.map(|deal| deal.ok_or(())).transpose().ok()?.map(Box::new);
    let setup = MatchSetup { origin: tournament?.map(origin), deal, ..drafted? };
    field.member("deal").ok_or_report(setup.validate().map_err(|errors| errors[0].to_string()))
}

/// The fields that new and recorded setups share.
struct SetupDraft<'a> {
    bots: &'a [String],
    piles: &'a [u64],
    first: u32,
    ending: i32,
    assigned: Option<&'a pb::AllianceMatrix>,
}

fn parse_setup_draft(
    draft: &SetupDraft<'_>,
    terms: Option<Terms>,
    field: RequestField<'_>,
) -> Option<MatchSetup> {
    let bots = parse_bots(draft.bots, field.member("bots"));
    let piles = parse_piles(draft.piles, field.member("piles"));
    let ending = parse_ending(draft.ending, field.member("ending"));
    let assigned = draft.assigned.map(|matrix| parse_alliance_matrix(matrix, field.member("assigned")));
    let bots = bots?;
    for misfit in MatchSetup::find_misfits(&bots, assigned.as_ref().and_then(Option::as_ref)) {
        let member = match misfit {
            MatchSetupError::Assigned { .. } => "assigned",
            _ => "bots",
        };
        field.member(member).report(misfit);
    }
    if let Some(talk) = terms.as_ref().and_then(|terms| terms.talk)
        && talk.pacts
        && bots.seats().get() > MAX_PACT_SEATS
    {
        field.member("talk").member("pacts").report(PactError::Seats(bots.seats()));
    }
    if draft.assigned.is_some() && terms.as_ref().is_some_and(|terms| terms.talk.is_some()) {
        field.member("talk").report(MatchSetupError::AssignedAndTalk);
    }
    let first = field.member("first").ok_or_report(bots.seats().seat(draft.first as usize));
    let setup = MatchSetup {
        first: first?,
        ending: ending?,
        terms: terms?,
        assigned: assigned.map(|matrix| matrix.ok_or(())).transpose().ok()?,
        ..MatchSetup::new(bots, piles?)
    };
    // At this point, all mistakes in the setup have been reported.
    setup.validate().ok()
}

fn parse_bots(bots: &[String], field: RequestField<'_>) -> Option<BySeat<BotName>> {
    field.ok_or_report(SeatCount::new(bots.len()))?;
    field.parse_each(bots, |name, at| at.ok_or_report(name.parse()))?.try_into().ok()
}

fn clock_from_message(clock: &pb::Clock) -> Clock {
    let ms = |millis: u32| Duration::from_millis(millis.into());
    Clock {
        initial: ms(clock.initial_ms),
        increment: ms(clock.increment_ms),
        lag_quota: ms(clock.lag_quota_ms),
        lag_total: ms(clock.lag_total_ms),
        declaration: ms(clock.declaration_ms),
        return_within: clock.return_within_ms.map(ms),
    }
}

fn report_terms(errors: &[TermsError], field: RequestField<'_>) {
    for error in errors {
        match error {
            TermsError::Strikes(_) => field.member("strikes").report(error),
            TermsError::MaxPlies(_) => field.member("max_plies").report(error),
            TermsError::Talk(talk) => field.member("talk").member(talk.field).report(talk),
            TermsError::Clock(time) => field.member("clock").member(time.field).report(time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request};
    use lastnim_core::game::Ending;

    fn request() -> pb::CreateMatchRequest {
        pb::CreateMatchRequest {
            bots: vec!["a".into(), "b".into()],
            piles: vec![1, 2],
            ..pb::CreateMatchRequest::default()
        }
    }

    fn parse(request: &pb::CreateMatchRequest) -> Result<MatchSetup, Violations> {
        parse_request(|field| parse_new_setup(request, field)).map(|(setup, _)| setup)
    }

    #[test]
    fn missing_fields_have_defaults() {
        let setup = parse(&request()).unwrap();
        assert_eq!(setup.terms, Terms::default());
        assert_eq!((setup.first.index(), setup.ending, setup.origin), (0, Ending::default(), None));
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
    fn two_bots_have_the_standard_rows_by_default() {
        let standard_matrix = |seats| Some(AllianceMatrix::standard(SeatCount::new(seats).unwrap()));
        let three = vec!["a".into(), "b".into(), "c".into()];
        let assigned_rows = |alliance: pb::AllianceMode, bots: &[String]| {
            let (alliance, bots) = (alliance.into(), bots.to_vec());
            parse(&pb::CreateMatchRequest { alliance, bots, ..request() }).map(|setup| setup.assigned)
        };
        let two = request().bots;
        assert_eq!(assigned_rows(pb::AllianceMode::Unspecified, &two), Ok(standard_matrix(2)));
        assert_eq!(assigned_rows(pb::AllianceMode::Unspecified, &three), Ok(None));
        assert_eq!(assigned_rows(pb::AllianceMode::Declared, &two), Ok(None));
        assert_eq!(assigned_rows(pb::AllianceMode::Standard, &three), Ok(standard_matrix(3)));
        let refusal = |alliance, rows: Option<u32>| {
            let rows = rows.map(|last| pb::AllianceMatrix {
                rows: vec![pb::Row { offsets: vec![0, 1] }, pb::Row { offsets: vec![1 - last, last] }],
            });
            let alliance = pb::AllianceMode::into(alliance);
            parse(&pb::CreateMatchRequest { alliance, assigned: rows, ..request() })
                .err()
                .map(|error| error.to_string())
        };
        assert_eq!(refusal(pb::AllianceMode::Given, Some(1)), None);
        assert_eq!(
            refusal(pb::AllianceMode::Unspecified, Some(0)),
            None,
            "clients of version 0.1 send such requests"
        );
        for (mode, rows, expected) in [
            (pb::AllianceMode::Given, None, "assigned: missing"),
            (
                pb::AllianceMode::Random,
                None,
                "alliance: ALLIANCE_MODE_RANDOM: a match has no seed to draw rows from, so draw the rows yourself and assign them",
            ),
            (
                pb::AllianceMode::Declared,
                Some(1),
                "assigned: ALLIANCE_MODE_DECLARED takes no rows: only ALLIANCE_MODE_GIVEN does",
            ),
        ] {
            assert_eq!(refusal(mode, rows).as_deref(), Some(expected));
        }
    }

    #[test]
    fn rows_are_dealt_only_in_the_dealt_mode() {
        let dealt_request = |deal: pb::DealRule, rows: &[&[u32]], alliance: pb::AllianceMode| {
            let deal_rows = rows.iter().map(|offsets| pb::Row { offsets: offsets.to_vec() }).collect();
            let (alliance, deal) = (alliance.into(), deal.into());
            let request = pb::CreateMatchRequest { alliance, deal, deal_rows, ..request() };
            let parsed = parse_request(|field| parse_new_setup(&request, field));
            parsed.map(|(_, deal)| deal).map_err(|error| error.to_string())
        };
        let is_dealt = pb::AllianceMode::Dealt;
        assert_eq!(dealt_request(pb::DealRule::Unspecified, &[], is_dealt), Ok(Some(DealRule::All)));
        assert_eq!(dealt_request(pb::DealRule::SelfFirst, &[], is_dealt), Ok(Some(DealRule::SelfFirst)));
        let listed = dealt_request(pb::DealRule::Unspecified, &[&[1, 0]], is_dealt).unwrap().unwrap();
        assert!(matches!(listed, DealRule::List(rows) if rows[0].to_string() == "1 0"));
        assert_eq!(dealt_request(pb::DealRule::Unspecified, &[], pb::AllianceMode::Declared), Ok(None));
        for (deal, rows, mode, expected) in [
            (
                pb::DealRule::All,
                [[0, 1].as_slice()].as_slice(),
                is_dealt,
                "deal_rows: DEAL_RULE_ALL takes no rows: leave out either the word or the rows",
            ),
            (
                pb::DealRule::All,
                &[],
                pb::AllianceMode::Standard,
                "deal: ALLIANCE_MODE_STANDARD deals no rows: only ALLIANCE_MODE_DEALT does",
            ),
            (
                pb::DealRule::Unspecified,
                &[&[0, 1]],
                pb::AllianceMode::Unspecified,
                "deal_rows: ALLIANCE_MODE_UNSPECIFIED deals no rows: only ALLIANCE_MODE_DEALT does",
            ),
        ] {
            assert_eq!(dealt_request(deal, rows, mode), Err(expected.to_owned()));
        }
        let bad = dealt_request(pb::DealRule::Unspecified, &[&[0, 0]], is_dealt).unwrap_err();
        assert!(bad.starts_with("deal_rows[0]"), "{bad}");
    }

    #[test]
    fn talk_is_refused_if_rows_are_assigned() {
        let talk = Some(pb::Talk { rounds: 2, ..pb::Talk::default() });
        let expected = format!("talk: {}", MatchSetupError::AssignedAndTalk);
        let assigned = Some((&AllianceMatrix::standard(SeatCount::new(2).unwrap())).into());
        for assigned in [None, assigned] {
            let refused = parse(&pb::CreateMatchRequest { talk, assigned, ..request() }).unwrap_err();
            assert_eq!(refused.to_string(), expected);
        }
        let recorded = pb::MatchSetup { talk, ..(&parse(&request()).unwrap()).into() };
        let refused = parse_request(|field| parse_recorded_setup(&recorded, field)).unwrap_err();
        assert!(refused.to_string().starts_with(&expected), "{refused}");
    }

    #[test]
    fn mistakes_are_reported_by_field() {
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
            ..pb::CreateMatchRequest::default()
        });
        let refused = refused.unwrap_err();
        let fields: Vec<_> = refused.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        let clock = ["clock.initial_ms", "clock.increment_ms", "clock.declaration_ms"];
        let others = ["piles", "ending", "assigned.rows", "bots", "first"];
        assert_eq!(fields, [["strikes", "max_plies"].as_slice(), &clock, &others].concat());
        let nothing = parse(&pb::CreateMatchRequest::default()).unwrap_err();
        assert_eq!(
            nothing.to_string(),
            "bots: 0 seats: expected 2 to 32; piles: 0 piles: expected 1 to 1024"
        );
    }
}
