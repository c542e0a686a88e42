//! Converts tournaments to and from messages: settings, state, standings.
//!
//! The clock, strikes, ply limit and talk of [`pb::TournamentSettings`] become the [`Terms`] of the matches; all other fields
//! become the [`Settings`].

use super::{
    RequestField,
    deal::{deal_rule_fields, parse_deal_rule, refuse_deal},
    format::{format_message, parse_format},
    game::{parse_alliance_matrix, parse_ending},
    pb,
    positions::{listed_positions_message, parse_positions, unlisted_positions_message},
    setup::parse_terms,
};
use lastnim_core::{
    game::SeatCount,
    referee::{MatchSetupError, Terms, Timestamp},
};
use lastnim_tournament::{
    AllianceSource, AllowList, AllowListError, BotComparison, BoundedCount, Concurrency, ConfidenceInterval,
    HeadToHead, METHODS_VERSION, MeanEstimate, OracleAccess, PlaceRange, Retention, Scoring, Settings,
    SettingsDraft, Standing, StandingRating, check_methods_version,
};

/// The latest time of a setting, in microseconds since 1970-01-01 UTC: later ones have no RFC 3339 text.
const MAX_TIME_US: u64 = 253_402_300_799_999_999;

/// Reads a tournament's settings and the terms of its matches.
pub fn parse_settings_and_terms(
    given: &pb::TournamentSettings,
    field: RequestField<'_>,
) -> Option<(Settings, Terms)> {
    let settings = parse_settings(given, field);
    let terms = parse_terms(given.clock.as_ref(), given.strikes, given.max_plies, given.talk.as_ref(), field);
    let (settings, terms) = settings.zip(terms)?;
    if terms.talk.is_some() && !settings.alliance.is_declared() {
        field.member("talk").report(MatchSetupError::AssignedAndTalk);
        return None;
    }
    Some((settings, terms))
}

