//! A match after some plies, as the parts of its page.

use super::address::{FeedAddress, OracleView, PageAddress, SiteAddress, link_of_cell};
use super::board::{LastTake, draw_board};
use super::live::{LiveList, LivePage, PageParts};
use super::oracle_page::hidden_piles_words;
use super::replay::Replay;
use super::seat_clock::SeatClock;
use super::seat_mark::SeatMark;
use super::seat_table::{SeatState, TableSeat, draw_seat_table};
use super::take_table::{TakeTable, take_ranges};
use super::winner_strip::{WinnerStretch, winner_stretches, winner_strip};
use askama::Template;
use lastnim_core::game::{MatchId, Position};
use lastnim_proto::pb;
use lastnim_report::match_events::{SeatNames, event_line};
use lastnim_report::matches::{match_report, outcome_line};
use lastnim_report::render::{Html, Time, write_template};
use lastnim_report::words::{count_words, enum_phrase};
use tonic::Status;

/// The maximum number of seats whose rows are shown beside them; with more, a row is longer than a line.
const MAX_ROOMY_SEATS: usize = 8;
const MAX_CHANGES: usize = 20;
/// The maximum number of shown events other than takes; the last ones are shown.
const MAX_INCIDENTS: usize = 40;

/// The content of the page of a match. Each block is the element of the same id.
#[derive(Debug, Template)]
#[template(
    path = "match.html",
    blocks = ["state", "shown", "board", "steps", "view_switch", "oracle", "seats", "rows", "what_if", "takes", "takes_note", "ledger", "incidents", "facts"]
)]
struct MatchContent {
    /// The state in one line.
    outcome: String,
    /// Which position is shown: the words before and after the number of plies.
    shown_words: (String, &'static str),
    /// The number of plies.
    plies: u32,
    /// Links to other positions.
    step_list: Vec<Step>,
    board_svg: String,
    /// How many piles are not drawn, in words; may be empty.
    hidden_piles: String,
    /// The seats.
    seat_lines: Vec<SeatLine>,
    /// What the oracle says about this position.
    oracle_words: Option<OracleWords>,
    /// The drawing of the seats around a table; empty for many seats.
    table_svg: String,
    /// Whether rows are revealed.
    has_rows: bool,
    /// Whether there are too many seats to show rows beside them.
    is_crowded: bool,
    /// The form for trying another take here.
    other_take: Option<OtherTake>,
    /// Links to the logs of language models, with their texts.
    transcripts: Vec<(String, String)>,
    /// Whether the record verifies.
    proof: String,
    /// The link that shows or hides the oracle.
    other_view: Option<(String, &'static str)>,
    /// The takes around this position.
    take_table: String,
    /// Which takes the table shows; empty if all.
    takes_note: String,
    /// The ranks that errors cost and gave each seat.
    ledger: String,
    /// Events other than takes, with their times.
    incident_list: Vec<(Time, String)>,
    /// The settings, and the findings of the audit.
    fact_list: String,
    /// The findings of the audit by seat, if there are many; otherwise empty.
    seat_findings: String,
    /// The address of the record as JSON.
    record: String,
    id: MatchId,
    /// The address of live updates, unless the match is over.
    events_address: Option<String>,
    /// How many events are shown.
    events: u64,
    /// Whether this is the newest position, so that the page follows the match.
    is_newest: bool,
}

/// A link to a position.
#[derive(Debug)]
struct Step {
    label: &'static str,
    /// Its `rel`; may be empty.
    rel: &'static str,
    /// Its address; `None` for the position that is shown.
    address: Option<String>,
}

/// The form for trying another take.
#[derive(Debug)]
struct OtherTake {
    action: String,
    ply: u32,
    seat: String,
    /// The counters in the pile.
    counters: u64,
}

/// A seat in the list.
#[derive(Debug)]
struct SeatLine {
    seat: usize,
    mark: String,
    bot: String,
    /// The page of the bot; empty for a guest.
    address: String,
    /// The seat's state: whether it is to move, has lost its seat, or has won.
    state: String,
    is_to_move: bool,
    clock: Option<SeatClock>,
    /// The seats in its preference order, each with its mark; empty before rows are revealed.
    wanted: Vec<(usize, String)>,
}

/// What the oracle says about a position.
#[derive(Debug)]
struct OracleWords {
    strip: Option<String>,
    /// Changes of the predicted winner: the address of the position, and a text.
    changes: Vec<(String, String)>,
    words: Vec<String>,
}

/// A match after some plies.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchAtPly<'a> {
    pub id: MatchId,
    /// The answer of the service.
    pub shown: &'a pb::GetMatchResponse,
    /// Its events.
    pub replay: &'a Replay,
    /// How many takes are shown.
    pub ply: u32,
    /// Whether the oracle is shown.
    pub view: OracleView,
}

impl MatchAtPly<'_> {
    /// Writes the content of the page.
    pub(super) fn html(&self, transcripts: Vec<(String, String)>, proof: String) -> Result<String, Status> {
        Ok(write_template(&MatchContent { transcripts, proof, ..self.content()? }))
    }

