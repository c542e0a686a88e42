//! Converts tournament formats to and from messages.

use super::{RequestField, pb};
use lastnim_tournament::{
    BoundedCount, EffectBounds, ErrorRates, FormatProfile, GroupCount, LadderSettings, SprtMeasure,
    SprtSettings, TableGroups, TournamentFormat,
};
use pb::tournament_settings::Format as Given;

impl pb::TournamentSettings {
    /// Returns the properties that all tournaments of the format share.
    pub fn format_profile(&self) -> &'static FormatProfile {
        match &self.format {
            None | Some(Given::RoundRobin(_)) => FormatProfile::ROUND_ROBIN,
            Some(Given::Gauntlet(_)) => FormatProfile::GAUNTLET,
            Some(Given::Swiss(_)) => FormatProfile::SWISS,
            Some(Given::Knockout(_)) => FormatProfile::KNOCKOUT,
            Some(Given::Ladder(_)) => FormatProfile::LADDER,
            Some(Given::Sprt(_)) => FormatProfile::SPRT,
        }
    }
}

impl pb::Tournament {
    /// Returns the properties that all tournaments of the same format share.
    pub fn format_profile(&self) -> &'static FormatProfile {
        self.settings.as_ref().map_or(FormatProfile::ROUND_ROBIN, pb::TournamentSettings::format_profile)
    }

    /// Returns whether the tournament is running and bots may join and leave.
    pub fn has_open_field(&self) -> bool {
        self.state() == pb::TournamentState::Running && self.format_profile().has_open_field
    }

    /// Returns whether the tournament is running and a bot that leaves it is withdrawn: it cannot return.
    pub fn leaving_is_final(&self) -> bool {
        let profile = self.format_profile();
        self.state() == pb::TournamentState::Running && profile.allows_withdrawal && !profile.has_open_field
    }
}

/// Reads the format. The default is a round robin of all sets of bots.
pub(super) fn parse_format(given: Option<&Given>, settings: RequestField<'_>) -> Option<TournamentFormat> {
    match given {
        None => Some(TournamentFormat::RoundRobin),
        Some(Given::RoundRobin(given)) => {
            let groups = parse_groups(given.groups, settings.member("round_robin"))?;
            Some(groups.map_or(TournamentFormat::RoundRobin, |groups| TournamentFormat::Sample { groups }))
        }
        Some(Given::Gauntlet(given)) => {
            let field = settings.member("gauntlet");
            let bot = field.member("bot").ok_or_report(given.bot.parse());
            let groups = parse_groups(given.groups, field);
            Some(TournamentFormat::Gauntlet { bot: bot?, groups: groups? })
        }
        Some(Given::Swiss(given)) => {
            let field = settings.member("swiss");
            let rounds = field.member("rounds").ok_or_report(BoundedCount::new(given.rounds.into()));
            let table_groups = parse_table_groups(given.table_groups, field);
            Some(TournamentFormat::Swiss { rounds: rounds?, table_groups: table_groups? })
        }
        Some(Given::Knockout(given)) => {
            let field = settings.member("knockout");
            let table_groups = parse_table_groups(given.table_groups, field)?;
            Some(TournamentFormat::Knockout { advance: given.advance.max(1) as usize, table_groups })
        }
        Some(Given::Ladder(given)) => {
            let field = settings.member("ladder");
            let groups = parse_groups(given.groups, field);
            let table_groups = parse_table_groups(given.table_groups, field);
            let streak = value_or_default(given.suspend_after, LadderSettings::DEFAULT_SUSPEND_AFTER);
            let suspend_after = field.member("suspend_after").ok_or_report(BoundedCount::new(streak));
            let pairing = field.member("pairing").optional_enum(given.pairing);
            Some(TournamentFormat::Ladder(LadderSettings {
                groups: groups?,
                table_groups: table_groups?,
                suspend_after: suspend_after?,
                pairing: pairing?.unwrap_or_default(),
            }))
        }
        Some(Given::Sprt(given)) => parse_sprt(given, settings.member("sprt")).map(TournamentFormat::Sprt),
    }
}

fn parse_sprt(given: &pb::SprtFormat, field: RequestField<'_>) -> Option<SprtSettings> {
    let candidate = field.member("candidate").ok_or_report(given.candidate.parse());
    let baseline = field.member("baseline").ok_or_report(given.baseline.parse());
    let measure = field.member("measure").optional_enum(given.measure);
    let effects = EffectBounds::new(given.effect_none, given.effect_some);
    let effects = field.member("effect_some").ok_or_report(effects);
    let usual = ErrorRates::default();
    let rate = |given: f64, usual: f64| if given == 0.0 { usual } else { given };
    let errors = ErrorRates::new(rate(given.alpha, usual.alpha()), rate(given.beta, usual.beta()));
    let errors = field.member("alpha").ok_or_report(errors);
    let groups = field.member("groups").ok_or_report(BoundedCount::new(given.groups));
    Some(SprtSettings {
        candidate: candidate?,
        baseline: baseline?,
        measure: measure?.unwrap_or(SprtMeasure::Regret),
        effects: effects?,
        errors: errors?,
        groups: groups?,
    })
}

/// Reads the limit that a format sets on the number of groups; `Some(None)` if it sets none.
#[expect(
    clippy::option_option,
    reason = "as in all parsers here, the outer option is `None` after a mistake"
)]
fn parse_groups(given: u64, field: RequestField<'_>) -> Option<Option<GroupCount>> {
    field.member("groups").parse_unless_zero(given, BoundedCount::new)
}