/// Reads a tournament's settings without the terms of its matches.
pub fn parse_settings(settings: &pb::TournamentSettings, field: RequestField<'_>) -> Option<Settings> {
    let title = field.member("title").ok_or_report(settings.title.parse());
    let seats = field.member("seats").ok_or_report(SeatCount::new(settings.seats as usize));
    let positions = parse_positions(settings, field);
    // A new tournament may leave out the version of the methods.
    let methods = match settings.methods {
        0 => Some(()),
        version => field.member("methods").ok_or_report(check_methods_version(version)),
    };
    let format = parse_format(settings.format.as_ref(), field);
    let ending = parse_ending(settings.ending, field.member("ending"));
    let alliance = parse_alliance(settings, seats, field);
    let default = seats.zip(alliance.as_ref()).map(|(seats, alliance)| Scoring::default_for(alliance, seats));
    let scoring = field.member("scoring").optional_enum(settings.scoring).and_then(|given| given.or(default));
    let oracle: Option<Option<OracleAccess>> = field.member("oracle").optional_enum(settings.oracle);
    let retention = parse_retention(settings.retention.as_ref(), field.member("retention"));
    let concurrency = field.member("concurrency");
    let concurrency =
        concurrency.parse_unless_zero(settings.concurrency, |given| Concurrency::new(given as usize));
    let bot_concurrency = field.member("bot_concurrency");
    let bot_concurrency =
        bot_concurrency.parse_unless_zero(settings.bot_concurrency, |given| Concurrency::new(given as usize));
    let start_at = parse_time(settings.start_at_us, field.member("start_at_us"));
    let entries_close_at = parse_time(settings.entries_close_at_us, field.member("entries_close_at_us"));
    let allow = parse_allow_list(&settings.allow, field.member("allow"));
    let start_when = (settings.start_when > 0).then_some(settings.start_when as usize);
    let seats = seats?;
    // Contradictions between settings are reported together with mistakes in single settings.
    let alliance_fits = alliance.as_ref().map(|alliance| Settings::check_alliance(alliance, seats));
    let alliance_fits = alliance_fits.and_then(|fits| field.member("alliance_matrix").ok_or_report(fits));
    let dealt = alliance.as_ref().filter(|alliance| alliance.deal_rule().is_some());
    let scored =
        dealt.zip(scoring).map(|(alliance, scoring)| Settings::check_dealt_scoring(alliance, scoring));
    let scoring_fits = scored.is_none_or(|fits| field.member("scoring").ok_or_report(fits).is_some());
    let judged = dealt.zip(format.as_ref());
    let judged = judged.map(|(alliance, format)| Settings::check_dealt_format(alliance, format));
    let judging_fits =
        judged.is_none_or(|fits| field.member("sprt").member("measure").ok_or_report(fits).is_some());
    let format_fits = format.as_ref().map(|format| Settings::check_format(format, seats));
    let format_fits = format_fits.and_then(|fits| field.member("format").ok_or_report(fits));
    let allowed = allow.as_ref().zip(format.as_ref());
    let allowed = allowed.map(|(allow, format)| Settings::check_allow(allow, format));
    let allow_fits = allowed.is_none_or(|fits| field.member("allow").ok_or_report(fits).is_some());
    let start_fits = format.as_ref().zip(positions.as_ref()).filter(|_| format_fits.is_some());
    let start_fits = start_fits
        .map(|(format, positions)| Settings::check_start_when(start_when, format, seats, positions.count()));
    let start_fits = start_fits.and_then(|fits| field.member("start_when").ok_or_report(fits));
    let (Some(()), Some(()), Some(()), Some(())) = (methods, alliance_fits, format_fits, start_fits) else {
        return None;
    };
    if !(scoring_fits && judging_fits && allow_fits) {
        return None;
    }
    let draft = SettingsDraft {
        title: title?,
        format: format?,
        seats,
        positions: positions?,
        ending: ending?,
        alliance: alliance?,
        scoring: scoring?,
        oracle: oracle?.unwrap_or_default(),
        retention: retention?,
        concurrency: concurrency?.unwrap_or_default(),
        bot_concurrency: bot_concurrency?,
        start_when,
        start_at: start_at?,
        entries_close_at: entries_close_at?,
        allow: allow?,
        seed: settings.seed,
    };
    field.ok_or_report(Settings::new(draft))
}

fn parse_alliance(
    settings: &pb::TournamentSettings,
    seats: Option<SeatCount>,
    field: RequestField<'_>,
) -> Option<AllianceSource> {
    let (at_matrix, matrix) = (field.member("alliance_matrix"), settings.alliance_matrix.as_ref());
    let mode = field.member("alliance").known_enum(settings.alliance);
    let given = match (mode, matrix) {
        (Some(pb::AllianceMode::Given), _) => at_matrix.require(matrix),
        (None, _) => matrix,
        (Some(_), None) => None,
        (Some(mode), Some(_)) => {
            at_matrix.report(format_args!(
                "{} takes no matrix: only ALLIANCE_MODE_GIVEN does",
                mode.as_str_name()
            ));
            return None;
        }
    };
    let given = given.map(|matrix| parse_alliance_matrix(matrix, at_matrix));
    let (rule, rows) = (settings.deal, settings.deal_rows.as_slice());
    let deal_fields = [field.member("deal"), field.member("deal_rows")];
    if mode? != pb::AllianceMode::Dealt && !refuse_deal(mode?, rule, rows, deal_fields) {
        return None;
    }
    match mode? {
        pb::AllianceMode::Unspecified => seats.map(AllianceSource::default_for),
        pb::AllianceMode::Declared => Some(AllianceSource::Declared),
        pb::AllianceMode::Standard => Some(AllianceSource::Standard),
        pb::AllianceMode::Random => Some(AllianceSource::Random),
        pb::AllianceMode::Given => given?.map(AllianceSource::Given),
        pb::AllianceMode::Dealt => {
            parse_deal_rule(rule, rows, seats?, deal_fields).map(AllianceSource::Dealt)
        }
    }
}

