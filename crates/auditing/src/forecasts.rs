//! Forecasts of a bot, compared with outcomes.

use super::{
    Estimate, MatchGroup,
    estimate::{share_of, to_float},
    grouped_sums::GroupedSums,
};

/// Number of bins of forecasts. Each covers a tenth and includes its lower end; the last one includes both ends.
pub const FORECAST_BINS: u8 = 10;

/// A score is given only for at least this many forecasts that came true, and as many that did not. If all outcomes
/// were alike, a constant forecast would be perfect.
pub const MIN_OF_EACH_OUTCOME: u64 = 5;

const FORECASTS: usize = 0;
const SQUARED_ERRORS: usize = 1;

/// The integer that represents 1 in sums of probabilities and squared errors; each has a rounding error below a
/// millionth.
const UNIT: f64 = (1 << 20) as f64;

/// Forecasts of one bot: the probabilities that it gave to events, compared with whether they happened.
#[derive(Debug, Clone)]
pub struct Forecasts {
    sums: GroupedSums<2>,
    bins: [BinSums; FORECAST_BINS as usize],
}

/// Figures about the forecasts of a bot.
#[derive(Debug, Clone, PartialEq)]
pub struct ForecastFigures {
    /// Number of forecasts.
    pub forecasts: u64,
    /// Number of events that happened.
    pub happened: u64,
    /// The mean of the squared differences between the forecasts and the outcomes 1 or 0: from 0 to 1, lower is
    /// better. `None` with fewer than [`MIN_OF_EACH_OUTCOME`] of either outcome.
    ///
    /// Source: Brier, "Verification of forecasts expressed in terms of probability" (1950), but summed over only one of
    /// the two possible outcomes.
    pub brier_score: Option<Estimate>,
    /// The score of a constant forecast of `s`, the share of events that happened: `s (1 - s)`. `None` if `brier_score`
    /// is `None`.
    pub base_rate_score: Option<f64>,
    /// The bins, in ascending order of the forecasts.
    pub bins: Vec<ForecastBin>,
}

/// The forecasts in one bin, which covers a tenth of the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastBin {
    /// The lower end of the bin.
    pub from: f64,
    /// Number of forecasts.
    pub forecasts: u64,
    /// Number of events that happened.
    pub happened: u64,
    /// The mean of the forecasts; `None` without forecasts.
    pub mean: Option<f64>,
}

/// The sums over the forecasts in one bin.
#[derive(Debug, Clone, Copy, Default)]
struct BinSums {
    forecasts: u64,
    happened: u64,
    /// The sum of the forecasts, where [`UNIT`] represents 1.
    forecast_sum: i64,
}

impl Forecasts {
    /// Creates an empty collection; the seed is for the intervals.
    pub fn new(seed: u64) -> Self {
        Self { sums: GroupedSums::new(seed), bins: [BinSums::default(); FORECAST_BINS as usize] }
    }

    /// Adds a forecast, from 0 to 1, in a match of a group, and whether the event happened.
    pub fn add_forecast(&mut self, group: MatchGroup, probability: f64, happened: bool) {
        let probability = probability.clamp(0.0, 1.0);
        let error = probability - f64::from(u8::from(happened));
        self.sums.add_part(group, &[1, (error * error * UNIT).round() as i64]);
        let bin = (1..FORECAST_BINS).take_while(|&bin| probability >= lower_end(bin)).count();
        let bin = &mut self.bins[bin];
        bin.forecasts += 1;
        bin.happened += u64::from(happened);
        bin.forecast_sum += (probability * UNIT).round() as i64;
    }

    /// Returns the figures.
    pub fn into_figures(mut self) -> ForecastFigures {
        self.sums.close_group();
        let total = |of: fn(&BinSums) -> u64| self.bins.iter().map(of).sum::<u64>();
        let (forecasts, happened) = (total(|bin| bin.forecasts), total(|bin| bin.happened));
        let is_scored = happened.min(forecasts - happened) >= MIN_OF_EACH_OUTCOME;
        let score = self.sums.ratio_estimator(SQUARED_ERRORS, FORECASTS, UNIT).filter(|_| is_scored);
        let base_rate = share_of(happened, forecasts).filter(|_| is_scored);
        ForecastFigures {
            forecasts,
            happened,
            brier_score: score.map(|sums| sums.estimate_share()),
            base_rate_score: base_rate.map(|share| share * (1.0 - share)),
            bins: (0_u8..).zip(&self.bins).map(|(tenth, bin)| bin.figures(tenth)).collect(),
        }
    }
}

/// Returns the lower end of a bin.
fn lower_end(bin: u8) -> f64 {
    f64::from(bin) / f64::from(FORECAST_BINS)
}

impl BinSums {
    fn figures(&self, tenth: u8) -> ForecastBin {
        let sum = (self.forecasts > 0).then(|| to_float(self.forecast_sum) / UNIT);
        ForecastBin {
            from: lower_end(tenth),
            forecasts: self.forecasts,
            happened: self.happened,
            mean: sum.map(|sum| sum / to_float(self.forecasts.cast_signed())),
        }
    }
}
