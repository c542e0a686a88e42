//! Who leads or has won each tournament of a list.

use super::address::PageAddress;
use super::site::Site;
use super::visitor::Visitor;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::tournament::progress_text;
use lastnim_report::tournament_finding::{TournamentFinding, tournament_finding};
use pb::tournament_service_server::TournamentService as _;
use prost::Message as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tonic::{Code, Status};

/// The largest field whose standings are read for a list.
const MAX_BOTS: usize = 1_000;
/// The maximum number of tournaments whose finding is kept.
const MAX_KEPT_FINDINGS: usize = 1_000;
/// How long a finding is kept while nothing about its tournament changes.
const MAX_AGE: Duration = Duration::from_secs(30);

/// The cached findings about tournaments, which all lists share. Without this cache, each page of a list would read up
/// to 50 standings.
#[derive(Debug, Clone, Default)]
pub struct KeptHeadlines {
    /// By the id of the tournament.
    kept: Arc<Mutex<HashMap<String, KeptFinding>>>,
}

/// A cached finding.
#[derive(Debug)]
struct KeptFinding {
    finding: TournamentFinding,
    /// The hash of the tournament's message.
    tournament_hash: blake3::Hash,
    at: Instant,
}

impl KeptHeadlines {
    fn find(&self, id: &str, tournament_hash: blake3::Hash) -> Option<TournamentFinding> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept
            .get(id)
            .filter(|kept| kept.tournament_hash == tournament_hash && kept.at.elapsed() < MAX_AGE);
        found.map(|kept| kept.finding.clone())
    }

    fn keep(&self, id: String, tournament_hash: blake3::Hash, finding: TournamentFinding) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(id, KeptFinding { finding, tournament_hash, at: Instant::now() });
        if kept.len() > MAX_KEPT_FINDINGS
            && let Some((oldest, _)) = kept.iter().min_by_key(|(_, kept)| kept.at)
        {
            let oldest = oldest.clone();
            kept.remove(&oldest);
        }
    }
}

/// Cards of tournaments, each with its finding.
#[derive(Template)]
#[template(path = "tournament/cards.html")]
struct TournamentCards {
    cards: Vec<TournamentCard>,
}

struct TournamentCard {
    address: String,
    title: String,
    /// The state, as a CSS class.
    state: String,
    state_words: String,
    headline: String,
    progress: String,
    played: u64,
    /// The number of matches in total; 0 if unknown.
    total: u64,
}

/// Determines who leads or has won each tournament; `None` for large fields, or if the server is too busy.
pub(super) async fn read_headlines(
    site: &Site,
    visitor: &Visitor,
    tournaments: &[pb::Tournament],
) -> Result<Vec<Option<TournamentFinding>>, Status> {
    let mut found = Vec::new();
    for tournament in tournaments {
        found.push(read_finding(site, visitor, tournament).await?);
    }
    Ok(found)
}

async fn read_finding(
    site: &Site,
    visitor: &Visitor,
    tournament: &pb::Tournament,
) -> Result<Option<TournamentFinding>, Status> {
    if tournament.field.len() > MAX_BOTS {
        return Ok(None);
    }
    if tournament.matches_played == 0 {
        return Ok(Some(tournament_finding(tournament, &[], None, &[])));
    }
    let tournament_hash = blake3::hash(&tournament.encode_to_vec());
    if let Some(kept) = site.headlines.find(&tournament.id, tournament_hash) {
        return Ok(Some(kept));
    }
    let finding = read_standings_finding(site, visitor, tournament).await?;
    if let Some(finding) = &finding {
        site.headlines.keep(tournament.id.clone(), tournament_hash, finding.clone());
    }
    Ok(finding)
}