#[expect(
    clippy::option_option,
    reason = "as in all parsers here, the outer option is `None` after a mistake"
)]
fn parse_retention(given: Option<&pb::Retention>, field: RequestField<'_>) -> Option<Option<Retention>> {
    let Some(&pb::Retention { matches, days }) = given else { return Some(None) };
    let kept_matches = field.member("matches").parse_unless_zero(matches, BoundedCount::new);
    let kept_days = field.member("days").parse_unless_zero(days.into(), BoundedCount::new);
    let retention = Retention::new(kept_matches?, kept_days?);
    field.ok_or_report(retention.ok_or("expected a number of matches or days")).map(Some)
}

fn parse_allow_list(given: &[String], field: RequestField<'_>) -> Option<AllowList> {
    if given.len() > AllowList::MAX_PATTERNS {
        field.report(AllowListError(given.len()));
        return None;
    }
    let patterns =
        given.iter().enumerate().map(|(index, name)| field.element(index).ok_or_report(name.parse()));
    // All are read before the first mistake counts, so that every mistake is reported.
    let patterns = patterns.collect::<Vec<_>>().into_iter().collect::<Option<_>>()?;
    field.ok_or_report(AllowList::new(patterns))
}

/// Reads a time that may be left out.
#[expect(
    clippy::option_option,
    reason = "as in all parsers here, the outer option is `None` after a mistake"
)]
fn parse_time(micros: u64, field: RequestField<'_>) -> Option<Option<Timestamp>> {
    if micros > MAX_TIME_US {
        field.report(format_args!("{micros}: expected at most {MAX_TIME_US}, the end of the year 9999"));
        return None;
    }
    Some((micros > 0).then_some(Timestamp::from_micros(micros)))
}

impl From<Retention> for pb::Retention {
    fn from(retention: Retention) -> Self {
        Self {
            matches: retention.matches().map_or(0, BoundedCount::get),
            days: retention.days().map_or(0, |days| days.get() as u32),
        }
    }
}

/// Writes a tournament's settings and the terms of its matches.
pub fn settings_message(settings: &Settings, terms: &Terms) -> pb::TournamentSettings {
    pb::TournamentSettings {
        positions: listed_positions_message(&settings.positions),
        ..settings_message_without_positions(settings, terms)
    }
}

/// Writes a tournament's settings and the terms of its matches, without listed positions.
pub fn settings_message_without_positions(settings: &Settings, terms: &Terms) -> pb::TournamentSettings {
    let (deal, deal_rows) =
        settings.alliance.deal_rule().map_or((pb::DealRule::Unspecified, Vec::new()), deal_rule_fields);
    pb::TournamentSettings {
        title: settings.title.to_string(),
        seats: settings.seats.get() as u32,
        positions: Vec::new(),
        ending: pb::Ending::from(settings.ending).into(),
        alliance: pb::AllianceMode::from(&settings.alliance).into(),
        alliance_matrix: match &settings.alliance {
            AllianceSource::Given(matrix) => Some(matrix.into()),
            AllianceSource::Declared
            | AllianceSource::Standard
            | AllianceSource::Random
            | AllianceSource::Dealt(_) => None,
        },
        deal: deal.into(),
        deal_rows,
        scoring: pb::Scoring::from(settings.scoring).into(),
        oracle: pb::OracleAccess::from(settings.oracle).into(),
        retention: settings.retention.map(Into::into),
        clock: Some((&terms.clock).into()),
        strikes: terms.strikes,
        max_plies: terms.max_plies,
        seed: settings.seed,
        concurrency: settings.concurrency.get() as u32,
        start_when: settings.start_when.map_or(0, |bots| bots as u32),
        start_at_us: settings.start_at.map_or(0, Timestamp::as_micros),
        entries_close_at_us: settings.entries_close_at.map_or(0, Timestamp::as_micros),
        allow: settings.allow.patterns().iter().map(ToString::to_string).collect(),
        format: format_message(&settings.format),
        other_positions: unlisted_positions_message(&settings.positions),
        bot_concurrency: settings.bot_concurrency.map_or(0, |matches| matches.get() as u32),
        methods: METHODS_VERSION,
        talk: terms.talk.as_ref().map(Into::into),
    }
}

