//! `lastnim tournament plan`: how many duplicate groups a comparison of two bots needs, and what they would cost.

use super::pilot::Pilot;
use crate::{
    CommandExit, CommandResult, Failure, form::OutputFormat, runtime, toml_file::read_or_print_mistakes,
    tournament_file::plan::TournamentPlan,
};
use lastnim_core::game::BotName;
use lastnim_llm::Amount;
use lastnim_report::{Column, NumberFormat, NumberUnit, Report, Section, Table, words::join_items};
use lastnim_tournament::{PilotDifferences, SampleSize, SprtMeasure, TournamentFormat};
use serde_json::{Value, json};
use std::{path::PathBuf, str::FromStr};

/// The flags of `lastnim tournament plan`.
#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// The file of the planned tournament, a round robin or a gauntlet
    file: PathBuf,
    /// The difference between two bots to detect, per match, in the unit of --measure
    #[arg(long, value_name = "DIFFERENCE", allow_negative_numbers = true)]
    detect: Difference,
    /// The file of a tournament that has been run, with the same rules [default: FILE itself]
    #[arg(long, value_name = "FILE")]
    pilot: Option<PathBuf>,
    /// What is compared: points as the tournament scores them, or ranks that a bot lost by its own takes
    #[arg(long, value_enum, default_value_t = MeasureArg::Points)]
    measure: MeasureArg,
}

/// A difference between two bots per match, above 0 and at most 31.
#[derive(Debug, Clone, Copy)]
struct Difference(f64);

impl FromStr for Difference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let difference = text.parse().ok().filter(|&difference| 0.0 < difference && difference <= 31.0);
        difference.map(Self).ok_or_else(|| "expected a number above 0 and up to 31, such as 0.1".to_owned())
    }
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MeasureArg {
    /// Points, as the tournament scores them
    Points,
    /// Ranks that a bot lost by its own takes
    Regret,
}

impl MeasureArg {
    fn measure(self) -> SprtMeasure {
        match self {
            Self::Points => SprtMeasure::Points,
            Self::Regret => SprtMeasure::Regret,
        }
    }

    /// Returns how much two bots of a tournament can differ in a match.
    fn max_difference(self, plan: &TournamentPlan) -> f64 {
        match self {
            Self::Points => 1.0,
            Self::Regret => f64::from(plan.settings().seats) - 1.0,
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Regret => "ranks",
        }
    }
}

/// How large a tournament must be to detect the difference between two bots.
#[derive(Debug)]
struct PairPlan {
    bots: [String; 2],
    pilot: PilotDifferences,
    /// `None` if the difference between the bots was the same in every group of the pilot.
    size: Option<(SampleSize, PlannedSize)>,
}

/// The size of a whole tournament, and the cost of its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlannedSize {
    groups: u64,
    matches: u64,
    cost: Amount,
}

/// Computes the size of the planned tournament from the results and costs of a pilot.
struct GroupPlanner<'a> {
    plan: &'a TournamentPlan,
    pilot: &'a Pilot,
}

/// Plans the number of groups and prints it.
pub fn plan_groups(args: &PlanArgs, form: OutputFormat) -> CommandResult {
    let Some(plan) = read_or_print_mistakes(&args.file, form, TournamentPlan::parse)? else {
        return Ok(CommandExit::Mistakes);
    };
    let (file, pilot_file) = (&args.file, args.pilot.as_ref().unwrap_or(&args.file));
    if let Some(why) = unplanned_reason(plan.format()) {
        let (file, kind) = (file.display(), plan.format().profile().hyphenated_name());
        return Err(Failure::input(format!(
            "{file}: format.kind: {kind}: {why}: expected round-robin or gauntlet"
        )));
    }
    let (difference, max) = (args.detect.0, args.measure.max_difference(&plan));
    if difference > max {
        let unit = args.measure.unit();
        let unit = if max > 1.0 { unit } else { unit.trim_end_matches('s') };
        return Err(Failure::input(format!(
            "--detect {difference}: two bots can differ by at most {max} {unit} a match in this tournament: expected a number above 0 and up to {max}, such as 0.1"
        )));
    }
    runtime::run_on_runtime(Some(1), async {
        let pilot = Pilot::read(pilot_file, &plan, args.measure.measure()).await?;
        let field = GroupPlanner { plan: &plan, pilot: &pilot };
        let pairs = field.plan_pairs(difference);
        if pairs.is_empty() {
            return Err(Failure::input(format!(
                "{}: no two bots of the pilot play together in at least {} complete duplicate groups: play a longer pilot",
                pilot_file.display(),
                PilotDifferences::MIN_GROUPS
            )));
        }
        form.print_report(|| field.to_json(args, &pairs), || field.report(args, &pairs))?;
        Ok(CommandExit::Done)
    })
}

