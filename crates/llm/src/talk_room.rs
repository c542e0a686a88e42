//! Shares the room for talk in a prompt between the senders, so that no seat can make a prompt long or push out the
//! messages of the others.

use lastnim_core::game::{Seat, SeatSet};
use std::{cmp::Reverse, collections::BTreeMap};

/// A message that competes for room in a prompt.
#[derive(Debug, Clone, Copy)]
pub struct TalkItem {
    /// The seat that sent it.
    pub sender: Seat,
    /// Whether it offers a pact that is signed.
    pub is_signed: bool,
    /// What it takes in the prompt, in bytes.
    pub bytes: usize,
}

/// Returns the number of bytes that each sender can use at least.
pub fn share_of_sender(room: usize, senders: impl IntoIterator<Item = Seat>) -> usize {
    let senders: SeatSet = senders.into_iter().collect();
    room / senders.iter().count().max(1)
}

/// Returns for each item whether it is shown. Items are given in the order in which they were sent.
///
/// Each sender first uses an equal share of the room. Then the senders can use what is left, one item each in turn.
/// Offers of signed pacts come first, then the newest items. Items that do not fit are skipped.
pub fn choose_items(items: &[TalkItem], room: usize) -> Vec<bool> {
    let share = share_of_sender(room, items.iter().map(|item| item.sender));
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&index| Reverse((items[index].is_signed, index)));
    let mut counts = BTreeMap::new();
    let place_at_sender = |index: usize| {
        let count = counts.entry(items[index].sender.index()).or_insert(0_usize);
        *count += 1;
        (*count, index)
    };
    let mut ranked: Vec<_> = order.into_iter().map(place_at_sender).collect();
    // The sort is stable, so that items with the same place keep their order.
    ranked.sort_by_key(|&(place, _)| place);
    let (mut is_shown, mut left, mut shares) = (vec![false; items.len()], room, BTreeMap::new());
    for is_limited_to_share in [true, false] {
        for &(_, index) in &ranked {
            let TalkItem { sender, bytes, .. } = items[index];
            let own = shares.entry(sender.index()).or_insert(share);
            if !is_shown[index] && bytes <= left && (bytes <= *own || !is_limited_to_share) {
                is_shown[index] = true;
                left -= bytes;
                *own = own.saturating_sub(bytes);
            }
        }
    }
    is_shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;

    fn items(list: &[(usize, usize, bool)]) -> Vec<TalkItem> {
        let seats = SeatCount::new(8).unwrap();
        let item = |&(sender, bytes, is_signed): &(usize, usize, bool)| TalkItem {
            sender: seats.seat(sender).unwrap(),
            is_signed,
            bytes,
        };
        list.iter().map(item).collect()
    }

    fn shown_items(list: &[(usize, usize, bool)], room: usize) -> Vec<usize> {
        let is_shown = choose_items(&items(list), room);
        (0..list.len()).filter(|&index| is_shown[index]).collect()
    }

    #[test]
    fn the_newest_items_of_each_sender_are_shown() {
        let long = [(0, 40, false), (1, 10, false), (0, 40, false), (0, 40, false), (0, 40, false)];
        assert_eq!(shown_items(&long, 1_000), [0, 1, 2, 3, 4]);
        assert_eq!(shown_items(&long, 100), [1, 3, 4], "seat 0 uses what seat 1 leaves");
        assert_eq!(shown_items(&long, 50), [1, 4]);
        assert_eq!(shown_items(&[], 100), [0; 0]);
    }

    #[test]
    fn large_items_do_not_use_the_share_of_another_sender() {
        let large = [(1, 50, false), (0, 100, false), (2, 51, false)];
        assert_eq!(shown_items(&large, 150), [0, 2], "the item of seat 0 exceeds its share and what is left");
        assert_eq!(
            shown_items(&[(0, 100, false), (1, 50, false)], 150),
            [0, 1],
            "but it can use what is left"
        );
    }

    #[test]
    fn a_signed_pact_is_shown_before_newer_items() {
        let pact = [(0, 40, true), (0, 40, false), (0, 40, false), (1, 40, false)];
        assert_eq!(shown_items(&pact, 100), [0, 3]);
        assert_eq!(shown_items(&pact, 120), [0, 2, 3]);
    }
}
