//! A tournament file that has passed all checks.

use super::{
    llm_table::LlmTable,
    player::{BotOrigin, PlayerEntries, PlayerEntry, ProgramEntry, read_players},
    sandbox_table::SandboxTable,
    settings::SettingsReader,
};
use crate::toml_file::{FileMistake, TomlDocument};
use lastnim_bots::{Resolution, ResolutionError, resolve};
use lastnim_core::{
    game::{BotName, find_closest_word},
    referee::Terms,
};
use lastnim_llm::{CostBound, LlmSettings};
use lastnim_proto::{
    parse_request, pb,
    tournament::{parse_settings_and_terms, settings_message},
};
use lastnim_report::words::count_with_noun;
use lastnim_tournament::{RepeatedGroups, Settings, TotalMatches, TournamentFormat, count_matches};

/// A tournament and its bots.
#[derive(Debug, Clone)]
pub struct TournamentPlan {
    settings: Settings,
    terms: Terms,
    /// The bots, in the order of the file.
    pub players: Vec<PlayerEntry>,
    /// The limits that apply to all models together.
    pub llm: LlmTable,
    /// The sandbox of the bots that have one.
    pub sandbox: SandboxTable,
    /// The number of matches.
    pub total: TotalMatches,
}

impl TournamentPlan {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// Every mistake in it, from top to bottom; only the first if it is not TOML.
    pub fn parse(text: &str) -> Result<Self, Vec<FileMistake>> {
        let mut toml = TomlDocument::parse(text)?;
        let plan = read_plan(&mut toml);
        toml.finish()?;
        plan.ok_or_else(Vec::new)
    }

    /// Returns the settings for the server.
    pub fn settings(&self) -> pb::TournamentSettings {
        settings_message(&self.settings, &self.terms)
    }

    /// Returns the format.
    pub fn format(&self) -> &TournamentFormat {
        &self.settings.format
    }

    /// Returns a warning if the tournament is certain to play more duplicate groups than can be different.
    pub fn find_repetition(&self) -> Option<RepeatedGroups> {
        RepeatedGroups::predict(&self.settings, self.players.len())
    }

    /// Simulates what the planned matches can resolve, with as many typical bots as the file has.
    ///
    /// # Errors
    /// If the format has no best bot to find, or the tournament is too large.
    pub fn resolve(&self) -> Result<Resolution, ResolutionError> {
        resolve(&self.settings, self.players.len())
    }

    /// Returns the bots that play with a model, and the settings in the file.
    pub fn models(&self) -> impl Iterator<Item = (&BotName, &LlmSettings)> {
        self.players.iter().filter_map(|player| match &player.origin {
            BotOrigin::Llm(settings, _) => Some((&player.name, settings.as_ref())),
            _ => None,
        })
    }

    /// Returns the bots whose programs run on this machine.
    pub fn programs(&self) -> impl Iterator<Item = (&BotName, &ProgramEntry)> {
        self.players.iter().filter_map(|player| match &player.origin {
            BotOrigin::Command(program) => Some((&player.name, program)),
            _ => None,
        })
    }

    /// Returns the most that the models may spend; `None` if there is no model.
    pub fn model_cost_bound(&self) -> Option<CostBound> {
        let matches = match self.total {
            TotalMatches::Exactly(matches) | TotalMatches::AtMost(matches) => Some(matches),
            TotalMatches::Open => None,
        };
        self.llm.cost_bound(self.models().map(|(_, settings)| settings), matches)
    }

    /// Returns how many positions are played.
    pub fn position_count(&self) -> usize {
        self.settings.positions.count()
    }
}

fn read_plan(toml: &mut TomlDocument) -> Option<TournamentPlan> {
    let mut reader = SettingsReader::default();
    let given = reader.read(toml);
    let sandbox = SandboxTable::read(toml);
    let PlayerEntries { players, names } = read_players(toml, &sandbox);
    let llm = LlmTable::read(toml);
    check_bots_of_format(&reader.named, &names, toml);
    let given = given?;
    let parsed = parse_request(|plan| parse_settings_and_terms(&given, plan.member("settings")));
    let parsed = parsed.map_err(|violations| {
        violations.as_slice().iter().for_each(|violation| reader.report_violation(violation, toml));
        if violations.unlisted_count() > 0 {
            let more = count_with_noun(
                violations.unlisted_count(),
                "more mistake like these",
                "more mistakes like these",
            );
            toml.report_at_line("", more);
        }
    });
    let (settings, terms) = parsed.ok()?;
    for name in names.iter().filter(|name| !settings.allow.admits(name)) {
        toml.report_mistake("allow", format_args!("{name} plays, but the list does not allow it"));
    }
    // Bots with mistakes also count, since the mistakes will be corrected.
    let field = names.len();
    let count = count_matches(&settings.format, settings.seats, settings.positions.count(), field);
    let total = count.map_err(|error| toml.report_mistake("bot", error)).ok()?;
    Some(TournamentPlan { settings, terms, players, llm, sandbox, total })
}

