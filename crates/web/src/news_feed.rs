//! Atom feeds of tournaments and of the matches of a tournament.

use super::address::{PageAddress, PageFormat};
use super::match_filter::MatchFilter;
use super::match_page::match_sentence;
use super::page_cache::PageLifetime;
use super::picture::xml_text;
use super::site::Site;
use super::tournament_headlines::read_headlines;
use super::trail::tournament_title;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::{format_time, join_first_items};
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// The maximum number of tournaments or matches in a feed.
const MAX_ENTRIES: u32 = 20;

/// A feed, before it is written.
#[derive(Debug, Template)]
#[template(path = "news_feed.xml")]
pub(super) struct NewsFeed {
    /// A unique id that does not change.
    id: String,
    title: String,
    /// The public address of the server; empty if it is not known.
    site: String,
    /// The addresses of the page with the same entries, and of this feed.
    page: String,
    address: String,
    updated: String,
    entries: Vec<NewsEntry>,
    pub lifetime: PageLifetime,
}

/// An entry of a feed.
#[derive(Debug)]
struct NewsEntry {
    /// A unique id that does not change.
    id: String,
    title: String,
    summary: String,
    address: String,
    /// In microseconds since 1970.
    updated_us: u64,
}

impl NewsEntry {
    fn updated(&self) -> String {
        atom_time(self.updated_us)
    }
}

impl NewsFeed {
    /// Writes the feed.
    pub(super) fn xml(&self) -> String {
        xml_text(&write_template(self))
    }

    fn new(site: &Site, id: String, title: String, page: &PageAddress, mut entries: Vec<NewsEntry>) -> Self {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.updated_us));
        Self {
            id,
            title,
            site: site.public_url.as_ref().map(ToString::to_string).unwrap_or_default(),
            page: page.to_string(),
            address: page.in_format(PageFormat::Atom),
            updated: atom_time(entries.first().map_or(0, |newest| newest.updated_us)),
            entries,
            lifetime: PageLifetime::default(),
        }
    }
}

/// Reads the newest tournaments: each has an entry when it is created, and one when it has finished.
pub(super) async fn tournament_news(site: &Site, visitor: &Visitor) -> Result<NewsFeed, Status> {
    let request = pb::ListTournamentsRequest { page_size: MAX_ENTRIES, ..Default::default() };
    let list = site.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
    let is_finished = |tournament: &&pb::Tournament| tournament.state() == pb::TournamentState::Finished;
    let finished: Vec<_> = list.tournaments.iter().filter(is_finished).cloned().collect();
    let mut findings = read_headlines(site, visitor, &finished).await?.into_iter();
    let mut entries = Vec::new();
    for tournament in &list.tournaments {
        let finding = if is_finished(&tournament) { findings.next().flatten() } else { None };
        let Ok(id) = tournament.id.parse() else { continue };
        let (address, title) = (PageAddress::Tournament { id }.to_string(), tournament_title(tournament));
        entries.push(NewsEntry {
            id: format!("urn:uuid:{id}"),
            title: format!("New: {title}"),
            summary: format!("A new tournament: {}", tournament.format_profile().title),
            address: address.clone(),
            updated_us: tournament.created_at_us,
        });
        if is_finished(&tournament) {
            let finding = finding.map(|finding| finding.text());
            entries.push(NewsEntry {
                id: format!("urn:uuid:{id}#finished"),
                title: format!("Finished: {title}"),
                summary: finding.unwrap_or_else(|| "The tournament is over.".to_owned()),
                address,
                updated_us: time_of_newest_match(site, visitor, id)
                    .await?
                    .unwrap_or(tournament.created_at_us),
            });
        }
    }
    let page = PageAddress::Tournaments { page: String::new() };
    let here = site.public_url.as_ref().map(ToString::to_string);
    let id = here.map_or("urn:lastnim:tournaments".to_owned(), |here| format!("{here}/tournaments.atom"));
    Ok(NewsFeed::new(site, id, "lastnim: tournaments".to_owned(), &page, entries))
}

/// Reads the newest finished matches of a tournament.
pub(super) async fn match_news(site: &Site, visitor: &Visitor, id: TournamentId) -> Result<NewsFeed, Status> {
    let is_ended = site.arena.is_ended(id).await;
    let tournament = site.get_tournament(visitor, id).await?.tournament.unwrap_or_default();
    let request = pb::ListMatchesRequest {
        page_size: MAX_ENTRIES,
        tournament_id: id.to_string(),
        state: pb::MatchState::Over.into(),
        ..Default::default()
    };
    let mut entries = Vec::new();
    for game in site.list_matches(visitor, request).await?.matches {
        let Ok(id) = game.id.parse() else { continue };
        let described = match_sentence(site, visitor, id).await?;
        entries.push(NewsEntry {
            id: format!("urn:uuid:{id}"),
            title: game.setup.as_ref().map(|setup| join_first_items(&setup.bots)).unwrap_or_default(),
            summary: described.sentence,
            address: PageAddress::Match { id, ply: None }.to_string(),
            updated_us: described.ended_at_us.or(time_of_id(&game.id)).unwrap_or_default(),
        });
    }
    let page = PageAddress::matches_page(Some(id), MatchFilter::default(), String::new());
    let title = format!("lastnim: matches of {}", tournament_title(&tournament));
    let feed = NewsFeed::new(site, format!("urn:uuid:{id}#matches"), title, &page, entries);
    Ok(if is_ended { NewsFeed { lifetime: PageLifetime::Permanent, ..feed } } else { feed })
}

/// Returns when the newest match of a tournament began.
async fn time_of_newest_match(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<Option<u64>, Status> {
    let tournament_id = id.to_string();
    let request = pb::ListMatchesRequest { page_size: 1, tournament_id, ..Default::default() };
    let newest = site.list_matches(visitor, request).await?.matches;
    Ok(newest.first().and_then(|game| time_of_id(&game.id)))
}

/// Returns the time in an id, in microseconds: the first 48 bits are milliseconds.
fn time_of_id(id: &str) -> Option<u64> {
    let digits: String = id.chars().filter(|&digit| digit != '-').take(12).collect();
    u64::from_str_radix(&digits, 16).ok()?.checked_mul(1_000)
}

/// Writes a time as Atom requires.
fn atom_time(micros: u64) -> String {
    format!("{}Z", format_time(micros).replace(' ', "T"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_entries_are_in_the_format_of_atom() {
        assert_eq!(atom_time(1_700_000_000_000_042), "2023-11-14T22:13:20Z");
        let time = time_of_id("0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f").unwrap();
        assert_eq!(atom_time(time), "2024-11-03T06:40:45Z");
        assert_eq!(time_of_id("x"), None);
    }
}
