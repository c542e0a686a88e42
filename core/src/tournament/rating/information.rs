//! What matches at tables tell of the strengths of their bots, as a matrix.

use super::tables::SeatedTables;
use crate::oracle::{Budget, HaltReason};

/// What matches tell of strengths: the matrix `sum_T w_T (diag(p_T) - p_T p_T^T) + diag(r)`, where the bots of table T have
/// shares `p_T` that sum to 1. It is never written down: what is needed are its products with vectors.
#[derive(Debug, Clone)]
pub(super) struct TableInformation<'a> {
    tables: &'a SeatedTables,
    /// By table: `w`.
    weights: Vec<f64>,
    /// By seat of each table: the share of its bot.
    shares: Vec<f64>,
    /// By bot: `r`, greater than 0.
    prior: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a> TableInformation<'a> {
    /// Gathers the information of tables with these weights, by table, and these shares, by seat of each table, beside what is
    /// known of each bot before.
    pub(super) fn new(
        tables: &'a SeatedTables,
        weights: Vec<f64>,
        shares: Vec<f64>,
        prior: Vec<f64>,
    ) -> Self {
        let mut diagonal = prior.clone();
        for ((table, seats), weight) in tables.iter_with_seats().zip(&weights) {
            for (&bot, share) in table.iter().zip(&shares[seats]) {
                diagonal[bot as usize] += weight * share * (1.0 - share);
            }
        }
        Self { tables, weights, shares, prior, diagonal }
    }

    /// Returns the diagonal.
    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Multiplies it by a vector.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = self.prior.iter().zip(vector).map(|(r, v)| r * v).collect();
        for ((table, seats), &weight) in self.tables.iter_with_seats().zip(&self.weights) {
            let shares = &self.shares[seats];
            let mean: f64 = table.iter().zip(shares).map(|(&bot, share)| share * vector[bot as usize]).sum();
            for (&bot, share) in table.iter().zip(shares) {
                product[bot as usize] += weight * share * (vector[bot as usize] - mean);
            }
        }
        product
    }

    /// Draws a vector of mean 0 whose covariance it is.
    pub(super) fn draw_noise(&self, mut normal: impl FnMut() -> f64) -> Vec<f64> {
        let mut noise: Vec<f64> = self.prior.iter().map(|prior| prior.sqrt() * normal()).collect();
        for ((table, seats), &weight) in self.tables.iter_with_seats().zip(&self.weights) {
            let shares = &self.shares[seats];
            let mut all = 0.0;
            for (&bot, share) in table.iter().zip(shares) {
                let own = (weight * share).sqrt() * normal();
                noise[bot as usize] += own;
                all += own;
            }
            for (&bot, share) in table.iter().zip(shares) {
                noise[bot as usize] -= share * all;
            }
        }
        noise
    }

    /// Solves `information * solution = right` by conjugate gradients, preconditioned with the diagonal, until the residual is
    /// `reduction` of what it was.
    pub(super) fn solve(
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
            let image = self.times(&direction);
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

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
