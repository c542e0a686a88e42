//! The limited places for matches of guests, and the choice of the match that is cancelled to free a place.

use crate::client_address::ClientAddress;
use crate::scheduling::{QuotaShare, SharedQuota};
use lastnim_arena::{Arena, GuestMatch};
use lastnim_core::game::MatchId;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time limit for cancelling a match to free its place. Only an unusable store makes this take longer.
const DEPARTURE_TIMEOUT: Duration = Duration::from_secs(5);

/// The limits on the matches of guests.
#[derive(Debug, Clone, Copy)]
pub struct GuestLimits {
    /// Maximum number of matches that an address may begin per minute.
    pub per_minute: u32,
    /// Maximum number of open matches per address.
    pub per_address: usize,
    /// How long a match may wait for its guest before it can lose its place to a newcomer.
    pub idle_timeout: Duration,
}

/// The places for matches of guests, by address.
#[derive(Debug)]
pub(super) struct GuestPlaces {
    arena: Arena,
    idle_timeout: Duration,
    /// The open and starting matches of each address.
    quota: Arc<SharedQuota<ClientAddress>>,
    begun_matches: Mutex<Vec<BegunMatch>>,
}

/// A place for a match that an address begins.
pub(super) type GuestPlace = QuotaShare<ClientAddress>;

/// A match begun from an address.
#[derive(Debug)]
struct BegunMatch {
    id: MatchId,
    address: ClientAddress,
    _place: GuestPlace,
}

/// The limit that has been reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceLimit {
    /// The limit for the newcomer's address.
    PerAddress,
    /// The limit for all addresses together.
    Total,
}

/// An open match, and the address that began it if the address is known.
type AddressedMatch = (GuestMatch, Option<ClientAddress>);

impl GuestPlaces {
    pub(super) fn new(arena: Arena, limits: &GuestLimits) -> Self {
        let quota = SharedQuota::new(limits.per_address, usize::MAX);
        Self { arena, idle_timeout: limits.idle_timeout, quota, begun_matches: Mutex::default() }
    }

    /// Takes one of an address's places; `None` if all are taken.
    pub(super) fn take_place(&self, address: ClientAddress) -> Option<GuestPlace> {
        self.drop_ended();
        self.quota.acquire(address, 1).ok()
    }

    /// Gives a place to a match, which holds it until it ends.
    pub(super) fn fill_place(&self, place: GuestPlace, address: ClientAddress, id: MatchId) {
        self.lock_begun_matches().push(BegunMatch { id, address, _place: place });
    }

    /// Frees a place for a newcomer by cancelling the match that [`departing_match`] chooses.
    ///
    /// # Errors
    /// If no match may be cancelled yet, returns the time until one may be. If cancelling takes too long, returns the
    /// time to wait before the next attempt.
    pub(super) async fn free_place(
        &self,
        short: PlaceLimit,
        newcomer: ClientAddress,
    ) -> Result<(), Duration> {
        let departing = departing_match(&self.addressed_matches(), short, newcomer, self.idle_timeout)?;
        let ending = tokio::time::timeout(DEPARTURE_TIMEOUT, self.arena.cancel_guest_match(departing));
        ending.await.map_err(|_| DEPARTURE_TIMEOUT)
    }

    fn addressed_matches(&self) -> Vec<AddressedMatch> {
        let begun: HashMap<_, _> =
            self.lock_begun_matches().iter().map(|begun| (begun.id, begun.address)).collect();
        let matches = self.arena.open_guest_matches().into_iter();
        matches.map(|open| (open, begun.get(&open.id).copied())).collect()
    }

    fn drop_ended(&self) {
        self.lock_begun_matches().retain(|begun| self.arena.is_match_open(begun.id));
    }

    fn lock_begun_matches(&self) -> MutexGuard<'_, Vec<BegunMatch>> {
        self.begun_matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn quota(&self) -> &Arc<SharedQuota<ClientAddress>> {
        &self.quota
    }
}

