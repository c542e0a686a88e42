//! The page of a match.

use super::address::{OracleView, link_of_cell};
use super::kept_pages::{MadePage, PageLifetime};
use super::match_view::MatchAtPly;
use super::page::Page;
use super::page_content::PageContent;
use super::replay::Replay;
use super::site::Site;
use super::transcript_page::place_of_question;
use super::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::{json::MessageJson, pb, record::verify_record};
use lastnim_report::matches::{match_report, outcome_line};
use lastnim_report::render::Html;
use lastnim_report::words::join_first_words;
use pb::transcript_service_server::TranscriptService as _;
use tonic::{Code, Status};

/// The number of model questions that are linked.
const MAX_QUESTIONS: usize = 200;

/// Returns a match after this many plies.
pub(super) async fn match_page(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    ply: Option<u32>,
    view: OracleView,
) -> Result<PageContent, Status> {
    let shown = site.get_match(visitor, id).await?;
    let record = site.find_record(visitor, id).await?;
    let questions = read_questions(site, visitor, id, &shown).await?;
    let is_over = shown.r#match.as_ref().is_some_and(|game| game.phase() == pb::Phase::Ended);
    // A withheld record is shown once the tournament is over.
    let lifetime =
        if is_over && !shown.audit_withheld { PageLifetime::Lasting } else { PageLifetime::default() };
    let content = PageContent::of_message(shown.clone(), move |address| {
        let game = shown.r#match.clone().unwrap_or_default();
        let title = game.setup.as_ref().map(|setup| join_first_words(&setup.bots)).unwrap_or_default();
        let html = if let Some(replay) = record.as_ref().and_then(Replay::of_record) {
            let ply = ply.unwrap_or_else(|| replay.plies());
            let proof = record.as_ref().map(proof_words).unwrap_or_default();
            let at_ply = MatchAtPly { id, shown: &shown, replay: &replay, ply, view };
            at_ply.html(transcript_links(id, &questions), proof)?
        } else {
            let told = pb::GetMatchResponse { audit: None, ..shown.clone() };
            Html::with_links(&link_of_cell).report_html(&match_report(&game, &told))
        };
        Ok(Page::of_html(address, title, html).with_summary(outcome_line(&game)))
    });
    Ok(content.with_lifetime(lifetime))
}

/// Returns the record of a match, as `lastnim record get` prints it.
pub(super) async fn match_record(site: &Site, visitor: &Visitor, id: MatchId) -> Result<MadePage, Status> {
    let record = site.get_record(visitor, id).await?;
    // The record is signed once the match is over.
    let is_whole = !record.signature.is_empty();
    let write = move || serde_json::to_string(&MessageJson::canonical(&record));
    let json = site.reads.run_slow_work(&visitor.request(()), write).await?;
    let json = json.map_err(|error| Status::internal(error.to_string()))?;
    let lifetime = if is_whole { PageLifetime::Lasting } else { PageLifetime::Moment };
    Ok(MadePage::of_json(json, lifetime))
}

/// Reads which questions of a finished match were published.
async fn read_questions(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    shown: &pb::GetMatchResponse,
) -> Result<Vec<pb::PublishedQuestion>, Status> {
    if shown.r#match.as_ref().is_none_or(|game| game.phase() != pb::Phase::Ended) {
        return Ok(Vec::new());
    }
    let request = visitor.request(pb::ListTranscriptsRequest { match_id: id.to_string() });
    match site.transcripts.list_transcripts(request).await {
        Ok(listed) => Ok(listed.into_inner().questions),
        // The record was removed, together with its published questions.
        Err(status) if status.code() == Code::NotFound => Ok(Vec::new()),
        Err(status) => Err(status),
    }
}

fn transcript_links(id: MatchId, questions: &[pb::PublishedQuestion]) -> Vec<(String, String)> {
    let link = |question| {
        let place = place_of_question(question);
        (place.address(id).to_string(), place.words())
    };
    questions.iter().take(MAX_QUESTIONS).map(link).collect()
}

/// Says whether a record verifies: its takes are legal, its hashes form a chain, and the last one is signed.
fn proof_words(record: &pb::MatchRecord) -> String {
    match verify_record(record) {
        Ok(verified) => match verified.seal() {
            Some(seal) => format!(
                "The record verifies: its takes are legal, its hashes form a chain, and the last hash is signed by the key {}.",
                seal.signer
            ),
            None => "The record is not signed yet. Its takes so far are legal.".to_owned(),
        },
        Err(flaw) => format!("The record does not verify: {flaw}."),
    }
}
