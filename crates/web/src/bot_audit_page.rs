//! The page that audits a bot.

use super::address::{PageAddress, PageFormat, cell_link};
use super::board::draw_static_board;
use super::fold::folded_html;
use super::match_page::format_take_ranges;
use super::page::Page;
use super::page_content::PageContent;
use super::position_input::PositionInput;
use super::site::Site;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{BotName, Game};
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::bot_findings::{ExplainedAudit, explain_bot_audit};
use lastnim_report::render::{Html, text_html, write_template};
use lastnim_report::winner_words::ending_rule;
use lastnim_report::words::{count_with_noun, join_first_items, join_items};
use pb::bot_service_server::BotService as _;
use pb::oracle_service_server::OracleService as _;
use std::sync::Arc;
use std::time::Duration;
use tonic::Status;
use tonic::metadata::MetadataValue;

/// The timeout of an audit for a page, in gRPC format. The audit covers the newest matches that can be read in this
/// time.
const AUDIT_TIMEOUT: &str = "2S";
/// How long a request waits for its audit before it gets a page that says that the audit is running.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// The longest address that a puzzle links to, in bytes.
const MAX_ADDRESS_BYTES: usize = 8 << 10;
const MAX_PUZZLES: usize = 8;
/// The maximum number of seats whose rows a puzzle shows.
const MAX_LISTED_ROWS: usize = 5;

/// Returns the audit of a bot's newest matches. It is expensive: for a visitor without a token, only the page for people
/// starts it, one bot at a time, and JSON has the cached audit.
pub(super) async fn bot_audit_page(
    site: &Site,
    visitor: &Visitor,
    name: &BotName,
    form: PageFormat,
) -> Result<PageContent, Status> {
    let audited = match form {
        PageFormat::Html | PageFormat::Json if visitor.token().is_some() => {
            Arc::new(audit_bot(site, visitor, name).await?)
        }
        PageFormat::Html => match find_audit(site, visitor, name).await? {
            Some(audited) => audited,
            None => return Ok(audit_running_page(name)),
        },
        _ => site.audits.kept_audit(name).ok_or_else(|| no_kept_audit_status(name))?,
    };
    let name = name.clone();
    Ok(PageContent::of_message(audited.as_ref().clone(), move |address| {
        let html = Html::with_links(&cell_link);
        let found = audited.report.iter().flat_map(|report| &report.bots).next();
        let puzzles = puzzles_html(found.map_or(&[], |found| &found.puzzles));
        let Some(ExplainedAudit { headline, sections, details }) = explain_bot_audit(&audited) else {
            let section = Section::new().paragraph("This bot has not played any matches that count.");
            return Ok(audit_page(address, &name, html.section_html(&section), None));
        };
        let told = html.report_html(&sections.into_iter().collect());
        let details = details.into_iter().map(|section| detail_html(html, section)).collect();
        let content = told + &puzzles + &write_template(&MoreFigures { details });
        Ok(audit_page(address, &name, content, Some(headline)))
    }))
}

/// Tables that are folded at first.
#[derive(Template)]
#[template(path = "more_figures.html")]
struct MoreFigures {
    details: String,
}

/// Writes a section, folded below its heading.
fn detail_html(html: Html<'_>, mut section: Section) -> String {
    let summary = section.heading.take().unwrap_or_default();
    folded_html(&summary, html.section_html(&section))
}

/// Writes the page; its heading is its main finding, if there is one.
fn audit_page(address: &PageAddress, name: &BotName, content: String, finding: Option<String>) -> Page {
    let summary =
        format!("The newest matches of {name} compared with optimal play, and its worst errors as puzzles");
    let page = Page::of_html(address, format!("How {name} plays"), content);
    match finding {
        Some(finding) => page.with_heading(text_html(&finding)).with_summary(finding),
        None => page.with_summary(summary),
    }
}

fn no_kept_audit_status(name: &BotName) -> Status {
    let page = PageAddress::BotAudit { name: name.clone() };
    Status::not_found(format!(
        "the server has no audit of {name:?}: open {page} in a browser to make one, call AuditBot, or run `lastnim audit bot`",
        name = name.as_str()
    ))
}

/// Returns the latest audit of a bot's newest matches, and starts a newer one if it is due. `None` until the first one is
/// ready.
async fn find_audit(
    site: &Site,
    visitor: &Visitor,
    name: &BotName,
) -> Result<Option<Arc<pb::AuditBotResponse>>, Status> {
    let Some(newest) = newest_match_id(site, visitor, name).await? else {
        // The bot may not exist.
        site.bots.get_bot(visitor.request(pb::GetBotRequest { name: name.to_string() })).await?;
        return Ok(Some(Arc::default()));
    };
    let (found, due) = site.audits.find(name, newest);
    let Some(due) = due else { return Ok(found) };
    let mut result = due.subscribe();
    let (site, visitor, name) = (site.clone(), visitor.clone(), name.clone());
    tokio::spawn(async move {
        forget_pages(&site, &name);
        due.finish(audit_bot(&site, &visitor, &name).await.map(Arc::new));
        forget_pages(&site, &name);
    });
    if found.is_some() {
        return Ok(found);
    }
    match tokio::time::timeout(MAX_WAIT, result.wait_for(Option::is_some)).await {
        Ok(Ok(result)) => result.clone().transpose(),
        Ok(Err(_)) => Err(Status::internal("the audit failed")),
        Err(_) => Ok(None),
    }
}

