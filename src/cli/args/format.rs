//! Who meets whom in a tournament, from the command line.

use crate::{cli::Failure, tournament::Measure, wire::pb};
use clap::{Args, ValueEnum};
use pb::tournament_settings::Format;

/// Who meets whom in a tournament.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Who meets whom: all sets of bots or, with --groups, a balanced sample of them; one --bot and the field; bots of
    /// like scores; the best of each table in the next round; bots of like strengths until it is cancelled; or a
    /// --candidate and a --baseline until it is known which is better
    #[arg(long, value_enum, default_value_t = FormatArg::RoundRobin)]
    format: FormatArg,
    /// Duplicate groups in all, each a position in every rotation of the seats: for round-robin, gauntlet and ladder a
    /// bound, which sprt needs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    groups: Option<u64>,
    /// Duplicate groups that each table plays in a round of swiss, knockout or ladder [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    table_groups: Option<u32>,
    /// The bot of a gauntlet
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// The rounds of swiss
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// How many of each table go on in knockout [default: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    advance: Option<u32>,
    /// A bot of a ladder whose seat was lost in so many matches in a row is suspended [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), alias = "set-aside-after")]
    suspend_after: Option<u32>,
    /// The bot of sprt that may be better
    #[arg(long, value_name = "NAME")]
    candidate: Option<String>,
    /// The bot of sprt that the candidate is held against
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// What better means in sprt: ranks not lost by own takes, or points [default: regret]
    #[arg(long, value_name = "points|regret")]
    measure: Option<Measure>,
    /// The candidate of sprt is no better if it is better by this a match, or less [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    effect_none: Option<f64>,
    /// The candidate of sprt is better if it is better by this a match, or more
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    effect_some: Option<f64>,
    /// How often sprt may call a candidate better that is not [default: 0.05]
    #[arg(long, value_name = "P")]
    alpha: Option<f64>,
    /// How often sprt may call a candidate no better that is [default: 0.05]
    #[arg(long, value_name = "P")]
    beta: Option<f64>,
}

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    Ladder,
    Sprt,
}

impl FormatArg {
    /// Returns the flags of a format.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::RoundRobin => &["groups"],
            Self::Gauntlet => &["groups", "bot"],
            Self::Swiss => &["table-groups", "rounds"],
            Self::Knockout => &["table-groups", "advance"],
            Self::Ladder => &["groups", "table-groups", "suspend-after"],
            Self::Sprt => {
                &["groups", "candidate", "baseline", "measure", "effect-none", "effect-some", "alpha", "beta"]
            }
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl FormatArgs {
    /// Makes the format; whether it fits is for the server to say.
    ///
    /// # Errors
    /// Names a flag that is missing, or that is for another format.
    pub fn format(&self) -> Result<Option<Format>, Failure> {
        let own = self.format.flags();
        if let Some((flag, _)) = self.given().into_iter().find(|(flag, given)| *given && !own.contains(flag))
        {
            return Err(Failure::input(format!("--{flag}: it is not for the format {}", self.format.name())));
        }
        let groups = self.groups.unwrap_or_default();
        let table_groups = self.table_groups.unwrap_or_default();
        Ok(match self.format {
            FormatArg::RoundRobin => {
                self.groups.map(|groups| Format::RoundRobin(pb::RoundRobinFormat { groups }))
            }
            FormatArg::Gauntlet => {
                let bot = self.needed("bot", self.bot.clone())?;
                Some(Format::Gauntlet(pb::GauntletFormat { bot, groups }))
            }
            FormatArg::Swiss => {
                let rounds = self.needed("rounds", self.rounds)?;
                Some(Format::Swiss(pb::SwissFormat { rounds, table_groups }))
            }
            FormatArg::Knockout => {
                let advance = self.advance.unwrap_or_default();
                Some(Format::Knockout(pb::KnockoutFormat { advance, table_groups }))
            }
            FormatArg::Ladder => {
                let suspend_after = self.suspend_after.unwrap_or_default();
                Some(Format::Ladder(pb::LadderFormat {
                    groups,
                    table_groups,
                    suspend_after,
                    // The server takes the newest.
                    pairing: pb::LadderPairing::Unspecified.into(),
                }))
            }
            FormatArg::Sprt => Some(Format::Sprt(pb::SprtFormat {
                candidate: self.needed("candidate", self.candidate.clone())?,
                baseline: self.needed("baseline", self.baseline.clone())?,
                measure: self.measure.map_or(pb::Measure::Unspecified, pb::Measure::from).into(),
                effect_none: self.effect_none.unwrap_or_default(),
                effect_some: self.needed("effect-some", self.effect_some)?,
                alpha: self.alpha.unwrap_or_default(),
                beta: self.beta.unwrap_or_default(),
                groups: self.needed("groups", self.groups)?,
            })),
        })
    }

    fn given(&self) -> [(&'static str, bool); 13] {
        [
            ("groups", self.groups.is_some()),
            ("table-groups", self.table_groups.is_some()),
            ("bot", self.bot.is_some()),
            ("rounds", self.rounds.is_some()),
            ("advance", self.advance.is_some()),
            ("suspend-after", self.suspend_after.is_some()),
            ("candidate", self.candidate.is_some()),
            ("baseline", self.baseline.is_some()),
            ("measure", self.measure.is_some()),
            ("effect-none", self.effect_none.is_some()),
            ("effect-some", self.effect_some.is_some()),
            ("alpha", self.alpha.is_some()),
            ("beta", self.beta.is_some()),
        ]
    }

    fn needed<T>(&self, flag: &str, given: Option<T>) -> Result<T, Failure> {
        given.ok_or_else(|| Failure::input(format!("the format {} needs --{flag}", self.format.name())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        format: FormatArgs,
    }

    fn format(words: &str) -> Result<Option<Format>, String> {
        let words = ["create"].into_iter().chain(words.split_whitespace());
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        cli.format.format().map_err(|failure| failure.to_string())
    }

    #[test]
    fn flags_make_formats() {
        assert_eq!(format(""), Ok(None));
        assert_eq!(format("--groups 9"), Ok(Some(Format::RoundRobin(pb::RoundRobinFormat { groups: 9 }))));
        let swiss = pb::SwissFormat { rounds: 5, table_groups: 2 };
        assert_eq!(format("--format swiss --rounds 5 --table-groups 2"), Ok(Some(Format::Swiss(swiss))));
        let sprt = pb::SprtFormat {
            candidate: "new".into(),
            baseline: "old".into(),
            measure: pb::Measure::Points.into(),
            effect_none: -0.1,
            effect_some: 0.1,
            groups: 500,
            ..pb::SprtFormat::default()
        };
        let words = "--format sprt --candidate new --baseline old --measure points --effect-none -0.1 --effect-some 0.1 --groups 500";
        assert_eq!(format(words), Ok(Some(Format::Sprt(sprt))));
    }

    #[test]
    fn flags_of_other_formats_are_refused() {
        assert_eq!(format("--rounds 5"), Err("--rounds: it is not for the format round-robin".to_owned()));
        assert_eq!(format("--format swiss"), Err("the format swiss needs --rounds".to_owned()));
        assert_eq!(format("--format gauntlet"), Err("the format gauntlet needs --bot".to_owned()));
    }
}
