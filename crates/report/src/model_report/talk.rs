//! What models said before their rows.

use super::{
    cost::{MONEY, SECONDS},
    figures::{SHARE, figure_column},
};
use crate::{Column, Section, Table};
use lastnim_proto::pb;

/// Reports how often each model answered in talk, what it sent, and what that cost; `None` if none was in talk.
pub(super) fn talk_section(models: &[pb::ModelFindings]) -> Option<Section> {
    let talkers = models.iter().filter_map(|model| {
        let talk = model.talk.as_ref()?;
        Some((&model.bot, talk, talk.rounds.as_ref()?))
    });
    let talkers: Vec<_> = talkers.collect();
    if talkers.is_empty() {
        return None;
    }
    let spending = |talk: &pb::TalkCounts| talk.spending.unwrap_or_default();
    let table = Table::of_items(&talkers)
        .column(Column::text("bot"), |(bot, ..)| (*bot).clone())
        .column(Column::integer("rounds"), |(.., rounds)| rounds.asked)
        .column(Column::integer("answered"), |(.., rounds)| rounds.answered)
        .column(figure_column("share", SHARE), |(.., rounds)| rounds.answered_share)
        .column(Column::integer("texts"), |(_, talk, _)| talk.texts)
        .column(Column::integer("claims"), |(_, talk, _)| talk.claims)
        .column(Column::integer("offers"), |(_, talk, _)| talk.offers)
        .column(Column::integer("acceptances"), |(_, talk, _)| talk.acceptances)
        .column(Column::integer("private"), |(_, talk, _)| talk.private)
        .column(Column::integer("refused"), |(_, talk, _)| talk.refused)
        .column(Column::integer("tokens"), |(_, talk, _)| spending(talk).tokens)
        .column(figure_column("money", MONEY), |(_, talk, _)| spending(talk).money)
        .column(figure_column("seconds", SECONDS), |(_, talk, _)| spending(talk).seconds)
        .into_table();
    Some(Section::with_heading("Talk: what the models said before their rows").table(table).paragraph(
        "private: texts and claims to some seats only; refused: messages that are not in the records, because the server refused them or they came too late.",
    ))
}