impl From<&AllianceSource> for pb::AllianceMode {
    fn from(alliance: &AllianceSource) -> Self {
        match alliance {
            AllianceSource::Declared => Self::Declared,
            AllianceSource::Standard => Self::Standard,
            AllianceSource::Random => Self::Random,
            AllianceSource::Given(_) => Self::Given,
            AllianceSource::Dealt(_) => Self::Dealt,
        }
    }
}

impl From<&BotComparison> for pb::Comparison {
    fn from(comparison: &BotComparison) -> Self {
        let BotComparison { bot, other, meeting, probability_better, adjusted_chance } = comparison;
        let HeadToHead { matches, wins, other_wins } = *meeting;
        Self {
            bot: bot.to_string(),
            other: other.to_string(),
            matches,
            wins,
            other_wins,
            probability_better: *probability_better,
            adjusted_chance: *adjusted_chance,
        }
    }
}

impl From<&StandingRating> for pb::BotRating {
    fn from(rating: &StandingRating) -> Self {
        let ConfidenceInterval { low, high } = rating.interval;
        let measure = pb::RatingMeasure::from(rating.measure).into();
        Self { points: rating.points, low, high, island: rating.island, measure }
    }
}

impl From<&MeanEstimate> for pb::BotSkill {
    fn from(skill: &MeanEstimate) -> Self {
        Self {
            regret_per_match: skill.mean,
            low: skill.interval.map(|interval| interval.low),
            high: skill.interval.map(|interval| interval.high),
        }
    }
}

impl From<&Standing> for pb::Standing {
    fn from(standing: &Standing) -> Self {
        Self {
            place: standing.place,
            place_range: standing
                .place_range
                .map(|PlaceRange { best, worst }| pb::PlaceRange { best, worst }),
            tie_break: standing.tie_break.map_or(pb::TieBreak::Unspecified, Into::into).into(),
            bot: standing.bot.to_string(),
            points: standing.points,
            matches: standing.matches,
            wins: standing.wins,
            satisfaction: standing.satisfaction,
            relative_satisfaction: standing.relative_satisfaction,
            accuracy: standing.accuracy,
            regret_per_match: standing.regret_per_match,
            luck_per_match: standing.luck_per_match,
            forfeits: standing.forfeits,
            no_shows: standing.no_shows,
            rating: standing.rating.as_ref().map(Into::into),
            skill: standing.skill.as_ref().map(Into::into),
            elo: standing.elo,
            versions: standing.versions.iter().map(Into::into).collect(),
            disqualified: standing.is_disqualified,
            withdrawn: standing.is_withdrawn,
        }
    }
}

impl pb::Standing {
    /// Returns whether the bot is neither disqualified nor withdrawn.
    pub fn competes(&self) -> bool {
        !self.disqualified && !self.withdrawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request, testing};
    use lastnim_core::referee::TalkTerms;
    use proptest::prelude::*;

    fn parse(settings: &pb::TournamentSettings) -> Result<Settings, Violations> {
        parse_request(|request| parse_settings(settings, request.member("settings")))
    }

    fn refusals(settings: &pb::TournamentSettings) -> Vec<String> {
        let refused = parse(settings).unwrap_err();
        refused.as_slice().iter().map(|each| format!("{}: {}", each.field, each.description)).collect()
    }

    fn matrix(rows: &[&[u32]]) -> pb::AllianceMatrix {
        pb::AllianceMatrix {
            rows: rows.iter().map(|offsets| pb::Row { offsets: offsets.to_vec() }).collect(),
        }
    }