/// Removes the cached pages that show the audit of a bot.
fn forget_pages(site: &Site, name: &BotName) {
    let pages = [PageAddress::Bot { name: name.clone() }, PageAddress::BotAudit { name: name.clone() }];
    for page in pages {
        for form in [PageFormat::Html, PageFormat::Json] {
            site.kept.forget(&page.in_format(form));
        }
    }
}

/// Audits a bot within the timeout.
async fn audit_bot(site: &Site, visitor: &Visitor, name: &BotName) -> Result<pb::AuditBotResponse, Status> {
    let mut request = visitor.request(pb::AuditBotRequest { bot: name.to_string(), ..Default::default() });
    request.metadata_mut().insert("grpc-timeout", MetadataValue::from_static(AUDIT_TIMEOUT));
    Ok(site.oracle.audit_bot(request).await?.into_inner())
}

/// Returns the id of the newest finished match of a bot, if it has finished one.
async fn newest_match_id(site: &Site, visitor: &Visitor, name: &BotName) -> Result<Option<String>, Status> {
    let bots = vec![name.to_string()];
    let state = pb::MatchState::Over.into();
    let request = pb::ListMatchesRequest { page_size: 1, bots, state, ..Default::default() };
    let list = site.list_matches(visitor, request).await?;
    Ok(list.matches.into_iter().next().map(|game| game.id))
}

/// Returns the page that says that the audit is running.
fn audit_running_page(name: &BotName) -> PageContent {
    let name = name.clone();
    let content = PageContent::of_message(pb::AuditBotResponse::default(), move |address| {
        let notice = "The newest matches of this bot are being compared with optimal play, or are waiting while another bot's are compared. This page reloads itself until the result is ready.";
        let content = Html::with_links(&cell_link).section_html(&Section::new().paragraph(notice));
        Ok(audit_page(address, &name, content, None))
    });
    content.with_pending_part()
}

/// The worst errors of a bot as puzzles, with hidden solutions.
#[derive(Template)]
#[template(path = "puzzles.html")]
struct Puzzles {
    /// `None` if the position is invalid.
    puzzles: Vec<Option<PuzzleView>>,
}

/// A puzzle as its page shows it.
struct PuzzleView {
    /// The optimal takes, in the format that `puzzles.js` reads.
    ranges: String,
    counters: u64,
    words: String,
    board: String,
    answer: String,
    /// The link to the oracle, unless it would be too long.
    oracle: Option<String>,
    /// The link to the position in its match.
    played: PageAddress,
}

fn puzzles_html(puzzles: &[pb::Puzzle]) -> String {
    if puzzles.is_empty() {
        return String::new();
    }
    write_template(&Puzzles { puzzles: puzzles.iter().take(MAX_PUZZLES).map(puzzle_view).collect() })
}

/// Describes whom each of the first seats wants to see win.
fn wants_text(game: &Game, bots: &[String]) -> String {
    let seats = game.matrix.seats();
    let wants = |seat: usize| {
        let row = &game.matrix[seats.seat(seat).expect("it is below the number of seats")];
        let wanted = row.offsets().iter().map(|&offset| &bots[(seat + usize::from(offset)) % seats.get()]);
        format!("{} wants {}", bots[seat], join_items(wanted, ", then "))
    };
    let shown = bots.len().min(MAX_LISTED_ROWS);
    let wishes = join_items((0..shown).map(wants), "; ");
    if shown < bots.len() { format!("{wishes}; and so on") } else { wishes }
}

fn puzzle_view(puzzle: &pb::Puzzle) -> Option<PuzzleView> {
    let typed = PositionInput::of_game(puzzle.game.as_ref()?);
    let game = typed.read().ok().filter(|game| game.matrix.seats().get() == puzzle.bots.len())?;
    let position = game.first_position();
    let name = |seat: usize| puzzle.bots.get(seat).map(String::as_str).unwrap_or_default();
    let ranges = puzzle.optimal_takes.iter().map(|range| format!("{}-{}", range.lo, range.hi));
    let situation = format!(
        "{} is to move. The seats move in the order {}. {}. {}",
        name(game.first_seat().index()),
        join_first_items(&puzzle.bots),
        wants_text(&game, &puzzle.bots),
        ending_rule(game.ending)
    );
    let answer = format!(
        "Optimal: {}, and {} wins. The bot took {}, after which {} wins under optimal play: this cost the bot {} in its order.",
        format_take_ranges(&puzzle.optimal_takes),
        name(puzzle.winner_if_optimal as usize),
        puzzle.take,
        name(puzzle.winner_after as usize),
        count_with_noun(puzzle.regret, "place", "places")
    );
    let (id, ply) = (puzzle.match_id.parse().ok()?, Some(puzzle.ply));
    let oracle = PageAddress::Oracle { position: typed }.to_string();
    Some(PuzzleView {
        ranges: ranges.collect::<Vec<_>>().join(" "),
        counters: position.counters(),
        words: situation,
        board: draw_static_board(&position, None).svg,
        answer,
        // A longer address may be refused.
        oracle: Some(oracle).filter(|oracle| oracle.len() <= MAX_ADDRESS_BYTES),
        played: PageAddress::Match { id, ply },
    })
}
