//! Simulates tournaments with clustered errors, to measure how often confidence intervals contain the true value.

use lastnim_tournament::{ConfidenceInterval, RatioSums, SeededDraw};

/// The number of matches in a duplicate group.
const MATCHES_PER_GROUP: u32 = 3;
/// Minimum and maximum number of takes that a bot makes in a group.
const TAKES: (u32, u32) = (6, 18);

/// The number of balls in Polya's urn at the start. Each draw adds one ball, so two errors have a correlation of 0.3.
const URN_BALLS: f64 = 1.0 / 0.3 - 1.0;

/// How the errors in a group depend on each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clustering {
    /// No dependence: every take errs with the same probability.
    Independent,
    /// The error rate of a group is drawn from an exponential distribution: some positions are harder than others.
    Difficulty,
    /// Only some positions are dangerous: all errors occur in three of ten groups, or in more if their error rate would
    /// otherwise exceed 1.
    Dangerous,
    /// Each error makes the next one in the group more likely, as in Polya's urn: the errors at any two takes of a
    /// group have a correlation of 0.3.
    Contagious,
}

impl Clustering {
    /// Every kind of dependence.
    pub const ALL: [Self; 4] = [Self::Independent, Self::Difficulty, Self::Dangerous, Self::Contagious];

    /// Returns the name of the dependence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Difficulty => "by difficulty",
            Self::Dangerous => "dangerous positions",
            Self::Contagious => "contagious",
        }
    }

    /// Draws the number of errors in a group with this mean error rate.
    fn draw_errors(self, mean: f64, takes: u32, draw: &mut SeededDraw) -> u32 {
        let chance = match self {
            Self::Independent | Self::Contagious => mean,
            Self::Difficulty => (-mean * draw_uniform(draw).ln()).min(1.0),
            Self::Dangerous => {
                let dangerous = mean.max(0.3);
                if draw_uniform(draw) < dangerous { mean / dangerous } else { 0.0 }
            }
        };
        (0..takes).fold(0, |errors, take| {
            let chance = match self {
                Self::Contagious => (URN_BALLS * mean + f64::from(errors)) / (URN_BALLS + f64::from(take)),
                Self::Independent | Self::Difficulty | Self::Dangerous => chance,
            };
            errors + u32::from(draw_uniform(draw) < chance)
        })
    }

    /// Returns the mean of the drawn error rates, which are capped at 1.
    fn true_mean(self, mean: f64) -> f64 {
        match self {
            Self::Difficulty => mean * (1.0 - (-1.0 / mean).exp()),
            Self::Independent | Self::Dangerous | Self::Contagious => mean,
        }
    }
}

/// The parameters of simulated tournaments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scenario {
    /// The error rate per take.
    pub error_rate: f64,
    /// The number of duplicate groups.
    pub groups: u32,
    /// The dependence between errors.
    pub clustering: Clustering,
}

/// How often an interval contains the true value, and how wide it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// The share of tournaments in which the interval contains the true value.
    pub held: f64,
    /// The median width, relative to the true value.
    pub width: f64,
}

/// The coverage of the intervals of the accuracy per take and of the regret per match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScenarioCoverage {
    /// The coverage of the interval of the accuracy.
    pub accuracy: Coverage,
    /// The coverage of the interval of the regret.
    pub regret: Coverage,
}

impl Scenario {
    /// Returns the expected number of errors in a tournament.
    pub fn expected_errors(&self) -> f64 {
        self.clustering.true_mean(self.error_rate) * f64::from(self.groups * (TAKES.0 + TAKES.1)) / 2.0
    }

    /// Simulates this many tournaments, and returns the coverage of their intervals.
    pub fn simulate(&self, tournaments: u64, seed: u64) -> ScenarioCoverage {
        let errors = self.clustering.true_mean(self.error_rate);
        // An error costs one rank or two, depending on the group; the mean is 1.5.
        let takes = f64::from(TAKES.0 + TAKES.1) / 2.0;
        let regret = errors * takes * 1.5 / f64::from(MATCHES_PER_GROUP);
        let (mut accuracies, mut regrets) = (Vec::new(), Vec::new());
        for tournament in 0..tournaments {
            let (accuracy, rate) =
                self.simulate_tournament(&mut SeededDraw::from_numbers([seed, tournament]));
            accuracies.extend(accuracy.share_interval());
            regrets.extend(rate.rank_rate_interval());
        }
        ScenarioCoverage {
            accuracy: Coverage::of(&accuracies, 1.0 - errors, errors, tournaments),
            regret: Coverage::of(&regrets, regret, regret, tournaments),
        }
    }

    /// Simulates one tournament. Returns the sums for the share of optimal takes, and those for the ranks lost per
    /// match.
    fn simulate_tournament(&self, draw: &mut SeededDraw) -> (RatioSums, RatioSums) {
        let (mut accuracy, mut regret) = (RatioSums::default(), RatioSums::default());
        for _ in 0..self.groups {
            let takes = TAKES.0 + draw.number_below(u64::from(TAKES.1 - TAKES.0 + 1)) as u32;
            let (errors, costly) =
                (self.clustering.draw_errors(self.error_rate, takes, draw), draw_uniform(draw));
            let ranks = errors + (0..errors).filter(|_| draw_uniform(draw) < costly).count() as u32;
            accuracy.add_group((takes - errors).into(), takes.into());
            regret.add_group(ranks.into(), MATCHES_PER_GROUP.into());
        }
        (accuracy, regret)
    }
}

impl Coverage {
    fn of(intervals: &[ConfidenceInterval<f64>], truth: f64, unit: f64, all: u64) -> Self {
        let held = intervals.iter().filter(|interval| interval.contains(&truth)).count();
        let mut widths: Vec<f64> =
            intervals.iter().map(|interval| (interval.high - interval.low) / unit).collect();
        widths.sort_by(f64::total_cmp);
        Self {
            held: held as f64 / all as f64,
            width: widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN),
        }
    }
}

/// Draws a number between 0 and 1.
fn draw_uniform(draw: &mut SeededDraw) -> f64 {
    (draw.next_bits() >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON / 4.0
}
