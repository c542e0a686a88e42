//! The guides of `docs/`, in the same binary.

mod docs_page;
mod guide;
mod markdown;

pub(super) use docs_page::{guide_content, guide_list};
pub(super) use guide::Guide;