/// Returns the match that gives up its place to a newcomer.
///
/// This is the match that has waited longest for its guest, if it has waited for at least `idle_timeout`. If only the
/// newcomer's address has reached its limit, only the matches of that address count. If no match has waited for so long
/// and the places of all guests are taken, the address with the most matches gives up its longest-waiting one, provided
/// that it has at least two more than the newcomer's address. So a few addresses cannot hold all places with matches
/// that are never idle for long.
///
/// # Errors
/// If no match may give up its place yet, returns the time until one may.
fn departing_match(
    open: &[AddressedMatch],
    short: PlaceLimit,
    newcomer: ClientAddress,
    idle_timeout: Duration,
) -> Result<MatchId, Duration> {
    let longest_idle = |counts: &dyn Fn(Option<ClientAddress>) -> bool| {
        let counted = open.iter().filter(|(_, from)| counts(*from)).map(|(open, _)| open);
        counted.max_by_key(|open| (open.idle, Reverse(open.id)))
    };
    let concerned = longest_idle(&|from| short == PlaceLimit::Total || from == Some(newcomer));
    let idle = concerned.map(|open| open.idle).unwrap_or_default();
    if let Some(open) = concerned.filter(|open| open.idle >= idle_timeout) {
        return Ok(open.id);
    }
    let mut counts = HashMap::<_, usize>::new();
    for address in open.iter().filter_map(|(_, from)| *from) {
        *counts.entry(address).or_default() += 1;
    }
    let own = counts.get(&newcomer).copied().unwrap_or_default();
    let most = counts.values().copied().max().unwrap_or_default();
    let is_crowded = |from: Option<ClientAddress>| from.is_some_and(|from| counts[&from] == most);
    match longest_idle(&is_crowded) {
        Some(open) if short == PlaceLimit::Total && most >= own + 2 => Ok(open.id),
        _ => Err(idle_timeout.saturating_sub(idle)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const IDLE_TIMEOUT: Duration = Duration::from_mins(2);

    /// Returns matches with these addresses and idle seconds, numbered from 0.
    fn numbered_matches(listed: &[(u8, u64)]) -> Vec<AddressedMatch> {
        let open_game = |(number, &(from, idle)): (usize, &(u8, u64))| {
            let open = GuestMatch { id: match_id(number), idle: Duration::from_secs(idle) };
            (open, (from > 0).then(|| address(from)))
        };
        listed.iter().enumerate().map(open_game).collect()
    }

    fn match_id(number: usize) -> MatchId {
        format!("0192f0c1-2e6b-7c3a-8f4d-{number:012x}").parse().unwrap()
    }

    fn address(last: u8) -> ClientAddress {
        std::net::IpAddr::from(Ipv4Addr::new(127, 0, 0, last)).into()
    }

    #[test]
    fn matches_lose_their_place_by_idle_time_and_then_by_crowded_address() {
        use PlaceLimit::{PerAddress, Total};
        /// The addresses and idle seconds of the open matches, the limit that is reached, the newcomer's address, and
        /// the expected result.
        type Case = (&'static [(u8, u64)], PlaceLimit, u8, Result<usize, Duration>);
        let seconds = |seconds| Err(Duration::from_secs(seconds));
        // The address 0 stands for an unknown address.
        let cases: [Case; 9] = [
            (&[(1, 120), (2, 300), (3, 0)], Total, 9, Ok(1)),
            (&[(1, 120), (2, 120)], Total, 9, Ok(0)),
            (&[(0, 130), (2, 0), (2, 0)], Total, 9, Ok(0)),
            (&[(1, 119), (2, 30), (3, 0)], Total, 9, seconds(1)),
            (&[(1, 100), (2, 20), (2, 40)], Total, 9, Ok(2)),
            (&[(1, 100), (2, 20), (2, 40)], Total, 1, seconds(20)),
            (&[(1, 100), (2, 300), (1, 0)], PerAddress, 1, seconds(20)),
            (&[(1, 100), (2, 300), (1, 200)], PerAddress, 1, Ok(2)),
            (&[], Total, 9, seconds(120)),
        ];
        for (open, short, newcomer, expected) in cases {
            let departing = departing_match(&numbered_matches(open), short, address(newcomer), IDLE_TIMEOUT);
            assert_eq!(departing, expected.map(match_id), "{open:?} for {newcomer}");
        }
    }
}
