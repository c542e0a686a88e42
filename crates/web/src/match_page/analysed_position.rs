//! A position that a visitor asks the oracle about, drawn like a position of a match.

use super::board::{BoardMode, MatchBoard, TakeLinks};
use super::heat_table::wants_table;
use super::position_panel::MatchOracle;
use super::sentence::{Seats, Sentence};
use super::view::{MAX_ROOMY_SEATS, SeatCard, SeatsView};
use crate::address::PageAddress;
use crate::position_input::PositionInput;
use crate::replay::Replay;
use crate::seat_sign::seat_sign;
use lastnim_core::game::Game;
use lastnim_proto::pb::{self, record_event::Event};
use lastnim_report::render::write_template;

/// The maximum length of a position's address, in bytes. A page has such an address for each take.
const MAX_ADDRESS_BYTES: usize = 4 << 10;

/// A position and what the oracle says about it, as HTML.
#[derive(Debug)]
pub(crate) struct AnalysedPosition {
    pub seat_count: usize,
    /// Who wins.
    pub headline: String,
    pub seats: String,
    pub board: String,
    pub panel: String,
    /// The table of what each seat wants.
    pub wants: String,
    /// A sentence that explains the outlined column of that table.
    pub outlined: String,
}

impl AnalysedPosition {
    /// Draws the first position of a game that was typed; `None` if no counter is left, or the position is too long for
    /// links. Without names, seats are named by their numbers.
    pub(crate) fn of_game(typed: &PositionInput, game: &Game, names: Option<&[String]>) -> Option<Self> {
        let address = PageAddress::Oracle { position: typed.clone() }.to_string();
        if address.len() > MAX_ADDRESS_BYTES {
            return None;
        }
        let asked: pb::Game = game.into();
        let count = game.matrix.seats().get();
        let piles = asked.piles.into_iter().filter(|&counters| counters > 0).collect();
        let numbered_seats = || (1..=count).map(|number| format!("Seat {number}")).collect();
        let bots = names.map_or_else(numbered_seats, <[String]>::to_vec);
        let setup =
            pb::MatchSetup { bots, piles, first: asked.first, ending: asked.ending, ..Default::default() };
        let event = |event| pb::RecordEvent { event: Some(event), ..Default::default() };
        let mut replay = Replay::begin(&event(Event::Created(setup)))?;
        replay.push(event(Event::Revealed(pb::RevealedEvent { alliance_matrix: asked.alliance_matrix })));
        let (replay, seats, position) =
            (&replay, &Seats::of_setup(&replay.setup), &replay.position_after(0)?);
        let oracle = MatchOracle::of_match(replay)?;
        let winner = oracle.winner(position);
        let take_links = TakeLinks::Oracle { typed, position };
        let outcomes = &oracle.outcomes(position);
        let mode = BoardMode::Links;
        let board = MatchBoard { take_links, replay, seats, position, ply: 0, audit: None, outcomes, mode };
        let card = |seat: usize| {
            let is_to_move = position.to_move().index() == seat;
            let wanted = replay.wanted_winners(seat).filter(|_| count <= MAX_ROOMY_SEATS);
            let wish = |other: usize| (seat_sign(other), seats.name(other).to_owned());
            SeatCard {
                sign: seat_sign(seat),
                name: seats.name(seat).to_owned(),
                address: String::new(),
                class: if is_to_move { "to-move" } else { "" },
                forfeit: None,
                state: if is_to_move { "to move".to_owned() } else { String::new() },
                clock: None,
                really_wanted: Vec::new(),
                real_order: String::new(),
                wanted: wanted.into_iter().flatten().map(wish).collect(),
            }
        };
        let headline = Sentence::default().seat(winner).text(" wins if every seat plays for what it wants");
        let outlined =
            Sentence::of("Outlined: the choice that each seat gets if ").seat(winner).text(" wins.");
        Some(Self {
            seat_count: count,
            headline: headline.html(seats),
            seats: write_template(&SeatsView { seat_list: (0..count).map(card).collect() }),
            board: board.html(),
            panel: oracle.panel_html(take_links, seats, position, None),
            wants: wants_table(replay, seats, Some(winner)),
            outlined: outlined.html(seats),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::Ending;

    #[test]
    fn a_tap_on_a_counter_opens_the_position_after_the_take() {
        let rows = [vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]];
        let game = Game::parse(&[1, 3], &rows, 1, Ending::ToMoveWins).unwrap();
        let typed = &PositionInput::of_game(&(&game).into());
        let asked = AnalysedPosition::of_game(typed, &game, None).unwrap();
        assert_eq!(asked.board.matches("data-take=").count(), 3, "{}", asked.board);
        let two = asked.board.split("data-take=\"2\"").next().unwrap().rsplit("href=\"").next().unwrap();
        assert!(two.contains("piles=1+1") && two.contains("first=3"), "{two}");
        let all = asked.board.split("data-take=\"3\"").next().unwrap().rsplit("href=\"").next().unwrap();
        assert!(all.contains("piles=1+0") && all.contains("first=3"), "{all}");
        assert!(asked.panel.contains("is to move, with 3 in the pile"), "{}", asked.panel);
        assert!(!asked.panel.contains("<form"), "{}", asked.panel);
        assert!(asked.headline.contains(" wins if every seat plays"), "{}", asked.headline);
        let long = PositionInput { rows: "x".repeat(MAX_ADDRESS_BYTES), ..typed.clone() };
        assert!(AnalysedPosition::of_game(&long, &game, None).is_none());
        let names = ["ann", "bob", "cara"].map(str::to_owned);
        let shown = AnalysedPosition::of_game(typed, &game, Some(&names)).unwrap();
        assert!(shown.board.contains("If bob takes 1, ") && !shown.panel.contains("Seat"), "{}", shown.board);
    }
}