    fn smallest() -> pb::TournamentSettings {
        pb::TournamentSettings {
            title: "smallest".into(),
            seats: 3,
            positions: vec![pb::Piles { counters: vec![1] }],
            ..pb::TournamentSettings::default()
        }
    }

    #[test]
    fn missing_settings_have_defaults() {
        let settings = parse(&smallest()).unwrap();
        assert_eq!(settings.alliance, AllianceSource::Declared);
        assert_eq!(settings.scoring, Scoring::Win);
        assert_eq!(settings.concurrency.get(), 64);
        assert_eq!(settings.start_when, None);
        assert_eq!(settings.oracle, OracleAccess::Open);
        let assigned = pb::AllianceMode::Standard.into();
        let settings = parse(&pb::TournamentSettings { alliance: assigned, ..smallest() }).unwrap();
        assert_eq!(settings.scoring, Scoring::Satisfaction);
    }

    #[test]
    fn two_seats_have_the_standard_rows() {
        let parsed = |alliance: pb::AllianceMode| {
            let given = pb::TournamentSettings { seats: 2, alliance: alliance.into(), ..smallest() };
            let settings = parse(&given).unwrap();
            (settings.alliance.clone(), settings.scoring)
        };
        assert_eq!(parsed(pb::AllianceMode::Unspecified), (AllianceSource::Standard, Scoring::Win));
        assert_eq!(parsed(pb::AllianceMode::Declared), (AllianceSource::Declared, Scoring::Win));
    }

    #[test]
    fn unknown_methods_are_refused() {
        let settings_with = |methods| pb::TournamentSettings { methods, ..smallest() };
        let settings = parse(&settings_with(METHODS_VERSION)).unwrap();
        assert_eq!(settings_message(&settings, &Terms::default()).methods, METHODS_VERSION);
        assert_eq!(parse(&settings_with(0)), Ok(settings), "a new tournament may leave the version out");
        for other in [1, 2, METHODS_VERSION + 1] {
            let expected = format!(
                "settings.methods: methods version {other}: this program only knows version {METHODS_VERSION}; \
                 use a lastnim that knows version {other}"
            );
            assert_eq!(refusals(&settings_with(other)), [expected]);
        }
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let settings = pb::TournamentSettings {
            title: " ".into(),
            positions: vec![
                pb::Piles { counters: vec![1] },
                pb::Piles::default(),
                pb::Piles { counters: vec![2, 0] },
            ],
            ending: 3,
            alliance: pb::AllianceMode::Given.into(),
            alliance_matrix: Some(matrix(&[&[0, 1], &[0, 0]])),
            scoring: -1,
            concurrency: 10_001,
            ..smallest()
        };
        let expected = [
            "settings.title: a blank title: expected 1 to 100 characters",
            "settings.positions[1].counters: 0 piles: expected 1 to 1024",
            "settings.positions[2].counters: pile 1 has 0 counters: expected 1 to 9223372036854775807 at the start",
            "settings.ending: 3 is not a known value: expected 0 to 2",
            "settings.alliance_matrix.rows[1].offsets: offset 0 appears twice in the row, at places 0 and 1: each of 0 to 1 must appear once",
            "settings.scoring: -1 is not a known value: expected 0 to 2",
            "settings.concurrency: 10001 concurrent matches: expected 1 to 10000",
        ];
        assert_eq!(refusals(&settings), expected);
        assert_eq!(
            refusals(&pb::TournamentSettings::default()),
            [
                "settings.title: a blank title: expected 1 to 100 characters",
                "settings.seats: 0 seats: expected 2 to 32",
                "settings.positions: 0 positions: expected 1 to 1000"
            ]
        );
    }

