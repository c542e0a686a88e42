//! The tally of a tier, and the rule for when the tier ends.

use super::{item_score::ItemScore, item_set::Tier};
use lastnim_auditing::{LossCounts, LossEstimate};
use lastnim_core::referee::{EventHash, ForfeitReason};
use lastnim_proto::pb;

/// The confidence level of the intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The rule that decides when a tier ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// The tier ends once the interval of its mean loss is at most this wide.
    pub width: f64,
    /// The maximum number of items in the tier.
    pub max_items: u32,
}

/// The results of a tier so far.
#[derive(Debug, Clone)]
pub struct TierTally {
    tier: Tier,
    losses: LossCounts,
    first_take_losses: LossCounts,
    kept_seat_losses: LossCounts,
    takes: u32,
    optimal_takes: u32,
    wins: u32,
    lost_seats: [u32; ForfeitReason::ALL.len()],
    illegal_takes: u32,
    strikes: u32,
    heads: Vec<EventHash>,
}

impl TierTally {
    /// Creates a tally without items.
    pub fn new(tier: Tier) -> Self {
        Self {
            tier,
            losses: LossCounts::default(),
            first_take_losses: LossCounts::default(),
            kept_seat_losses: LossCounts::default(),
            takes: 0,
            optimal_takes: 0,
            wins: 0,
            lost_seats: [0; ForfeitReason::ALL.len()],
            illegal_takes: 0,
            strikes: 0,
            heads: Vec::new(),
        }
    }

    /// Returns the number of items added so far.
    pub fn items(&self) -> u32 {
        self.losses.items()
    }

    /// Adds the next item, with the hash of the last event of its record.
    pub fn add_item(&mut self, score: &ItemScore, head: EventHash) {
        self.losses.add_loss(score.loss);
        self.first_take_losses.add_loss(score.first_take_loss);
        match score.lost_seat {
            None => self.kept_seat_losses.add_loss(score.loss),
            Some(reason) => {
                let counts = ForfeitReason::ALL.iter().zip(&mut self.lost_seats);
                counts.filter(|(known, _)| **known == reason).for_each(|(_, count)| *count += 1);
            }
        }
        self.takes += score.takes;
        self.optimal_takes += score.optimal_takes;
        self.wins += u32::from(score.won);
        self.illegal_takes += score.illegal_takes;
        self.strikes += score.strikes;
        self.heads.push(head);
    }

    /// Returns the reason why the tier has ended; `None` if it has not.
    pub fn stop_reason(&self, rule: StoppingRule) -> Option<pb::BenchmarkStop> {
        let estimate = self.loss()?;
        if estimate.width() <= rule.width {
            Some(pb::BenchmarkStop::Width)
        } else {
            (self.items() >= rule.max_items).then_some(pb::BenchmarkStop::Items)
        }
    }

    /// Returns the mean loss per item with its interval; `None` if there are no items yet.
    pub fn loss(&self) -> Option<LossEstimate> {
        self.losses.estimate(1.0 - CONFIDENCE)
    }

    /// Returns the losses of all items.
    pub fn losses(&self) -> &LossCounts {
        &self.losses
    }

    /// Creates the tier's part of the card.
    pub fn to_message(&self, stop: pb::BenchmarkStop) -> pb::BenchmarkTier {
        let figure = |counts: &LossCounts| counts.estimate(1.0 - CONFIDENCE).map(loss_figure);
        let lost_seats = ForfeitReason::ALL.iter().zip(self.lost_seats).filter(|&(_, count)| count > 0);
        let lost_seats = lost_seats.map(|(&reason, count)| pb::LostSeatCount {
            reason: pb::ForfeitReason::from(reason).into(),
            count,
        });
        pb::BenchmarkTier {
            tier: self.tier.number(),
            items: self.items(),
            stop: stop.into(),
            loss: figure(&self.losses),
            first_take_loss: figure(&self.first_take_losses),
            kept_seat_loss: figure(&self.kept_seat_losses),
            takes: self.takes,
            optimal_takes: self.optimal_takes,
            wins: self.wins,
            lost_seats: lost_seats.collect(),
            illegal_takes: self.illegal_takes,
            strikes: self.strikes,
            heads: self.heads.iter().map(|head| head.as_bytes().to_vec()).collect(),
        }
    }
}

/// Converts an estimate into the message that cards contain.
pub fn loss_figure(estimate: LossEstimate) -> pb::LossFigure {
    let LossEstimate { value, low, high } = estimate;
    pb::LossFigure { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_auditing::LossShare;

    const RULE: StoppingRule = StoppingRule { width: 0.2, max_items: 40 };

    fn score(loss: LossShare, lost_seat: Option<ForfeitReason>) -> ItemScore {
        ItemScore {
            loss,
            first_take_loss: LossShare::NONE,
            lost_seat,
            takes: 2,
            optimal_takes: 1,
            won: false,
            illegal_takes: 0,
            strikes: 1,
        }
    }

    fn head() -> EventHash {
        EventHash::from_bytes([7; 32])
    }

    #[test]
    fn lost_seats_are_counted_separately() {
        let mut tally = TierTally::new(Tier::MAX);
        assert_eq!(tally.stop_reason(RULE), None);
        tally.add_item(&score(LossShare::ALL, Some(ForfeitReason::TimedOut)), head());
        for _ in 0..3 {
            tally.add_item(&score(LossShare::NONE, None), head());
        }
        let tier = tally.to_message(pb::BenchmarkStop::Items);
        assert_eq!((tier.tier, tier.items, tier.heads.len(), tier.strikes), (5, 4, 4, 4));
        assert_eq!((tier.takes, tier.optimal_takes), (8, 4));
        assert_eq!((tier.loss.unwrap().value, tier.kept_seat_loss.unwrap().value), (0.25, 0.0));
        let lost = pb::LostSeatCount { reason: pb::ForfeitReason::TimedOut.into(), count: 1 };
        assert_eq!(tier.lost_seats, [lost]);
    }

    #[test]
    fn a_tier_stops_once_its_interval_is_narrow_or_its_items_are_used() {
        let (mut sure, mut unsure) = (TierTally::new(Tier::MAX), TierTally::new(Tier::MAX));
        let mut stopped = Vec::new();
        for number in 1..=40_u32 {
            sure.add_item(&score(LossShare::NONE, None), head());
            let loss = if number % 2 == 0 { LossShare::ALL } else { LossShare::NONE };
            unsure.add_item(&score(loss, None), head());
            stopped.extend(sure.stop_reason(RULE).map(|stop| (number, stop)));
            assert_eq!(unsure.stop_reason(RULE).is_some(), number == 40);
        }
        assert_eq!(unsure.stop_reason(RULE), Some(pb::BenchmarkStop::Items));
        let (first, stop) = stopped[0];
        assert!(stop == pb::BenchmarkStop::Width && (15..35).contains(&first), "{stopped:?}");
    }
}
