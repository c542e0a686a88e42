//! The order in which positions are played.

use crate::{SeededDraw, Settings};

/// Plays the positions of a tournament in turn, in an order drawn from the seed.
///
/// So the order in which the positions are listed does not matter: a tournament that stops early has played a random
/// sample of the list, even if the positions that favour a bot come first. The order stays the same in every turn, so
/// that no position is repeated before all others have been played.
#[derive(Debug, Clone)]
pub(super) struct PositionOrder(Vec<usize>);

/// Used in place of the number of a group in the draw of this order. No group has this number, so it is independent of
/// all other draws.
const ORDER_DRAW_TAG: u64 = 0x706f_735f_6f72_6465;

impl PositionOrder {
    pub(super) fn of_settings(settings: &Settings) -> Self {
        let mut positions: Vec<usize> = (0..settings.positions.count()).collect();
        SeededDraw::from_numbers([settings.seed, ORDER_DRAW_TAG]).shuffle(&mut positions);
        Self(positions)
    }

    /// Returns the index of the position that is played at a step. Steps are counted from 0.
    pub(super) fn position_at_step(&self, step: u64) -> usize {
        self.0[(step % self.0.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AllianceSource, SettingsDraft, testing};
    use std::collections::HashSet;

    #[test]
    fn each_seed_plays_every_position_in_its_own_order() {
        let order_of_seed = |seed| {
            let plain = testing::settings(3, 9, AllianceSource::Standard);
            let settings = Settings::new(SettingsDraft { seed, ..(*plain).clone() }).unwrap();
            let order = PositionOrder::of_settings(&settings);
            let played: Vec<usize> = (0..18).map(|step| order.position_at_step(step)).collect();
            assert_eq!(played[..9], played[9..]);
            played[..9].to_vec()
        };
        let orders: HashSet<Vec<usize>> = (0..20).map(order_of_seed).collect();
        assert_eq!(orders.len(), 20, "20 draws from 362,880 orders are all different");
        assert!(orders.iter().all(|order| order.iter().collect::<HashSet<_>>().len() == 9));
    }
}
