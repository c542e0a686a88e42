//! `lastnim oracle deals`.

use super::{json, pact_text::read_pact, report};
use crate::{
    CommandExit, CommandResult, Failure,
    args::{game::GameArgs, row_output::RowOutputArgs},
    text::numbers,
};
use clap::Args;
use lastnim_analysis::deals::{Deal, DealMeasures, DealtPlay, Incentives};
use lastnim_core::{
    game::{AllianceMatrix, Game, Pact},
    oracle::{Audit, Budget, PlayedTake},
};

/// Finds the lies and pacts that pay if each seat has a private row
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("matrix", |matrix| matrix.help(MATRIX_HELP)))]
pub struct DealsArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The row that each seat declares: measures what these declarations are worth
    #[arg(long, value_name = "ROW;ROW;..")]
    declared: Option<String>,
    /// A pact about declared rows, such as '0: 1>2; 1: 2>0'; may be repeated
    #[arg(long, value_name = "PACT", requires = "declared")]
    pact: Vec<String>,
    /// The takes of the match, in order: measures what they are worth
    #[arg(long, value_name = "N,N,..", requires = "declared")]
    takes: Option<String>,
    /// Maximum members of the pacts that are searched
    #[arg(long, default_value_t = 2, value_name = "SEATS", value_parser = clap::value_parser!(u32).range(2..=8))]
    max_members: u32,
    #[command(flatten)]
    shown: RowOutputArgs,
}

const MATRIX_HELP: &str = "The dealt row of each seat: offsets from it, the most preferred winner first";

const EXAMPLES: &str = "\
Examples:
  lastnim oracle deals --piles 3,1,1 --matrix '1 2 0; 0 2 1; 0 1 2'
  lastnim oracle deals --piles 2,2,2 --matrix '1 2 0; 1 0 2; 0 2 1' --max-members 3
  lastnim oracle deals --piles 2,2,2 --players 3 --declared '0 1 2; 1 2 0; 0 1 2' --takes 2,1,1,2
  lastnim oracle deals --piles 2,2,2 --players 3 --declared '0 1 2; 1 2 0; 0 1 2' --pact '0: 0>2; 1: 1>2'

Each seat wants what its dealt row says and declares any row; play is optimal for the declared rows. Ranks are places in
the dealt rows, 0 (best) to n-1. The search for pacts tries all rows that the members can declare, while the others tell
the truth. In a pact, '0: 1>2' means that seat 0 must rank seat 1 before seat 2. Pacts are for at most 8 seats.";

/// A deal with its declared rows, and what these declarations are worth.
pub(super) struct MeasuredDeal {
    pub(super) deal: Deal,
    pub(super) measures: DealMeasures,
    pub(super) play: Option<DealtPlay>,
}

pub fn run(args: &DealsArgs) -> CommandResult {
    let game = args.game.parse_game()?;
    let declared = args.declared.as_deref().map(|rows| args.parse_deal(&game, rows)).transpose()?;
    let audit = declared.as_ref().map(|deal| args.audit_takes(deal)).transpose()?.flatten();
    let max_members = args.max_members as usize;
    let (incentives, measured) = args.shown.time.run_within_limit(|budget: &mut Budget<'_>| {
        let measured = declared.map(|deal| MeasuredDeal {
            measures: DealMeasures::measure(&deal, budget),
            play: audit.as_ref().map(|audit| DealtPlay::judge(&deal, audit)),
            deal,
        });
        (Incentives::find(&game, max_members, budget), measured)
    });
    let incentives = incentives.map_err(Failure::input)?;
    args.shown.form().print_report(
        || json::deals_json(&game, &incentives, measured.as_ref(), args.shown.row_set_limits()),
        || report::deals_report(&game, &incentives, measured.as_ref(), args.shown.examples),
    )?;
    Ok(CommandExit::Done)
}

impl DealsArgs {
    fn parse_deal(&self, game: &Game, rows: &str) -> Result<Deal, Failure> {
        let declared = |error: &dyn std::fmt::Display| Failure::input(format!("--declared: {error}"));
        let rows = numbers::read_rows(rows).map_err(|error| declared(&error))?;
        let rows = AllianceMatrix::parse(&rows).map_err(|error| declared(&error))?;
        let seats = game.matrix.seats();
        let pacts = self.pact.iter().map(|text| {
            let terms = read_pact(text)?;
            Pact::parse(seats, &terms).map_err(|error| error.to_string())
        });
        let pacts = pacts.collect::<Result<_, _>>();
        let pacts = pacts.map_err(|error| Failure::input(format!("--pact: {error}")))?;
        Deal::new(game.clone(), rows, pacts).map_err(|error| declared(&error))
    }

    /// Replays the takes, if they are given.
    fn audit_takes(&self, deal: &Deal) -> Result<Option<Audit>, Failure> {
        let Some(takes) = &self.takes else { return Ok(None) };
        let takes = numbers::read_numbers(takes, "takes")?;
        let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
        let audit = Audit::of_finished(&deal.declared_game(), &takes);
        audit.map(Some).map_err(|error| Failure::input(format!("--takes: {error}")))
    }
}