    #[test]
    fn contradictions_are_reported_with_other_mistakes() {
        let settings = pb::TournamentSettings {
            title: String::new(),
            alliance: pb::AllianceMode::Given.into(),
            alliance_matrix: Some(matrix(&[&[0, 1], &[0, 1]])),
            start_when: 2,
            ..smallest()
        };
        let expected = [
            "settings.title: a blank title: expected 1 to 100 characters",
            "settings.alliance_matrix: an alliance matrix of 2 rows: expected 3, one per seat",
            "settings.start_when: a field of 2 bots: expected at least 3, one per seat",
        ];
        assert_eq!(refusals(&settings), expected);
    }

    #[test]
    fn a_matrix_requires_the_mode_given() {
        let refusals_with = |alliance: pb::AllianceMode, alliance_matrix| {
            refusals(&pb::TournamentSettings { alliance: alliance.into(), alliance_matrix, ..smallest() })
        };
        assert_eq!(
            refusals_with(pb::AllianceMode::Random, Some(matrix(&[]))),
            ["settings.alliance_matrix: ALLIANCE_MODE_RANDOM takes no matrix: only ALLIANCE_MODE_GIVEN does"]
        );
        assert_eq!(refusals_with(pb::AllianceMode::Given, None), ["settings.alliance_matrix: missing"]);
    }

    #[test]
    fn retention_has_a_count_or_days() {
        let refusals_with = |matches, days| {
            let retention = Some(pb::Retention { matches, days });
            refusals(&pb::TournamentSettings { retention, ..smallest() })
        };
        assert_eq!(refusals_with(0, 0), ["settings.retention: expected a number of matches or days"]);
        let expected = [
            "settings.retention.matches: 10000001: expected a number from 1 to 10000000",
            "settings.retention.days: 36501: expected a number from 1 to 36500",
        ];
        assert_eq!(refusals_with(10_000_001, 36_501), expected);
        let retention = Some(pb::Retention { matches: 0, days: 30 });
        let settings = parse(&pb::TournamentSettings { retention, ..smallest() }).unwrap();
        assert_eq!(settings.retention.unwrap().days().unwrap().get(), 30);
        assert_eq!(parse(&smallest()).unwrap().retention, None);
    }

    #[test]
    fn only_seats_that_declare_rows_talk() {
        let parsed = |alliance: pb::AllianceMode, talk| {
            let given = pb::TournamentSettings { alliance: alliance.into(), talk: Some(talk), ..smallest() };
            let parsed =
                parse_request(|request| parse_settings_and_terms(&given, request.member("settings")));
            parsed.map_err(|refused| refused.to_string())
        };
        let two_rounds = pb::Talk { rounds: 2, ..pb::Talk::default() };
        for alliance in [pb::AllianceMode::Declared, pb::AllianceMode::Dealt] {
            let scored = parsed(alliance, two_rounds);
            let (settings, terms) = scored.unwrap();
            assert_eq!(terms.talk, Some(TalkTerms::default()));
            let full = pb::Talk {
                rounds: 2,
                round_ms: 60_000,
                text_chars: 500,
                privacy: pb::TalkPrivacy::Private.into(),
                pacts: false,
            };
            assert_eq!(settings_message(&settings, &terms).talk, Some(full));
        }
        let refused = "settings.talk: talk in a match in which nobody declares: seats can only talk before they declare what they want";
        for alliance in [pb::AllianceMode::Standard, pb::AllianceMode::Random] {
            assert_eq!(parsed(alliance, two_rounds).unwrap_err(), refused);
        }
        let wrong = pb::Talk { rounds: 0, round_ms: 3_600_001, text_chars: 1_001, ..pb::Talk::default() };
        let expected = [
            "settings.talk.rounds: rounds is 0: expected a whole number from 1 to 4",
            "settings.talk.round_ms: round_ms is 3600001: expected a whole number from 1 to 3600000",
            "settings.talk.text_chars: text_chars is 1001: expected a whole number from 1 to 1000",
        ];
        assert_eq!(parsed(pb::AllianceMode::Declared, wrong).unwrap_err(), expected.join("; "));
    }

