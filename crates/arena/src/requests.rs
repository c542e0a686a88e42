//! Requests to create something, which their callers may repeat after a lost answer.

use crate::arena::Arena;
use crate::bot_rates::BotRates;
use crate::error::ArenaError;
use lastnim_core::game::BotName;
use lastnim_core::referee::Timestamp;
use lastnim_proto::record_text::Utc;
use lastnim_store::{
    Creation, MAX_REQUESTS, MAX_REQUESTS_PER_CALLER, REQUEST_LIFETIME, RequestHash, RequestKey, Store,
    StoreError, StoredRequest,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

/// The maximum number of requests that one bot may repeat in a minute.
const MAX_REPEATS_PER_MINUTE: u32 = 60;

/// A request that its caller may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreationRequest {
    /// Identifies the request.
    pub key: RequestKey,
    /// The hash of the request without its id.
    pub hash: RequestHash,
}

impl CreationRequest {
    /// Returns what to store once the request is carried out.
    pub(crate) fn done(self, created: Creation, at: Timestamp) -> StoredRequest {
        StoredRequest { key: self.key, hash: self.hash, created, at }
    }
}

/// The requests that were carried out in the last 24 hours.
#[derive(Debug, Default)]
pub(crate) struct RequestTable {
    requests: Mutex<RequestIndex>,
    /// How much of its limit on repeated requests each bot has used.
    repeats: BotRates,
}

#[derive(Debug, Default)]
struct RequestIndex {
    by_key: HashMap<RequestKey, (u64, StoredRequest)>,
    /// The keys by caller, and by the order in which the requests were carried out.
    by_caller: BTreeMap<Option<BotName>, BTreeMap<u64, RequestKey>>,
    /// All keys by the order in which the requests were carried out.
    by_age: BTreeMap<u64, RequestKey>,
    next: u64,
}

impl RequestTable {
    /// Reads the requests of earlier servers.
    pub(crate) async fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let table = Self::default();
        for request in store.requests().await? {
            table.insert(request);
        }
        Ok(table)
    }

    /// Remembers a request that was carried out, and forgets those that are too old or too many.
    pub(crate) fn insert(&self, request: StoredRequest) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).insert(request);
    }

    /// Forgets the requests of a removed bot.
    pub(crate) fn forget_bot(&self, name: &BotName) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).remove_bot(name);
    }

    /// Counts a repeated request of a bot, or refuses it if the bot has used up its limit.
    fn count_repeat(&self, bot: &BotName, now: Timestamp) -> Result<(), ArenaError> {
        let per_minute = MAX_REPEATS_PER_MINUTE;
        self.repeats.count(bot, per_minute, now).map_err(|wait| ArenaError::RepeatRateExceeded {
            bot: bot.clone(),
            per_minute,
            wait,
        })
    }

    /// Forgets a request, unless its id has been used again since.
    fn forget(&self, request: &StoredRequest) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.by_key.get(&request.key).is_some_and(|(_, found)| found == request) {
            requests.remove(&request.key);
        }
    }

    fn find(&self, key: &RequestKey, now: Timestamp) -> Option<StoredRequest> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, found) = requests.by_key.get(key)?;
        (found.at >= now.minus(REQUEST_LIFETIME)).then(|| found.clone())
    }
}

impl RequestIndex {
    fn insert(&mut self, request: StoredRequest) {
        self.remove(&request.key);
        let (number, key, oldest) = (self.next, request.key.clone(), request.at.minus(REQUEST_LIFETIME));
        self.next += 1;
        let caller_requests = self.by_caller.entry(key.caller.clone()).or_default();
        caller_requests.insert(number, key.clone());
        let surplus =
            if caller_requests.len() > MAX_REQUESTS_PER_CALLER { caller_requests.pop_first() } else { None };
        self.by_age.insert(number, key.clone());
        self.by_key.insert(key, (number, request));
        if let Some((_, key)) = surplus {
            self.remove(&key);
        }
        while let Some((_, key)) = self.by_age.first_key_value()
            && (self.by_age.len() > MAX_REQUESTS || self.by_key[key].1.at < oldest)
        {
            let key = key.clone();
            self.remove(&key);
        }
    }

    fn remove_bot(&mut self, bot: &BotName) {
        for (number, key) in self.by_caller.remove(&Some(bot.clone())).unwrap_or_default() {
            self.by_age.remove(&number);
            self.by_key.remove(&key);
        }
    }

    fn remove(&mut self, key: &RequestKey) {
        let Some((number, _)) = self.by_key.remove(key) else { return };
        self.by_age.remove(&number);
        if let Some(of_caller) = self.by_caller.get_mut(&key.caller) {
            of_caller.remove(&number);
            if of_caller.is_empty() {
                self.by_caller.remove(&key.caller);
            }
        }
    }
}

