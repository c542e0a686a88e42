//! The page of a match.

mod analysed_position;
mod board;
mod conversation;
mod finding;
mod heat_table;
mod match_parts;
mod model_replies;
mod picture;
mod position_panel;
mod preview;
mod sentence;
mod take_list;
mod view;
mod winner_line;

pub(super) use analysed_position::AnalysedPosition;
pub(super) use conversation::{Conversation, open_round};
pub(super) use finding::{format_take_ranges, preference_rank};
pub(super) use match_parts::{embedded_match, match_picture, match_sentence};
pub(super) use preview::{MatchPreview, featured_html, previews_html};
pub(super) use sentence::{Seats, Sentence, ordinal_text};
pub(super) use view::MatchAtPly;

use super::address::cell_link;
use super::page::Page;
use super::page_cache::{PageLifetime, RenderedPage};
use super::page_content::PageContent;
use super::replay::Replay;
use super::site::Site;
use super::trail::trail_of_match;
use super::transcript_page::question_place;
use super::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::{json::MessageJson, pb, record::verify_record};
use lastnim_report::ReportReader;
use lastnim_report::matches::{match_report, outcome_line};
use lastnim_report::render::Html;
use lastnim_report::words::join_first_items;
use model_replies::read_model_replies;
use pb::transcript_service_server::TranscriptService as _;
use tonic::{Code, Status};
use view::MatchExtras;

/// The maximum number of questions to language models that a page links to.
const MAX_QUESTIONS: usize = 200;

/// Returns the page of a match after this many plies; by default, at the take that decided it.
pub(super) async fn match_page(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    ply: Option<u32>,
) -> Result<PageContent, Status> {
    let shown = site.get_match(visitor, id).await?;
    let replayed = site.find_replay(visitor, id).await?;
    let game = shown.r#match.clone().unwrap_or_default();
    let plies = replayed.as_ref().map_or(0, |(_, replay)| replay.ply_count());
    let ply = ply.unwrap_or_else(|| opening_ply(&shown, plies));
    let is_over = game.phase() == pb::Phase::Ended;
    let questions = if is_over { read_questions(site, visitor, id).await? } else { Vec::new() };
    let replies =
        read_model_replies(site, visitor, id, &questions, take_list::listed_plies(ply, plies)).await?;
    let trail = trail_of_match(site, visitor, &game.setup.clone().unwrap_or_default()).await?;
    let lifetime = match_lifetime(&shown);
    let content = PageContent::of_message(shown.clone(), move |address| {
        let Some((record, replay)) = replayed else {
            let title = game.setup.as_ref().map(|setup| join_first_items(&setup.bots)).unwrap_or_default();
            let response = pb::GetMatchResponse { audit: None, ..shown };
            let html =
                Html::with_links(&cell_link).report_html(&match_report(&game, &response, ReportReader::Page));
            return Ok(Page::of_html(address, title, html).with_summary(outcome_line(&game)));
        };
        let proof = verification_text(&record);
        let extras = MatchExtras { transcripts: transcript_links(id, &questions, &replay), proof };
        MatchAtPly { id, shown: &shown, replay: &replay, words: Some(&replies), ply }.page(address, extras)
    });
    Ok(content.with_lifetime(lifetime).with_trail(trail))
}

/// Returns the number of takes after which a match is shown by default: at the take that decided it, or at the end.
fn opening_ply(shown: &pb::GetMatchResponse, plies: u32) -> u32 {
    shown.audit.as_ref().map(finding::decisive_ply).filter(|&ply| ply > 0).unwrap_or(plies)
}

/// Returns how long pages about a match stay valid. A withheld audit is shown once the tournament is over.
fn match_lifetime(shown: &pb::GetMatchResponse) -> PageLifetime {
    let is_over = shown.r#match.as_ref().is_some_and(|game| game.phase() == pb::Phase::Ended);
    if is_over && !shown.audit_withheld { PageLifetime::Permanent } else { PageLifetime::default() }
}

/// Returns the record of a match, as `lastnim record get` prints it.
pub(super) async fn match_record(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
) -> Result<RenderedPage, Status> {
    let record = site.get_record(visitor, id).await?;
    // The record is signed once the match is over.
    let is_whole = !record.signature.is_empty();
    let write = move || serde_json::to_string(&MessageJson::canonical(&record));
    let json = site.run_slow_work(visitor, write).await?;
    let json = json.map_err(|error| Status::internal(error.to_string()))?;
    let lifetime = if is_whole { PageLifetime::Permanent } else { PageLifetime::Uncacheable };
    Ok(RenderedPage::of_json(json, lifetime))
}

/// Reads the list of published questions to language models in a finished match.
async fn read_questions(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
) -> Result<Vec<pb::PublishedQuestion>, Status> {
    let request = visitor.request(pb::ListTranscriptsRequest { match_id: id.to_string() });
    match site.transcripts.list_transcripts(request).await {
        Ok(listed) => Ok(listed.into_inner().questions),
        // The record was removed, together with its published questions.
        Err(status) if status.code() == Code::NotFound => Ok(Vec::new()),
        Err(status) => Err(status),
    }
}

fn transcript_links(
    id: MatchId,
    questions: &[pb::PublishedQuestion],
    replay: &Replay,
) -> Vec<(String, String)> {
    let link = |question| {
        let place = question_place(question);
        let bot = replay.setup.bots.get(place.seat as usize).map(String::as_str).unwrap_or_default();
        (place.address(id).to_string(), format!("{bot}, {}", place.words()))
    };
    questions.iter().take(MAX_QUESTIONS).map(link).collect()
}

/// Says whether a record verifies: its takes are legal, its hashes form a chain, and the last one is signed.
fn verification_text(record: &pb::MatchRecord) -> String {
    match verify_record(record) {
        Ok(verified) => match verified.seal() {
            Some(seal) => format!(
                "The record verifies: its takes are legal, its hashes form a chain, and the last hash is signed by the key {}.",
                seal.signer
            ),
            None => "The record has no signature: the match is not over, or was cancelled before the seats had said what they want. Its takes are legal.".to_owned(),
        },
        Err(flaw) => format!("The record does not verify: {flaw}."),
    }
}
