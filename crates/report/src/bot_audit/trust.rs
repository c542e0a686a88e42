//! A table of bots that made pacts with a bot that had broken one before.

use super::{
    comparisons::{interval_cell, value_cell},
    figures::{RANKS, SHARE, figure_column, interval_column},
};
use crate::{Column, NumberFormat, Section, Table, words::count_with_noun};
use lastnim_proto::pb::{PairFindings, TrustFigures};
use std::cmp::Reverse;

/// The maximum number of pairs shown.
const MAX_PAIRS: usize = 40;

/// A pair with its figures before and after the first breach.
type TrustingPair<'a> = (&'a PairFindings, &'a TrustFigures, &'a TrustFigures);

/// The heading of the section in a report.
pub(super) const TRUST_HEADING: &str = "Trust: pacts with a bot before and after it first broke one of them, with 95% intervals over duplicate groups";

/// Reports each bot that played with a partner after that partner had broken a pact with it; `None` if there is no such
/// bot.
pub(crate) fn trust_section(pairs: &[PairFindings], heading: &str) -> Option<Section> {
    let trusting = pairs.iter().filter_map(|pair| {
        let trust = pair.trust.as_ref()?;
        let (before, after) = (trust.unbroken.as_ref()?, trust.broken.as_ref()?);
        (after.matches > 0).then_some((pair, before, after))
    });
    let mut pairs: Vec<TrustingPair<'_>> = trusting.collect();
    if pairs.is_empty() {
        return None;
    }
    // What was lost by pacts after a breach matters most.
    pairs.sort_by_key(|(_, _, after)| Reverse((after.harm, after.signed)));
    let signed = NumberFormat { is_signed: true, ..RANKS };
    let table = Table::of_items(&pairs)
        .column(Column::text("bot"), |(pair, ..)| pair.mover.clone())
        .column(Column::text("partner"), |(pair, ..)| pair.other.clone())
        .column(Column::integer("matches before"), |(_, before, _)| before.matches)
        .column(figure_column("offers before", SHARE), |(_, before, _)| {
            value_cell(before.offer_share.as_ref())
        })
        .column(Column::integer("invited before"), |(_, before, _)| before.invitations)
        .column(figure_column("accepted before", SHARE), |(_, before, _)| {
            value_cell(before.accepted_share.as_ref())
        })
        .column(interval_column("accepted_before", SHARE), |(_, before, _)| {
            interval_cell(before.accepted_share.as_ref())
        })
        .column(Column::integer("matches after"), |(.., after)| after.matches)
        .column(figure_column("offers after", SHARE), |(.., after)| value_cell(after.offer_share.as_ref()))
        .column(Column::integer("invited after"), |(.., after)| after.invitations)
        .column(figure_column("accepted after", SHARE), |(.., after)| {
            value_cell(after.accepted_share.as_ref())
        })
        .column(interval_column("accepted_after", SHARE), |(.., after)| {
            interval_cell(after.accepted_share.as_ref())
        })
        .column(Column::integer("signed after"), |(.., after)| after.signed)
        .column(Column::integer("broken after"), |(.., after)| after.breaches)
        .column(figure_column("price", signed).with_sign(), |(.., after)| value_cell(after.price.as_ref()))
        .column(interval_column("price", signed).with_sign(), |(.., after)| {
            interval_cell(after.price.as_ref())
        })
        .into_table();
    let more = pairs.len().saturating_sub(MAX_PAIRS);
    let more = (more > 0).then(|| format!("{} not shown.", count_with_noun(more, "more pair", "more pairs")));
    let section = Section::with_heading(heading).table(Table { max_shown: Some(MAX_PAIRS), ..table });
    Some(section.paragraphs(more).paragraph(
        "accepted: of the pacts with the partner that the bot was invited to sign, the share that it accepted. offers: \
         the share of matches in which it offered one. price: mean ranks that the partner's breaches cost it per pact \
         signed after the first breach in a match with dealt rows. after: matches that began once the rows with that \
         breach were revealed.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::csv_text;
    use lastnim_proto::pb::{Estimate, Trust};

    #[test]
    fn only_pairs_with_a_broken_pact_are_shown() {
        let estimate = |value| Some(Estimate { value, too_few_groups: Some(4), ..Estimate::default() });
        let before = TrustFigures {
            matches: 3,
            invitations: 2,
            accepted: 2,
            offer_share: estimate(0.25),
            accepted_share: estimate(1.0),
            ..TrustFigures::default()
        };
        let after = TrustFigures {
            matches: 4,
            invitations: 4,
            signed: 2,
            breaches: 1,
            harm: 2,
            accepted_share: estimate(0.5),
            price: estimate(1.0),
            ..TrustFigures::default()
        };
        let pair = |mover: &str, broken: TrustFigures| PairFindings {
            mover: mover.to_owned(),
            other: "cid".to_owned(),
            trust: Some(Trust { unbroken: Some(before), broken: Some(broken) }),
            ..PairFindings::default()
        };
        let kept = pair("ann", TrustFigures::default());
        assert_eq!(trust_section(&[kept.clone(), PairFindings::default()], "Trust"), None);
        let section = trust_section(&[kept, pair("bob", after)], "Trust").unwrap();
        let csv = csv_text(&section.into());
        let rows: Vec<_> = csv.lines().collect();
        assert_eq!(rows.len(), 2, "{csv}");
        assert!(rows[1].starts_with("bob,cid,3,0.25,2,1"), "{csv}");
    }
}
