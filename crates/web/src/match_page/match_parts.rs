//! Parts of a match that other sites show: its picture, its board in a frame, and the sentence about it.

use super::board::{BoardMode, MatchBoard, TakeLinks};
use super::finding;
use super::picture::board_picture;
use super::sentence::Seats;
use super::{match_lifetime, opening_ply};
use crate::page::Page;
use crate::page_cache::PageLifetime;
use crate::page_content::PageContent;
use crate::picture::{DrawPicture, Picture};
use crate::replay::Replay;
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_report::matches::outcome_line;
use lastnim_report::render::text_html;
use lastnim_report::words::join_first_items;
use tonic::Status;

/// What was read about a match.
struct LoadedMatch {
    shown: pb::GetMatchResponse,
    /// Its takes; `None` if its record was removed.
    replay: Option<Replay>,
}

impl LoadedMatch {
    async fn read(site: &Site, visitor: &Visitor, id: MatchId) -> Result<Self, Status> {
        let shown = site.get_match(visitor, id).await?;
        let replay = site.find_replay(visitor, id).await?.map(|(_, replay)| replay);
        Ok(Self { shown, replay })
    }

    fn game(&self) -> pb::Match {
        self.shown.r#match.clone().unwrap_or_default()
    }

    fn bots(&self) -> Vec<String> {
        self.game().setup.map(|setup| setup.bots).unwrap_or_default()
    }

    /// Says who won and why.
    fn sentence(&self) -> String {
        match &self.replay {
            Some(replay) => {
                let seats = Seats::of_setup(&replay.setup);
                finding::match_headline(&self.game(), replay, self.shown.audit.as_ref()).plain(&seats)
            }
            None => outcome_line(&self.game()),
        }
    }
}

/// What a news feed says about a match.
#[derive(Debug)]
pub(crate) struct MatchSentence {
    pub sentence: String,
    /// In microseconds since 1970; `None` if the match is open or its record was removed.
    pub ended_at_us: Option<u64>,
}

/// Says who won a match and why.
pub(crate) async fn match_sentence(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
) -> Result<MatchSentence, Status> {
    let loaded = LoadedMatch::read(site, visitor, id).await?;
    let tell = move || {
        let ended = loaded.replay.as_ref().filter(|replay| replay.end.is_some());
        let ended_at_us = ended.and_then(|replay| replay.incidents.last()).map(|event| event.at_us);
        MatchSentence { sentence: loaded.sentence(), ended_at_us }
    };
    site.run_slow_work(visitor, tell).await
}

/// Reads a match for its picture after this many takes; by default where it was decided.
pub(crate) async fn match_picture(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    ply: Option<u32>,
) -> Result<(DrawPicture, PageLifetime), Status> {
    let loaded = LoadedMatch::read(site, visitor, id).await?;
    let lifetime = match_lifetime(&loaded.shown);
    let tournament = loaded.game().setup.and_then(|setup| setup.tournament_id.parse().ok());
    let title = match tournament {
        Some(tournament) => site.find_title(visitor, tournament).await?.unwrap_or_default(),
        None => String::new(),
    };
    Ok((Box::new(move || picture_of_match(&loaded, id, ply, title)), lifetime))
}

fn picture_of_match(
    read: &LoadedMatch,
    id: MatchId,
    ply: Option<u32>,
    title: String,
) -> Result<Picture, Status> {
    let sentence = read.sentence();
    let Some(replay) = &read.replay else {
        let headline = join_first_items(&read.bots());
        return Ok(Picture { headline, sentence, title, ..Picture::default() });
    };
    let ply = ply.unwrap_or_else(|| opening_ply(&read.shown, replay.ply_count()));
    let (position, seats) = (replay.requested_position(ply)?, Seats::of_setup(&replay.setup));
    let (audit, position, seats) = (read.shown.audit.as_ref(), &position, &seats);
    let board = MatchBoard {
        take_links: TakeLinks::Match { id, ply },
        replay,
        seats,
        position,
        ply,
        audit,
        outcomes: &[],
        mode: BoardMode::Links,
    };
    let winner = replay.end.as_ref().and_then(|end| end.winner).map(|winner| winner as usize);
    Ok(board_picture(&board, &sentence, winner, title))
}

/// Returns a match as other sites can show it in a frame: the sentence about it, and the board at the take that decided
/// it.
pub(crate) async fn embedded_match(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
) -> Result<PageContent, Status> {
    let loaded = LoadedMatch::read(site, visitor, id).await?;
    let lifetime = match_lifetime(&loaded.shown);
    let content = PageContent::of_message(loaded.shown.clone(), move |address| {
        let (title, sentence) = (join_first_items(&loaded.bots()), loaded.sentence());
        let Some(replay) = &loaded.replay else {
            return Ok(Page::of_html(address, title, String::new()).with_heading(text_html(&sentence)));
        };
        let ply = opening_ply(&loaded.shown, replay.ply_count());
        let (position, seats) = (replay.requested_position(ply)?, Seats::of_setup(&replay.setup));
        let (audit, position, seats) = (loaded.shown.audit.as_ref(), &position, &seats);
        let board = MatchBoard {
            take_links: TakeLinks::Match { id, ply },
            replay,
            seats,
            position,
            ply,
            audit,
            outcomes: &[],
            mode: BoardMode::Embedded,
        };
        let html = format!("<div class=\"match-board\">{}</div>", board.html());
        let headline = finding::match_headline(&loaded.game(), replay, audit).html(seats);
        Ok(Page::of_html(address, title, html).with_summary(sentence).with_heading(headline))
    });
    Ok(content.with_lifetime(lifetime))
}
