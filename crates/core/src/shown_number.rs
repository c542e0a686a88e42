//! Numbers as people read them.

/// Returns the number that people read for a group, a match of a tournament, a round, a take or a message, or on a page
/// for a seat or a rank, given its index. Fields of messages, files and records hold the index, which counts from 0; people count from 1.
///
/// ```
/// use lastnim_core::shown_number::shown_number;
/// assert_eq!((shown_number(0_u32), shown_number(u64::MAX)), (1, u64::MAX));
/// ```
pub fn shown_number(index: impl TryInto<u64>) -> u64 {
    index.try_into().map_or(u64::MAX, |index| index.saturating_add(1))
}
