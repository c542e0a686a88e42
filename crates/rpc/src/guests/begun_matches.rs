//! How many matches each address has begun.

use crate::client_address::ClientAddress;
use lastnim_core::game::MatchId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The matches that addresses have begun, as far as they are open.
#[derive(Debug, Default)]
pub(super) struct BegunMatches {
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    by_number: BTreeMap<u64, Place>,
    /// The number of the next one.
    next_number: u64,
}

/// The place of a match.
#[derive(Debug)]
struct Place {
    address: ClientAddress,
    /// The match; `None` while it is being begun.
    id: Option<MatchId>,
}

/// A place for a match that is being begun: given back when it is dropped without one.
#[derive(Debug)]
pub(super) struct ReservedPlace {
    begun: Arc<BegunMatches>,
    number: u64,
}

impl BegunMatches {
    /// Reserves a place for a match of an address, which may have up to `limit`.
    ///
    /// # Errors
    /// How many it has, if there is no room.
    pub(super) fn reserve_place(
        self: &Arc<Self>,
        address: ClientAddress,
        limit: usize,
        is_open: impl Fn(MatchId) -> bool,
    ) -> Result<ReservedPlace, usize> {
        let mut places = self.lock_places();
        places.by_number.retain(|_, place| place.id.is_none_or(&is_open));
        let taken = places.by_number.values().filter(|place| place.address == address).count();
        if taken >= limit {
            return Err(taken);
        }
        let number = places.next_number;
        places.next_number += 1;
        places.by_number.insert(number, Place { address, id: None });
        Ok(ReservedPlace { begun: Arc::clone(self), number })
    }

    /// Returns how many places are taken.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.lock_places().by_number.len()
    }

    fn lock_places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReservedPlace {
    /// Puts the match there that has begun.
    pub(super) fn fill_with(self, id: MatchId) {
        if let Some(place) = self.begun.lock_places().by_number.get_mut(&self.number) {
            place.id = Some(id);
        }
    }
}

impl Drop for ReservedPlace {
    fn drop(&mut self) {
        let mut places = self.begun.lock_places();
        if places.by_number.get(&self.number).is_some_and(|place| place.id.is_none()) {
            places.by_number.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_from_the_reservation_to_the_end_of_the_match() {
        let begun = Arc::new(BegunMatches::default());
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        let reserve = |is_open: bool| begun.reserve_place(ClientAddress::UNKNOWN, 1, |_| is_open);
        let place = reserve(true).unwrap();
        assert_eq!(reserve(true).unwrap_err(), 1);
        drop(place);
        reserve(true).unwrap().fill_with(id);
        assert_eq!(reserve(true).unwrap_err(), 1);
        assert!(reserve(false).is_ok());
        assert_eq!(begun.count(), 0);
    }
}
