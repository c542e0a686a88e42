//! What models cost.

use super::figures::figure_column;
use crate::{Column, NumberFormat, NumberUnit, Section, Table, words::count_with_noun};
use lastnim_proto::pb;

const TOKENS: NumberFormat = NumberFormat::new(NumberUnit::Count, 0);
pub(super) const MONEY: NumberFormat = NumberFormat::new(NumberUnit::Points, 6);
pub(super) const SECONDS: NumberFormat = NumberFormat::new(NumberUnit::Count, 1);

/// Reports tokens, money and seconds per take, and per rank that the model saved compared with random takes.
pub(super) fn cost_section(models: &[pb::ModelFindings]) -> Section {
    let lines: Vec<_> = models.iter().filter_map(|model| Some((&model.bot, model.cost.as_ref()?))).collect();
    let total_cost = |cost: &pb::ModelCost| cost.in_all.unwrap_or_default();
    let table: Table = Table::of_items(&lines)
        .column(Column::text("bot"), |(bot, _)| (*bot).clone())
        .column(figure_column("tokens/take", TOKENS), |(_, cost)| cost.per_take.map(|rate| rate.tokens))
        .column(figure_column("money/take", MONEY), |(_, cost)| cost.per_take.map(|rate| rate.money))
        .column(figure_column("seconds/take", SECONDS), |(_, cost)| cost.per_take.map(|rate| rate.seconds))
        .column(figure_column("p50", SECONDS), |(_, cost)| cost.seconds_per_take.map(|seconds| seconds.p50))
        .column(figure_column("p95", SECONDS), |(_, cost)| cost.seconds_per_take.map(|seconds| seconds.p95))
        .column(figure_column("tokens/rank", TOKENS), |(_, cost)| cost.per_saved_rank.map(|rate| rate.tokens))
        .column(figure_column("money/rank", MONEY), |(_, cost)| cost.per_saved_rank.map(|rate| rate.money))
        .column(figure_column("seconds/rank", SECONDS), |(_, cost)| {
            cost.per_saved_rank.map(|rate| rate.seconds)
        })
        .column(Column::integer("tokens in all"), |(_, cost)| total_cost(cost).tokens)
        .column(figure_column("money in all", MONEY), |(_, cost)| total_cost(cost).money)
        .into_table();
    let uncounted = lines.iter().map(|(_, cost)| total_cost(cost).calls_without_cost).sum::<u64>();
    let calls =
        count_with_noun(uncounted, "call has no stated cost, and is", "calls have no stated cost, and are");
    let uncounted = (uncounted > 0).then(|| format!("{calls} counted as free."));
    Section::with_heading(
        "Cost: per take, and per rank saved by the model's own takes compared with random takes",
    )
    .table(table)
    .paragraphs(uncounted)
}
