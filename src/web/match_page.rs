//! A match, ply by ply.

use super::address::{OracleView, PageAddress, PageForm, link_of_cell};
use super::board::{LastTake, draw_board};
use super::oracle_page::hidden_piles_words;
use super::page::Page;
use super::page_content::PageContent;
use super::pages::Pages;
use super::replay::Replay;
use super::row_graph::draw_row_graph;
use super::seat_mark::SeatMark;
use super::transcript_page::place_of_question;
use super::visitor::Visitor;
use super::winner_strip::{WinnerStretch, winner_stretches, winner_strip};
use crate::game::{MatchId, Position};
use crate::oracle::TakeRange;
use crate::report::render::Html;
use crate::report::words::{count_words, enum_phrase};
use crate::report::{
    Column, Report, Section, Table,
    explanation::take_range_words,
    ledger::ledger_section,
    match_events::SeatNames,
    matches::{match_report, outcome_line},
};
use crate::wire::{pb, record::verify_record};
use askama::Template;
use pb::match_service_server::MatchService as _;
use pb::transcript_service_server::TranscriptService as _;
use std::ops::Range;
use tonic::{Code, Status};

/// Changes of the predicted winner that are listed.
const MAX_CHANGES: usize = 20;
/// Questions of language models that are linked.
const MAX_QUESTIONS: usize = 200;
/// Plies of the table before and behind the one that is shown.
const PLIES_AROUND: u32 = 30;

/// What is its own of the page of a match.
#[derive(Debug, Template)]
#[template(path = "match.html")]
struct MatchContent {
    /// How it stands, in a line.
    outcome: String,
    /// Which position is shown.
    shown: String,
    /// The positions that can be gone to.
    steps: Vec<Step>,
    /// The board.
    board: String,
    /// How many piles are left out of it, in words; empty if none is.
    hidden_piles: String,
    /// Whom each seat would like to see win, drawn; empty before rows are revealed.
    row_graph: String,
    /// Another take that can be tried at the position that is shown.
    other_take: Option<OtherTake>,
    /// Where language models wrote down what they were asked: the addresses, and the words.
    transcripts: Vec<(String, String)>,
    /// Whether the record proves itself.
    proof: String,
    /// Who sits where.
    seats: Vec<SeatLine>,
    /// What the oracle says of the position that is shown.
    oracle: Option<OracleWords>,
    /// The address with the oracle, or without it.
    other_view: Option<(String, &'static str)>,
    /// The takes around the position that is shown.
    plies: String,
    /// What was fixed, and what the audit found.
    facts: String,
    /// The record for programs; empty if it is gone.
    record: String,
    /// The match.
    id: MatchId,
}

/// A position that can be gone to.
#[derive(Debug)]
struct Step {
    /// What it is called.
    label: &'static str,
    /// What it is to the position that is shown, in the word that browsers know; empty if there is none.
    rel: &'static str,
    /// Where it is; none where the position is shown already.
    address: Option<String>,
}

/// Another take that can be tried.
#[derive(Debug)]
struct OtherTake {
    action: String,
    ply: u32,
    seat: String,
    /// The most counters that can be taken.
    counters: u64,
}

/// A seat in a list.
#[derive(Debug)]
struct SeatLine {
    seat: usize,
    mark: String,
    bot: String,
    /// Where a page tells more of the bot; empty for a guest.
    address: String,
    /// What it is about to do, or what became of it.
    state: String,
    is_to_move: bool,
    /// The seats in the order in which it would like to see them win, each with its mark; empty before rows are revealed.
    wanted: Vec<(usize, String)>,
}

/// What the oracle says of a position.
#[derive(Debug)]
struct OracleWords {
    strip: Option<String>,
    /// From which ply on which seat wins under optimal play: the address of that position, and the words.
    changes: Vec<(String, String)>,
    words: Vec<String>,
}

/// Returns a match after so many plies.
pub(super) async fn match_page(
    pages: &Pages,
    visitor: &Visitor,
    id: MatchId,
    ply: Option<u32>,
    view: OracleView,
) -> Result<PageContent, Status> {
    let match_id = id.to_string();
    let request = pb::GetMatchRequest { match_id: match_id.clone() };
    let shown = pages.matches.get_match(visitor.request(request)).await?.into_inner();
    let record = pages.matches.get_record(visitor.request(pb::GetRecordRequest { match_id })).await;
    let record = match record {
        Ok(record) => record.into_inner().record,
        // Its record was removed, or is damaged: what is left of it is shown.
        Err(status) if matches!(status.code(), Code::NotFound | Code::DataLoss) => None,
        Err(status) => return Err(status),
    };
    let questions = read_questions(pages, visitor, id, &shown).await?;
    Ok(PageContent::of_message(shown.clone(), move |address| {
        let game = shown.r#match.clone().unwrap_or_default();
        let title = game.setup.as_ref().map(|setup| setup.bots.join(", ")).unwrap_or_default();
        let audit = shown.audit.as_ref().filter(|_| view == OracleView::Shown);
        let told = pb::GetMatchResponse { audit: audit.cloned(), ..shown.clone() };
        let facts = match_report(&game, &told);
        let html = match record.as_ref().and_then(Replay::of_record) {
            Some(replay) => {
                let ply = ply.unwrap_or_else(|| replay.plies());
                let has_audit = shown.audit.is_some();
                let at_ply = MatchAtPly { id, game: &game, audit, has_audit, replay: &replay, ply, view };
                let mut content = at_ply.content(&facts)?;
                content.transcripts = transcript_links(id, &questions);
                content.proof = record.as_ref().map(proof_words).unwrap_or_default();
                content.render().map_err(|error| Status::internal(error.to_string()))?
            }
            None => Html::with_links(&link_of_cell).report_html(&facts),
        };
        Ok(Page::of_html(address, title, html).with_summary(outcome_line(&game)))
    }))
}

/// Asks which questions of a match that is over were published.
async fn read_questions(
    pages: &Pages,
    visitor: &Visitor,
    id: MatchId,
    shown: &pb::GetMatchResponse,
) -> Result<Vec<pb::PublishedQuestion>, Status> {
    if shown.r#match.as_ref().is_none_or(|game| game.phase() != pb::Phase::Ended) {
        return Ok(Vec::new());
    }
    let request = visitor.request(pb::ListTranscriptsRequest { match_id: id.to_string() });
    match pages.transcripts.list_transcripts(request).await {
        Ok(listed) => Ok(listed.into_inner().questions),
        // Its record was removed, and what was published of it with it.
        Err(status) if status.code() == Code::NotFound => Ok(Vec::new()),
        Err(status) => Err(status),
    }
}

