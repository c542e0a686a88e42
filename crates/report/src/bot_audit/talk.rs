//! Tables of pacts and claims, a row for each bot.

use super::{
    comparisons::{interval_cell, value_cell},
    figures::{RANKS, SHARE, figure_column, interval_column},
};
use crate::{Column, ItemTable, NumberFormat, NumberUnit, Section, Table, words::count_with_noun};
use lastnim_proto::pb::{BotFindings, Estimate, TalkFigures};

/// The format of distances between rows, which are numbers of pairs of winners.
const PAIRS: NumberFormat = NumberFormat::new(NumberUnit::Count, 2);

/// A bot with its figures.
type Talker<'a> = (&'a str, &'a TalkFigures);

/// The headings of the sections on pacts and on claims in a report.
pub(super) const TALK_HEADINGS: [&str; 2] =
    ["Pacts, with 95% intervals over duplicate groups", "Claims, with 95% intervals over duplicate groups"];

/// Reports the pacts and the claims of the bots under these headings; no section if they played no match with talk.
pub(crate) fn talk_sections(bots: &[BotFindings], [pacts, claims]: [&str; 2]) -> Vec<Section> {
    let talkers: Vec<Talker<'_>> =
        bots.iter().filter_map(|found| Some((found.bot.as_str(), found.talk.as_ref()?))).collect();
    [pact_section(&talkers, pacts), claim_section(&talkers, claims)].into_iter().flatten().collect()
}

fn pact_section(talkers: &[Talker<'_>], heading: &str) -> Option<Section> {
    let is_any = |number: fn(&TalkFigures) -> u64| talkers.iter().any(|(_, talk)| number(talk) > 0);
    if !is_any(|talk| talk.matches + talk.hidden_matches) {
        return None;
    }
    // The numbers of a bot whose pacts may all be hidden are unknown.
    let if_talked = |talk: &TalkFigures, number: u64| (talk.matches > 0).then_some(number);
    let table = Table::of_items(talkers)
        .column(Column::text("bot"), |(bot, _)| (*bot).to_owned())
        .column(Column::integer("matches"), |(_, talk)| talk.matches)
        .column_if(is_any(|talk| talk.hidden_matches), Column::integer("hidden"), |(_, talk)| {
            talk.hidden_matches
        })
        .column(Column::integer("offered"), |(_, talk)| if_talked(talk, talk.offered))
        .column(Column::integer("signed"), |(_, talk)| if_talked(talk, talk.signed))
        .column(Column::integer("kept"), |(_, talk)| if_talked(talk, talk.kept))
        .column(Column::integer("broken"), |(_, talk)| if_talked(talk, talk.broken))
        .column(Column::integer("defaulted"), |(_, talk)| if_talked(talk, talk.defaulted))
        .column(Column::integer("tempted"), |(_, talk)| if_talked(talk, talk.tempted));
    let table = estimate_columns(table, "kept if tempted", SHARE, |talk| talk.kept_share.as_ref());
    let signed = NumberFormat { is_signed: true, ..RANKS };
    let table = estimate_columns(table, "value", signed, |talk| talk.value.as_ref());
    let table = estimate_columns(table, "harm done", signed, |talk| talk.harm_done.as_ref());
    let table = estimate_columns(table, "harm suffered", signed, |talk| talk.harm_suffered.as_ref())
        .column(Column::integer("contradictions"), |(_, talk)| if_talked(talk, talk.double_dealing))
        .into_table();
    let unknown: u64 = talkers.iter().map(|(_, talk)| talk.unknown_temptations).sum();
    let notes = [
        is_any(|talk| talk.hidden_matches).then(|| {
            "hidden: matches in which private messages may have signed pacts. No other column counts them.".to_owned()
        }),
        (unknown > 0).then(|| {
            let temptations = count_with_noun(unknown, "temptation takes", "temptations take");
            format!("{temptations} too long to find.")
        }),
    ];
    let section = Section::with_heading(heading).table(table).paragraph(
        "tempted: signed pacts that the bot kept or broke although another row would have gained it ranks. value: mean \
         ranks that a signed pact gains it if all keep it. harm: mean ranks per match with a signed pact that its breaches \
         cost the others together, and that the breaches of others cost it. Where rows are not dealt, these are not known.",
    );
    Some(section.paragraphs(notes.into_iter().flatten()))
}

fn claim_section(talkers: &[Talker<'_>], heading: &str) -> Option<Section> {
    let claims = |talk: &TalkFigures| talk.claims + talk.other_claims + talk.hidden_messages;
    if talkers.iter().all(|(_, talk)| claims(talk) == 0) {
        return None;
    }
    let is_any = |number: fn(&TalkFigures) -> u64| talkers.iter().any(|(_, talk)| number(talk) > 0);
    let table = Table::of_items(talkers)
        .column(Column::text("bot"), |(bot, _)| (*bot).to_owned())
        .column(Column::integer("claims"), |(_, talk)| talk.claims)
        .column_if(is_any(|talk| talk.other_claims), Column::integer("without dealt rows"), |(_, talk)| {
            talk.other_claims
        })
        .column_if(is_any(|talk| talk.hidden_messages), Column::integer("hidden messages"), |(_, talk)| {
            talk.hidden_messages
        });
    let table = estimate_columns(table, "true", SHARE, |talk| talk.true_share.as_ref());
    let table = estimate_columns(table, "distance", PAIRS, |talk| talk.distance.as_ref()).into_table();
    let section = Section::with_heading(heading).table(table).paragraph(
        "distance: mean pairs of winners that the claimed and the dealt row put in different orders.",
    );
    let hidden = is_any(|talk| talk.hidden_messages)
        .then_some("hidden messages: private messages that no record shows. Any of them can be a claim.");
    Some(section.paragraphs(hidden))
}

/// Adds a column for a figure, and one for its interval.
fn estimate_columns<'a, 'b>(
    table: ItemTable<'a, Talker<'b>>,
    label: &str,
    format: NumberFormat,
    estimate: impl Fn(&'b TalkFigures) -> Option<&'b Estimate> + Copy,
) -> ItemTable<'a, Talker<'b>> {
    let add_sign = |column: Column| if format.is_signed { column.with_sign() } else { column };
    table
        .column(add_sign(figure_column(label, format)), move |(_, talk)| value_cell(estimate(talk)))
        .column(add_sign(interval_column(&label.replace(' ', "_"), format)), move |(_, talk)| {
            interval_cell(estimate(talk))
        })
}
