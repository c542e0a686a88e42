//! Previews of matches for lists: the newest position, and what happened last.

use super::board::{BoardMode, MatchBoard, TakeLinks};
use super::finding::{open_headline, take_sentence};
use super::sentence::{Seats, Sentence};
use crate::address::PageAddress;
use crate::replay::Replay;
use crate::seat_sign::seat_sign;
use crate::site::Site;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{MatchId, Position};
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::count_with_noun;
use tonic::Status;

/// Matches with more takes than this have no preview, since each preview reads its match from the start.
const MAX_PLIES: u32 = 500;
/// The maximum number of seats that a preview names.
const MAX_NAMED_SEATS: usize = 6;

/// A match with its newest position.
#[derive(Debug, Clone)]
pub(crate) struct MatchPreview {
    id: MatchId,
    replay: Replay,
    position: Position,
}

/// Previews in a list, each a link to its match.
#[derive(Template)]
#[template(path = "match/previews.html")]
struct PreviewsView<'a> {
    heading: &'a str,
    previews: Vec<PreviewView>,
}

/// A large preview, with a sentence on what happened last.
#[derive(Template)]
#[template(path = "match/featured.html")]
struct FeaturedMatch<'a> {
    is_open: bool,
    title: &'a str,
    tournament: Option<PageAddress>,
    preview: PreviewView,
    said: String,
}

/// A preview as it is drawn.
struct PreviewView {
    address: String,
    board: String,
    seats: Vec<NamedSeat>,
    /// How many seats are not named, such as `3 others`; may be empty.
    others: String,
    takes: String,
}

struct NamedSeat {
    sign: String,
    bot: String,
    class: &'static str,
}

impl MatchPreview {
    /// Reads previews of the first matches, given their ids and their numbers of takes. Leaves out long matches, and
    /// those whose record was removed or is damaged.
    pub(crate) async fn read_first(
        site: &Site,
        visitor: &Visitor,
        matches: Vec<(&str, u32)>,
        most: usize,
    ) -> Result<Vec<Self>, Status> {
        let mut previews = Vec::new();
        let short = matches.into_iter().filter(|&(_, plies)| plies <= MAX_PLIES);
        let ids: Vec<MatchId> = short.filter_map(|(id, _)| id.parse().ok()).take(most).collect();
        for id in ids {
            let Some((_, replay)) = site.find_replay(visitor, id).await? else { continue };
            let position = replay.position_after(replay.ply_count());
            previews.extend(position.map(|position| Self { id, replay, position }));
        }
        Ok(previews)
    }

    /// Returns the id of its tournament; empty without one.
    pub(crate) fn tournament_id(&self) -> &str {
        &self.replay.setup.tournament_id
    }

    fn draw(&self) -> PreviewView {
        let (replay, position) = (&self.replay, &self.position);
        let (id, ply, mode) = (self.id, replay.ply_count(), BoardMode::Preview);
        let seats = &Seats::of_setup(&replay.setup);
        let take_links = TakeLinks::Match { id, ply };
        let board = MatchBoard { take_links, replay, seats, position, ply, audit: None, outcomes: &[], mode };
        let winner = replay.end.as_ref().and_then(|end| end.winner).map(|seat| seat as usize);
        // Nobody is to move before the seats have said what they want.
        let has_begun = replay.setup.assigned.is_some() || !replay.rows.is_empty();
        let is_played = has_begun && !position.is_over() && replay.end.is_none();
        let to_move = is_played.then(|| position.to_move().index());
        let named = replay.setup.bots.iter().enumerate().take(MAX_NAMED_SEATS).map(|(seat, bot)| NamedSeat {
            sign: seat_sign(seat),
            bot: bot.clone(),
            class: if winner.or(to_move) == Some(seat) { "marked" } else { "" },
        });
        let others = seats.count().saturating_sub(MAX_NAMED_SEATS);
        let marked = winner.or(to_move).map(|seat| seats.name(seat));
        let verb = if winner.is_some() { "won" } else { "to move" };
        let takes = count_with_noun(ply, "take", "takes");
        PreviewView {
            address: PageAddress::Match { id, ply: None }.to_string(),
            board: board.html(),
            seats: named.collect(),
            others: if others > 0 { count_with_noun(others, "other", "others") } else { String::new() },
            takes: marked.map_or_else(|| takes.clone(), |marked| format!("{marked} {verb}, {takes}")),
        }
    }

    /// Says what the last take was, and who has won or is to move.
    fn newest_event_html(&self) -> String {
        let (replay, seats) = (&self.replay, Seats::of_setup(&self.replay.setup));
        let last =
            (replay.ply_count() > 0).then(|| take_sentence(replay, None, replay.ply_count()).html(&seats));
        let next = match replay.end.as_ref().map(|end| end.winner) {
            None => open_headline(&pb::Match::default(), replay),
            Some(Some(winner)) => Sentence::default().seat(winner as usize).text(" won."),
            Some(None) => Sentence::of("The match was cancelled."),
        };
        last.unwrap_or_default() + &next.html(&seats)
    }
}

/// Writes previews below a heading; empty without previews.
pub(crate) fn previews_html(heading: &str, previews: &[MatchPreview]) -> String {
    if previews.is_empty() {
        return String::new();
    }
    let previews = previews.iter().map(MatchPreview::draw).collect();
    write_template(&PreviewsView { heading, previews })
}

/// Writes a large preview of a match, with the title of its tournament, which may be empty.
pub(crate) fn featured_html(preview: &MatchPreview, title: &str) -> String {
    let id = preview.tournament_id().parse().ok();
    write_template(&FeaturedMatch {
        is_open: preview.replay.end.is_none(),
        title,
        tournament: id.map(|id| PageAddress::Tournament { id }),
        preview: preview.draw(),
        said: preview.newest_event_html(),
    })
}
