//! Server-sent events that update open pages.
//!
//! A page that can change has parts: elements with an id. The same functions write them for the page and for its feed.
//! A browser follows the pages of all its tabs in one stream, since browsers open few connections to a server.
//! Visitors with the same page and the same rights share one feed, which calls the services once for all of them.

mod event_stream;
mod feed;
mod feed_key;
mod feed_payer;
mod feed_start;
mod feeds;
mod home_feed;
mod live_page;
mod match_feed;
mod page_parts;
mod tournament_feed;

pub use event_stream::{BUSY_MESSAGE, is_event_stream};
pub(super) use event_stream::{watch_page, watch_pages};
pub(super) use feed_payer::FeedPayer;
pub use feeds::Feeds;
pub(super) use live_page::{LiveList, LivePage};
pub(super) use page_parts::PageParts;
