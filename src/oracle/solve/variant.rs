//! `lastnim oracle solve` for variants of Last Nim: ties, passes, alliances and random seats.

use super::general::RulesetArgs;
use crate::{CommandExit, CommandResult, Failure, args::game::GameArgs, form::OutputFormat, text::numbers};
use clap::Args;
use lastnim_analysis::variants::{Alliances, PassCount, Variant, VariantGame, parse_seat_list};
use lastnim_core::game::SeatCount;
use lastnim_proto::{json::message_to_json, variant::variant_solution_message};
use lastnim_report::{ReportReader, variant::variant_section};

/// Flags for variants of Last Nim. Rows with ties are a variant too.
#[derive(Debug, Args)]
#[command(next_help_heading = "Variants of last-nim")]
#[group(multiple = false)]
pub struct VariantArgs {
    /// The number of passes that all seats share: instead of a take, a seat may use one
    #[arg(long, value_name = "N", conflicts_with_all = CONFLICTING_FLAGS)]
    passes: Option<PassCount>,
    /// The seats of one of two alliances; each seat wants any seat of its own alliance to win
    #[arg(long, value_name = "SEAT,SEAT,..", conflicts_with_all = CONFLICTING_FLAGS, conflicts_with = "matrix")]
    alliances: Option<String>,
    /// Seats that take at random; the other seats know this and play accordingly
    #[arg(long, value_name = "SEAT,SEAT,..", conflicts_with_all = CONFLICTING_FLAGS)]
    random_seats: Option<String>,
}

/// Flags for plain Last Nim or for other games. They cannot be combined with the flags of variants.
const CONFLICTING_FLAGS: [&str; 4] = ["game", "explain", "robust", "batch"];

impl VariantArgs {
    /// Parses a variant, if one is given by a flag or by ties in the rows.
    ///
    /// # Errors
    /// The error names the first flag or number that does not fit.
    pub fn parse_variant(&self, game: &GameArgs) -> Result<Option<VariantGame>, Failure> {
        let Some(variant) = self.parse_preferences(game)? else { return Ok(None) };
        let ending = game.ending().unwrap_or_default();
        let game = VariantGame::new(game.parse_piles()?, variant, game.first(), ending);
        game.map(Some).map_err(Failure::input)
    }

    fn parse_preferences(&self, game: &GameArgs) -> Result<Option<Variant>, Failure> {
        if let Some(passes) = self.passes {
            let (matrix, _) = game.parse_matrix_and_first()?;
            return Ok(Some(Variant::Passes(matrix, passes)));
        }
        if let Some(listed) = &self.random_seats {
            let (matrix, _) = game.parse_matrix_and_first()?;
            let listed = numbers::read_numbers(listed, "--random-seats")?;
            let random = parse_seat_list(&listed, matrix.seats());
            let random = random.map_err(|error| Failure::input(format!("--random-seats: {error}")))?;
            return Ok(Some(Variant::RandomSeats(matrix, random)));
        }
        if let Some(listed) = &self.alliances {
            let players = game.players();
            let players =
                players.ok_or_else(|| Failure::input("--alliances needs --players, such as --players 4"))?;
            let seats =
                SeatCount::new(players).map_err(|error| Failure::input(format!("players: {error}")))?;
            let alliances = Alliances::parse(&numbers::read_numbers(listed, "--alliances")?, seats);
            let alliances = alliances.map_err(|error| Failure::input(format!("--alliances: {error}")))?;
            return Ok(Some(Variant::Alliances(alliances)));
        }
        Ok(game.parse_ties()?.map(Variant::Ties))
    }
}

/// Solves a variant and prints the answer.
pub fn solve_and_print(game: &VariantGame, general: &RulesetArgs, form: OutputFormat) -> CommandResult {
    let solution = general.run_within_time(|budget| game.solve(budget)).map_err(|_| {
        Failure::input(format!(
            "{}: allow more time, or ask for fewer piles or passes",
            general.describe_timeout()
        ))
    })?;
    let solved = variant_solution_message(game, &solution);
    form.print_report(
        || message_to_json(&solved),
        || variant_section(game, &solved, ReportReader::CommandLine).into(),
    )?;
    Ok(CommandExit::Done)
}
