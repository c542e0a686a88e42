//! The pages of the server.
//!
//! Pages call the same services as gRPC clients, in the same process, with the visitor's address and token, so access
//! and quotas are the same. A page shows a report ([`report`](lastnim_report)) or a template of `templates`; the same
//! address with `.json` returns the message itself. `address` declares all addresses; `pages` finds the page of an
//! address; pages read from a [`Site`]; `response` has what all responses share; `forms` handles forms.

mod address;
mod address_parts;
mod asset;
mod board;
mod book;
mod bot_audit_page;
mod bot_audits;
mod bot_page;
mod confirmation;
mod embed_page;
mod entry_page;
mod error_page;
mod fold;
mod forms;
mod home_page;
mod home_view;
mod lists;
mod live;
mod match_filter;
mod match_page;
mod metrics;
mod news_feed;
mod oracle_page;
mod organise;
mod page;
mod page_cache;
mod page_content;
mod page_makers;
mod page_refusal;
mod pages;
mod picture;
mod play;
mod position_input;
mod public_url;
mod refusal_words;
mod replay;
mod response;
mod seat_clock;
mod seat_sign;
mod sign_in;
mod site;
mod site_cookies;
#[cfg(test)]
mod testing;
mod tournament_format_sections;
mod tournament_headlines;
mod tournament_page;
mod tournament_parts;
mod tournament_view;
mod trail;
mod transcript_page;
mod typed_piles;
mod typed_token;
mod typed_wants;
mod visitor;
mod visitor_channel;
mod what_if_page;

pub use bot_audits::BotAudits;
pub use live::{BUSY_MESSAGE, Feeds, is_event_stream};
pub use metrics::Metrics;
pub use page_cache::PageCache;
pub use page_refusal::refusal_reason;
pub use pages::{Pages, is_probe};
pub use public_url::PublicUrl;
pub use response::PageResponse;
pub use sign_in::SignIns;
pub use site::Site;
pub use tournament_headlines::KeptHeadlines;
pub use visitor_channel::VisitorChannel;