impl Arena {
    /// Counts a repeated request of a bot that creates nothing.
    ///
    /// # Errors
    /// If the bot repeats requests too often.
    pub fn count_repeat(&self, bot: &BotName) -> Result<(), ArenaError> {
        self.inner.requests.count_repeat(bot, self.now())
    }

    /// Returns what a request created when its caller made it before; `None` if it is new, its match could not be
    /// stored, or the store no longer keeps what it created. The caller holds the lock under which such requests are
    /// carried out, so that two at the same moment create one thing.
    ///
    /// # Errors
    /// If the id was used for a different request, a bot repeats requests too often, or the store cannot be read.
    pub(crate) async fn earlier_creation(
        &self,
        request: Option<&CreationRequest>,
    ) -> Result<Option<Creation>, ArenaError> {
        let Some(CreationRequest { key, hash }) = request else { return Ok(None) };
        let requests = &self.inner.requests;
        let now = self.now();
        let Some(found) = requests.find(key, now) else { return Ok(None) };
        if let Some(bot) = &key.caller {
            self.count_repeat(bot)?;
        }
        let is_kept = match found.created {
            // A request is remembered before its match is stored, so that it can be repeated at once.
            Creation::Match(id) => {
                self.open_match(id).is_some() || !self.inner.store.unvoided_matches(&[id]).await?.is_empty()
            }
            // A store in memory keeps only the newest finished tournaments.
            Creation::Tournament(id) => match self.tournament(id).await {
                Err(ArenaError::NoSuchTournament(_)) => false,
                found => found.map(|_| true)?,
            },
        };
        if !is_kept {
            requests.forget(&found);
            return Ok(None);
        }
        if found.hash == *hash {
            return Ok(Some(found.created));
        }
        let StoredRequest { created, at, .. } = found;
        Err(ArenaError::RequestIdUsed { id: key.id.clone(), created, at: Utc(at.as_micros()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::TournamentId;
    use std::time::Duration;

    const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

    fn request(caller: Option<&str>, number: usize, at: Timestamp) -> StoredRequest {
        let caller = caller.map(|name| name.parse().unwrap());
        let key = RequestKey { caller, id: format!("r{number}").parse().unwrap() };
        let hash = RequestHash::of_request("CreateTournament", b"");
        StoredRequest { key, hash, created: Creation::Tournament(TournamentId::least()), at }
    }

    fn is_known(table: &RequestTable, caller: Option<&str>, number: usize, now: Timestamp) -> bool {
        table.find(&request(caller, number, now).key, now).is_some()
    }

    #[test]
    fn a_request_is_forgotten_after_a_day() {
        let table = RequestTable::default();
        table.insert(request(None, 1, NOW));
        assert!(is_known(&table, None, 1, NOW + REQUEST_LIFETIME));
        assert!(!is_known(&table, Some("ann"), 1, NOW), "another caller may use the same id");
        let later = NOW + REQUEST_LIFETIME + Duration::from_micros(1);
        assert!(!is_known(&table, None, 1, later));
        table.insert(request(None, 2, later));
        assert_eq!(table.requests.lock().unwrap().by_key.len(), 1, "its memory is free");
    }

    #[test]
    fn repeated_requests_per_minute_are_limited() {
        let table = RequestTable::default();
        let ann: BotName = "ann".parse().unwrap();
        for _ in 0..MAX_REPEATS_PER_MINUTE {
            assert_eq!(table.count_repeat(&ann, NOW), Ok(()));
        }
        let refused = table.count_repeat(&ann, NOW).unwrap_err().to_string();
        assert_eq!(refused, "ann has repeated 60 requests in a minute: try again in 1 s");
    }

    #[test]
    fn a_busy_caller_displaces_only_its_own_requests() {
        let table = RequestTable::default();
        table.insert(request(None, 0, NOW));
        for number in 0..=MAX_REQUESTS_PER_CALLER {
            table.insert(request(Some("ann"), number, NOW));
        }
        assert!(is_known(&table, None, 0, NOW));
        assert!(!is_known(&table, Some("ann"), 0, NOW) && is_known(&table, Some("ann"), 1, NOW));
        let requests = table.requests.lock().unwrap();
        let sizes = (requests.by_key.len(), requests.by_age.len(), requests.by_caller.len());
        assert_eq!(sizes, (MAX_REQUESTS_PER_CALLER + 1, MAX_REQUESTS_PER_CALLER + 1, 2));
    }
}