/// Returns why the number of groups that two bots need cannot be planned for a format; `None` if it can.
fn unplanned_reason(format: &TournamentFormat) -> Option<&'static str> {
    match format {
        TournamentFormat::RoundRobin
        | TournamentFormat::Sample { .. }
        | TournamentFormat::Gauntlet { .. } => None,
        TournamentFormat::Swiss { .. } | TournamentFormat::Knockout { .. } | TournamentFormat::Ladder(_) => {
            Some("earlier results decide which bots meet, so how often two bots meet is not known in advance")
        }
        TournamentFormat::Sprt(_) => {
            Some("it plays until the answer is known, so it needs no planned number of groups")
        }
    }
}

impl GroupPlanner<'_> {
    /// Plans a tournament for each pair of bots in the pilot. The pairs that need the most groups come first.
    fn plan_pairs(&self, difference: f64) -> Vec<PairPlan> {
        let found = self.pilot.results.pairs().into_iter();
        let is_compared = |one: &BotName, other: &BotName| {
            self.gauntlet_bot().is_none_or(|host| host == one || host == other)
        };
        let found = found.filter(|((one, other), pilot)| {
            pilot.group_count() >= PilotDifferences::MIN_GROUPS && is_compared(one, other)
        });
        let mut pairs: Vec<_> = found
            .map(|((one, other), pilot)| {
                let size = pilot.sample_size(difference).map(|size| (size, self.planned_size(size.cautious)));
                PairPlan { bots: [one.to_string(), other.to_string()], pilot, size }
            })
            .collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.size.map(|(size, _)| size.cautious)));
        pairs
    }

    /// Returns the bot that plays in every match of a gauntlet; `None` in other formats.
    fn gauntlet_bot(&self) -> Option<&BotName> {
        if let TournamentFormat::Gauntlet { bot, .. } = self.plan.format() { Some(bot) } else { None }
    }

    /// Returns the size of the tournament in which each compared pair shares this many groups.
    fn planned_size(&self, shared: u64) -> PlannedSize {
        let (seats, bots) = (self.seats(), self.plan.players.len() as u64);
        let groups = match self.gauntlet_bot() {
            // There are bots - 1 opponents, and each group contains seats - 1 of them.
            Some(_) => shared.saturating_mul(bots - 1).div_ceil(seats - 1),
            // There are bots (bots - 1) ordered pairs, and each group contains seats (seats - 1) of them.
            None => shared.saturating_mul(bots * (bots - 1)).div_ceil(seats * (seats - 1)),
        };
        let matches = groups.saturating_mul(seats);
        // All bots play equally often, except the bot of a gauntlet, which plays every match.
        let matches_of = |bot: &str| match self.gauntlet_bot() {
            Some(host) if host.as_str() == bot => matches,
            Some(_) => matches.saturating_mul(seats - 1) / (bots - 1),
            None => matches.saturating_mul(seats) / bots,
        };
        let cost = self.models().filter_map(|bot| {
            let (spent, played) = self.cost_in_pilot(bot)?;
            Some(spent.scaled(matches_of(bot), played))
        });
        PlannedSize { groups, matches, cost: cost.fold(Amount::default(), |sum, amount| sum + amount) }
    }

    fn seats(&self) -> u64 {
        self.plan.settings().seats.into()
    }

    /// Returns the bots of the plan that have models.
    fn models(&self) -> impl Iterator<Item = &str> {
        self.plan.models().map(|(bot, _)| bot.as_str())
    }

    /// Returns what a bot's model has cost in the pilot, and in how many matches.
    fn cost_in_pilot(&self, bot: &str) -> Option<(Amount, u64)> {
        let spent = self.pilot.spent.get(bot)?.total();
        let played = self.pilot.results.matches().iter().find(|(name, _)| name.as_str() == bot);
        Some((spent, played.map(|(_, &matches)| matches)?))
    }

    /// Returns the bots of the plan whose models have no known cost in the pilot.
    fn models_without_cost(&self) -> Vec<&str> {
        self.models().filter(|bot| self.cost_in_pilot(bot).is_none()).collect()
    }

    fn report(&self, args: &PlanArgs, pairs: &[PairPlan]) -> Report {
        let PlanArgs { file, detect: Difference(difference), measure, .. } = args;
        let (unit, bots) = (measure.unit(), self.plan.players.len());
        let decimals = |label: &str| Column::number(label, NumberUnit::Count, 3);
        let planned = |pair: &PairPlan| pair.size.map(|(_, planned)| planned);
        let has_money = pairs.iter().filter_map(planned).any(|planned| planned.cost.money > 0);
        let mut table = Table::of_items(pairs)
            .column(Column::text("bot"), |pair| pair.bots[0].clone())
            .column(Column::text("other"), |pair| pair.bots[1].clone())
            .column(Column::integer("pilot groups"), |pair| pair.pilot.group_count())
            .column(decimals("difference").with_sign(), |pair| pair.pilot.mean())
            .column(decimals("deviation"), |pair| pair.pilot.variance().map(f64::sqrt))
            .column(Column::integer("needed"), |pair| pair.size.map(|(size, _)| size.groups))
            .column(Column::integer("cautious"), |pair| pair.size.map(|(size, _)| size.cautious))
            .column(Column::integer("groups in all"), move |pair| planned(pair).map(|planned| planned.groups))
            .column(Column::integer("matches"), move |pair| planned(pair).map(|planned| planned.matches));
        if self.models().next().is_some() {
            table = table.column(Column::integer("tokens"), move |pair| {
                planned(pair).map(|planned| planned.cost.tokens)
            });
        }
        if has_money {
            let money =
                Column { format: NumberFormat::new(NumberUnit::Count, 2), ..Column::integer("money") };
            table = table.column(money, move |pair| planned(pair).map(|planned| planned.cost.money_as_f64()));
        }
        let unknown = self.models_without_cost();
        let unknown = (!unknown.is_empty()).then(|| {
            format!(
                "The pilot does not show the cost of {}, so the planned cost does not include it.",
                join_items(&unknown, ", ")
            )
        });
        let even = pairs.iter().any(|pair| pair.size.is_none());
        let even = even.then_some(
            "The number of groups is unknown for bots that differed by the same amount in every group of the pilot: play a longer pilot.",
        );
        Section::with_heading(format!(
            "{}: groups to detect a difference of {difference} {unit} a match, with 80% power at 5% significance",
            file.display()
        ))
        .table(table.into_table())
        .paragraph(format!(
            "`needed` and `cautious` count groups with both bots, by the pilot's variance and by its upper 80% limit. The other columns are for a {} of {bots} bots in which {} the cautious number of groups.",
            self.plan.format().profile().title,
            self.gauntlet_bot().map_or_else(
                || "every two bots share".to_owned(),
                |host| format!("{host} and each other bot share"),
            ),
        ))
        .paragraphs(unknown)
        .paragraphs(even)
        .into()
    }

    fn to_json(&self, args: &PlanArgs, pairs: &[PairPlan]) -> Value {
        let pairs = pairs.iter().map(|pair| {
            let size = pair.size.map(|(size, planned)| {
                json!({
                    "needed": size.groups,
                    "cautious": size.cautious,
                    "groups": planned.groups,
                    "matches": planned.matches,
                    "cost": planned.cost.to_json(),
                })
            });
            json!({
                "bots": pair.bots,
                "pilot_groups": pair.pilot.group_count(),
                "difference": pair.pilot.mean(),
                "variance": pair.pilot.variance(),
                "plan": size,
            })
        });
        json!({
            "detect": args.detect.0,
            "measure": match args.measure { MeasureArg::Points => "points", MeasureArg::Regret => "regret" },
            "power": 0.8,
            "significance": 0.05,
            "pilot": self.pilot.tournament.to_string(),
            "pairs": pairs.collect::<Value>(),
            "models_without_cost": self.models_without_cost(),
        })
    }
}
