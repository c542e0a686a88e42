//! A match after some takes, as the parts of its page.

use super::board::{BoardMode, MatchBoard, TakeLinks};
use super::conversation::Conversation;
use super::finding::{self, forfeit_reason_text, preference_rank};
use super::heat_table::{costs_table, wants_table};
use super::model_replies::ModelReplies;
use super::position_panel::MatchOracle;
use super::sentence::{Seats, Sentence, ordinal_text};
use super::take_list::TakeList;
use super::winner_line::LineAtPly;
use crate::address::{FeedAddress, PageAddress, SiteAddress, cell_link};
use crate::live::{LiveList, LivePage, PageParts};
use crate::page::Page;
use crate::replay::{Replay, ReplayedTake};
use crate::seat_clock::SeatClock;
use crate::seat_sign::{seat_class, seat_sign};
use crate::transcript_page::QuestionPlace;
use askama::Template;
use lastnim_core::game::{MatchId, Position};
use lastnim_proto::pb;
use lastnim_report::render::{Time, write_template};
use lastnim_report::tournament_settings::clock_text;
use lastnim_report::words::{count_with_noun, format_duration, join_first_items, join_items, shortened_list};
use tonic::Status;

/// The maximum number of seats for which each seat shows what it wants.
pub(super) const MAX_ROOMY_SEATS: usize = 8;
/// The maximum number of events other than takes that are shown: the last ones.
const MAX_INCIDENTS: usize = 40;
/// The maximum number of takes for which a page has the data with which its script steps through the match.
const MAX_STEPPED_TAKES: u32 = 2_000;

/// The content of the page of a match. Each block of the template is the element with the same id.
#[derive(Debug, Template)]
#[template(
    path = "match.html",
    blocks = ["state", "board", "seats", "line", "steps", "said", "talk", "oracle", "rows", "takes", "takes_note", "ledger", "incidents"]
)]
struct MatchContent {
    state_html: String,
    seat_count: usize,
    board_html: String,
    seat_list: Vec<SeatCard>,
    line_html: String,
    step_list: Vec<Step>,
    ply: u32,
    plies: u32,
    said_html: String,
    /// What a model wrote before the last take; may be empty.
    said_words: String,
    said_class: String,
    /// What the seats said to each other; empty if they do not talk.
    talk_html: String,
    /// What the oracle says; empty without it.
    panel: String,
    wants: String,
    outlined: String,
    /// What models wrote when they declared their orders.
    row_words: Vec<RowWords>,
    takes_html: String,
    note: String,
    costs: String,
    incident_list: Vec<(Time, String)>,
    fact_list: Vec<(&'static str, String)>,
    transcripts: Vec<(String, String)>,
    proof: String,
    record: String,
    id: MatchId,
    /// The data with which the script steps through the match; `None` for a long match.
    stepped: Option<SteppedMatch>,
    /// The address of live updates, unless the match is over.
    events_address: Option<String>,
    /// How many events are shown.
    events: u64,
    /// Whether this is the newest position, so that the page follows the match.
    is_newest: bool,
}

#[derive(Template)]
#[template(path = "match/seats.html")]
pub(super) struct SeatsView {
    pub seat_list: Vec<SeatCard>,
}

/// What a model wrote when it declared its order.
#[derive(Debug)]
struct RowWords {
    class: String,
    sign: String,
    name: String,
    words: String,
    /// The address of all that it wrote.
    transcript: String,
}

/// A link to a position.
#[derive(Debug)]
struct Step {
    /// A glyph that illustrates the label.
    glyph: &'static str,
    label: &'static str,
    /// The CSS class of the label.
    class: &'static str,
    /// What the script does instead of following the link.
    act: &'static str,
    /// The `rel` attribute of the link; may be empty.
    rel: &'static str,
    /// The address of the position; `None` if it is the one shown, or does not exist.
    address: Option<String>,
}

/// The card of a seat beside the board.
#[derive(Debug)]
pub(super) struct SeatCard {
    pub sign: String,
    pub name: String,
    /// The page of the bot; empty for a guest.
    pub address: String,
    pub class: &'static str,
    /// The number of takes before it was forfeited, and why.
    pub forfeit: Option<(u32, String)>,
    /// What it is about to do, or what became of it.
    pub state: String,
    pub clock: Option<SeatClock>,
    /// The symbols and the names of the seats in its order; empty before rows are revealed, and for many seats.
    pub wanted: Vec<(String, String)>,
    /// The same for the order that was dealt to it; empty before dealt rows are opened.
    pub really_wanted: Vec<(String, String)>,
    /// The indices of the seats in the order that was dealt to this seat, separated by spaces; empty if it is not known.
    pub real_order: String,
}

/// The takes of a match and other data for the script, as lists separated by spaces.
#[derive(Debug)]
struct SteppedMatch {
    piles: String,
    takes: String,
    /// The time left to the seat that moved, in milliseconds, after each take.
    clocks: String,
    /// The place that the seat to move could force before each take, from 0.
    sure: String,
    /// The plies at which the steward moved.
    steward: String,
    /// The preference order of each seat; the orders are separated by semicolons.
    wants: String,
    first: u32,
    last_mover_wins: bool,
    initial_ms: String,
}

/// Further content of the page of a match.
#[derive(Debug)]
pub(super) struct MatchExtras {
    /// Links to the logs of language models, with their texts.
    pub transcripts: Vec<(String, String)>,
    /// A sentence on whether the record verifies.
    pub proof: String,
}

/// A match after some takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchAtPly<'a> {
    pub id: MatchId,
    /// The response of the service.
    pub shown: &'a pb::GetMatchResponse,
    /// The match ply by ply.
    pub replay: &'a Replay,
    /// What language models wrote, if it was read.
    pub words: Option<&'a ModelReplies>,
    /// How many takes are shown.
    pub ply: u32,
}

