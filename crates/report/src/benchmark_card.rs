//! Benchmark cards.

use super::{
    Cell, Column, MarkShape, NumberFormat, NumberUnit, Plot, PlotMark, Report, Section, Table,
    words::count_with_noun,
};
use lastnim_core::referee::PublicKey;
use lastnim_proto::pb;
use pb::benchmark_player::Kind;

/// Reports a card and its signer.
pub fn benchmark_card_report(card: &pb::BenchmarkCard, signer: &PublicKey) -> Report {
    let section = Section::new().paragraphs(loss_line(card)).table(tier_table(&card.tiers));
    let section =
        section.plot(loss_plot(&card.tiers)).paragraphs(failure_lines(card)).paragraphs(model_lines(card));
    let section = section.paragraph(playing_conditions(card)).paragraph(format!("Cite: {}", citation(card)));
    let section =
        section.paragraph(format!("Signed by {signer}. The records prove the figures, but not who played."));
    Report::with_title(card_title(card)).with_section(section)
}

/// Returns the title of a card.
pub fn card_title(card: &pb::BenchmarkCard) -> String {
    format!("Benchmark {}: {}", card.set, player_text(card.player.as_ref()))
}

/// Describes the player.
pub fn player_text(player: Option<&pb::BenchmarkPlayer>) -> String {
    match player.and_then(|player| player.kind.as_ref()) {
        None => "a bot of an unknown kind".to_owned(),
        Some(Kind::HouseBot(name)) => format!("house bot {name}"),
        Some(Kind::Program(program)) => program.name.clone(),
        Some(Kind::Model(model)) => format!("model {}", model.model),
    }
}

/// Returns the text with which to cite a card: figures, number of items, set and program.
pub fn citation(card: &pb::BenchmarkCard) -> String {
    let figures = card.loss.as_ref().map_or_else(
        || card.tiers.iter().map(tier_text).collect::<Vec<_>>().join(", "),
        |loss| format!("loss {}", format_figure(loss)),
    );
    let items = count_with_noun(item_count(card), "item", "items");
    format!(
        "{}, {}, {figures}, 95% intervals, {items}, lastnim {}",
        card.set,
        player_text(card.player.as_ref()),
        card.program_version
    )
}

fn tier_text(tier: &pb::BenchmarkTier) -> String {
    format!("tier {}: loss {}", tier.tier, tier.loss.as_ref().map(format_figure).unwrap_or_default())
}

fn item_count(card: &pb::BenchmarkCard) -> u64 {
    card.tiers.iter().map(|tier| u64::from(tier.items)).sum()
}

/// Formats a figure with its interval.
pub fn format_figure(figure: &pb::LossFigure) -> String {
    format!("{:.3} ({:.3} to {:.3})", figure.value, figure.low, figure.high)
}

fn loss_line(card: &pb::BenchmarkCard) -> Option<String> {
    let loss = card.loss.as_ref()?;
    Some(format!(
        "Loss {}: the share of a match's ranks that the bot lost by its own takes, averaged over the tiers; lower is better.",
        format_figure(loss)
    ))
}

fn tier_table(tiers: &[pb::BenchmarkTier]) -> Table {
    let figure =
        |figure: Option<&pb::LossFigure>| figure.map_or(Cell::NONE, |figure| format_figure(figure).into());
    Table::of_items(tiers)
        .column(Column::integer("tier"), |tier| tier.tier)
        .column(Column::integer("items"), |tier| tier.items)
        .column(
            Column::text("ended by").with_key("over_by").with_meaning(
                "why the tier ended: the interval was narrow enough, or the item limit was reached",
            ),
            |tier| match tier.stop() {
                pb::BenchmarkStop::Width => "width",
                pb::BenchmarkStop::Items => "items",
                pb::BenchmarkStop::Unspecified => "?",
            },
        )
        .column(
            Column::text("loss").with_meaning(
                "share of a match's ranks lost by the bot's own takes; all ranks if the seat was lost",
            ),
            |tier| figure(tier.loss.as_ref()),
        )
        .column(
            Column::text("first take")
                .with_meaning("loss of the first take only, whose difficulty defines the tier"),
            |tier| figure(tier.first_take_loss.as_ref()),
        )
        .column(
            Column::text("seat kept").with_meaning("loss in the matches in which the bot kept its seat"),
            |tier| figure(tier.kept_seat_loss.as_ref()),
        )
        .column(
            Column::number("accuracy", NumberUnit::Share, 1)
                .with_meaning("share of the bot's own takes that were optimal"),
            |tier| Cell::Fraction { part: tier.optimal_takes, whole: tier.takes },
        )
        .column(Column::integer("wins"), |tier| tier.wins)
        .column(Column::integer("seats lost"), lost_seats)
        .column(Column::integer("illegal takes"), |tier| tier.illegal_takes)
        .into_table()
}

fn lost_seats(tier: &pb::BenchmarkTier) -> u32 {
    tier.lost_seats.iter().map(|lost| lost.count).sum()
}

fn loss_plot(tiers: &[pb::BenchmarkTier]) -> Plot {
    let marks = tiers.iter().filter_map(|tier| {
        let loss = tier.loss.as_ref()?;
        Some(PlotMark {
            label: format!("tier {}", tier.tier),
            value: loss.value,
            interval: Some((loss.low, loss.high)),
        })
    });
    Plot {
        caption: "Loss by tier, with its 95% interval".to_owned(),
        shape: MarkShape::Intervals,
        format: NumberFormat::new(NumberUnit::Points, 2),
        marks: marks.collect(),
    }
}

