//! Pages of lists.

use super::status::parse;
use std::{fmt::Display, str::FromStr};
use tonic::Status;

/// The size of a page that does not say one.
const DEFAULT_SIZE: usize = 100;
/// The largest page.
const MAX_SIZE: usize = 1_000;

/// One page of a list, named by what stands before it.
#[derive(Debug)]
pub(super) struct Page<K> {
    /// The key of the last item of the page before; `None` for the first page.
    pub(super) start: Option<K>,
    size: usize,
}

impl<K> Page<K>
where
    K: FromStr + Display,
    K::Err: Display,
{
    /// Reads what a request says of its page.
    pub(super) fn parse(size: u32, token: &str) -> Result<Self, Status> {
        let size = match size as usize {
            0 => DEFAULT_SIZE,
            size if size <= MAX_SIZE => size,
            size => parse("page_size", Err(format!("page_size of {size}: it is 1 to {MAX_SIZE}")))?,
        };
        let start = if token.is_empty() { None } else { Some(parse("page_token", token.parse())?) };
        Ok(Self { start, size })
    }

    /// Returns how many items to ask for: one more than the page holds, to know whether another page follows.
    pub(super) fn most(&self) -> usize {
        self.size + 1
    }

    /// Returns how many items the page holds at most.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Cuts the items to the page and returns the token of the next one, empty if there is none.
    pub(super) fn cut<T>(&self, items: &mut Vec<T>, key: impl Fn(&T) -> String) -> String {
        let more = items.len() > self.size;
        items.truncate(self.size);
        items.last().filter(|_| more).map(key).unwrap_or_default()
    }
}