/// Checks that the bots named by the format take part. Each name in `named` comes with its path in the file.
fn check_bots_of_format(named: &[(String, String)], bots: &[BotName], toml: &mut TomlDocument) {
    let field: Vec<_> = bots.iter().map(ToString::to_string).collect();
    for (name, path) in named {
        if !field.contains(name) {
            let meant = find_closest_word(name, field.iter().map(String::as_str));
            let meant = meant.map(|name| format!("did you mean {name:?}? ")).unwrap_or_default();
            toml.report_mistake(
                path,
                format_args!("no bot named {name:?} plays: {meant}expected one of {}", field.join(", ")),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_report::tournament_toml::tournament_toml;

    /// Settings that no example file has: given rows, drawn positions, and all optional keys.
    const UNUSUAL: &str = r#"
        title = "An \"odd\" \\ one"
        seats = 3
        ending = "last-mover-wins"
        alliance = [[0, 2, 1], [0, 1, 2], [1, 0, 2]]
        seed = 9223372036854775807
        oracle = "closed"
        concurrency = 7
        bot_concurrency = 2
        strikes = 5
        max_plies = 99
        methods = 3
        clock = "1ms+2ms"
        lag_quota = "3ms"
        lag_total = "4ms"
        declare_within = "5ms"
        return_within = "6ms"
        retention = { matches = 6, days = 7 }
        format = { kind = "gauntlet", bot = "ann", groups = 8 }
        positions = { drawn = { count = 2, piles = [2, 3], counters = [4, 9223372036854775807] } }
        bot = [{ name = "ann", remote = true }, { name = "bob", remote = true }, { name = "cid", remote = true }]
    "#;

    #[test]
    fn exported_settings_are_read_back() {
        let examples = ["gauntlet", "knockout", "ladder", "round-robin", "sprt", "swiss"];
        let examples = examples.map(|name| {
            let path = format!("{}/examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        });
        let formats = [
            r#"kind = "round-robin", groups = 9"#,
            r#"kind = "swiss", rounds = 3, table_groups = 2"#,
            r#"kind = "ladder", groups = 4, table_groups = 3, suspend_after = 2"#,
            r#"kind = "knockout", advance = 2, table_groups = 3"#,
        ];
        let usual = r#"kind = "gauntlet", bot = "ann", groups = 8"#;
        let unusual = formats.into_iter().chain([usual]).map(|format| UNUSUAL.replace(usual, format));
        for text in unusual.chain(examples) {
            let plan = TournamentPlan::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{text}"));
            let field: Vec<_> = plan.players.iter().map(|player| player.name.to_string()).collect();
            let given = plan.settings();
            for seed in [given.seed, 0, 1 << 63, u64::MAX] {
                let settings = pb::TournamentSettings { seed, ..given.clone() };
                let (settings, field) = (Some(settings), field.clone());
                let tournament = pb::Tournament { settings, field, ..Default::default() };
                let written = tournament_toml(&tournament);
                let again = TournamentPlan::parse(&written)
                    .unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{written}"));
                assert_eq!(Some(again.settings()), tournament.settings, "{written}");
                assert_eq!(again.players.len(), plan.players.len());
            }
        }
    }

    #[test]
    fn a_tournament_file_can_let_seats_talk() {
        let file = |alliance: &str, talk: &str| {
            let assigned = "alliance = [[0, 2, 1], [0, 1, 2], [1, 0, 2]]";
            UNUSUAL.replace(assigned, &format!("alliance = \"{alliance}\"\n        talk = {talk}"))
        };
        let plan = TournamentPlan::parse(&file("declared", "{ rounds = 3, round_time = \"20s\" }")).unwrap();
        let given = plan.settings().talk.unwrap();
        assert_eq!((given.rounds, given.round_ms, given.text_chars), (3, 20_000, 500));
        let written =
            tournament_toml(&pb::Tournament { settings: Some(plan.settings()), ..Default::default() });
        let expected =
            "\n[talk]\nrounds = 3\nround_time = \"20s\"\ntext_chars = 500\nprivacy = \"private\"\n";
        assert!(written.contains(expected), "{written}");
        let mistakes = |alliance: &str, talk: &str| -> Vec<String> {
            let mistakes = TournamentPlan::parse(&file(alliance, talk)).unwrap_err();
            mistakes.iter().map(|mistake| format!("{}: {}", mistake.line, mistake.what)).collect()
        };
        assert_eq!(
            mistakes("random", "{ rounds = 3 }"),
            [
                "6: talk: talk in a match in which nobody declares: seats can only talk before they declare what they want"
            ]
        );
        assert_eq!(
            mistakes("declared", "{ round_time = \"2h\", privacy = \"secret\" }"),
            [
                "6: talk.privacy: \"secret\": expected one of open, private, published",
                "6: talk.rounds: rounds is 0: expected a whole number from 1 to 4",
                "6: talk.round_time: round_ms is 7200000: expected a whole number from 1 to 3600000",
            ]
        );
    }

    #[test]
    fn the_bots_of_a_file_must_be_allowed() {
        let plan_allowing = |allow: &str| {
            TournamentPlan::parse(&UNUSUAL.replacen(
                "seats = 3",
                &format!("seats = 3\n        allow = {allow}"),
                1,
            ))
        };
        let plan = plan_allowing("[\"*\"]").unwrap();
        assert_eq!(plan.settings().allow, ["*"]);
        let first = &plan.players[0].name;
        let mistakes = plan_allowing(&format!("[\"{first}\"]")).unwrap_err();
        let others = plan.players.iter().skip(1);
        let expected: Vec<_> = others
            .map(|other| format!("allow: {} plays, but the list does not allow it", other.name))
            .collect();
        assert_eq!(mistakes.iter().map(|mistake| mistake.what.clone()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn start_conditions_are_not_allowed_in_a_file() {
        let text = UNUSUAL.replacen("seats = 3", "seats = 3\n        start_when = 3", 1);
        let mistakes = TournamentPlan::parse(&text).unwrap_err();
        assert_eq!((mistakes.len(), mistakes[0].line), (1, 4), "{mistakes:?}");
        assert!(mistakes[0].what.starts_with("start_when: not allowed in a file: "), "{mistakes:?}");
        for key in ["start_at", "entries_close_at"] {
            let line = format!("seats = 3\n        {key} = 2027-01-31T18:00:00Z");
            let mistakes = TournamentPlan::parse(&UNUSUAL.replacen("seats = 3", &line, 1)).unwrap_err();
            assert!(mistakes[0].what.starts_with(&format!("{key}: not allowed in a file: ")), "{mistakes:?}");
        }
        let plan = TournamentPlan::parse(UNUSUAL).unwrap();
        let settings = Some(pb::TournamentSettings { start_when: 3, ..plan.settings() });
        let field: Vec<_> = plan.players.iter().map(|player| player.name.to_string()).collect();
        let written = tournament_toml(&pb::Tournament { settings, field, ..Default::default() });
        assert!(written.contains("\n# The original started automatically with 3 bots; "), "{written}");
        assert_eq!(TournamentPlan::parse(&written).unwrap().settings(), plan.settings());
        let nobody =
            tournament_toml(&pb::Tournament { settings: Some(plan.settings()), ..Default::default() });
        assert!(
            nobody.contains("\n# No bots joined this tournament. ") && !nobody.contains("\n[[bot]]"),
            "{nobody}"
        );
        let mistakes = TournamentPlan::parse(&nobody).unwrap_err();
        assert!(mistakes.iter().any(|mistake| mistake.what == "bot: missing"), "{mistakes:?}");
    }

    #[test]
    fn a_number_in_quotes_must_be_too_large_for_toml() {
        let refusal = |seed: &str| {
            let text = UNUSUAL.replace("seed = 9223372036854775807", &format!("seed = {seed}"));
            let mistakes = TournamentPlan::parse(&text).unwrap_err();
            mistakes.into_iter().map(|mistake| mistake.what).collect::<Vec<_>>().join("; ")
        };
        for seed in [r#""7""#, r#""18446744073709551616""#, r#""-1""#] {
            assert!(
                refusal(seed).contains(&format!("seed: {seed} is not a whole number")),
                "{}",
                refusal(seed)
            );
        }
        let unquoted = refusal("9223372036854775808");
        assert!(unquoted.ends_with("is 2^63 - 1; put a larger one in quotes"), "{unquoted}");
    }
}
