//! Pagination of lists.

use super::status::parse_field;
use std::{fmt::Display, str::FromStr};
use tonic::Status;

/// The default page size.
const DEFAULT_PAGE_SIZE: usize = 100;
/// The maximum page size.
const MAX_PAGE_SIZE: usize = 1_000;

/// A requested page of a list.
#[derive(Debug)]
pub(super) struct Page<K> {
    /// The key of the last item of the previous page; `None` for the first page.
    pub(super) start: Option<K>,
    size: usize,
}

impl<K> Page<K>
where
    K: FromStr + Display,
    K::Err: Display,
{
    /// Parses the page size and the page token of a request.
    pub(super) fn parse(size: u32, token: &str) -> Result<Self, Status> {
        let size = match size as usize {
            0 => DEFAULT_PAGE_SIZE,
            size if size <= MAX_PAGE_SIZE => size,
            size => parse_field("page_size", Err(format!("{size}: expected 1 to {MAX_PAGE_SIZE}")))?,
        };
        let start = if token.is_empty() { None } else { Some(parse_field("page_token", token.parse())?) };
        Ok(Self { start, size })
    }

    /// Returns a page of the maximum size that begins after the item with the key `start`.
    pub(super) fn max_size_after(start: Option<K>) -> Self {
        Self { start, size: MAX_PAGE_SIZE }
    }

    /// Returns how many items to read: one more than the page size, to detect further pages.
    pub(super) fn fetch_limit(&self) -> usize {
        self.size + 1
    }

    /// Truncates the items to the page size and returns the token of the next page, which is empty on the last page.
    pub(super) fn truncate<T>(&self, items: &mut Vec<T>, key: impl Fn(&T) -> String) -> String {
        let more = items.len() > self.size;
        items.truncate(self.size);
        items.last().filter(|_| more).map(key).unwrap_or_default()
    }

    /// Fills the page with the wanted items from a larger page, `source_page`. Also returns the token of the next
    /// page, which is empty if no items are left.
    pub(super) fn fill_filtered<T>(
        &self,
        items: Vec<T>,
        source_page: &Self,
        is_wanted: impl Fn(&T) -> bool,
        key: impl Fn(&T) -> String,
    ) -> (Vec<T>, String) {
        let (mut picked, mut last) = (Vec::new(), String::new());
        let more_follow = items.len() > source_page.size;
        let mut rest = items.into_iter().take(source_page.size).peekable();
        while picked.len() < self.size
            && let Some(item) = rest.next()
        {
            last = key(&item);
            if is_wanted(&item) {
                picked.push(item);
            }
        }
        let is_last = rest.peek().is_none() && !more_follow;
        (picked, if is_last { String::new() } else { last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pages of the even numbers below a limit, the highest first.
    fn even_number_pages(size: u32, below: u64) -> Vec<Vec<u64>> {
        let mut pages = Vec::new();
        let mut token = String::new();
        loop {
            let page = Page::<u64>::parse(size, &token).unwrap();
            let look = Page { start: page.start, size: 10 };
            let items = (0..page.start.unwrap_or(below)).rev().take(look.fetch_limit()).collect();
            let (picked, next) = page.fill_filtered(items, &look, |number| number % 2 == 0, u64::to_string);
            pages.push(picked);
            token = next;
            if token.is_empty() {
                return pages;
            }
        }
    }

    #[test]
    fn filtered_pages_neither_miss_nor_repeat_items() {
        assert_eq!(even_number_pages(3, 9), [vec![8, 6, 4], vec![2, 0]]);
        assert_eq!(
            even_number_pages(9, 25),
            [vec![24, 22, 20, 18, 16], vec![14, 12, 10, 8, 6], vec![4, 2, 0]]
        );
        for (size, below) in (1..12).flat_map(|size| (0..45).map(move |below| (size, below))) {
            let expected: Vec<u64> = (0..below).rev().filter(|number| number % 2 == 0).collect();
            let pages = even_number_pages(size, below);
            assert_eq!(pages.concat(), expected, "{size} of {below}");
            assert!(pages.iter().all(|page| page.len() <= size as usize));
        }
    }
}
