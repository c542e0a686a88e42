//! What a tournament is.

use super::{
    AllianceSource, Concurrency, FieldError, FormatError, OracleAccess, Positions, RatingMeasure, Retention,
    Scoring, SprtError, Title, TournamentFormat, count_matches,
};
use lastnim_core::game::{AllianceMatrix, Ending, Piles, SeatCount};
use std::ops::Deref;
use thiserror::Error;

/// What a tournament is, its parts checked against each other; read through [`SettingsDraft`]'s fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings(SettingsDraft);

/// Settings whose parts are valid, though they may not fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsDraft {
    /// What it is called.
    pub title: Title,
    /// Who meets whom.
    pub format: TournamentFormat,
    /// Seats a match.
    pub seats: SeatCount,
    /// The positions.
    pub positions: Positions,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// How rows come about; a given matrix is for `seats` seats.
    pub alliance: AllianceSource,
    /// What a seat's points are.
    pub scoring: Scoring,
    /// Whether its bots may ask the server's oracle while it runs.
    pub oracle: OracleAccess,
    /// Which matches keep their records, if not all do.
    pub retention: Option<Retention>,
    /// Matches at once.
    pub concurrency: Concurrency,
    /// Matches of one bot at once; without a number as many as there are.
    pub bot_concurrency: Option<Concurrency>,
    /// The number of bots with which it starts by itself, if it does: at least `seats`, and not so many that they
    /// would have more than [`MAX_MATCHES`](super::MAX_MATCHES) matches to play.
    pub start_at: Option<usize>,
    /// What everything random derives from.
    pub seed: u64,
}

/// Settings that do not fit together.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The format is not for such matches.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The test is not one of two bots.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// The given matrix is for other matches.
    #[error("an alliance matrix of {rows} rows: with {seats} seats a match it has {seats}")]
    Matrix {
        /// The rows of the matrix.
        rows: SeatCount,
        /// The seats of a match.
        seats: SeatCount,
    },
    /// It would start with too few bots, or too many.
    #[error("start at {field}: {error}", field = .0.field(), error = .0)]
    StartAt(FieldError),
}

impl Settings {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn new(draft: SettingsDraft) -> Result<Self, SettingsError> {
        Self::check_format(&draft.format, draft.seats)?;
        Self::check_alliance(&draft.alliance, draft.seats)?;
        Self::check_start_at(draft.start_at, &draft.format, draft.seats, draft.positions.count())?;
        Ok(Self(draft))
    }

    /// Checks that the format fits matches of so many seats.
    pub fn check_format(format: &TournamentFormat, seats: SeatCount) -> Result<(), SettingsError> {
        format.check_seats(seats)?;
        if let TournamentFormat::Sprt(sprt) = format {
            sprt.check()?;
        }
        Ok(())
    }

    /// Checks that a given matrix has a row for each seat of a match.
    pub fn check_alliance(alliance: &AllianceSource, seats: SeatCount) -> Result<(), SettingsError> {
        match alliance {
            AllianceSource::Given(matrix) if matrix.seats() != seats => {
                Err(SettingsError::Matrix { rows: matrix.seats(), seats })
            }
            _ => Ok(()),
        }
    }

    /// Checks that a tournament which starts by itself starts with a field that it can play through.
    pub fn check_start_at(
        start_at: Option<usize>,
        format: &TournamentFormat,
        seats: SeatCount,
        positions: usize,
    ) -> Result<(), SettingsError> {
        let Some(field) = start_at else { return Ok(()) };
        count_matches(format, seats, positions, field).map(|_| ()).map_err(SettingsError::StartAt)
    }

    /// Returns what ratings are measured by: what the matches are scored by. With two seats and standard rows a satisfied bot is one that
    /// has won, whatever it is called.
    pub fn rating_measure(&self) -> RatingMeasure {
        let is_win = match &self.alliance {
            _ if self.scoring == Scoring::Win => true,
            AllianceSource::Standard => self.seats.get() == 2,
            AllianceSource::Given(matrix) => {
                self.seats.get() == 2 && *matrix == AllianceMatrix::standard(self.seats)
            }
            AllianceSource::Declared | AllianceSource::Random => false,
        };
        if is_win { RatingMeasure::Wins } else { RatingMeasure::Satisfaction }
    }

    /// Returns the piles of a position, by the index that a pairing has.
    pub fn piles(&self, position: usize) -> Option<Piles> {
        self.positions.piles(self.seed, position)
    }
}

impl Deref for Settings {
    type Target = SettingsDraft;

    fn deref(&self) -> &SettingsDraft {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn refused(change: impl FnOnce(&mut SettingsDraft)) -> String {
        let mut draft = testing::settings(3, 2, AllianceSource::Declared).0;
        change(&mut draft);
        Settings::new(draft).unwrap_err().to_string()
    }

    #[test]
    fn ratings_follow_the_scoring() {
        let two = AllianceSource::Given(AllianceMatrix::standard(SeatCount::new(2).unwrap()));
        for (seats, alliance, expected) in [
            (2, AllianceSource::Standard, RatingMeasure::Wins),
            (2, two, RatingMeasure::Wins),
            (2, AllianceSource::Declared, RatingMeasure::Wins),
            (2, AllianceSource::Random, RatingMeasure::Satisfaction),
            (3, AllianceSource::Standard, RatingMeasure::Satisfaction),
            (3, AllianceSource::Declared, RatingMeasure::Wins),
        ] {
            let settings = testing::settings(seats, 1, alliance.clone());
            assert_eq!(settings.rating_measure(), expected, "{seats} seats, {alliance:?}");
        }
    }

    #[test]
    fn refusals_say_what_would_be_right() {
        let four = SeatCount::new(4).unwrap();
        assert_eq!(
            refused(|draft| draft.alliance = AllianceSource::Given(AllianceMatrix::standard(four))),
            "an alliance matrix of 4 rows: with 3 seats a match it has 3"
        );
        assert_eq!(
            refused(|draft| draft.start_at = Some(2)),
            "start at 2: a field of 2 bots: a match has 3 seats"
        );
        assert_eq!(
            refused(|draft| draft.start_at = Some(1_000)),
            "start at 1000: a field of 1000 bots, 3 seats a match and 2 positions make more than 10000000 matches: \
             fewer bots or positions are needed"
        );
    }
}
