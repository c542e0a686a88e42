//! What a tournament is, from the command line.

use super::{alliance::AllianceArgs, format::FormatArgs, terms::TermsArgs};
use crate::{
    cli::{Failure, text::numbers},
    game::Ending,
    tournament::Scoring,
    wire::pb,
};
use clap::Args;
use pb::tournament_settings::OtherPositions;

/// What a tournament is.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// A title, 1 to 100 characters
    #[arg(long, default_value = "Last Nim")]
    title: String,
    /// Seats a match, 2 to 32
    #[arg(long, value_name = "N")]
    seats: u32,
    #[command(flatten)]
    format: FormatArgs,
    /// The counters of each pile of a position; give it once for each position
    #[arg(long, value_name = "N,N,..", required_unless_present_any = ["draw_positions", "paper_positions"])]
    piles: Vec<String>,
    /// Draws so many positions from the seed, of --draw-piles piles of --draw-counters counters
    #[arg(long, value_name = "N", conflicts_with_all = ["piles", "paper_positions"])]
    draw_positions: Option<u32>,
    /// The fewest and the most piles of drawn positions
    #[arg(long, value_name = "MIN,MAX", default_value = "2,4", requires = "draw_positions")]
    draw_piles: String,
    /// The fewest and the most counters of a pile of drawn positions
    #[arg(long, value_name = "MIN,MAX", default_value = "1,5", requires = "draw_positions")]
    draw_counters: String,
    /// The 12 positions of the paper's tables
    #[arg(long, conflicts_with = "piles")]
    paper_positions: bool,
    /// Who wins when no counter is left
    #[arg(long, default_value = "to-move-wins", value_name = "to-move-wins|last-mover-wins")]
    ending: Ending,
    #[command(flatten)]
    alliance: AllianceArgs,
    /// What a seat's points are: 1 for the winner, or its satisfaction
    /// [default: win where rows are declared, satisfaction otherwise]
    #[arg(long, value_name = "win|satisfaction")]
    scoring: Option<Scoring>,
    /// Matches at once, 1 to 10,000 [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: Option<u32>,
    /// Matches of one bot at once, 1 to 10,000 [default: as many as there are]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    bot_concurrency: Option<u32>,
    /// Starts by itself when so many bots have joined [default: wait for `tournament start`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    start_at: Option<u32>,
    #[command(flatten)]
    terms: TermsArgs,
}

impl SettingsArgs {
    /// Makes the settings; whether they fit is for the server to say.
    ///
    /// # Errors
    /// Names a word that is no number.
    pub fn settings(&self) -> Result<pb::TournamentSettings, Failure> {
        let positions = self.piles.iter().map(|piles| numbers::read(piles, "piles"));
        let positions = positions.map(|counters| Ok(pb::Piles { counters: counters? }));
        Ok(pb::TournamentSettings {
            title: self.title.clone(),
            seats: self.seats,
            positions: positions.collect::<Result<_, Failure>>()?,
            ending: pb::Ending::from(self.ending).into(),
            alliance: self.alliance.mode().into(),
            alliance_matrix: self.alliance.matrix()?,
            scoring: self.scoring.map_or(pb::Scoring::Unspecified, pb::Scoring::from).into(),
            clock: self.terms.clock(),
            strikes: self.terms.strikes(),
            max_plies: self.terms.max_plies(),
            seed: self.alliance.seed(),
            concurrency: self.concurrency.unwrap_or_default(),
            start_at: self.start_at.unwrap_or_default(),
            format: self.format.format()?,
            other_positions: self.other_positions()?,
            bot_concurrency: self.bot_concurrency.unwrap_or_default(),
        })
    }

    /// Makes the positions that are not listed, if they are asked for.
    fn other_positions(&self) -> Result<Option<OtherPositions>, Failure> {
        if self.paper_positions {
            return Ok(Some(OtherPositions::PaperPositions(pb::PaperPositions {})));
        }
        let Some(count) = self.draw_positions else { return Ok(None) };
        let (min_piles, max_piles) = ends(&self.draw_piles, "draw-piles")?;
        let (min_counters, max_counters) = ends(&self.draw_counters, "draw-counters")?;
        // What is larger than a number of piles can be is refused all the same.
        let piles = |piles: u64| u32::try_from(piles).unwrap_or(u32::MAX);
        Ok(Some(OtherPositions::DrawnPositions(pb::DrawnPositions {
            count,
            min_piles: piles(min_piles),
            max_piles: piles(max_piles),
            min_counters,
            max_counters,
        })))
    }
}

/// Reads the two ends of a range.
fn ends(words: &str, what: &str) -> Result<(u64, u64), Failure> {
    match numbers::read(words, what)?[..] {
        [least, most] => Ok((least, most)),
        _ => Err(Failure::input(format!("--{what} {words}: it has two numbers, the fewest and the most"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        settings: SettingsArgs,
    }

    fn settings(words: &[&str]) -> Result<pb::TournamentSettings, String> {
        let words = ["create", "--seats", "2"].iter().chain(words);
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        cli.settings.settings().map_err(|failure| failure.to_string())
    }

    #[test]
    fn what_is_not_given_is_the_servers_default() {
        let made = settings(&["--piles", "3,4,5", "--piles", "1 2"]).unwrap();
        let positions: Vec<_> = made.positions.iter().map(|piles| piles.counters.clone()).collect();
        assert_eq!(positions, [vec![3, 4, 5], vec![1, 2]]);
        assert_eq!((made.alliance(), made.scoring()), (pb::AllianceMode::Declared, pb::Scoring::Unspecified));
        assert_eq!((made.clock, made.strikes, made.concurrency, made.start_at), (None, 0, 0, 0));
    }

    #[test]
    fn one_time_leaves_the_others_at_their_defaults() {
        let clock = settings(&["--piles", "3", "--initial-ms", "500"]).unwrap().clock.unwrap();
        assert_eq!((clock.initial_ms, clock.increment_ms, clock.declaration_ms), (500, 100, 10_000));
    }

    #[test]
    fn a_matrix_is_given() {
        let made = settings(&["--piles", "3", "--matrix", "0 1; 1 0", "--scoring", "win"]).unwrap();
        assert_eq!((made.alliance(), made.scoring()), (pb::AllianceMode::Given, pb::Scoring::Win));
        assert_eq!(made.alliance_matrix.unwrap().rows[1].offsets, [1, 0]);
    }

    #[test]
    fn words_that_are_no_numbers_are_named() {
        assert_eq!(
            settings(&["--piles", "3,x"]).unwrap_err(),
            "piles: \"x\" is no whole number of 0 or more"
        );
        let refused = settings(&["--piles", "3", "--matrix", "0 1; 4294967296 0"]).unwrap_err();
        assert_eq!(refused, "offset 4294967296 in the matrix: it is below 32");
        assert!(settings(&["--piles", "3", "--strikes", "0"]).is_err());
        assert!(settings(&[]).is_err());
    }
}
