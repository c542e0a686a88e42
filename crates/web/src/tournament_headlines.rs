//! Who leads or has won each tournament of a list.

use super::address::PageAddress;
use super::site::Site;
use super::visitor::Visitor;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::tournament::progress_text;
use lastnim_report::tournament_finding::{TournamentFinding, shown_standings, tournament_finding};
use pb::tournament_service_server::TournamentService as _;
use tonic::{Code, Status};

/// The largest field whose standings are read for a list.
const MAX_BOTS: usize = 1_000;

/// A card with a tournament and its finding.
#[derive(Template)]
#[template(path = "tournament/cards.html")]
struct TournamentCards {
    cards: Vec<TournamentCard>,
}

struct TournamentCard {
    address: String,
    title: String,
    /// The state as a class.
    state: String,
    state_words: String,
    headline: String,
    progress: String,
    played: u64,
    /// The number of matches in total; 0 if unknown.
    total: u64,
}

/// Says of each tournament who leads or has won; `None` for large fields, or if the server is too busy.
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
    let request = pb::GetStandingsRequest { tournament_id: tournament.id.clone(), cross_table: false };
    match site.tournaments.get_standings(visitor.request(request)).await {
        Ok(response) => {
            let pb::GetStandingsResponse { standings, verdict, .. } = response.into_inner();
            let shown = shown_standings(tournament, &standings);
            Ok(Some(tournament_finding(tournament, &shown, verdict.as_ref(), &[])))
        }
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
        let words = progress_text(tournament);
        let (state_words, progress) = words.split_once(", ").unwrap_or((&words, ""));
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