fn transcript_links(id: MatchId, questions: &[pb::PublishedQuestion]) -> Vec<(String, String)> {
    let link = |question| {
        let place = place_of_question(question);
        (PageAddress::Transcript { id, place }.to_string(), place.words())
    };
    questions.iter().take(MAX_QUESTIONS).map(link).collect()
}

/// Says whether a record proves itself: its hashes follow from each other, its takes from the rules, and the signature is on the last hash.
fn proof_words(record: &pb::MatchRecord) -> String {
    match verify_record(record) {
        Ok(verified) => match verified.seal() {
            Some(seal) => format!(
                "The record verifies: it replays, its hashes follow from each other, and the key {} has signed the last.",
                seal.signer
            ),
            None => "The record is not signed yet; what is there of it replays.".to_owned(),
        },
        Err(flaw) => format!("The record does not verify: {flaw}."),
    }
}

/// A match as it stands after some plies.
struct MatchAtPly<'a> {
    id: MatchId,
    game: &'a pb::Match,
    /// What the oracle says, where that is to be shown.
    audit: Option<&'a pb::Audit>,
    /// Whether the oracle says anything.
    has_audit: bool,
    replay: &'a Replay,
    ply: u32,
    view: OracleView,
}

impl MatchAtPly<'_> {
    fn content(&self, facts: &Report) -> Result<MatchContent, Status> {
        let plies = self.replay.plies();
        let missing = || Status::not_found(format!("ply {}: the match has {plies}", self.ply));
        let position = self.replay.position_after(self.ply).ok_or_else(missing)?;
        let last = self.ply.checked_sub(1).and_then(|before| {
            let counters = self.replay.takes.get(before as usize)?.take;
            Some(LastTake { pile: self.replay.position_after(before)?.pile_index(), counters })
        });
        let board = draw_board(&position, last);
        let to_move = (!position.is_over()).then(|| position.to_move().index());
        let other_view = self.has_audit.then(|| match self.view {
            OracleView::Hidden => (self.address(self.ply, OracleView::Shown), "Show what the oracle says"),
            OracleView::Shown => (self.address(self.ply, OracleView::Hidden), "Hide what the oracle says"),
        });
        Ok(MatchContent {
            outcome: outcome_line(self.game),
            shown: self.shown_words(),
            steps: self.steps(),
            board: board.svg,
            hidden_piles: hidden_piles_words(board.hidden),
            row_graph: self.row_graph(),
            other_take: self.other_take(&position),
            transcripts: Vec::new(),
            proof: String::new(),
            seats: (0..self.replay.setup.bots.len()).map(|seat| self.seat_line(seat, to_move)).collect(),
            oracle: self.audit.map(|audit| self.oracle_words(audit)),
            other_view,
            plies: self.ply_table(),
            facts: Html::with_links(&link_of_cell).report_html(facts),
            record: PageAddress::Record(self.id).in_form(PageForm::Json),
            id: self.id,
        })
    }

    fn row_graph(&self) -> String {
        let rows = (0..self.replay.setup.bots.len()).map(|seat| self.replay.wanted_winners(seat));
        let rows: Option<Vec<_>> = rows.collect();
        rows.and_then(|rows| draw_row_graph(&rows)).unwrap_or_default()
    }

    /// Returns the take that can be tried otherwise, where the oracle is shown.
    fn other_take(&self, position: &Position) -> Option<OtherTake> {
        self.audit.filter(|_| !position.is_over() && !self.replay.rows.is_empty())?;
        let there = PageAddress::WhatIf { id: self.id, ply: self.ply, take: None }.to_string();
        Some(OtherTake {
            action: there.split('?').next().unwrap_or_default().to_owned(),
            ply: self.ply,
            seat: self.seat_words(position.to_move().index()),
            counters: position.counters(),
        })
    }

    fn address(&self, ply: u32, view: OracleView) -> String {
        PageAddress::Match { id: self.id, ply: Some(ply), view }.to_string()
    }

    fn shown_words(&self) -> String {
        let plies = self.replay.plies();
        let takes = if plies == 1 { "take" } else { "takes" };
        match self.ply {
            0 => format!("Before the first of {plies} {takes}"),
            ply if ply == plies && self.replay.end.is_some() => format!("After the last of {plies} {takes}"),
            ply => format!("After {ply} of {plies} {takes}"),
        }
    }

    fn steps(&self) -> Vec<Step> {
        let (ply, plies) = (self.ply, self.replay.plies());
        let step = |label, rel, to: Option<u32>| Step {
            label,
            rel,
            address: to.filter(|&to| to != ply).map(|to| self.address(to, self.view)),
        };
        vec![
            step("First", "", Some(0)),
            step("Back", "prev", ply.checked_sub(1)),
            step("Forward", "next", Some(ply + 1).filter(|&to| to <= plies)),
            step("Last", "", Some(plies)),
        ]
    }

    fn seat_line(&self, seat: usize, to_move: Option<usize>) -> SeatLine {
        let bot = self.replay.setup.bots[seat].clone();
        let forfeited = self
            .replay
            .forfeits
            .iter()
            .find(|(before, event)| *before <= self.ply && event.seat as usize == seat);
        let is_last = self.ply == self.replay.plies();
        let winner = self.replay.end.as_ref().filter(|_| is_last).and_then(|end| end.winner);
        let mut states = Vec::new();
        if winner == Some(seat as u32) {
            states.push("won".to_owned());
        } else if to_move == Some(seat) && !(is_last && self.replay.end.is_some()) {
            states.push("to move".to_owned());
        }
        if let Some((_, event)) = forfeited {
            let reason = enum_phrase(event.reason().as_str_name(), "FORFEIT_REASON_");
            states.push(format!("forfeited: {reason}; the steward plays"));
        }
        let wanted = self.replay.wanted_winners(seat).unwrap_or_default();
        SeatLine {
            seat,
            mark: SeatMark::beside_number(seat),
            address: link_of_cell("bot", &bot).unwrap_or_default(),
            bot,
            state: states.join("; "),
            is_to_move: to_move == Some(seat),
            wanted: wanted.into_iter().map(|other| (other, SeatMark::beside_number(other))).collect(),
        }
    }

    fn seat_words(&self, seat: usize) -> String {
        let bot = self.replay.setup.bots.get(seat).map(String::as_str).unwrap_or_default();
        format!("seat {seat} ({bot})")
    }

    fn oracle_words(&self, audit: &pb::Audit) -> OracleWords {
        let stretches = winner_stretches(audit);
        let strip = winner_strip(&stretches, audit.plies.len() as u32 + 1, self.ply);
        let changes = stretches.iter().take(MAX_CHANGES).map(|&WinnerStretch { from, winner }| {
            let words = format!("from ply {from} on: {}", self.seat_words(winner as usize));
            (self.address(from, OracleView::Shown), words)
        });
        let changes = changes.collect();
        let mut words = Vec::new();
        if let Some(last) = self.ply.checked_sub(1).and_then(|ply| audit.plies.get(ply as usize))
            && last.regret > 0
        {
            let ranks = count_words(last.regret, "rank", "ranks");
            let seat = self.seat_words(last.seat as usize);
            words.push(format!("The last take was an error: it cost {seat} {ranks}."));
        }
        let last = self.ply.checked_sub(1).and_then(|ply| audit.plies.get(ply as usize));
        words.extend(last.and_then(safety_words).map(str::to_owned));
        if let Some(next) = audit.plies.get(self.ply as usize) {
            let winner = self.seat_words(next.predicted_before as usize);
            words.push(format!(
                "Under optimal play {winner} wins. Optimal takes: {}.",
                take_ranges(&next.optimal_takes)
            ));
        }
        OracleWords { strip, changes, words }
    }

    /// Returns which takes are in the table.
    fn shown_plies(&self) -> Range<u32> {
        let from = self.ply.saturating_sub(PLIES_AROUND + 1);
        from..self.replay.plies().min(self.ply + PLIES_AROUND)
    }

    fn ply_table(&self) -> String {
        let audit = self.audit;
        let shown = self.shown_plies();
        if shown.is_empty() {
            return String::new();
        }
        let counters = self.replay.counters_before();
        let mut columns = vec![
            Column::text("ply").right_aligned(),
            Column::text("seat"),
            Column::integer("take"),
            Column::integer("of"),
            Column::integer("ms").with_meaning("how long it took, as charged to the seat's clock"),
        ];
        if audit.is_some() {
            columns.extend([
                Column::text("optimal").with_meaning("the takes that are optimal"),
                Column::text("winner").with_meaning("who wins under optimal play from there on"),
                Column::integer("regret").with_meaning("the ranks that the take cost its seat"),
            ]);
        }
        let mut table = Table::new(columns);
        for ply in shown.clone() {
            let took = &self.replay.takes[ply as usize];
            let seat = self.seat_words(took.seat as usize);
            let seat = if took.steward { format!("{seat}, by the steward") } else { seat };
            let mut cells = vec![
                ply.to_string().into(),
                seat.into(),
                took.take.into(),
                counters[ply as usize].into(),
                (took.charged_us / 1_000).into(),
            ];
            let found = audit.and_then(|audit| audit.plies.get(ply as usize));
            if let Some(found) = found {
                cells.extend([
                    take_ranges(&found.optimal_takes).into(),
                    self.seat_words(found.predicted_after as usize).into(),
                    found.regret.into(),
                ]);
            }
            let row = table.push_row(cells);
            if found.is_some_and(|found| found.regret > 0) {
                row.tone = crate::report::BlockTone::Alert;
            }
        }
        let link = |key: &str, text: &str| {
            let after = text.parse::<u32>().ok().filter(|_| key == "ply")? + 1;
            Some(self.address(after, self.view))
        };
        let section = Section::with_heading("Takes");
        let left_out = (shown.len() as u32) < self.replay.plies();
        let note = left_out
            .then(|| format!("Plies {} to {} of {}.", shown.start, shown.end - 1, self.replay.plies()));
        let players = SeatNames::of_setup(&self.replay.setup);
        let paid = audit.and_then(|audit| ledger_section(audit, &players));
        let takes = Html::with_links(&link).section_html(&section.table(table).paragraphs(note));
        takes + &paid.map(|paid| Html::with_links(&link_of_cell).section_html(&paid)).unwrap_or_default()
    }
}

/// Says what a take did to the rank that its seat could force against all others together, where that is not what its regret says.
fn safety_words(ply: &pb::PlyAudit) -> Option<&'static str> {
    match ply.safety() {
        pb::TakeSafety::Risky => Some(
            "The last take was optimal and risky: it gave up rank that the seat could have forced against all others together.",
        ),
        pb::TakeSafety::SafeError => Some(
            "The last take was safe: it kept the rank that the seat can force against all others together.",
        ),
        _ => None,
    }
}

/// Writes ranges of takes.
fn take_ranges(ranges: &[pb::TakeRange]) -> String {
    let range = |&pb::TakeRange { lo, hi }: &pb::TakeRange| take_range_words(TakeRange { lo, hi });
    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
}
