//! The most likely strengths of bots whose matches have one winner.

use crate::oracle::{Budget, HaltReason};

/// The wins, and the losses, that every bot is taken to have against a virtual opponent of strength 0.
///
/// One virtual draw is to a bot with one opponent what Jeffreys' prior is to a coin: it takes away most of the bias of few
/// matches, and keeps a bot that won or lost everything at a finite place. Sources: Firth, "Bias Reduction of Maximum
/// Likelihood Estimates" (1993); as virtual draws in Coulom, "Whole-History Rating" (2008).
pub(super) const VIRTUAL: f64 = 0.5;

/// The most Newton steps of one fit; a handful is usual.
const MAX_STEPS: u32 = 100;
/// The most times that one Newton step is halved.
const MAX_HALVINGS: u32 = 50;
/// How much smaller conjugate gradients make the residual of a Newton step: the next step takes care of what is left.
const REDUCTION: f64 = 1e-2;
/// What rounding may take from a logarithm of the likelihood, as a part of it: close to the top a climb is less.
const ROUNDING: f64 = 1e-12;

/// The tables at which matches were played, each once: sets of two or more bots, which are numbered from 0.
#[derive(Debug, Clone)]
pub(super) struct SeatedTables {
    bots: usize,
    members: Vec<u32>,
    /// Where the members of each table begin, and where those of the last end.
    bounds: Vec<usize>,
}

/// How often who won, and how often which table sat: all that the likelihood depends on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LuceStatistics {
    /// By bot: its wins.
    pub(super) wins: Vec<f64>,
    /// By table: its matches.
    pub(super) matches: Vec<f64>,
    /// By bot: its wins and losses against the virtual opponent.
    pub(super) virtual_results: Vec<[f64; 2]>,
}

impl SeatedTables {
    /// Gathers the tables of so many bots.
    pub(super) fn new<'a>(bots: usize, tables: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut gathered = Self { bots, members: Vec::new(), bounds: vec![0] };
        for table in tables {
            gathered.members.extend(table);
            gathered.bounds.push(gathered.members.len());
        }
        gathered
    }

    /// Returns how many bots there are.
    pub(super) fn bots(&self) -> usize {
        self.bots
    }

    /// Returns how many tables there are.
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the members of a table.
    pub(super) fn get(&self, table: usize) -> &[u32] {
        &self.members[self.bounds[table]..self.bounds[table + 1]]
    }

    /// Iterates over the tables.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|table| self.get(table))
    }

    /// Returns what one look at every seat of every table counts as.
    pub(super) fn steps(&self) -> u64 {
        (self.members.len() + self.bots) as u64
    }
}

impl LuceStatistics {
    /// Returns what is known before the first match: the virtual results.
    pub(super) fn prior_only(tables: &SeatedTables) -> Self {
        Self {
            wins: vec![0.0; tables.bots()],
            matches: vec![0.0; tables.len()],
            virtual_results: vec![[VIRTUAL; 2]; tables.bots()],
        }
    }
}

/// The logarithm of the likelihood at one place, and its derivatives there.
#[derive(Debug, Clone)]
pub(super) struct LuceLikelihood<'a> {
    tables: &'a SeatedTables,
    statistics: &'a LuceStatistics,
    log: f64,
    gradient: Vec<f64>,
    /// The diagonal of the information, the negated matrix of second derivatives.
    diagonal: Vec<f64>,
    /// The part of it that the virtual results have.
    virtual_diagonal: Vec<f64>,
    /// By seat of each table: the chance of its bot.
    chances: Vec<f64>,
}

impl<'a> LuceLikelihood<'a> {
    /// Works out the likelihood of strengths.
    ///
    /// `log L = sum_i w_i theta_i - sum_T m_T log sum_(j in T) e^theta_j`, where bot i has won `w_i` matches and `m_T` were
    /// played at table T; each bot has a table with the virtual opponent. Source: Luce, "Individual Choice Behavior" (1959).
    pub(super) fn at_strengths(
        tables: &'a SeatedTables,
        statistics: &'a LuceStatistics,
        theta: &[f64],
    ) -> Self {
        let mut log = 0.0;
        let mut gradient = statistics.wins.clone();
        let mut virtual_diagonal = vec![0.0; tables.bots()];
        for (bot, (&theta, &[won, lost])) in theta.iter().zip(&statistics.virtual_results).enumerate() {
            let chance = 1.0 / (1.0 + (-theta).exp());
            let log_sum = theta.max(0.0) + (-theta.abs()).exp().ln_1p();
            log += (statistics.wins[bot] + won) * theta - (won + lost) * log_sum;
            gradient[bot] += won - (won + lost) * chance;
            virtual_diagonal[bot] = (won + lost) * chance * (1.0 - chance);
        }
        let mut diagonal = virtual_diagonal.clone();
        let mut chances = vec![0.0; tables.members.len()];
        for (bounds, &matches) in tables.bounds.windows(2).zip(&statistics.matches) {
            let (table, chances) =
                (&tables.members[bounds[0]..bounds[1]], &mut chances[bounds[0]..bounds[1]]);
            // Taken from the greatest, no strength overflows, and not all of them vanish.
            let greatest = table.iter().map(|&bot| theta[bot as usize]).fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            for (&bot, chance) in table.iter().zip(&mut *chances) {
                *chance = (theta[bot as usize] - greatest).exp();
                sum += *chance;
            }
            log -= matches * (greatest + sum.ln());
            for (&bot, chance) in table.iter().zip(chances) {
                *chance /= sum;
                gradient[bot as usize] -= matches * *chance;
                diagonal[bot as usize] += matches * *chance * (1.0 - *chance);
            }
        }
        Self { tables, statistics, log, gradient, diagonal, virtual_diagonal, chances }
    }

