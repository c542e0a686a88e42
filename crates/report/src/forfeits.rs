//! Lost seats of bots.

use super::{Column, Section, Table, words::enum_phrase};
use lastnim_proto::pb;
use std::collections::BTreeMap;

/// The lost seats of a bot, as far as they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct BotForfeits {
    /// The bot.
    pub bot: String,
    /// The seats.
    pub seats: Vec<pb::LostSeat>,
    /// Whether there are older ones that were not read.
    pub has_more: bool,
}

/// Counts the lost seats of each bot by reason; `None` without lost seats.
pub fn forfeit_section(bots: &[BotForfeits]) -> Option<Section> {
    let reason_of = |lost: &pb::LostSeat| enum_phrase(lost.reason().as_str_name(), "FORFEIT_REASON_");
    let counted: Vec<_> = bots
        .iter()
        .filter(|bot| !bot.seats.is_empty())
        .map(|bot| {
            let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
            for lost in &bot.seats {
                *reasons.entry(reason_of(lost)).or_default() += 1;
            }
            (bot, reasons)
        })
        .collect();
    if counted.is_empty() {
        return None;
    }
    let mut all: Vec<&String> = counted.iter().flat_map(|(_, reasons)| reasons.keys()).collect();
    all.sort();
    all.dedup();
    let columns = [Column::text("bot"), Column::integer("lost seats")];
    let mut table = Table::new(columns.into_iter().chain(all.iter().map(|&reason| Column::integer(reason))));
    for (bot, reasons) in &counted {
        let counts = all.iter().map(|&reason| reasons.get(reason).copied().into());
        table.push_row([bot.bot.as_str().into(), bot.seats.len().into()].into_iter().chain(counts));
    }
    let cut = counted.iter().filter(|(bot, _)| bot.has_more).map(|(bot, _)| bot.bot.as_str());
    let cut: Vec<_> = cut.collect();
    let note =
        (!cut.is_empty()).then(|| format!("For {}, only the newest lost seats are counted.", cut.join(", ")));
    Some(Section::with_heading("Lost seats, by reason").table(table).paragraphs(note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Terminal, csv_text};

    #[test]
    fn seats_are_counted_by_reason() {
        let lost_seat =
            |reason: pb::ForfeitReason| pb::LostSeat { reason: reason.into(), ..Default::default() };
        let bot = |bot: &str, seats, has_more| BotForfeits { bot: bot.into(), seats, has_more };
        let (late, gone) = (lost_seat(pb::ForfeitReason::TimedOut), lost_seat(pb::ForfeitReason::NoShow));
        let bots = [
            bot("ann", vec![late.clone(), gone, late.clone()], true),
            bot("bob", vec![], false),
            bot("cid", vec![late], false),
        ];
        let section = forfeit_section(&bots).unwrap();
        assert!(
            Terminal::without_styles()
                .section_text(&section)
                .ends_with("For ann, only the newest lost seats are counted.\n")
        );
        assert_eq!(csv_text(&section.into()), "bot,lost_seats,no_show,timed_out\nann,3,1,2\ncid,1,,1\n");
        assert_eq!(forfeit_section(&bots[1..2]), None);
    }
}