    /// Writes all parts of the page for live updates.
    pub(super) fn live_page(&self) -> Result<LivePage, Status> {
        let content = self.content()?;
        let parts = PageParts::default()
            .with("state", write_template(&content.as_state()))
            .with("plies", content.plies.to_string())
            .with("shown", write_template(&content.as_shown()))
            .with("board", write_template(&content.as_board()))
            .with("steps", write_template(&content.as_steps()))
            .with("view-switch", write_template(&content.as_view_switch()))
            .with("oracle", write_template(&content.as_oracle()))
            .with("seats", write_template(&content.as_seats()))
            .with("rows", write_template(&content.as_rows()))
            .with("what-if", write_template(&content.as_what_if()))
            .with("takes-note", write_template(&content.as_takes_note()))
            .with("ledger", write_template(&content.as_ledger()))
            .with("incidents", write_template(&content.as_incidents()))
            .with("facts", write_template(&content.as_facts()));
        let rows = if self.replay.end.is_some() { Vec::new() } else { self.take_table().numbered_rows() };
        let whole = write_template(&content.as_takes());
        let list = Some(LiveList { id: "takes", whole, rows });
        Ok(LivePage { event: Some(self.replay.events), parts, list, announcement: self.announcement() })
    }

    fn content(&self) -> Result<MatchContent, Status> {
        let plies = self.replay.plies();
        let missing = || Status::not_found(format!("ply {}: the match has {plies}", self.ply));
        let position = self.replay.position_after(self.ply).ok_or_else(missing)?;
        let last = self.ply.checked_sub(1).and_then(|before| {
            let take = self.replay.take_at(before)?;
            Some(LastTake { pile: take.pile, counters: take.took.take })
        });
        let board = draw_board(&position, last, &self.replay.setup.piles);
        let to_move = (!position.is_over()).then(|| position.to_move().index());
        let other_view = self.shown.audit.is_some().then(|| match self.view {
            OracleView::Hidden => (self.address(self.ply, OracleView::Shown), "Show the oracle"),
            OracleView::Shown => (self.address(self.ply, OracleView::Hidden), "Hide the oracle"),
        });
        let is_over = self.replay.end.is_some();
        let (fact_list, seat_findings) = self.facts();
        let events_address = FeedAddress::Match { id: self.id, after: None, oracle: self.view };
        Ok(MatchContent {
            outcome: outcome_line(&self.game()),
            shown_words: self.shown_words(),
            plies,
            step_list: self.steps(),
            board_svg: board.svg,
            hidden_piles: hidden_piles_words(board.hidden),
            seat_lines: (0..self.replay.setup.bots.len()).map(|seat| self.seat_line(seat, to_move)).collect(),
            oracle_words: self.audit().map(|audit| self.oracle_words(audit)),
            table_svg: self.seat_table(to_move),
            has_rows: !self.replay.rows.is_empty(),
            is_crowded: self.is_crowded(),
            other_take: self.other_take(&position),
            transcripts: Vec::new(),
            proof: String::new(),
            other_view,
            take_table: self.take_table().html(),
            takes_note: self.take_table().note(),
            ledger: self.take_table().ledger_html(),
            incident_list: self.incidents(),
            fact_list,
            seat_findings,
            record: SiteAddress::Record(self.id).to_string(),
            id: self.id,
            events_address: (!is_over).then(|| events_address.to_string()),
            events: self.replay.events,
            is_newest: self.ply == plies,
        })
    }

