//! What was decoded before.

use lastnim_core::referee::{MatchSetup, Terms};
use lastnim_tournament::Settings;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The most text whose meaning is kept, in bytes, of the settings of tournaments and of the setups of matches each. What is
/// decoded takes about as much again.
const MAX_BYTES: usize = 8 << 20;

/// Keeps what was decoded of columns that are read again and again and are large to decode.
#[derive(Debug, Default)]
pub(super) struct DecodeCaches {
    pub(super) settings: DecodeCache<(Arc<Settings>, Terms)>,
    pub(super) setups: DecodeCache<Arc<MatchSetup>>,
}

/// Keeps values by the text that they were decoded from, so that one is never taken for what the database does not hold.
#[derive(Debug)]
pub(super) struct DecodeCache<V> {
    max_bytes: usize,
    kept: Mutex<CachedValues<V>>,
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
        Self { max_bytes, kept: Mutex::new(CachedValues { values: HashMap::new(), bytes: 0 }) }
    }
}

impl<V: Clone> DecodeCache<V> {
    /// Returns what a text means, and decodes it only if that is not known.
    pub(super) fn get_or_decode<E>(
        &self,
        text: &str,
        decode: impl FnOnce(&str) -> Result<V, E>,
    ) -> Result<V, E> {
        let known = self.kept.lock().unwrap_or_else(PoisonError::into_inner).values.get(text).cloned();
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
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Any will do: with the oldest, a list that is a little too long would be decoded anew each time.
        while kept.bytes + text.len() > self.max_bytes
            && let Some(victim) = kept.values.keys().next().cloned()
        {
            kept.values.remove(&victim);
            kept.bytes -= victim.len();
        }
        if kept.values.insert(text.into(), value).is_none() {
            kept.bytes += text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_known_is_not_decoded_again() {
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
            assert!(cache.get_or_decode("seven", decode).is_err(), "what is wrong stays wrong");
        }
    }

    #[test]
    fn so_much_is_kept_and_no_more() {
        let cache = DecodeCache::with_max_bytes(100);
        for number in 0..1_000_u64 {
            cache.get_or_decode(&number.to_string(), str::parse::<u64>).unwrap();
            let kept = cache.kept.lock().unwrap();
            assert_eq!(kept.bytes, kept.values.keys().map(|text| text.len()).sum::<usize>());
            assert!(kept.bytes <= 100);
        }
        assert!(cache.kept.lock().unwrap().values.len() > 30);
        let long = "0".repeat(50);
        cache.get_or_decode(&long, str::parse::<u64>).unwrap();
        assert!(!cache.kept.lock().unwrap().values.contains_key(long.as_str()), "one does not drive out all");
    }
}
