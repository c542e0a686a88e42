//! Pacts that seats offer each other and sign while they talk.
//!
//! A member offers a pact to the other members with a message, and each of them accepts it with another message, in a
//! later round. The offer is also the acceptance of its sender. A pact is signed once all members have accepted it.

use super::{Audience, TalkContent, TalkMessage, TalkPrivacy, TalkTerms};
use crate::game::{Pact, Seat, SeatSet};
use std::fmt;

/// The place of the message that offers a pact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OfferId {
    /// The sender.
    pub seat: Seat,
    /// The round, from 0.
    pub round: u32,
    /// The number of the message among the sender's messages in this round, from 0.
    pub number: u32,
}

/// A pact that was offered.
#[derive(Clone, PartialEq, Eq)]
pub struct OfferedPact {
    /// The message that offers it.
    pub offer: OfferId,
    /// The pact.
    pub pact: Pact,
    /// The members that have accepted it. The sender of the offer always has.
    pub accepted: SeatSet,
}

impl OfferedPact {
    /// Collects the pacts that are offered in these messages, with their acceptances, in the order of the offers.
    pub fn collect<'a>(messages: impl IntoIterator<Item = &'a TalkMessage>) -> Vec<Self> {
        let mut pacts = Vec::new();
        messages.into_iter().for_each(|message| Self::add_message(&mut pacts, message));
        pacts
    }

    /// Adds what a message offers or accepts.
    pub(super) fn add_message(pacts: &mut Vec<Self>, message: &TalkMessage) {
        match message.content() {
            Some(TalkContent::Offer(pact)) => pacts.push(Self {
                offer: message.offer_id(),
                pact: pact.clone(),
                accepted: [message.seat].into_iter().collect(),
            }),
            Some(TalkContent::Accept(offer)) => {
                if let Some(offered) = pacts.iter_mut().find(|offered| offered.offer == *offer) {
                    offered.accepted.insert(message.seat);
                }
            }
            Some(TalkContent::Text(_) | TalkContent::Claim(_)) | None => {}
        }
    }

    /// Returns whether all members have accepted the pact, so that it binds them.
    pub fn is_signed(&self) -> bool {
        self.accepted == self.pact.seat_set()
    }
}

/// Hides the pact, so that it cannot get into a log.
impl fmt::Debug for OfferedPact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OfferedPact({:?}, {:?})", self.offer, self.accepted)
    }
}

impl TalkMessage {
    fn offer_id(&self) -> OfferId {
        OfferId { seat: self.seat, round: self.round, number: self.number }
    }
}

impl TalkTerms {
    /// Returns who hears the offer or the acceptance of a pact by a member: the other members, or everyone if all
    /// messages go to everyone.
    pub(super) fn pact_audience(&self, pact: &Pact, sender: Seat) -> Audience {
        let mut seats = pact.seat_set();
        seats.remove(sender);
        match self.privacy {
            TalkPrivacy::Open => Audience::Everyone,
            privacy => Audience::Seats { seats, published: privacy == TalkPrivacy::Published },
        }
    }
}
