//! Settings of a tournament.

use super::{
    AllianceSource, AllowList, Concurrency, FieldError, FormatError, OracleAccess, Positions, RatingMeasure,
    Retention, Scoring, SprtError, SprtMeasure, Title, TournamentFormat, count_matches,
};
use lastnim_core::game::{AllianceMatrix, BotName, Ending, Piles, SeatCount};
use lastnim_core::referee::{DealError, Timestamp};
use std::ops::Deref;
use thiserror::Error;

/// Consistent settings of a tournament. They dereference to [`SettingsDraft`], so its fields can be read but not
/// changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings(SettingsDraft);

/// Settings whose parts are valid by themselves but may be inconsistent with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsDraft {
    /// The title.
    pub title: Title,
    /// The format.
    pub format: TournamentFormat,
    /// The number of seats in a match.
    pub seats: SeatCount,
    /// The positions.
    pub positions: Positions,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// The source of the rows. A given matrix has one row for each of the `seats` seats.
    pub alliance: AllianceSource,
    /// How points are scored.
    pub scoring: Scoring,
    /// Whether the bots may use the server's oracle while the tournament runs.
    pub oracle: OracleAccess,
    /// The rule that decides which matches keep their records; `None` if all keep them.
    pub retention: Option<Retention>,
    /// Maximum number of concurrent matches.
    pub concurrency: Concurrency,
    /// Maximum number of concurrent matches per bot; `None` for no limit.
    pub bot_concurrency: Option<Concurrency>,
    /// The number of bots at which the tournament starts automatically, if any: at least `seats`, and few enough for at
    /// most [`MAX_MATCHES`](super::MAX_MATCHES) matches.
    pub start_when: Option<usize>,
    /// The time at which the tournament starts automatically. If it has too few bots then, it starts as soon as it has
    /// enough. `None` if it has no start time.
    pub start_at: Option<Timestamp>,
    /// The time after which no bot can enter, if any.
    pub entries_close_at: Option<Timestamp>,
    /// The names of the bots that can enter.
    pub allow: AllowList,
    /// The seed from which everything random is drawn.
    pub seed: u64,
}

impl SettingsDraft {
    /// Creates the settings of a round robin, with seed 0 and defaults for all other settings that are not given.
    pub fn new(title: Title, seats: SeatCount, positions: Positions, alliance: AllianceSource) -> Self {
        Self {
            title,
            format: TournamentFormat::RoundRobin,
            seats,
            positions,
            ending: Ending::default(),
            scoring: Scoring::default_for(&alliance, seats),
            alliance,
            oracle: OracleAccess::default(),
            retention: None,
            concurrency: Concurrency::default(),
            bot_concurrency: None,
            start_when: None,
            start_at: None,
            entries_close_at: None,
            allow: AllowList::default(),
            seed: 0,
        }
    }
}

/// Why settings are inconsistent.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The format does not fit the number of seats.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The sequential test is invalid.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// The given matrix has the wrong size.
    #[error("an alliance matrix of {rows} rows: expected {seats}, one per seat")]
    Matrix {
        /// The number of rows in the matrix.
        rows: SeatCount,
        /// The number of seats in a match.
        seats: SeatCount,
    },
    /// The rows to be dealt do not fit the matches.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// Dealt rows are scored by wins.
    #[error(
        "wants are dealt, but scoring is by wins: score by satisfaction, because a seat really wants what it is dealt"
    )]
    DealtWins,
    /// A test by regret has dealt rows.
    #[error(
        "wants are dealt, but the sequential test is by regret: test by points, because a bot itself chooses the preference order by which its errors are counted"
    )]
    DealtRegret,
    /// The list of allowed bots leaves out a bot that the format names.
    #[error("{0}, which the format names, cannot enter: add it to the list")]
    NotAllowed(BotName),
    /// The tournament would start with too few or too many bots.
    #[error("{0}")]
    StartWhen(FieldError),
}

impl Settings {
    /// Checks that the parts are consistent.
    ///
    /// # Errors
    /// Names the first inconsistency.
    pub fn new(draft: SettingsDraft) -> Result<Self, SettingsError> {
        Self::check_format(&draft.format, draft.seats)?;
        Self::check_allow(&draft.allow, &draft.format)?;
        Self::check_alliance(&draft.alliance, draft.seats)?;
        Self::check_dealt_scoring(&draft.alliance, draft.scoring)?;
        Self::check_dealt_format(&draft.alliance, &draft.format)?;
        Self::check_start_when(draft.start_when, &draft.format, draft.seats, draft.positions.count())?;
        Ok(Self(draft))
    }

    /// Checks that the format fits matches with this many seats.
    pub fn check_format(format: &TournamentFormat, seats: SeatCount) -> Result<(), SettingsError> {
        format.check_seats(seats)?;
        if let TournamentFormat::Sprt(sprt) = format {
            sprt.check()?;
        }
        Ok(())
    }

    /// Checks that the bots that the format names may enter.
    pub fn check_allow(allow: &AllowList, format: &TournamentFormat) -> Result<(), SettingsError> {
        let named = match format {
            TournamentFormat::Gauntlet { bot, .. } => vec![bot],
            TournamentFormat::Sprt(sprt) => vec![&sprt.candidate, &sprt.baseline],
            _ => Vec::new(),
        };
        match named.into_iter().find(|bot| !allow.admits(bot)) {
            Some(bot) => Err(SettingsError::NotAllowed(bot.clone())),
            None => Ok(()),
        }
    }

