//! Tournaments: settings, pairings, draws, scoring and standings.
//!
//! The code is pure: it uses no I/O, no clock and no source of randomness. Everything random is derived from the
//! tournament's seed and the number of a match or group. A schedule can be rebuilt from the results so far, and
//! standings are a fold of results that does not depend on their order.

mod alliance;
mod allow_list;
mod bounded_cross_table;
mod checkpoint;
mod comparison;
mod comparison_state;
mod concurrency;
mod count;
mod cross_table;
mod draw;
mod evidence;
mod field_error;
mod format;
mod format_profile;
mod interner;
mod intervention;
mod match_result;
mod match_value;
mod methods;
mod oracle_access;
mod pairing;
mod pilot_results;
mod place_range;
mod positions;
mod rating;
mod retention;
mod sample_size;
mod schedule;
mod scoring;
mod seat_credit;
mod settings;
mod sprt_settings;
mod standing;
mod standings;
mod standings_order;
mod state;
mod tally;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tie_break;
mod title;
mod tournament_end;
mod version_tally;

pub use alliance::{AllianceSource, assigned_matrix, draw_matrix};
pub use allow_list::{AllowList, AllowListError, NamePattern, NamePatternError};
pub use bounded_cross_table::BoundedCrossTable;
pub use checkpoint::{
    Checkpoint, CheckpointError, ReportedResults, ResultFold, SnapshotUnavailable, snapshot_state,
};
pub use comparison::BotComparison;
pub use concurrency::{Concurrency, ConcurrencyError};
pub use count::{BoundedCount, CountError, GroupCount, RoundCount, Streak, TableGroups};
pub use cross_table::{CrossTable, HeadToHead};
pub use draw::SeededDraw;
pub use evidence::{Appraisal, RatingEvidence};
pub use field_error::{FieldError, MAX_MATCHES};
pub use format::{FormatError, LadderPairing, LadderSettings, TournamentFormat};
pub use format_profile::{FormatProfile, ProgressView, SchedulingMode};
pub use intervention::{
    DisqualifiedResults, OpenMatches, Reason, ReasonError, Rulings, TournamentEvent, VoidedMatch,
};
pub use match_result::{MatchOutcome, MatchResult, SeatLoss, SeatResult};
pub use methods::{METHODS_VERSION, MethodsVersionError, check_methods_version};
pub use oracle_access::OracleAccess;
pub use pairing::Pairing;
pub use pilot_results::PilotResults;
pub use place_range::PlaceRange;
pub use positions::{
    DrawnPositions, ListedPositions, MAX_POSITIONS, PAPER_POSITIONS, Positions, PositionsError,
};
pub use rating::{
    ConfidenceInterval, EloByNumber, EloRatings, MeanEstimate, OnlineRatings, RatedBot, RatedMatch,
    RatedMatches, RatedResults, Rating, RatingMeasure, Ratings, RatioSums, RegretTally, ReplicateCount,
    ReplicatesError, Resampling, SatisfactionRating, SatisfactionRatings, SatisfactionScores, SkillEstimate,
    SpreadBelief, StrengthBelief, StrengthLead, StrengthRatings, adjust_p_values,
};
pub use retention::{RetainedMatchCount, Retention, RetentionDays};
pub use sample_size::{PilotDifferences, SampleSize};
pub use schedule::{
    BetCapitals, Bye, CapitalPoint, FieldChange, FieldMovement, FormatVerdict, KnockoutBot, KnockoutExit,
    MatchLimiter, RepeatedGroups, Schedule, ScheduleStep, SprtAnswer, SprtVerdict, Suspension,
    SuspensionReason, TotalMatches, count_matches, group_size, plan_schedule,
};
pub use scoring::Scoring;
pub use seat_credit::SeatCredit;
pub use settings::{Settings, SettingsDraft, SettingsError};
pub use sprt_settings::{EffectBounds, ErrorRates, SprtError, SprtMeasure, SprtSettings};
pub use standing::{Standing, StandingRating};
pub use standings::Standings;
pub use standings_order::StandingsOrder;
pub use state::TournamentState;
pub use tie_break::TieBreak;
pub use title::{Title, TitleError};
pub use tournament_end::TournamentEnd;
pub use version_tally::{PlayedVersion, VersionTally};