    /// Multiplies the information by a vector.
    fn information_times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = self.virtual_diagonal.iter().zip(vector).map(|(h, v)| h * v).collect();
        for (bounds, &matches) in self.tables.bounds.windows(2).zip(&self.statistics.matches) {
            let (table, chances) =
                (&self.tables.members[bounds[0]..bounds[1]], &self.chances[bounds[0]..bounds[1]]);
            let mean: f64 =
                table.iter().zip(chances).map(|(&bot, chance)| chance * vector[bot as usize]).sum();
            for (&bot, chance) in table.iter().zip(chances) {
                product[bot as usize] += matches * chance * (vector[bot as usize] - mean);
            }
        }
        product
    }

    /// Draws a gradient as it would be if the model were right, the matches independent, and this place the true one: its
    /// covariance is the information.
    pub(super) fn draw_gradient_noise(&self, mut normal: impl FnMut() -> f64) -> Vec<f64> {
        let mut noise: Vec<f64> =
            self.virtual_diagonal.iter().map(|information| information.sqrt() * normal()).collect();
        for (bounds, &matches) in self.tables.bounds.windows(2).zip(&self.statistics.matches) {
            let (table, chances) =
                (&self.tables.members[bounds[0]..bounds[1]], &self.chances[bounds[0]..bounds[1]]);
            let mut all = 0.0;
            for (&bot, chance) in table.iter().zip(chances) {
                let own = (matches * chance).sqrt() * normal();
                noise[bot as usize] += own;
                all += own;
            }
            for (&bot, chance) in table.iter().zip(chances) {
                noise[bot as usize] -= chance * all;
            }
        }
        noise
    }

    /// Solves `information * step = right` by conjugate gradients, preconditioned with the diagonal, until the residual is
    /// `reduction` of what it was.
    pub(super) fn solve_information(
        &self,
        right: &[f64],
        reduction: f64,
        budget: &mut Budget,
    ) -> Result<Vec<f64>, HaltReason> {
        let precondition =
            |vector: &[f64]| -> Vec<f64> { vector.iter().zip(&self.diagonal).map(|(r, d)| r / d).collect() };
        let mut solution = vec![0.0; right.len()];
        let mut residual = right.to_vec();
        let mut direction = precondition(&residual);
        let mut size = dot_product(&residual, &direction);
        let enough = size * reduction * reduction;
        // In exact arithmetic it ends after as many rounds as there are bots.
        for _ in 0..2 * right.len() {
            if size <= enough {
                break;
            }
            budget.spend(self.tables.steps())?;
            let image = self.information_times(&direction);
            let length = size / dot_product(&direction, &image);
            for bot in 0..right.len() {
                solution[bot] += length * direction[bot];
                residual[bot] -= length * image[bot];
            }
            let next = precondition(&residual);
            let next_size = dot_product(&residual, &next);
            for (direction, next) in direction.iter_mut().zip(next) {
                *direction = next + next_size / size * *direction;
            }
            size = next_size;
        }
        Ok(solution)
    }
}

/// Finds the strengths that make the statistics most likely, up to `tolerance`, the greatest change of the last step.
///
/// With the virtual results the logarithm of the likelihood is strictly concave and falls to both sides, so that there is
/// one such place, and Newton's method with steps that are halved until they climb finds it from anywhere.
pub(super) fn maximise_likelihood(
    tables: &SeatedTables,
    statistics: &LuceStatistics,
    start: &[f64],
    tolerance: f64,
    budget: &mut Budget,
) -> Result<Vec<f64>, HaltReason> {
    let mut theta = start.to_vec();
    budget.spend(tables.steps())?;
    let mut here = LuceLikelihood::at_strengths(tables, statistics, &theta);
    for _ in 0..MAX_STEPS {
        let step = here.solve_information(&here.gradient, REDUCTION, budget)?;
        let greatest = step.iter().map(|step| step.abs()).fold(0.0, f64::max);
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let there: Vec<f64> =
                theta.iter().zip(&step).map(|(theta, step)| theta + length * step).collect();
            budget.spend(tables.steps())?;
            let likelihood = LuceLikelihood::at_strengths(tables, statistics, &there);
            if likelihood.log >= here.log - ROUNDING * (1.0 + here.log.abs()) {
                (theta, here) = (there, likelihood);
                break;
            }
            length /= 2.0;
        }
        if greatest <= tolerance {
            break;
        }
    }
    Ok(theta)
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