/// Describes the lost seats, the illegal takes and the strikes, which are separate from the quality of play.
fn failure_lines(card: &pb::BenchmarkCard) -> Vec<String> {
    let lost: u32 = card.tiers.iter().map(lost_seats).sum();
    let illegal: u32 = card.tiers.iter().map(|tier| tier.illegal_takes).sum();
    let strikes: u32 = card.tiers.iter().map(|tier| tier.strikes).sum();
    if lost + strikes == 0 {
        return vec!["No failures.".to_owned()];
    }
    let reasons = (1..=6).filter_map(|number| {
        let reason = pb::ForfeitReason::try_from(number).ok()?;
        let seats = card.tiers.iter().flat_map(|tier| &tier.lost_seats);
        let count: u32 = seats.filter(|lost| lost.reason() == reason).map(|lost| lost.count).sum();
        let word =
            reason.as_str_name().trim_start_matches("FORFEIT_REASON_").to_lowercase().replace('_', " ");
        (count > 0).then(|| format!("{word}: {count}"))
    });
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let reasons = if lost == 0 { String::new() } else { format!(" ({reasons})") };
    let seats = count_with_noun(u64::from(lost), "seat", "seats");
    let takes = count_with_noun(u64::from(illegal), "illegal take", "illegal takes");
    let strikes = count_with_noun(u64::from(strikes), "strike", "strikes");
    vec![format!(
        "Failures: {seats} lost{reasons}, {takes}, {strikes}. A lost seat counts as a loss of all ranks."
    )]
}

/// Says how many questions a model answered, how its calls failed, and how many tokens they took; empty for other
/// players.
fn model_lines(card: &pb::BenchmarkCard) -> Vec<String> {
    let Some(Kind::Model(model)) = card.player.as_ref().and_then(|player| player.kind.as_ref()) else {
        return Vec::new();
    };
    let shares = |shares: &[pb::FailureShare]| {
        let entries = shares
            .iter()
            .map(|share| format!("{} {} ({:.1}%)", share.count, share.failure, 100.0 * share.share));
        let entries = entries.collect::<Vec<_>>().join(", ");
        if entries.is_empty() { "none".to_owned() } else { entries }
    };
    let mut lines = vec![
        format!(
            "Model {} at {}, asked with {}: {}, {} answered by the model; not answered: {} (policy: {}).",
            model.model,
            model.endpoint,
            model.mode,
            count_with_noun(model.questions, "question", "questions"),
            model.answered,
            shares(&model.unanswered),
            model.on_failure
        ),
        format!(
            "{}, failed: {}; tokens: {} in prompts, {} in replies.",
            count_with_noun(model.calls, "call", "calls"),
            shares(&model.failed_calls),
            model.prompt_tokens,
            model.completion_tokens
        ),
    ];
    if model.unknown_takes > 0 {
        let takes = count_with_noun(u64::from(model.unknown_takes), "take", "takes");
        lines.push(format!(
            "The transcript has no question for {takes}, so it is unknown whether calls failed there."
        ));
    }
    lines
}

fn playing_conditions(card: &pb::BenchmarkCard) -> String {
    let rule = card.rule.unwrap_or_default();
    let bank = rule.clock.unwrap_or_default().initial_ms;
    format!(
        "Run with lastnim {}: {}, at most {} per tier; a tier ends when its interval is at most {} wide; each seat's clock starts with {} s.",
        card.program_version,
        count_with_noun(item_count(card), "item", "items"),
        rule.max_items,
        rule.width,
        f64::from(bank) / 1000.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_seats_are_counted_by_reason() {
        let lost_count =
            |reason: pb::ForfeitReason, count| pb::LostSeatCount { reason: reason.into(), count };
        let tier =
            |lost_seats| pb::BenchmarkTier { lost_seats, illegal_takes: 2, strikes: 3, ..Default::default() };
        let card = pb::BenchmarkCard {
            tiers: vec![
                tier(vec![
                    lost_count(pb::ForfeitReason::TimedOut, 1),
                    lost_count(pb::ForfeitReason::Strikes, 1),
                ]),
                tier(vec![lost_count(pb::ForfeitReason::Strikes, 2)]),
            ],
            ..Default::default()
        };
        let expected = "Failures: 4 seats lost (timed out: 1, strikes: 3), 4 illegal takes, 6 strikes. A lost seat counts as a loss of all ranks.";
        assert_eq!(failure_lines(&card), [expected]);
        assert_eq!(failure_lines(&pb::BenchmarkCard::default()), ["No failures."]);
    }

    #[test]
    fn a_partial_card_is_cited_by_its_tiers() {
        let loss = pb::LossFigure { value: 0.25, low: 0.125, high: 0.5 };
        let tier = pb::BenchmarkTier { tier: 2, items: 7, loss: Some(loss), ..Default::default() };
        let player = pb::BenchmarkPlayer { kind: Some(Kind::HouseBot("greedy".to_owned())) };
        let card = pb::BenchmarkCard {
            set: "lastnim-1".to_owned(),
            program_version: "0.2.0".to_owned(),
            player: Some(player),
            tiers: vec![tier],
            ..Default::default()
        };
        assert_eq!(
            citation(&card),
            "lastnim-1, house bot greedy, tier 2: loss 0.250 (0.125 to 0.500), 95% intervals, 7 items, lastnim 0.2.0"
        );
        let whole = pb::BenchmarkCard { loss: Some(loss), ..card };
        assert!(
            citation(&whole).contains("greedy, loss 0.250 (0.125 to 0.500), 95%"),
            "{}",
            citation(&whole)
        );
    }
}
