//! Updates of the strengths by one match.

/// Maximum number of Newton steps in one update.
const MAX_STEPS: u32 = 100;
/// Newton's method stops when no strength changes by more than this in one step.
const TOLERANCE: f64 = 1e-9;
/// The most that a strength may change in one step. Further away, the curvature at the start of the step is
/// meaningless.
const MAX_STEP: f64 = 1.0;

/// How one match updates the strengths of the bots at its table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StrengthUpdate {
    /// A bot's strength changes by the product of this vector and the bot's covariances with the bots at the table.
    pub(super) gradient: Vec<f64>,
    /// The matrix G. If C are the covariances of all bots with the bots at the table, the update reduces all
    /// covariances by `C G C^T`.
    pub(super) precision: Vec<Vec<f64>>,
}

impl StrengthUpdate {
    /// Computes the update from scores with this error variance. Only the distances of the scores from the table's mean
    /// matter.
    ///
    /// Let m and S be the prior means and covariances of the strengths, y the scores and J the matrix of ones. The
    /// information in the scores is `W = (I - J / n) / variance`, and the strengths become `m + S G (y - m)` with
    /// `G = (I + W S)^-1 W`. This is exactly Bayes' rule for normal distributions.
    pub(super) fn of_scores(means: &[f64], covariances: &[Vec<f64>], scores: &[f64], variance: f64) -> Self {
        let share = 1.0 / means.iter().map(|_| 1.0).sum::<f64>();
        let entry = |one, other| (f64::from(u8::from(one == other)) - share) / variance;
        let information: Vec<Vec<f64>> =
            (0..means.len()).map(|one| (0..means.len()).map(|other| entry(one, other)).collect()).collect();
        let precision = solve_linear(identity_plus_product(&information, covariances), information);
        let missing: Vec<f64> = scores.iter().zip(means).map(|(score, mean)| score - mean).collect();
        Self { gradient: precision.iter().map(|row| dot_product(row, &missing)).collect(), precision }
    }

    /// Computes the update from the winner of a match.
    ///
    /// The most probable strengths x solve `x = m + S (w - p(x))`, where m and S are the prior means and covariances, w
    /// is 1 for the winner and 0 for the others, and p are the chances of winning. At these strengths, the match has
    /// the information `W = diag(p) - p p^T`, and all covariances are reduced by `C G C^T` with `G = W (I + S W)^-1`.
    pub(super) fn of_match(means: &[f64], covariances: &[Vec<f64>], won: &[f64]) -> Self {
        let mut strengths = means.to_vec();
        let mut step = vec![f64::INFINITY; means.len()];
        let (mut gradient, mut information) = log_chance_derivatives(&strengths, won);
        for _ in 0..MAX_STEPS {
            if step.iter().all(|step| step.abs() <= TOLERANCE) {
                break;
            }
            let missing: Vec<f64> = (0..means.len())
                .map(|bot| means[bot] + dot_product(&covariances[bot], &gradient) - strengths[bot])
                .collect();
            step = solve_linear(identity_plus_product(covariances, &information), vec![missing]).remove(0);
            let longest = step.iter().fold(MAX_STEP, |longest, step| longest.max(step.abs()));
            for (strength, step) in strengths.iter_mut().zip(&step) {
                *strength += step * MAX_STEP / longest;
            }
            (gradient, information) = log_chance_derivatives(&strengths, won);
        }
        // W and S are symmetric, so the transpose of G is (I + W S)^-1 W, and G is symmetric too.
        let precision = solve_linear(identity_plus_product(&information, covariances), information);
        Self { gradient, precision }
    }
}

/// Returns the first and the negated second derivatives of the log probability of the outcome.
fn log_chance_derivatives(strengths: &[f64], won: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let greatest = strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut chances: Vec<f64> = strengths.iter().map(|strength| (strength - greatest).exp()).collect();
    let sum: f64 = chances.iter().sum();
    for chance in &mut chances {
        *chance /= sum;
    }
    let gradient = won.iter().zip(&chances).map(|(won, chance)| won - chance).collect();
    let information = (0..chances.len())
        .map(|one| {
            let own_chance = |other| if one == other { chances[one] } else { 0.0 };
            (0..chances.len()).map(|other| own_chance(other) - chances[one] * chances[other]).collect()
        })
        .collect();
    (gradient, information)
}

/// Returns `I + one * other` for symmetric matrices.
fn identity_plus_product(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |row: usize, column: usize| {
        f64::from(u8::from(row == column)) + dot_product(&one[row], &other[column])
    };
    (0..one.len()).map(|row| (0..one.len()).map(|column| entry(row, column)).collect()).collect()
}

/// Solves `matrix * x = right` for each right side, by Gaussian elimination with pivoting.
fn solve_linear(mut matrix: Vec<Vec<f64>>, mut rights: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&one, &other| matrix[one][column].abs().total_cmp(&matrix[other][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        for right in &mut rights {
            right.swap(column, pivot);
        }
        let (above, below) = matrix.split_at_mut(column + 1);
        let pivot_row = &above[column];
        for (row, entries) in (column + 1..).zip(below) {
            let factor = entries[column] / pivot_row[column];
            for (entry, pivot) in entries[column..].iter_mut().zip(&pivot_row[column..]) {
                *entry -= factor * pivot;
            }
            for right in &mut rights {
                right[row] -= factor * right[column];
            }
        }
    }
    for right in &mut rights {
        for row in (0..size).rev() {
            let known = dot_product(&matrix[row][row + 1..], &right[row + 1..]);
            right[row] = (right[row] - known) / matrix[row][row];
        }
    }
    rights
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