fn parse_table_groups(given: u32, field: RequestField<'_>) -> Option<TableGroups> {
    field.member("table_groups").ok_or_report(BoundedCount::new(value_or_default(given, 1)))
}

fn value_or_default(given: u32, default: u64) -> u64 {
    if given == 0 { default } else { given.into() }
}

/// Writes the format; `None` for a round robin of all sets of bots, which is the default.
pub(super) fn format_message(format: &TournamentFormat) -> Option<Given> {
    let groups = |groups: &Option<GroupCount>| groups.map_or(0, BoundedCount::get);
    Some(match format {
        TournamentFormat::RoundRobin => return None,
        TournamentFormat::Sample { groups } => {
            Given::RoundRobin(pb::RoundRobinFormat { groups: groups.get() })
        }
        TournamentFormat::Gauntlet { bot, groups: limit } => {
            Given::Gauntlet(pb::GauntletFormat { bot: bot.to_string(), groups: groups(limit) })
        }
        TournamentFormat::Swiss { rounds, table_groups } => Given::Swiss(pb::SwissFormat {
            rounds: rounds.get() as u32,
            table_groups: table_groups.get() as u32,
        }),
        TournamentFormat::Knockout { advance, table_groups } => Given::Knockout(pb::KnockoutFormat {
            advance: *advance as u32,
            table_groups: table_groups.get() as u32,
        }),
        TournamentFormat::Ladder(ladder) => Given::Ladder(pb::LadderFormat {
            groups: groups(&ladder.groups),
            table_groups: ladder.table_groups.get() as u32,
            suspend_after: ladder.suspend_after.get() as u32,
            pairing: pb::LadderPairing::from(ladder.pairing).into(),
        }),
        TournamentFormat::Sprt(sprt) => Given::Sprt(pb::SprtFormat {
            candidate: sprt.candidate.to_string(),
            baseline: sprt.baseline.to_string(),
            measure: pb::Measure::from(sprt.measure).into(),
            effect_none: sprt.effects.none(),
            effect_some: sprt.effects.some(),
            alpha: sprt.errors.alpha(),
            beta: sprt.errors.beta(),
            groups: sprt.groups.get(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_request;
    use lastnim_tournament::LadderPairing;

    fn refusals(given: &Given) -> Vec<String> {
        let parsed = parse_request(|request| parse_format(Some(given), request.member("settings")));
        let refused = parsed.unwrap_err();
        refused.as_slice().iter().map(|each| format!("{}: {}", each.field, each.description)).collect()
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let sprt = pb::SprtFormat {
            candidate: "A".into(),
            measure: 3,
            effect_none: 0.2,
            effect_some: 0.1,
            alpha: 0.9,
            ..pb::SprtFormat::default()
        };
        let expected = [
            "settings.sprt.candidate: bot name \"A\": expected 1 to 32 of the characters a-z, 0-9, '-', '_' and '.', beginning with a letter or digit",
            "settings.sprt.baseline: bot name \"\": expected 1 to 32 of the characters a-z, 0-9, '-', '_' and '.', beginning with a letter or digit",
            "settings.sprt.measure: 3 is not a known value: expected 0 to 2",
            "settings.sprt.effect_some: a gain of 0.1 as better and 0.2 as no better: expected numbers from -31 to 31, the first above the second",
            "settings.sprt.alpha: alpha 0.9 and beta 0.05: expected numbers from 0.0001 to 0.5",
            "settings.sprt.groups: 0: expected a number from 1 to 10000000",
        ];
        assert_eq!(refusals(&Given::Sprt(sprt)), expected);
        let ladder =
            pb::LadderFormat { groups: u64::MAX, table_groups: 1_001, suspend_after: 1_001, pairing: 9 };
        let expected = [
            "settings.ladder.groups: 18446744073709551615: expected a number from 1 to 10000000",
            "settings.ladder.table_groups: 1001: expected a number from 1 to 1000",
            "settings.ladder.suspend_after: 1001: expected a number from 1 to 1000",
            "settings.ladder.pairing: 9 is not a known value: expected 0 to 2",
        ];
        assert_eq!(refusals(&Given::Ladder(ladder)), expected);
    }

    #[test]
    fn missing_settings_have_defaults() {
        let parse = |given: Option<Given>| {
            parse_request(|request| parse_format(given.as_ref(), request.member("settings"))).unwrap()
        };
        let chosen = |pairing| {
            let ladder = pb::LadderFormat { pairing, ..Default::default() };
            match parse(Some(Given::Ladder(ladder))) {
                TournamentFormat::Ladder(ladder) => ladder.pairing,
                other => panic!("{other:?}"),
            }
        };
        let (least_certain, by_turns) = (LadderPairing::LeastCertain, LadderPairing::ByTurns);
        assert_eq!([0, 1, 2].map(chosen), [by_turns, least_certain, by_turns]);
        assert_eq!(parse(None), TournamentFormat::RoundRobin);
        assert_eq!(
            parse(Some(Given::RoundRobin(pb::RoundRobinFormat::default()))),
            TournamentFormat::RoundRobin
        );
        let one = TableGroups::ONE;
        let knockout = parse(Some(Given::Knockout(pb::KnockoutFormat::default())));
        assert_eq!(knockout, TournamentFormat::Knockout { advance: 1, table_groups: one });
        let ladder = parse(Some(Given::Ladder(pb::LadderFormat::default())));
        let expected = LadderSettings {
            groups: None,
            table_groups: one,
            suspend_after: BoundedCount::new(5).unwrap(),
            pairing: by_turns,
        };
        assert_eq!(ladder, TournamentFormat::Ladder(expected));
    }
}
