//! Probabilities that a bot said, and what then happened.

use super::{
    Estimate, MatchGroup,
    estimate::{share_of, to_float},
    grouped_sums::GroupedSums,
};

/// The bins into which forecasts are put: tenths, of which each holds its lower end and the last one both.
pub const FORECAST_BINS: u8 = 10;

const FORECASTS: usize = 0;
const SQUARED_ERRORS: usize = 1;

/// The parts of 1 in which probabilities and squared errors are added up: what is rounded away of each is below one in a million.
const PARTS: f64 = (1 << 20) as f64;

/// Forecasts of one bot, each the probability of something that then happened or did not.
#[derive(Debug, Clone)]
pub struct Forecasts {
    sums: GroupedSums<2>,
    bins: [BinSums; FORECAST_BINS as usize],
}

/// Forecasts in figures.
#[derive(Debug, Clone, PartialEq)]
pub struct ForecastFigures {
    /// How many there are.
    pub forecasts: u64,
    /// In how many cases it happened.
    pub happened: u64,
    /// The mean of the squared differences between the forecasts and what happened, which is 1 or 0: from 0, the best, to 1. None without a
    /// forecast.
    ///
    /// Source: Brier, "Verification of forecasts expressed in terms of probability" (1950), for one of two events.
    pub brier_score: Option<Estimate>,
    /// The score of whoever had said the share of the cases in which it happened, each time: `s (1 - s)`. None without a forecast.
    pub base_rate_score: Option<f64>,
    /// By tenths of the forecast, rising.
    pub bins: Vec<ForecastBin>,
}

/// The forecasts from one tenth to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastBin {
    /// The least forecast that is in it.
    pub from: f64,
    /// How many there are.
    pub forecasts: u64,
    /// In how many cases it happened.
    pub happened: u64,
    /// The mean of the forecasts; none without one.
    pub mean: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct BinSums {
    forecasts: u64,
    happened: u64,
    /// The sum of the forecasts, in parts.
    said: i64,
}

impl Forecasts {
    /// Begins without a forecast; the seed is that of the intervals.
    pub fn new(seed: u64) -> Self {
        Self { sums: GroupedSums::new(seed), bins: [BinSums::default(); FORECAST_BINS as usize] }
    }

    /// Adds a forecast that was made in a match of a group, from 0 to 1, and whether that happened.
    pub fn add_forecast(&mut self, group: MatchGroup, probability: f64, happened: bool) {
        let probability = probability.clamp(0.0, 1.0);
        let error = probability - f64::from(u8::from(happened));
        self.sums.add_part(group, &[1, (error * error * PARTS).round() as i64]);
        let bin = (1..FORECAST_BINS).take_while(|&bin| probability >= lower_end(bin)).count();
        let bin = &mut self.bins[bin];
        bin.forecasts += 1;
        bin.happened += u64::from(happened);
        bin.said += (probability * PARTS).round() as i64;
    }

    /// Returns the figures.
    pub fn into_figures(mut self) -> ForecastFigures {
        self.sums.close_group();
        let total = |of: fn(&BinSums) -> u64| self.bins.iter().map(of).sum::<u64>();
        let (forecasts, happened) = (total(|bin| bin.forecasts), total(|bin| bin.happened));
        let score = self.sums.ratio_sums(SQUARED_ERRORS, FORECASTS, PARTS);
        ForecastFigures {
            forecasts,
            happened,
            brier_score: score.map(|sums| sums.estimate_share()),
            base_rate_score: share_of(happened, forecasts).map(|share| share * (1.0 - share)),
            bins: (0_u8..).zip(&self.bins).map(|(tenth, bin)| bin.figures(tenth)).collect(),
        }
    }
}

/// Returns the least forecast that is in a bin.
fn lower_end(bin: u8) -> f64 {
    f64::from(bin) / f64::from(FORECAST_BINS)
}

impl BinSums {
    fn figures(&self, tenth: u8) -> ForecastBin {
        let said = (self.forecasts > 0).then(|| to_float(self.said) / PARTS);
        ForecastBin {
            from: lower_end(tenth),
            forecasts: self.forecasts,
            happened: self.happened,
            mean: said.map(|said| said / to_float(self.forecasts.cast_signed())),
        }
    }
}
