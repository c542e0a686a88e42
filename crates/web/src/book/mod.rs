//! The book of `docs/`, which each server shows.

mod book_page;
mod chapter;
mod markdown;

pub(super) use book_page::{chapter_content, contents_page};
pub(super) use chapter::Chapter;
