//! Models' claims about their chances and wishes, compared with what happened.

use super::figures::{
    RANKS, SCORE, SHARE, figure_column, interval_cell, interval_column, share_text, value_cell,
};
use crate::{
    Cell, Column, Section, Table,
    words::{count_with_noun, join_items},
};
use lastnim_proto::pb;

/// The maximum number of rows listed for a model.
const MAX_LISTED_ROWS: usize = 8;

/// The bot of a model, the kind of question that its forecasts came with, and the figures of these forecasts.
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
        .column(Column::text("made with").with_key("beside"), |&(_, beside, _)| beside)
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
            .paragraph("Brier score: lower is better, and an informative forecast scores less than the base rate. It is shown if at least 5 forecasts came true and at least 5 did not."),
        Section::with_heading("Forecasts in steps of a tenth: the forecast, and how often it came true")
            .table(bin_table(&lines)),
    ]
}

fn bin_table(lines: &[ForecastLine<'_>]) -> Table {
    let mut table = Table::new([
        Column::text("bot"),
        Column::text("made with").with_key("beside"),
        figure_column("from", SHARE),
        Column::integer("forecasts"),
        figure_column("mean", SHARE),
        figure_column("happened", SHARE),
    ]);
    for &(bot, beside, found) in lines {
        for bin in found.bins.iter().filter(|bin| bin.forecasts > 0) {
            let share =
                Cell::Fraction { part: saturating_u32(bin.happened), whole: saturating_u32(bin.forecasts) };
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

fn saturating_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Reports what models say they want, what they declare, and what their takes choose.
pub(super) fn want_sections(models: &[pb::ModelFindings]) -> Vec<Section> {
    let wants = || models.iter().filter_map(|model| Some((model.bot.as_str(), model.wants.as_ref()?)));
    let wishes: Vec<_> = wants().filter_map(|(bot, wants)| Some((bot, wants.wishes.as_ref()?))).collect();
    let rows = declared_row_table(wants());
    let rows = (!rows.rows.is_empty()).then(|| {
        Section::with_heading("Rows that the models declared").table(rows).paragraph(
            "A row lists offsets from the bot's own seat (0), the preferred winner first; 1 moves next.",
        )
    });
    let plans = models.iter().filter_map(|model| Some(plan_sentence(&model.bot, model.plans.as_ref()?)));
    let sentences = Section::with_heading("What the models want: what they state, declare and choose")
        .list(wants().flat_map(|(bot, wants)| want_sentences(bot, wants)).chain(plans))
        .paragraph(
            "A choice is a take that the model decided itself and that could have led to another winner.",
        );
    let wishes = (!wishes.is_empty()).then(|| {
        Section::with_heading("Ranks by the declared row and by the wanted row")
            .table(wish_table(&wishes))
            .paragraph("The wanted row is the declared row with the stated seat moved to the front. Regret: ranks lost per take, measured by each row. Other rows: matches in which the two rows differ. Gain: the ranks, in the wanted row, by which declaring the other row improved the winner under optimal play.")
    });
    rows.into_iter().chain([sentences]).chain(wishes).collect()
}

/// Tabulates the declared rows of each model, the most frequent first.
fn declared_row_table<'a>(wants: impl Iterator<Item = (&'a str, &'a pb::WantFigures)>) -> Table {
    let mut table = Table::new([
        Column::text("bot"),
        Column::integer("seats"),
        Column::text("row"),
        Column::integer("matches"),
        figure_column("share", SHARE),
    ]);
    for (bot, wants) in wants {
        let all = wants.rows.iter().map(|declared| declared.matches).sum();
        for declared in wants.rows.iter().take(MAX_LISTED_ROWS) {
            let offsets = declared.row.as_ref().map_or(&[][..], |row| &row.offsets);
            table.push_row([
                bot.into(),
                offsets.len().into(),
                join_items(offsets, " ").into(),
                declared.matches.into(),
                Cell::Fraction { part: saturating_u32(declared.matches), whole: saturating_u32(all) },
            ]);
        }
    }
    table
}

fn wish_table(wishes: &[(&str, &pb::WishFigures)]) -> Table {
    Table::of_items(wishes)
        .column(Column::text("bot"), |&(bot, _)| bot)
        .column(Column::integer("takes"), |(_, found)| found.plies)
        .column(figure_column("regret/take", RANKS), |(_, found)| value_cell(found.regret_per_ply.as_ref()))
        .column(interval_column("regret_per_take", RANKS), |(_, found)| {
            interval_cell(found.regret_per_ply.as_ref())
        })
        .column(figure_column("wanted regret", RANKS), |(_, found)| {
            value_cell(found.wanted_regret_per_ply.as_ref())
        })
        .column(interval_column("wanted_regret_per_take", RANKS), |(_, found)| {
            interval_cell(found.wanted_regret_per_ply.as_ref())
        })
        .column(Column::integer("other rows"), |(_, found)| found.misdeclared)
        .column(figure_column("gain", RANKS).with_sign(), |(_, found)| {
            value_cell(found.gain_per_match.as_ref())
        })
        .column(interval_column("gain_per_match", RANKS).with_sign(), |(_, found)| {
            interval_cell(found.gain_per_match.as_ref())
        })
        .into_table()
}

fn want_sentences(bot: &str, wants: &pb::WantFigures) -> Vec<String> {
    let mut sentences = Vec::new();
    if wants.stated > 0 {
        sentences.push(format!(
            "with {}, {bot} named the seat that it wanted to win; {} of these rows put that seat first",
            count_with_noun(wants.stated, "row", "rows"),
            share_text(wants.declared_as_stated, wants.stated),
        ));
        sentences.push(format!(
            "of {bot}'s choices that could have led to a win for that seat, {} did",
            share_text(wants.stated_chosen, wants.stated_choices)
        ));
    }
    let wishes = wants.wishes.unwrap_or_default();
    if wishes.misdeclared > 0 {
        sentences.push(format!(
            "{bot} declared a row other than the one that it wanted in {}: under optimal play, this led to a winner that it preferred in {}, and to one that it liked less in {}; the stated seat won {}, and would have won {} if {bot} had declared the row that it wanted and all had played optimally",
            count_with_noun(wishes.misdeclared, "match", "matches"),
            wishes.gained,
            wishes.lost,
            wishes.won,
            wishes.would_have_won,
        ));
    }
    if wishes.conflicts > 0 {
        sentences.push(format!(
            "{bot} had {} between its declared row and the seat that it said it wanted to win: it followed the row {}, favoured that seat {}, and did neither {}",
            count_with_noun(wishes.conflicts, "choice", "choices"),
            count_with_noun(wishes.kept, "time", "times"),
            count_with_noun(wishes.broken, "time", "times"),
            count_with_noun(wishes.conflicts.saturating_sub(wishes.kept + wishes.broken), "time", "times"),
        ));
    }
    sentences.push(format!(
        "of {bot}'s choices that could have led to a win for the first seat of its row, {} did",
        share_text(wants.first_chosen, wants.first_choices)
    ));
    sentences.extend(wants.revealed.iter().map(|revealed| format!("{bot}{}", revealed_rows_text(revealed))));
    sentences
}

fn plan_sentence(bot: &str, plans: &pb::PlanFigures) -> String {
    format!(
        "with {}, {bot} named the seat that it would play for from then on: {} of these takes led to a win for that seat under optimal play; in later choices {bot} kept to {} and broke {}; no choice tested the other plans",
        count_with_noun(plans.stated, "take", "takes"),
        plans.led,
        count_with_noun(plans.kept, "plan", "plans"),
        plans.broken,
    )
}

fn revealed_rows_text(revealed: &pb::RevealedRows) -> String {
    let what = if revealed.by_place { "places in the assigned row" } else { "offsets" };
    let fit = revealed.best_fit.as_ref().and_then(|fit| {
        let row = join_items(&fit.row.as_ref()?.offsets, " ");
        Some(format!(
            "; {row} fits best: {} of its takes are optimal for this row",
            share_text(fit.optimal_plies, fit.plies)
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
        count_with_noun(revealed.choices, "choice", "choices"),
        fit.unwrap_or_default()
    )
}