    #[test]
    fn times_after_the_year_9999_are_refused() {
        let settings_at = |micros| pb::TournamentSettings {
            start_at_us: micros,
            entries_close_at_us: micros,
            ..smallest()
        };
        let latest = parse(&settings_at(MAX_TIME_US)).unwrap();
        assert_eq!(latest.start_at, Some(Timestamp::from_micros(MAX_TIME_US)));
        assert_eq!(latest.entries_close_at, latest.start_at);
        let unset = parse(&settings_at(0)).unwrap();
        assert_eq!((unset.start_at, unset.entries_close_at), (None, None));
        let expected = ["start_at_us", "entries_close_at_us"].map(|name| {
            format!(
                "settings.{name}: 253402300800000000: expected at most 253402300799999999, the end of the year 9999"
            )
        });
        assert_eq!(refusals(&settings_at(MAX_TIME_US + 1)), expected);
    }

    #[test]
    fn every_wrong_name_of_an_allow_list_is_reported() {
        let settings_allowing = |allow: &[&str]| pb::TournamentSettings {
            allow: allow.iter().map(|&name| name.to_owned()).collect(),
            ..smallest()
        };
        let expected = [(1, "B"), (2, "c*d")].map(|(index, name)| {
            format!(
                "settings.allow[{index}]: {name:?}: expected the name of a bot, such as alice, or a prefix and a star, such as team-*"
            )
        });
        assert_eq!(refusals(&settings_allowing(&["a", "B", "c*d", "e*"])), expected);
        let many = pb::TournamentSettings { allow: vec!["a".into(); 1_001], ..smallest() };
        assert_eq!(refusals(&many), ["settings.allow: 1001 names: expected at most 1000"]);
        let format =
            pb::tournament_settings::Format::Gauntlet(pb::GauntletFormat { bot: "a".into(), groups: 0 });
        let left_out = pb::TournamentSettings { format: Some(format), ..settings_allowing(&["b"]) };
        let expected = "settings.allow: a, which the format names, cannot enter: add it to the list";
        assert_eq!(refusals(&left_out), [expected]);
    }

    #[test]
    fn too_many_positions_are_refused_before_they_are_read() {
        let positions = vec![pb::Piles::default(); 100_000];
        assert_eq!(
            refusals(&pb::TournamentSettings { positions, ..smallest() }),
            ["settings.positions: 100000 positions: expected 1 to 1000"]
        );
    }

    proptest! {
        #[test]
        fn settings_read_back(settings in testing::settings()) {
            prop_assert_eq!(parse(&settings_message(&settings, &Terms::default())), Ok(settings));
        }

        #[test]
        fn garbage_is_refused_with_the_name_of_its_field(
            title in ".{0,3}",
            seats in prop_oneof![0..4_u32, any::<u32>()],
            positions in prop::collection::vec(prop::collection::vec(0..3_u64, 0..3), 0..3),
            (ending, alliance, scoring) in (-1..4_i32, -1..6_i32, -1..4_i32),
            rows in prop::option::of(prop::collection::vec(prop::collection::vec(0..3_u32, 0..4), 0..4)),
            concurrency: u32,
            start_when in prop_oneof![0..9_u32, any::<u32>()],
            seed: u64,
        ) {
            let settings = pb::TournamentSettings {
                title,
                seats,
                positions: positions.into_iter().map(|counters| pb::Piles { counters }).collect(),
                ending,
                alliance,
                scoring,
                alliance_matrix: rows.map(|rows| pb::AllianceMatrix {
                    rows: rows.into_iter().map(|offsets| pb::Row { offsets }).collect(),
                }),
                concurrency,
                start_when,
                seed,
                ..pb::TournamentSettings::default()
            };
            match parse(&settings) {
                Ok(parsed) => prop_assert_eq!(parse(&settings_message(&parsed, &Terms::default())), Ok(parsed)),
                Err(refused) => prop_assert!(
                    refused.as_slice().iter().all(|violation| violation.field.starts_with("settings."))
                ),
            }
        }
    }
}
