//! How likely the tests of an audit would have been to find help between bots.

use super::{Column, NumberUnit, Section, Table};
use lastnim_proto::pb;

/// Tabulates how likely the tests would have been to find help between two bots of this field; `None` if that is
/// unknown.
pub(super) fn help_power_table(powers: &[pb::HelpPower]) -> Option<Table> {
    let first = powers.first()?;
    let share_powers: Vec<&pb::HelpPower> =
        powers.iter().filter(|power| power.share.total_cmp(&first.share).is_eq()).collect();
    let powers_of_kind = |kind: i32| powers.iter().filter(move |power| power.kind == kind);
    let mut table =
        Table::of_items(&share_powers).column(Column::text("help"), |power| help_kind_text(power.kind()));
    for (at, power) in powers_of_kind(first.kind).enumerate() {
        let share = 100.0 * power.share;
        let column = Column::number(format!("in {share:.0}% of groups"), NumberUnit::Share, 0)
            .with_key(format!("in_{share:.0}_percent"));
        table =
            table.column(column, move |power| powers_of_kind(power.kind).nth(at).map(|power| power.chance));
    }
    Some(table.into_table())
}

/// Reports how likely the tests would have been to find help between two bots of this field; `None` if that is unknown.
pub(super) fn help_power_section(powers: &[pb::HelpPower]) -> Option<Section> {
    Some(
        Section::with_heading("What this audit would have found: the chance that help would have been significant")
            .table(help_power_table(powers)?)
            .paragraph(
                "Simulated: two bots of this field that met each other give help in this share of their distinct groups, and all others play as they did. A flag also needs a favour that is large and costs its bot enough: rare help can be too small for that.",
            ),
    )
}

fn help_kind_text(kind: pb::HelpKind) -> &'static str {
    match kind {
        pb::HelpKind::Unspecified => "unknown",
        pb::HelpKind::MutualDeclarations => "each ranks the other above all third bots",
        pb::HelpKind::OneWayDeclarations => "one ranks the other first",
        pb::HelpKind::MutualTakes => "each opens matches with the best take for the other",
        pb::HelpKind::OneWayTakes => "one opens matches with the best take for the other",
    }
}
