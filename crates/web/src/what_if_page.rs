//! What the oracle says of another take than the one that was made.

use super::address::{OracleView, PageAddress};
use super::board::{LastTake, draw_still_board};
use super::oracle_page::{ask_oracle, position_report};
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::replay::Replay;
use super::site::Site;
use super::typed_position::TypedPosition;
use super::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::render::Html;
use lastnim_report::winner_words::ending_words;
use pb::match_service_server::MatchService as _;
use std::fmt::Write as _;
use tonic::Status;

/// Returns the position of a match after another take, and what the oracle says of it; without a take the position itself.
pub(super) async fn what_if_page(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    ply: u32,
    take: Option<u64>,
) -> Result<PageContent, Status> {
    let request = visitor.request(pb::GetRecordRequest { match_id: id.to_string() });
    let record = site.matches.get_record(request).await?.into_inner().record.unwrap_or_default();
    let replay = Replay::of_record(&record).filter(|replay| !replay.rows.is_empty());
    let replay = replay.ok_or_else(|| Status::not_found("the rows of the match are not revealed"))?;
    let mut position = replay
        .position_after(ply)
        .ok_or_else(|| Status::not_found(format!("ply {ply}: the match has {}", replay.plies())))?;
    let (seat, pile) = (position.to_move().index(), position.pile_index());
    let mut last = None;
    if let Some(counters) = take {
        position.take(counters).map_err(|error| Status::not_found(format!("take {counters}: {error}")))?;
        last = Some(LastTake { pile, counters });
    }
    let typed = typed_position(&replay, &position);
    let (game, message) = typed.read_message().map_err(Status::not_found)?;
    let answer = ask_oracle(site, visitor, &message).await?;
    let lifetime = answer.lifetime();
    let content = PageContent::of_json(answer.json, move |address| {
        let bot = &replay.setup.bots[seat];
        let actual = replay.take_at(ply).map(|take| take.took.take);
        let words = match (take, actual) {
            (None, _) => format!("After {ply} takes."),
            (Some(take), Some(actual)) if actual != take => {
                format!("After {ply} takes, if seat {seat} ({bot}) took {take}; it took {actual}.")
            }
            (Some(take), _) => {
                format!("After {ply} takes and the one of seat {seat} ({bot}), who takes {take}.")
            }
        };
        let html = Html::with_links(&|_, _| None);
        let section = Section::new().paragraph(words).paragraph(ending_words(game.ending));
        let mut content = html.section_html(&section);
        let board = draw_still_board(&position, last).svg;
        // Writing to a text does not fail.
        let _ = writeln!(
            content,
            "<section class=\"position\" aria-label=\"Position\"><div class=\"scroll\">{board}</div></section>"
        );
        content += &html.report_html(&position_report(&game, answer.safety.as_ref()));
        content += &link_paragraph(&PageAddress::Oracle { position: typed }, "", "Change this position");
        let back = PageAddress::Match { id, ply: Some(ply), oracle: OracleView::Shown };
        content += &link_paragraph(&back, "", "Back to the match");
        Ok(Page::of_html(address, "What if".into(), content))
    });
    Ok(content.with_lifetime(lifetime))
}

/// Writes a position of a match with its rows.
fn typed_position(replay: &Replay, position: &lastnim_core::game::Position) -> TypedPosition {
    TypedPosition::of_game(&pb::Game {
        piles: position.piles().collect(),
        alliance_matrix: Some(pb::AllianceMatrix { rows: replay.rows.clone() }),
        first: position.to_move().index() as u32,
        ending: replay.setup.ending,
    })
}