    /// Returns the summary of the match, as far as its events are known here.
    fn game(&self) -> pb::Match {
        self.shown.r#match.clone().unwrap_or_default()
    }

    /// Returns the audit, if it is to be shown.
    fn audit(&self) -> Option<&pb::Audit> {
        self.shown.audit.as_ref().filter(|_| self.view == OracleView::Shown)
    }

    /// Returns whether the findings of each seat are folded.
    fn is_crowded(&self) -> bool {
        self.replay.setup.bots.len() > MAX_ROOMY_SEATS
    }

    /// Writes the settings and the findings; for many seats, those of each seat come second.
    fn facts(&self) -> (String, String) {
        let told = pb::GetMatchResponse { audit: self.audit().cloned(), ..self.shown.clone() };
        let (html, report) = (Html::with_links(&link_of_cell), match_report(&self.game(), &told));
        match report.sections.split_first() {
            Some((facts, seats)) if self.is_crowded() && !seats.is_empty() => {
                let seats = seats.iter().map(|section| html.section_html(section)).collect();
                (html.section_html(facts), seats)
            }
            _ => (html.report_html(&report), String::new()),
        }
    }

    fn address(&self, ply: u32, view: OracleView) -> String {
        PageAddress::Match { id: self.id, ply: Some(ply), oracle: view }.to_string()
    }

    /// Draws the seats around a table; empty for many seats.
    fn seat_table(&self, to_move: Option<usize>) -> String {
        let bots = &self.replay.setup.bots;
        let rows: Option<Vec<_>> = (0..bots.len()).map(|seat| self.replay.wanted_winners(seat)).collect();
        let state = |seat| match self.winner() {
            Some(winner) if winner as usize == seat => SeatState::Won,
            None if to_move == Some(seat) => SeatState::ToMove,
            _ => SeatState::Waits,
        };
        let seats: Vec<_> =
            bots.iter().enumerate().map(|(seat, bot)| TableSeat { bot, state: state(seat) }).collect();
        draw_seat_table(&seats, rows.as_deref()).unwrap_or_default()
    }

    /// Returns the winner, if the last position is shown.
    fn winner(&self) -> Option<u32> {
        let is_last = self.ply == self.replay.plies();
        self.replay.end.as_ref().filter(|_| is_last).and_then(|end| end.winner)
    }

    /// Returns the form for another take, if the oracle is shown.
    fn other_take(&self, position: &Position) -> Option<OtherTake> {
        self.audit().filter(|_| !position.is_over() && !self.replay.rows.is_empty())?;
        let there = PageAddress::WhatIf { id: self.id, ply: self.ply, take: None }.to_string();
        Some(OtherTake {
            action: there.split('?').next().unwrap_or_default().to_owned(),
            ply: self.ply,
            seat: self.seat_words(position.to_move().index()),
            counters: position.counters(),
        })
    }

