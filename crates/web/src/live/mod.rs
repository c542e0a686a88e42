//! Server-sent events: what changes on a page while somebody looks at it.
//!
//! A page that may change has parts, elements with an id. The functions that write them for the page write them for its feed as well: one for all who
//! look at the same page with the same rights. It asks the services as one of them does, and what it sends is made once.

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

pub use event_stream::is_event_stream;
pub(super) use feed_payer::FeedPayer;
pub use feeds::Feeds;
pub(super) use home_feed::watch_home_page;
pub(super) use live_page::{LiveList, LivePage};
pub(super) use match_feed::watch_match_page;
pub(super) use page_parts::PageParts;
pub(super) use tournament_feed::watch_tournament_page;
