//! Pacts that seats offer each other and sign while they talk.
//!
//! A member offers a pact to the other members with a message, and each of them accepts it with another message, in a
//! later round. The offer is also the acceptance of its sender. A pact is signed once all members have accepted it.

use super::{Audience, TalkContent, TalkMessage, TalkPrivacy, TalkTerms};
use crate::game::{Pact, Seat, SeatSet};
use std::fmt;

/// The place of a message in the talk of a match. It identifies the pact that the message offers.
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
    /// Collects the pacts that are offered in these messages, with their acceptances, in the order of the offers. Each
    /// message comes with its place.
    pub fn collect<'a>(messages: impl IntoIterator<Item = (OfferId, &'a TalkContent)>) -> Vec<Self> {
        let mut pacts = Vec::new();
        messages.into_iter().for_each(|(place, content)| Self::add_message(&mut pacts, place, content));
        pacts
    }

    /// Adds what a message at this place offers or accepts.
    pub(super) fn add_message(pacts: &mut Vec<Self>, place: OfferId, content: &TalkContent) {
        match content {
            TalkContent::Offer(pact) => pacts.push(Self {
                offer: place,
                pact: pact.clone(),
                accepted: [place.seat].into_iter().collect(),
            }),
            TalkContent::Accept(offer) => {
                if let Some(offered) = pacts.iter_mut().find(|offered| offered.offer == *offer) {
                    offered.accepted.insert(place.seat);
                }
            }
            TalkContent::Text(_) | TalkContent::Claim(_) => {}
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
    /// Returns its place and, if the record shows it, its content.
    pub fn place_and_content(&self) -> Option<(OfferId, &TalkContent)> {
        let place = OfferId { seat: self.seat, round: self.round, number: self.number };
        self.content().map(|content| (place, content))
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