    fn take_table(&self) -> TakeTable<'_> {
        TakeTable { id: self.id, replay: self.replay, audit: self.audit(), ply: self.ply, view: self.view }
    }

    fn shown_words(&self) -> (String, &'static str) {
        let plies = self.replay.plies();
        let takes = if plies == 1 { "take" } else { "takes" };
        let before = match self.ply {
            0 => "Before the first of".to_owned(),
            ply if ply == plies && self.replay.end.is_some() => "After the last of".to_owned(),
            ply => format!("After {ply} of"),
        };
        (before, takes)
    }

    /// Describes the latest event for screen readers.
    fn announcement(&self) -> String {
        let players = SeatNames::of_setup(&self.replay.setup);
        let newest_take = self.replay.newest_takes().next().filter(|take| take.event == self.replay.events);
        match (newest_take, self.replay.incidents.last().and_then(|timed| timed.event.as_ref())) {
            (Some(take), _) => {
                let seat = self.seat_words(take.took.seat as usize);
                format!("{seat} took {} of {}", take.took.take, take.counters)
            }
            (None, Some(event)) => event_line(event, &players),
            (None, None) => String::new(),
        }
    }

    fn incidents(&self) -> Vec<(Time, String)> {
        let players = SeatNames::of_setup(&self.replay.setup);
        let incidents: Vec<_> = self
            .replay
            .incidents
            .iter()
            .filter(|timed| !self.is_crowded() || !is_about_rows(timed))
            .collect();
        let last = &incidents[incidents.len().saturating_sub(MAX_INCIDENTS)..];
        let line =
            |timed: &&pb::RecordEvent| Some((Time(timed.at_us), event_line(timed.event.as_ref()?, &players)));
        last.iter().filter_map(line).collect()
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
        let mut states = Vec::new();
        if self.winner() == Some(seat as u32) {
            states.push("won".to_owned());
        } else if to_move == Some(seat) && !(is_last && self.replay.end.is_some()) {
            states.push("to move".to_owned());
        }
        if let Some((_, event)) = forfeited {
            let reason = enum_phrase(event.reason().as_str_name(), "FORFEIT_REASON_");
            states.push(format!("forfeited: {reason}; the steward plays"));
        }
        let wanted = self.replay.wanted_winners(seat).unwrap_or_default();
        // The service may be ahead of these events.
        let open = self.shown.open.as_ref().filter(|open| is_last && open.plies == self.ply);
        SeatLine {
            seat,
            mark: SeatMark::beside_number(seat),
            address: link_of_cell("bot", &bot).unwrap_or_default(),
            bot,
            state: states.join("; "),
            is_to_move: to_move == Some(seat),
            clock: SeatClock::of_seat(self.replay, seat, self.ply, open),
            wanted: wanted.into_iter().map(|other| (other, SeatMark::beside_number(other))).collect(),
        }
    }

    fn seat_words(&self, seat: usize) -> String {
        let bot = self.replay.setup.bots.get(seat).map(String::as_str).unwrap_or_default();
        format!("seat {seat} ({bot})")
    }

    fn oracle_words(&self, audit: &pb::Audit) -> OracleWords {
        let stretches = winner_stretches(audit);
        let strip = winner_strip(audit, self.ply, |ply| self.address(ply, OracleView::Shown));
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
        if let Some(next) = audit.plies.get(self.ply as usize) {
            let winner = self.seat_words(next.predicted_before as usize);
            words.push(format!(
                "Under optimal play {winner} wins. Optimal takes: {}.",
                take_ranges(&next.optimal_takes)
            ));
        }
        let last = self.ply.checked_sub(1).and_then(|ply| audit.plies.get(ply as usize));
        words.extend(last.and_then(safety_words).map(str::to_owned));
        OracleWords { strip, changes, words }
    }
}

/// Returns whether an event only reveals rows, which the list of seats shows too.
fn is_about_rows(timed: &pb::RecordEvent) -> bool {
    use pb::record_event::Event;
    match &timed.event {
        Some(Event::Declared(declared)) => declared.defaulted() == pb::RowDefault::Unspecified,
        Some(Event::Revealed(_)) => true,
        _ => false,
    }
}

/// Says how a take changed the rank that its seat could force against all others together, if its regret does not
/// already say it.
fn safety_words(ply: &pb::PlyAudit) -> Option<&'static str> {
    match ply.safety() {
        pb::TakeSafety::Risky => Some(
            "The last take was optimal and risky: before it, the seat could force a better rank against all others together than after it.",
        ),
        pb::TakeSafety::SafeError => Some(
            "The last take was a safe error: the seat can still force the same rank against all others together.",
        ),
        _ => None,
    }
}
