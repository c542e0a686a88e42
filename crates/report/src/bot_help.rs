//! Which bots gained and lost by the takes of a bot, for pages.

use super::{Column, Section, Table, words::count_with_noun};
use lastnim_proto::pb;

/// The maximum number of ordered pairs shown.
const MAX_PAIRS: usize = 40;

/// Returns the pairs in which a take cost or gave the other bot places; first those in which `bot` took.
pub(super) fn affected_pairs<'a>(bot: &str, pairs: &'a [pb::PairFindings]) -> Vec<&'a pb::PairFindings> {
    let mut pairs: Vec<_> = pairs.iter().filter(|pair| pair.cost > 0 || pair.gave > 0).collect();
    pairs.sort_by_key(|pair| (pair.mover != bot, std::cmp::Reverse(pair.gave.max(pair.cost))));
    pairs
}

/// Says which bots gained and lost most by the takes of the bot, and whose takes it gained and lost most by.
pub(super) fn help_sentences(bot: &str, pairs: &[&pb::PairFindings]) -> Vec<String> {
    if pairs.is_empty() {
        return vec!["No take gave another bot places, or cost it places.".to_owned()];
    }
    let own_pairs = || pairs.iter().filter(|pair| pair.mover == bot);
    let other_pairs = || pairs.iter().filter(|pair| pair.other == bot && pair.mover != bot);
    let places = |count: i64| count_with_noun(count.unsigned_abs(), "place", "places");
    // The ledger is what the takes cost minus what they gave.
    let most = |pair: Option<&&pb::PairFindings>| pair.map(|pair| (*pair).clone());
    let helped = most(own_pairs().min_by_key(|pair| pair.ledger)).filter(|pair| pair.ledger < 0);
    let hurt = most(own_pairs().max_by_key(|pair| pair.ledger)).filter(|pair| pair.ledger > 0);
    let supporter = most(other_pairs().min_by_key(|pair| pair.ledger)).filter(|pair| pair.ledger < 0);
    let rival = most(other_pairs().max_by_key(|pair| pair.ledger)).filter(|pair| pair.ledger > 0);
    let sentences = [
        helped.map(|pair| {
            format!(
                "Its takes helped {} most: they gave it {} more than they cost it.",
                pair.other,
                places(pair.ledger)
            )
        }),
        hurt.map(|pair| {
            format!(
                "Its takes hurt {} most: they cost it {} more than they gave it.",
                pair.other,
                places(pair.ledger)
            )
        }),
        supporter.map(|pair| {
            format!(
                "The takes of {} helped it most: they gave it {} more than they cost it.",
                pair.mover,
                places(pair.ledger)
            )
        }),
        rival.map(|pair| {
            format!(
                "The takes of {} hurt it most: they cost it {} more than they gave it.",
                pair.mover,
                places(pair.ledger)
            )
        }),
    ];
    let sentences: Vec<_> = sentences.into_iter().flatten().collect();
    if sentences.is_empty() {
        return vec!["Its takes gave every other bot as many places as they cost it.".to_owned()];
    }
    vec![sentences.join(" ")]
}

/// Reports how many places the takes of each bot cost and gave the others.
pub(super) fn pair_section(pairs: &[&pb::PairFindings]) -> Section {
    let ledger = |pair: &&pb::PairFindings| -pair.ledger;
    let table = Table::of_items(pairs)
        .column(Column::text("takes of").with_key("bot"), |pair| pair.mover.clone())
        .column(Column::text("other bot").with_key("bot"), |pair| pair.other.clone())
        .column(Column::integer("matches").with_meaning("matches in which both played"), |pair| pair.matches)
        .column(Column::integer("errors").with_meaning("takes by which the bot itself lost places"), |pair| {
            pair.errors
        })
        .column(Column::integer("cost").with_meaning("places that the takes cost the other bot"), |pair| {
            pair.cost
        })
        .column(Column::integer("gave").with_meaning("places that the takes gave the other bot"), |pair| {
            pair.gave
        })
        .column(
            Column::integer("net").with_sign().with_meaning("what they gave minus what they cost"),
            ledger,
        )
        .into_table();
    let more = pairs.len().saturating_sub(MAX_PAIRS) as u64;
    let more = (more > 0).then(|| format!("{} not shown.", count_with_noun(more, "more pair", "more pairs")));
    Section::with_heading("What the takes of each bot cost and gave each other bot")
        .table(Table { max_shown: Some(MAX_PAIRS), ..table })
        .paragraphs(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_net_effect_no_bot_is_named() {
        let sentences = |pairs: &[pb::PairFindings]| help_sentences("ann", &affected_pairs("ann", pairs));
        assert_eq!(sentences(&[]), ["No take gave another bot places, or cost it places."]);
        let even = pb::PairFindings {
            mover: "ann".into(),
            other: "bob".into(),
            cost: 2,
            gave: 2,
            ..Default::default()
        };
        assert_eq!(sentences(&[even]), ["Its takes gave every other bot as many places as they cost it."]);
    }
}
