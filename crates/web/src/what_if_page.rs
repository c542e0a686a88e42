//! The oracle's analysis of a take that was not played.

use super::address::PageAddress;
use super::board::{LastTake, draw_static_board};
use super::match_page::AnalysedPosition;
use super::oracle_page::{ask_oracle, position_report};
use super::page::Page;
use super::page_content::PageContent;
use super::position_input::PositionInput;
use super::replay::Replay;
use super::site::Site;
use super::trail::trail_below_match;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::MatchId;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::render::{Html, write_template};
use lastnim_report::winner_words::ending_rule;
use lastnim_report::words::count_with_noun;
use tonic::Status;

#[derive(Template)]
#[template(path = "what_if.html")]
struct WhatIfContent {
    words: String,
    /// The position; `None` if it is over.
    asked: Option<AnalysedPosition>,
    board: String,
    /// The report of the oracle.
    answer: String,
    /// The link to edit the position.
    oracle: PageAddress,
}

/// Returns a position of a match after another take, with the oracle's analysis; without a take, the position itself.
pub(super) async fn what_if_page(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    ply: u32,
    take: Option<u64>,
) -> Result<PageContent, Status> {
    let record = site.get_record(visitor, id).await?;
    let replay_to_ply = move || {
        let replay = Replay::of_record(&record).filter(|replay| !replay.rows.is_empty());
        let replay = replay.ok_or_else(|| {
            Status::not_found("not all seats of the match have said yet whom they want to see win")
        })?;
        let position = replay.requested_position(ply)?;
        Ok::<_, Status>((replay, position))
    };
    let (replay, mut position) = site.run_slow_work(visitor, replay_to_ply).await??;
    let (seat, pile) = (position.to_move().index(), position.pile_index());
    let mut last = None;
    if let Some(counters) = take {
        position.take(counters).map_err(|error| Status::not_found(format!("take {counters}: {error}")))?;
        last = Some(LastTake { pile, counters });
    }
    let typed = typed_position(&replay, &position);
    let game = typed.read().map_err(Status::not_found)?;
    let answer = ask_oracle(site, visitor, &(&game).into()).await?;
    let lifetime = answer.lifetime();
    let trail = trail_below_match(site, visitor, id, Some(ply), &replay.setup).await?;
    let content = PageContent::of_json(answer.json, move |address| {
        let bot = &replay.setup.bots[seat];
        let actual = replay.take_at(ply).map(|take| take.took.take);
        let sentence = match (take, actual) {
            (None, _) => format!("The position after {}.", count_with_noun(ply, "take", "takes")),
            (Some(take), Some(actual)) if actual != take => {
                format!(
                    "The position if {bot} had taken {take} instead of {actual} at take {}.",
                    shown_number(ply)
                )
            }
            (Some(take), _) => {
                format!("The position if {bot} takes {take} at take {}.", shown_number(ply))
            }
        };
        let html = Html::with_links(&|_, _| None);
        let section = Section::new().paragraph(&*sentence).paragraph(ending_rule(game.ending));
        let content = WhatIfContent {
            words: html.section_html(&section),
            asked: AnalysedPosition::of_game(&typed, &game, Some(&replay.setup.bots)),
            board: draw_static_board(&position, last).svg,
            answer: html.report_html(&position_report(&game, answer.safety.as_ref())),
            oracle: PageAddress::Oracle { position: typed },
        };
        let html = write_template(&content);
        let headline = content.asked.map(|asked| asked.headline).unwrap_or_default();
        Ok(Page::of_html(address, "What if".into(), html).with_heading(headline).with_summary(sentence))
    });
    Ok(content.with_lifetime(lifetime).with_trail(trail))
}

/// Returns a position of a match, with its rows, as a person would type it.
fn typed_position(replay: &Replay, position: &lastnim_core::game::Position) -> PositionInput {
    PositionInput::of_game(&pb::Game {
        piles: position.piles().collect(),
        alliance_matrix: Some(pb::AllianceMatrix { rows: replay.rows.clone() }),
        first: position.to_move().index() as u32,
        ending: replay.setup.ending,
    })
}
