//! Numbers for distinct items.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{collections::HashMap, hash::Hash};

/// Numbers distinct items from 0, in the order in which they first appear.
///
/// It clones items, so cloning them should be cheap. The serialized form is the list of items.
#[derive(Debug, Clone)]
pub(super) struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// Returns the number of an item; a new item gets the next free number.
    pub(super) fn intern(&mut self, item: &T) -> u32 {
        if let Some(number) = self.number_of(item) {
            return number;
        }
        let number = self.items.len() as u32;
        self.items.push(item.clone());
        self.numbers.insert(item.clone(), number);
        number
    }

    /// Returns the number of an item, if it has one.
    pub(super) fn number_of(&self, item: &T) -> Option<u32> {
        self.numbers.get(item).copied()
    }

    /// Returns the items in the order of their numbers.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }
}

impl<T: Serialize> Serialize for Interner<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + Clone + Eq + Hash> Deserialize<'de> for Interner<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::deserialize(deserializer)?;
        let numbers: HashMap<T, u32> = items.iter().cloned().zip(0..).collect();
        let is_each_once = numbers.len() == items.len();
        is_each_once
            .then_some(Self { items, numbers })
            .ok_or_else(|| D::Error::custom("an item appears twice"))
    }
}