/// Reads the standings of a tournament. If they are damaged, the finding says so, and the other tournaments of the list
/// are still shown.
async fn read_standings_finding(
    site: &Site,
    visitor: &Visitor,
    tournament: &pb::Tournament,
) -> Result<Option<TournamentFinding>, Status> {
    let request = pb::GetStandingsRequest { tournament_id: tournament.id.clone(), cross_table: false };
    match site.tournaments.get_standings(visitor.request(request)).await {
        Ok(response) => {
            let pb::GetStandingsResponse { standings, verdict, .. } = response.into_inner();
            Ok(Some(tournament_finding(tournament, &standings, verdict.as_ref(), &[])))
        }
        Err(status) if status.code() == Code::DataLoss => Ok(Some(TournamentFinding {
            headline: "Its standings cannot be read".to_owned(),
            certainty: "The stored data is damaged.".to_owned(),
        })),
        // It was removed in the meantime, or the server is busy.
        Err(status) if matches!(status.code(), Code::NotFound | Code::ResourceExhausted) => Ok(None),
        Err(status) => Err(status),
    }
}

/// Writes tournaments as cards, each with its finding if that was read.
pub(super) fn tournament_cards_html(
    tournaments: &[pb::Tournament],
    findings: &[Option<TournamentFinding>],
) -> String {
    let cards = tournaments.iter().zip(findings).filter_map(|(tournament, finding)| {
        let address = PageAddress::Tournament { id: tournament.id.parse().ok()? }.to_string();
        let state_and_progress = progress_text(tournament);
        let (state_words, progress) =
            state_and_progress.split_once(", ").unwrap_or((&state_and_progress, ""));
        let settings = tournament.settings.clone().unwrap_or_default();
        let headline = finding.as_ref().map(|finding| finding.headline.clone()).unwrap_or_default();
        let joins = if tournament.has_open_field() { ". Bots can join at any time." } else { "" };
        let progress = if progress.is_empty() { String::new() } else { format!(": {progress}") };
        Some(TournamentCard {
            address,
            state: state_words.to_owned(),
            state_words: state_words.to_owned(),
            headline,
            progress: format!("{}{progress}{joins}", settings.format_profile().title),
            title: settings.title,
            played: tournament.matches_played,
            total: tournament.matches_total,
        })
    });
    write_template(&TournamentCards { cards: cards.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::PageFormat;
    use crate::home_page::home_page;
    use crate::lists::tournament_list;
    use crate::testing::{finished_tournament, open_site, stranger};
    use lastnim_arena::{Arena, Backend, Limits};

    fn kept_times(site: &Site) -> Vec<Instant> {
        site.headlines.kept.lock().unwrap().values().map(|kept| kept.at).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn html_lists_read_standings_once_and_json_lists_never() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        finished_tournament(&arena).await;
        let (site, visitor) = (open_site(&arena, 1), stranger());
        let json = tournament_list(&site, &visitor, "", PageFormat::Json).await.unwrap().json();
        assert!(json.contains("\"state\":\"finished\""), "{json}");
        home_page(&site, &visitor, PageFormat::Json).await.unwrap();
        assert_eq!(kept_times(&site), []);
        tournament_list(&site, &visitor, "", PageFormat::Html).await.unwrap();
        let first = kept_times(&site);
        assert_eq!(first.len(), 1);
        // Made-up places in the list show the same tournament.
        let page = "ffffffff-ffff-7fff-bfff-ffffffffffff";
        tournament_list(&site, &visitor, page, PageFormat::Html).await.unwrap();
        home_page(&site, &visitor, PageFormat::Html).await.unwrap();
        assert_eq!(kept_times(&site), first, "the standings were read once");
    }

    #[test]
    fn a_cached_finding_is_not_used_after_a_change() {
        let (headlines, [before, after]) =
            (KeptHeadlines::default(), [1, 2].map(|byte| blake3::hash(&[byte])));
        let finding = TournamentFinding { headline: "ann leads".into(), certainty: String::new() };
        headlines.keep("cup".into(), before, finding.clone());
        assert_eq!(headlines.find("cup", before), Some(finding.clone()));
        assert_eq!(headlines.find("cup", after), None);
        for number in 0..MAX_KEPT_FINDINGS {
            headlines.keep(number.to_string(), before, finding.clone());
        }
        assert_eq!(headlines.find("cup", before), None, "the oldest was evicted");
        assert_eq!(headlines.kept.lock().unwrap().len(), MAX_KEPT_FINDINGS);
    }
}
