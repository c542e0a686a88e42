//! The audit of the talk of a match.

use super::{
    Cell, Column, Section, Table,
    words::{count_with_noun, enum_word, join_items},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;

/// Reports the pacts, the contradictory promises, and the claims.
pub fn talk_sections(talk: &pb::TalkAudit) -> Vec<Section> {
    let pacts = talk.allows_pacts.then(|| pact_section(talk));
    let sections = [pacts, double_dealing_section(&talk.double_dealing), claim_section(talk)];
    sections.into_iter().flatten().collect()
}

/// Reports who signed which pacts, who kept them, and what that was worth.
fn pact_section(talk: &pb::TalkAudit) -> Section {
    let offered = talk.offers.iter().map(|&offers| u64::from(offers)).sum::<u64>();
    let offered = count_with_noun(offered, "pact was offered", "pacts were offered");
    let counts = if talk.may_hide_pacts {
        "Private messages may have offered and signed pacts. They are not shown here.".to_owned()
    } else {
        format!("{offered}, {} signed.", talk.pacts.len())
    };
    let section = Section::with_heading("Pacts").paragraph(counts);
    if talk.pacts.is_empty() {
        return section;
    }
    let section = section.table(pact_table(talk)).paragraph(
        "kept: the declared row agrees with the promise. defaulted: the seat declared no valid row in time and got the standard row.",
    );
    section.paragraphs(talk.has_dealt_rows.then_some(
        "value: ranks gained if all members keep the pact and otherwise tell the truth. temptation: ranks that the best \
         row gains over the best row that keeps the pact. harm: ranks that each seat lost by the breach.",
    ))
}

fn pact_table(talk: &pb::TalkAudit) -> Table {
    let pacts = talk.pacts.iter().enumerate();
    let members: Vec<_> = pacts
        .flat_map(|(index, pact)| {
            pact.members.iter().zip(promises(pact)).map(move |of_member| (index, pact, of_member))
        })
        .collect();
    let mut table = Table::of_items(&members)
        .column(Column::integer("pact"), |&(index, ..)| index)
        .column(Column::integer("member"), |(_, _, (member, _))| member.seat)
        .column(Column::text("promised"), |(_, _, (_, promised))| promised.clone())
        .column(Column::text("word"), |(_, _, (member, _))| {
            enum_word(member.word().as_str_name(), "WORD_KEPT_")
        })
        .alert_where(|(_, _, (member, _))| member.word() == pb::WordKept::Broken);
    if talk.has_dealt_rows {
        table = table
            .column(Column::integer("value").with_sign(), |(_, pact, (member, _))| {
                pact.values.get(member.seat as usize).copied()
            })
            .column(Column::integer("temptation"), |(_, _, (member, _))| match member.temptation {
                Some(ranks) => Cell::from(ranks),
                None => "unknown".into(),
            });
        for seat in 0..talk.offers.len() {
            table = table.column(
                Column::integer(format!("harm to {seat}")).with_sign(),
                move |(_, _, (member, _))| member.harms.get(seat).copied(),
            );
        }
    }
    table.into_table()
}

/// Returns what each member of a pact promised, such as `1>2, 0>2`.
fn promises(pact: &pb::PactAudit) -> impl Iterator<Item = String> {
    let relation = |relation: &pb::PactRelation| format!("{}>{}", relation.before, relation.after);
    let members = pact.pact.iter().flat_map(|pact| &pact.members);
    members.map(move |member| join_items(member.relations.iter().map(relation), ", "))
}

/// Lists the promises that seats cannot keep together with earlier ones.
pub fn double_dealing_section(found: &[pb::DoubleDealing]) -> Option<Section> {
    let items = found.iter().map(|one| {
        let earlier = join_items(&one.earlier, " and ");
        format!("seat {} cannot keep pact {} together with pact {earlier}", one.seat, one.pact)
    });
    (!found.is_empty()).then(|| Section::with_heading("Contradictory promises:").list(items))
}

/// Reports how far the claims were from the truth; `None` if nobody claimed anything and no message is hidden.
fn claim_section(talk: &pb::TalkAudit) -> Option<Section> {
    let hidden: u32 = talk.hidden_messages.iter().sum();
    if talk.claims.is_empty() && hidden == 0 {
        return None;
    }
    let section = Section::with_heading("Claims");
    let section = if talk.claims.is_empty() {
        section
    } else {
        let row = |claim: &pb::ClaimAudit| claim.row.as_ref().map(|row| join_items(&row.offsets, " "));
        let table = Table::of_items(&talk.claims)
            .column(Column::integer("seat"), |claim| claim.seat)
            .column(Column::integer("round"), |claim| shown_number(claim.round))
            .column(Column::text("claimed row"), row)
            .column_if(talk.has_dealt_rows, Column::integer("from dealt row"), |claim| claim.from_dealt)
            .column(Column::integer("from declared row"), |claim| claim.from_declared)
            .into_table();
        section.table(table).paragraph("from: pairs of winners that the two rows put in different orders.")
    };
    let hidden = (hidden > 0).then(|| {
        format!("{} not shown here.", count_with_noun(hidden, "private message is", "private messages are"))
    });
    Some(section.paragraphs(hidden))
}
