//! Caches of decoded columns.

use lastnim_core::referee::{MatchSetup, Terms};
use lastnim_tournament::Settings;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum size of the cached text in bytes, for tournament settings and for match setups separately. The decoded
/// values take about the same amount of memory in addition.
const MAX_BYTES: usize = 8 << 20;

/// Caches decoded columns that are read often and are expensive to decode.
#[derive(Debug, Default)]
pub(super) struct DecodeCaches {
    pub(super) settings: DecodeCache<(Arc<Settings>, Terms)>,
    pub(super) setups: DecodeCache<Arc<MatchSetup>>,
}

/// Caches decoded values by the text that they were decoded from, so that a value always matches the database.
#[derive(Debug)]
pub(super) struct DecodeCache<V> {
    max_bytes: usize,
    cached: Mutex<CachedValues<V>>,
}

#[derive(Debug)]
struct CachedValues<V> {
    values: HashMap<Box<str>, V>,
    bytes: usize,
}

impl<V> Default for DecodeCache<V> {
    fn default() -> Self {
        Self::with_max_bytes(MAX_BYTES)
    }
}

impl<V> DecodeCache<V> {
    fn with_max_bytes(max_bytes: usize) -> Self {
        Self { max_bytes, cached: Mutex::new(CachedValues { values: HashMap::new(), bytes: 0 }) }
    }
}

impl<V: Clone> DecodeCache<V> {
    /// Returns the value encoded in a string, decoding it only if it is not cached.
    pub(super) fn get_or_decode<E>(
        &self,
        text: &str,
        decode: impl FnOnce(&str) -> Result<V, E>,
    ) -> Result<V, E> {
        let known = self.cached.lock().unwrap_or_else(PoisonError::into_inner).values.get(text).cloned();
        if let Some(value) = known {
            return Ok(value);
        }
        let value = decode(text)?;
        if text.len() <= self.max_bytes / 8 {
            self.insert(text, value.clone());
        }
        Ok(value)
    }

    fn insert(&self, text: &str, value: V) {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        // An arbitrary entry is evicted. If it were always the oldest, reading a list slightly longer than the cache
        // would miss every time.
        while cached.bytes + text.len() > self.max_bytes
            && let Some(victim) = cached.values.keys().next().cloned()
        {
            cached.values.remove(&victim);
            cached.bytes -= victim.len();
        }
        if cached.values.insert(text.into(), value).is_none() {
            cached.bytes += text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_cached_value_is_not_decoded_again() {
        let (cache, decoded) = (DecodeCache::with_max_bytes(1_000), Cell::new(0));
        let decode = |text: &str| {
            decoded.set(decoded.get() + 1);
            text.parse::<u64>()
        };
        for text in ["7", "8", "7", "07", "8"] {
            assert_eq!(cache.get_or_decode(text, decode), text.parse());
        }
        assert_eq!(decoded.get(), 3);
        for _ in 0..2 {
            assert!(cache.get_or_decode("seven", decode).is_err(), "errors are not cached");
        }
    }

    #[test]
    fn the_cache_stays_within_its_limit() {
        let cache = DecodeCache::with_max_bytes(100);
        for number in 0..1_000_u64 {
            cache.get_or_decode(&number.to_string(), str::parse::<u64>).unwrap();
            let cached = cache.cached.lock().unwrap();
            assert_eq!(cached.bytes, cached.values.keys().map(|text| text.len()).sum::<usize>());
            assert!(cached.bytes <= 100);
        }
        assert!(cache.cached.lock().unwrap().values.len() > 30);
        let long = "0".repeat(50);
        cache.get_or_decode(&long, str::parse::<u64>).unwrap();
        assert!(
            !cache.cached.lock().unwrap().values.contains_key(long.as_str()),
            "one large value does not evict all others"
        );
    }
}
