//! Models' claims about their chances and wishes, compared with what happened.

use super::figures::{SCORE, SHARE, figure_column, interval_cell, interval_column, share_words, value_cell};
use crate::{
    Cell, Column, Section, Table,
    words::{count_words, join_words},
};
use lastnim_proto::pb;

/// Forecasts of one model, and the kind of question that they came with.
type ForecastLine<'a> = (&'a str, &'static str, &'a pb::ForecastFigures);

/// Reports how well the forecasts of models are calibrated.
pub(super) fn forecast_sections(models: &[pb::ModelFindings]) -> Vec<Section> {
    let lines: Vec<ForecastLine<'_>> = models
        .iter()
        .flat_map(|model| {
            [("rows", &model.row_forecasts), ("takes", &model.take_forecasts)]
                .map(|(beside, forecasts)| (model.bot.as_str(), beside, forecasts))
        })
        .filter_map(|(bot, beside, forecasts)| {
            Some((bot, beside, forecasts.as_ref().filter(|forecasts| forecasts.forecasts > 0)?))
        })
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let scores = Table::of_items(&lines)
        .column(Column::text("bot"), |&(bot, ..)| bot)
        .column(Column::text("beside"), |&(_, beside, _)| beside)
        .column(Column::integer("forecasts"), |(.., found)| found.forecasts)
        .column(Column::integer("happened"), |(.., found)| found.happened)
        .column(figure_column("Brier score", SCORE), |(.., found)| value_cell(found.brier_score.as_ref()))
        .column(interval_column("brier_score", SCORE), |(.., found)| {
            interval_cell(found.brier_score.as_ref())
        })
        .column(figure_column("score of the base rate", SCORE), |(.., found)| found.base_rate_score)
        .into_table();
    vec![
        Section::with_heading("Forecasts: the probability that the row's first choice wins")
            .table(scores)
            .paragraph("Brier score: lower is better, and an informative forecast scores less than the base rate. It is shown with at least 5 forecasts of each outcome."),
        Section::with_heading("Forecasts in steps of a tenth: the forecast, and how often it came true")
            .table(bin_table(&lines)),
    ]
}

fn bin_table(lines: &[ForecastLine<'_>]) -> Table {
    let mut table = Table::new([
        Column::text("bot"),
        Column::text("beside"),
        figure_column("from", SHARE),
        Column::integer("forecasts"),
        figure_column("mean", SHARE),
        figure_column("happened", SHARE),
    ]);
    for &(bot, beside, found) in lines {
        for bin in found.bins.iter().filter(|bin| bin.forecasts > 0) {
            let share = Cell::Fraction { part: small_count(bin.happened), whole: small_count(bin.forecasts) };
            table.push_row([
                bot.into(),
                beside.into(),
                bin.from.into(),
                bin.forecasts.into(),
                bin.mean.into(),
                share,
            ]);
        }
    }
    table
}

fn small_count(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Reports what models say they want, what they declare, and what their takes choose.
pub(super) fn want_section(models: &[pb::ModelFindings]) -> Section {
    let sentences = models.iter().filter_map(|model| Some((&model.bot, model.wants.as_ref()?)));
    Section::with_heading("What the models want: what they state, declare and choose")
        .list(sentences.flat_map(|(bot, wants)| want_sentences(bot, wants)))
        .paragraph(
            "A choice is a take that the model decided itself and that could have led to another winner.",
        )
}

fn want_sentences(bot: &str, wants: &pb::WantFigures) -> Vec<String> {
    let mut sentences = Vec::new();
    if wants.stated > 0 {
        sentences.push(format!(
            "{bot} stated whom it wants to win when it declared {}, and declared this seat first in {}",
            count_words(wants.stated, "row", "rows"),
            share_words(wants.declared_as_stated, wants.stated),
        ));
        sentences.push(format!(
            "{bot} chose the stated seat in {} choices that could lead to it",
            share_words(wants.stated_chosen, wants.stated_choices)
        ));
    }
    if wants.conflicts > 0 {
        sentences.push(format!(
            "{bot} had {} between the stated seat and another seat that is first in its row: it chose the stated seat {}, and the first seat {}",
            count_words(wants.conflicts, "choice", "choices"),
            count_words(wants.conflicts_for_stated, "time", "times"),
            count_words(wants.conflicts_for_first, "time", "times"),
        ));
    }
    sentences.push(format!(
        "{bot} chose the first seat of its row in {} choices that could lead to it",
        share_words(wants.first_chosen, wants.first_choices)
    ));
    sentences.extend(wants.revealed.iter().map(|revealed| format!("{bot}{}", revealed_words(revealed))));
    sentences
}

fn revealed_words(revealed: &pb::RevealedRows) -> String {
    let what = if revealed.by_place { "places in the assigned row" } else { "offsets" };
    let fit = revealed.best_fit.as_ref().and_then(|fit| {
        let row = join_words(&fit.row.as_ref()?.offsets, " ");
        Some(format!(
            "; {row} fits best: {} are optimal for this row",
            share_words(fit.optimal_plies, fit.plies)
        ))
    });
    let explained = match revealed.rows_that_explain.as_ref().and_then(|rows| rows.count) {
        Some(0) => "no row makes all its own takes optimal".to_owned(),
        Some(rows) => format!(
            "{} all its own takes optimal",
            if rows == 1 { "1 row makes".to_owned() } else { format!("{rows} rows make") }
        ),
        None => "some rows make all its own takes optimal".to_owned(),
    };
    format!(
        " at tables of {}, by {what}, in {}: {explained}{}",
        revealed.seats,
        count_words(revealed.choices, "choice", "choices"),
        fit.unwrap_or_default()
    )
}
