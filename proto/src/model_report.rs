//! Converts statistics about language models to messages.

use super::pb;
use lastnim_auditing::{
    ForecastBin, ForecastFigures, RevealedRows, RowSource, SelectedTakeFigures, WishCounts, WishFigures,
};

impl From<&WishFigures> for pb::WishFigures {
    fn from(found: &WishFigures) -> Self {
        let WishCounts { misdeclared, gained, lost, won, would_have_won, conflicts, kept, broken } =
            found.counts;
        Self {
            plies: found.plies,
            regret_per_ply: found.regret_per_ply.map(Into::into),
            wanted_regret_per_ply: found.wanted_regret_per_ply.map(Into::into),
            misdeclared,
            gained,
            lost,
            gain_per_match: found.gain_per_match.map(Into::into),
            won,
            would_have_won,
            conflicts,
            kept,
            broken,
        }
    }
}

impl From<&SelectedTakeFigures> for pb::TakeFigures {
    fn from(figures: &SelectedTakeFigures) -> Self {
        Self {
            matches: figures.matches,
            plies: figures.plies,
            optimal_plies: figures.optimal_plies,
            regret: figures.regret,
            random_regret: figures.random_regret,
            accuracy: figures.accuracy.map(Into::into),
            regret_per_ply: figures.regret_per_ply.map(Into::into),
            saved_per_ply: figures.saved_per_ply.map(Into::into),
        }
    }
}

impl From<&RevealedRows> for pb::RevealedRows {
    fn from(revealed: &RevealedRows) -> Self {
        Self {
            seats: revealed.seats.get() as u32,
            by_place: revealed.source == RowSource::Assigned,
            choices: revealed.choices,
            best_fit: revealed.best_fit.as_ref().map(Into::into),
            rows_that_explain: Some((&revealed.rationalisable_rows).into()),
        }
    }
}

impl From<&ForecastFigures> for pb::ForecastFigures {
    fn from(figures: &ForecastFigures) -> Self {
        Self {
            forecasts: figures.forecasts,
            happened: figures.happened,
            brier_score: figures.brier_score.map(Into::into),
            base_rate_score: figures.base_rate_score,
            bins: figures.bins.iter().map(Into::into).collect(),
        }
    }
}

impl From<&ForecastBin> for pb::ForecastBin {
    fn from(&ForecastBin { from, forecasts, happened, mean }: &ForecastBin) -> Self {
        Self { from, forecasts, happened, mean }
    }
}