    /// Checks that a tournament with dealt rows scores by satisfaction.
    pub fn check_dealt_scoring(alliance: &AllianceSource, scoring: Scoring) -> Result<(), SettingsError> {
        let is_wrong = alliance.deal_rule().is_some() && scoring == Scoring::Win;
        if is_wrong { Err(SettingsError::DealtWins) } else { Ok(()) }
    }

    /// Checks that the format can judge bots with dealt rows.
    pub fn check_dealt_format(
        alliance: &AllianceSource,
        format: &TournamentFormat,
    ) -> Result<(), SettingsError> {
        match format {
            TournamentFormat::Sprt(sprt)
                if alliance.deal_rule().is_some() && sprt.measure == SprtMeasure::Regret =>
            {
                Err(SettingsError::DealtRegret)
            }
            _ => Ok(()),
        }
    }

    /// Checks that a given matrix, or rows to be dealt, have the right size for a match.
    pub fn check_alliance(alliance: &AllianceSource, seats: SeatCount) -> Result<(), SettingsError> {
        match alliance {
            AllianceSource::Given(matrix) if matrix.seats() != seats => {
                Err(SettingsError::Matrix { rows: matrix.seats(), seats })
            }
            AllianceSource::Dealt(rule) => Ok(rule.check_seats(seats)?),
            _ => Ok(()),
        }
    }

    /// Checks that a tournament can start automatically with a field of this size.
    pub fn check_start_when(
        start_when: Option<usize>,
        format: &TournamentFormat,
        seats: SeatCount,
        positions: usize,
    ) -> Result<(), SettingsError> {
        let Some(field) = start_when else { return Ok(()) };
        count_matches(format, seats, positions, field).map(|_| ()).map_err(SettingsError::StartWhen)
    }

    /// Returns what ratings measure, which follows from the scoring. With two seats and standard rows satisfaction
    /// equals wins, so the measure is wins.
    pub fn rating_measure(&self) -> RatingMeasure {
        let is_win = match &self.alliance {
            _ if self.scoring == Scoring::Win => true,
            AllianceSource::Standard => self.seats.get() == 2,
            AllianceSource::Given(matrix) => {
                self.seats.get() == 2 && *matrix == AllianceMatrix::standard(self.seats)
            }
            AllianceSource::Declared | AllianceSource::Random | AllianceSource::Dealt(_) => false,
        };
        if is_win { RatingMeasure::Wins } else { RatingMeasure::Satisfaction }
    }

    /// Returns the piles of the position with this index, as stored in a pairing; `None` if the index is too large.
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
    use crate::{EffectBounds, ErrorRates, GroupCount, SprtSettings, testing};
    use lastnim_core::{game::Row, referee::DealRule};

    fn refusal(change: impl FnOnce(&mut SettingsDraft)) -> String {
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
            (3, AllianceSource::Dealt(DealRule::All), RatingMeasure::Satisfaction),
        ] {
            let settings = testing::settings(seats, 1, alliance.clone());
            assert_eq!(settings.rating_measure(), expected, "{seats} seats, {alliance:?}");
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        let four = SeatCount::new(4).unwrap();
        assert_eq!(
            refusal(|draft| draft.alliance = AllianceSource::Given(AllianceMatrix::standard(four))),
            "an alliance matrix of 4 rows: expected 3, one per seat"
        );
        let set_deal = |draft: &mut SettingsDraft, rule| {
            (draft.alliance, draft.scoring) = (AllianceSource::Dealt(rule), Scoring::Satisfaction);
        };
        assert_eq!(
            refusal(|draft| set_deal(draft, DealRule::List(vec![Row::standard(four)]))),
            "row 0 1 2 3, which is to be dealt, has 4 offsets, but a match has 3 seats"
        );
        let wins = refusal(|draft| {
            set_deal(draft, DealRule::All);
            draft.scoring = Scoring::Win;
        });
        assert!(wins.starts_with("wants are dealt, but scoring is by wins"), "{wins}");
        let regret = refusal(|draft| {
            set_deal(draft, DealRule::SelfFirst);
            draft.format = TournamentFormat::Sprt(SprtSettings {
                candidate: "a".parse().unwrap(),
                baseline: "b".parse().unwrap(),
                measure: SprtMeasure::Regret,
                effects: EffectBounds::new(0.0, 0.5).unwrap(),
                errors: ErrorRates::new(0.05, 0.05).unwrap(),
                groups: GroupCount::new(10).unwrap(),
            });
        });
        assert!(regret.starts_with("wants are dealt, but the sequential test is by regret"), "{regret}");
        let not_allowed = refusal(|draft| {
            draft.format = TournamentFormat::Gauntlet { bot: "a".parse().unwrap(), groups: None };
            draft.allow = AllowList::new(vec!["b*".parse().unwrap()]).unwrap();
        });
        assert_eq!(not_allowed, "a, which the format names, cannot enter: add it to the list");
        assert_eq!(
            refusal(|draft| draft.start_when = Some(2)),
            "a field of 2 bots: expected at least 3, one per seat"
        );
        assert_eq!(
            refusal(|draft| draft.start_when = Some(1_000)),
            "1000 bots, 3 seats per match and 2 positions would make more than 10000000 matches: use fewer bots or positions"
        );
    }
}