impl MatchAtPly<'_> {
    /// Writes the page.
    pub(super) fn page(&self, address: &PageAddress, extras: MatchExtras) -> Result<Page, Status> {
        let seats = Seats::of_setup(&self.replay.setup);
        let headline = self.headline().plain(&seats);
        let title = match self.replay.end {
            Some(_) => headline,
            None => join_first_items(&self.replay.setup.bots),
        };
        let summary = finding::match_summary(self.shown, self.replay, self.audit()).plain(&seats);
        let MatchExtras { transcripts, proof } = extras;
        let content = MatchContent { transcripts, proof, ..self.content(&seats)? };
        let page = Page::of_html(address, title, write_template(&content));
        Ok(page.with_summary(summary).with_heading(self.headline().html(&seats)))
    }

    /// Writes the seats and the board for a player, without the oracle's advice on the next take. If `has_buttons` is
    /// set, the counters in play are buttons of the form with the id `tap`.
    pub(crate) fn played_html(&self, seats: &Seats, has_buttons: bool) -> Result<(String, String), Status> {
        let Self { id, replay, ply, .. } = *self;
        let position = &replay.requested_position(ply)?;
        let audit = self.audit();
        let take_links = TakeLinks::Match { id, ply };
        let mode = if has_buttons { BoardMode::Buttons } else { BoardMode::Links };
        let board = MatchBoard { take_links, replay, seats, position, ply, audit, outcomes: &[], mode };
        let seat_list = (0..seats.count()).map(|seat| self.seat_card(seat, seats, position)).collect();
        Ok((write_template(&SeatsView { seat_list }), board.html()))
    }

    /// Writes all parts of the page for live updates.
    pub(crate) fn live_page(&self) -> Result<LivePage, Status> {
        let seats = Seats::of_setup(&self.replay.setup);
        let content = self.content(&seats)?;
        let parts = PageParts::default()
            .with("headline", self.headline().html(&seats))
            .with("state", write_template(&content.as_state()))
            .with("plies", content.plies.to_string())
            .with("board", write_template(&content.as_board()))
            .with("seats", write_template(&content.as_seats()))
            .with("line", write_template(&content.as_line()))
            .with("steps", write_template(&content.as_steps()))
            .with("said", write_template(&content.as_said()))
            .with("talk", write_template(&content.as_talk()))
            .with("oracle", write_template(&content.as_oracle()))
            .with("rows", write_template(&content.as_rows()))
            .with("takes-note", write_template(&content.as_takes_note()))
            .with("ledger", write_template(&content.as_ledger()))
            .with("incidents", write_template(&content.as_incidents()));
        let take_list = self.take_list(&seats);
        let rows = if self.replay.end.is_some() { Vec::new() } else { take_list.numbered_rows() };
        let whole = write_template(&content.as_takes());
        let list = Some(LiveList { id: "takes", whole, rows });
        let announcement = finding::event_announcement(self.replay, &seats);
        Ok(LivePage { event: Some(self.replay.events), parts, list, announcement })
    }

    fn content(&self, seats: &Seats) -> Result<MatchContent, Status> {
        let (replay, plies) = (self.replay, self.replay.ply_count());
        let position = &replay.requested_position(self.ply)?;
        let oracle = self.audit().and_then(|_| MatchOracle::of_match(replay));
        let outcomes = oracle.as_ref().map(|oracle| oracle.outcomes(position)).unwrap_or_default();
        let (id, ply, audit) = (self.id, self.ply, self.audit());
        let take_links = TakeLinks::Match { id, ply };
        let mode = BoardMode::Links;
        let board = MatchBoard { take_links, replay, seats, position, ply, audit, outcomes: &outcomes, mode };
        let sure = audit.and_then(|audit| audit.plies.get(ply as usize)?.guaranteed_before);
        let panel = oracle.as_ref().map(|oracle| {
            if position.is_over() {
                "<p>The match is over.</p>".to_owned()
            } else {
                oracle.panel_html(take_links, seats, position, sure)
            }
        });
        let last = ply.checked_sub(1);
        let winner = self.predicted_winner();
        let outlined = winner.map(|winner| {
            let (gets, wins) =
                if position.is_over() { ("got, because ", " won.") } else { ("gets if ", " wins.") };
            Sentence::of("Outlined: the choice that each seat ")
                .text(gets)
                .seat(winner)
                .text(wins)
                .html(seats)
        });
        let events_address = FeedAddress::Match { id, after: None };
        let mover = last.and_then(|last| replay.take_at(last)).map(|take| take.took.seat);
        let asked_for = mover.map(|seat| QuestionPlace { seat, ply: last });
        let own_words = asked_for.zip(self.words).and_then(|(place, replies)| replies.get(&place).cloned());
        Ok(MatchContent {
            state_html: finding::match_summary(self.shown, replay, audit).html(seats),
            seat_count: seats.count(),
            board_html: board.html(),
            seat_list: (0..seats.count()).map(|seat| self.seat_card(seat, seats, position)).collect(),
            line_html: audit
                .map(|audit| LineAtPly { id, replay, seats, audit, ply }.html())
                .unwrap_or_default(),
            step_list: self.steps(),
            ply,
            plies,
            said_html: finding::take_sentence(replay, audit, ply).html(seats),
            said_words: own_words.unwrap_or_default(),
            said_class: mover.map(|seat| seat_class(seat as usize)).unwrap_or_default(),
            talk_html: Conversation { replay, seats }.html(),
            panel: panel.unwrap_or_default(),
            wants: wants_table(replay, seats, winner),
            outlined: outlined.unwrap_or_default(),
            row_words: self.row_words(seats),
            takes_html: self.take_list(seats).html(),
            note: self.take_list(seats).note(),
            costs: audit.map(|audit| costs_table(audit, seats)).unwrap_or_default(),
            incident_list: self.incidents(seats),
            fact_list: self.facts(seats),
            transcripts: Vec::new(),
            proof: String::new(),
            record: SiteAddress::Record(id).to_string(),
            id,
            stepped: oracle.is_some().then(|| self.script_data()).flatten(),
            events_address: replay.end.is_none().then(|| events_address.to_string()),
            events: replay.events,
            is_newest: ply == plies,
        })
    }

    fn headline(&self) -> Sentence {
        let game = self.shown.r#match.clone().unwrap_or_default();
        finding::match_headline(&game, self.replay, self.audit())
    }

    fn audit(&self) -> Option<&pb::Audit> {
        self.shown.audit.as_ref()
    }

    fn take_list<'s>(&'s self, seats: &'s Seats) -> TakeList<'s> {
        let Self { id, replay, words, ply, .. } = *self;
        TakeList { id, replay, seats, audit: self.audit(), words, ply }
    }

    /// Returns what models wrote when they declared their orders.
    fn row_words(&self, seats: &Seats) -> Vec<RowWords> {
        let about_rows = self.words.into_iter().flatten().filter(|(place, _)| place.ply.is_none());
        let shown = about_rows.map(|(place, words)| {
            let seat = place.seat as usize;
            RowWords {
                class: seat_class(seat),
                sign: seat_sign(seat),
                name: seats.name(seat).to_owned(),
                words: words.clone(),
                transcript: place.address(self.id).to_string(),
            }
        });
        shown.collect()
    }

    /// Returns the winner under optimal play from the position that is shown; at the end, the winner of the match.
    fn predicted_winner(&self) -> Option<usize> {
        let audit = self.audit()?;
        let next = audit.plies.get(self.ply as usize);
        Some(next.map_or(audit.winner, |next| next.predicted_before) as usize)
    }

    /// Returns the winner of the match, if its last position is shown.
    fn final_winner(&self) -> Option<usize> {
        let end = self.replay.end.as_ref().filter(|_| self.ply == self.replay.ply_count())?;
        end.winner.map(|winner| winner as usize)
    }

    fn address(&self, ply: u32) -> String {
        PageAddress::Match { id: self.id, ply: Some(ply) }.to_string()
    }

    fn steps(&self) -> Vec<Step> {
        let (ply, plies) = (self.ply, self.replay.ply_count());
        let step = |(glyph, label), act, rel, to: Option<u32>| Step {
            glyph,
            label,
            class: if act == "error" { "" } else { "unseen" },
            act,
            rel,
            address: to.filter(|&to| to != ply).map(|to| self.address(to)),
        };
        let mut steps = vec![
            step(("«", "First"), "first", "", Some(0)),
            step(("‹", "Back"), "back", "prev", ply.checked_sub(1)),
            step(("›", "Forward"), "forward", "next", Some(ply + 1).filter(|&to| to <= plies)),
            step(("»", "Last"), "last", "", Some(plies)),
        ];
        if let Some(audit) = self.audit() {
            let errors = audit.plies.iter().filter(|found| found.regret > 0).map(|found| found.ply + 1);
            let errors: Vec<u32> = errors.collect();
            let next = errors.iter().find(|&&error| error > ply).or(errors.first());
            if !errors.is_empty() {
                steps.push(step(("✕ ", "Next error"), "error", "", next.copied()));
            }
        }
        steps
    }

    fn seat_card(&self, seat: usize, seats: &Seats, position: &Position) -> SeatCard {
        let bot = &self.replay.setup.bots[seat];
        let mut forfeits = self.replay.forfeits.iter();
        let forfeit = forfeits.find(|(_, event)| event.seat as usize == seat);
        let forfeit = forfeit
            .map(|(before, event)| (*before, format!("forfeited: {}", forfeit_reason_text(event.reason()))));
        let is_last = self.ply == self.replay.ply_count();
        let is_ended = is_last && self.replay.end.is_some();
        let is_to_move = !self.replay.rows.is_empty()
            && !position.is_over()
            && position.to_move().index() == seat
            && !is_ended;
        let mut states = Vec::new();
        // What the seat really wanted counts, if it is known.
        let real = self.replay.really_wanted_winners(seat);
        match self.final_winner() {
            Some(winner) if winner == seat => states.push("won".to_owned()),
            Some(winner) => states.extend(
                real.as_ref()
                    .map_or_else(
                        || preference_rank(self.replay, seat, winner),
                        |real| real.iter().position(|&other| other == winner),
                    )
                    .map(|rank| format!("got {} {} choice", seats.possessive(seat), ordinal_text(rank))),
            ),
            None if is_to_move => states.push("to move".to_owned()),
            None => {}
        }
        states.extend(forfeit.iter().filter(|(before, _)| *before <= self.ply).map(|(_, why)| why.clone()));
        let is_roomy = seats.count() <= MAX_ROOMY_SEATS;
        let winner_view = |winners: Option<Vec<usize>>| {
            let winners = winners.filter(|_| is_roomy).unwrap_or_default().into_iter();
            winners.map(|other| (seat_sign(other), seats.name(other).to_owned())).collect()
        };
        // The response of the service may be newer than these events.
        let open = self.shown.open.as_ref().filter(|open| is_last && open.plies == self.ply);
        SeatCard {
            sign: seat_sign(seat),
            name: seats.name(seat).to_owned(),
            address: cell_link("bot", bot).unwrap_or_default(),
            class: match self.final_winner() {
                Some(winner) if winner == seat => "won",
                _ if is_to_move => "to-move",
                _ => "",
            },
            forfeit,
            state: states.join("; "),
            clock: SeatClock::of_seat(self.replay, seat, self.ply, open),
            wanted: winner_view(self.replay.wanted_winners(seat)),
            real_order: real.iter().flatten().map(usize::to_string).collect::<Vec<_>>().join(" "),
            really_wanted: winner_view(real),
        }
    }

    fn incidents(&self, seats: &Seats) -> Vec<(Time, String)> {
        let line = |timed: &pb::RecordEvent| {
            let incident = finding::incident_sentence(timed.event.as_ref()?)?;
            Some((Time(timed.at_us), incident.html(seats)))
        };
        let incidents: Vec<_> = self.replay.incidents.iter().filter_map(line).collect();
        incidents[incidents.len().saturating_sub(MAX_INCIDENTS)..].to_vec()
    }

    fn facts(&self, seats: &Seats) -> Vec<(&'static str, String)> {
        let setup = &self.replay.setup;
        let piles: Vec<String> = setup.piles.iter().map(ToString::to_string).collect();
        let orders = match (&setup.assigned, &setup.deal) {
            (Some(_), _) => "given with the match",
            (None, None) => "said by the seats",
            (None, Some(_)) => "said by the seats, which are scored by private orders",
        };
        let facts = [
            ("piles", Some(shortened_list(&piles, ", "))),
            ("moves first", Some(seats.name(setup.first as usize).to_owned())),
            ("what the seats want", Some(orders.to_owned())),
            (
                "talk",
                setup.talk.as_ref().map(|talk| {
                    let rounds = count_with_noun(talk.rounds, "round", "rounds");
                    format!("{rounds}, each of at most {}", format_duration(talk.round_ms.into()))
                }),
            ),
            ("clock", setup.clock.map(clock_text)),
            ("strikes until a seat is forfeited", Some(setup.strikes.to_string())),
            ("limit on takes", Some(setup.max_plies.to_string())),
        ];
        facts.into_iter().filter_map(|(label, fact)| Some((label, fact?))).collect()
    }

    /// Returns the data with which the script steps through the match; `None` for a long match.
    fn script_data(&self) -> Option<SteppedMatch> {
        let (replay, plies) = (self.replay, self.replay.ply_count());
        let takes: Vec<_> = (0..plies).map_while(|ply| replay.take_at(ply)).collect();
        if plies > MAX_STEPPED_TAKES || takes.len() as u32 != plies {
            return None;
        }
        let setup = &replay.setup;
        let clock = |(take, after): (&&ReplayedTake, u32)| {
            replay.bank_ms(take.took.seat as usize, after).unwrap_or_default()
        };
        let sure = self.audit().into_iter().flat_map(|audit| &audit.plies);
        let sure = sure.map(|ply| ply.guaranteed_before.map_or("-".to_owned(), |place| place.to_string()));
        let orders = (0..setup.bots.len()).filter_map(|seat| replay.wanted_winners(seat));
        let stewards = takes.iter().filter(|take| take.took.steward).map(|take| take.took.ply);
        Some(SteppedMatch {
            piles: join_items(&setup.piles, " "),
            takes: join_items(takes.iter().map(|take| take.took.take), " "),
            clocks: match setup.clock {
                Some(_) => join_items(takes.iter().zip(1..).map(clock), " "),
                None => String::new(),
            },
            sure: join_items(sure, " "),
            steward: join_items(stewards, " "),
            wants: join_items(orders.map(|order| join_items(order, " ")), ";"),
            first: setup.first,
            last_mover_wins: setup.ending() == pb::Ending::LastMoverWins,
            initial_ms: setup.clock.map(|clock| clock.initial_ms.to_string()).unwrap_or_default(),
        })
    }
}
