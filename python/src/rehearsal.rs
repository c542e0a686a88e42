//! Matches without a server, and their house bots.

use crate::{
    question::{match_json, talk_round_json},
    records::record_json,
    session::{GivenMessage, read_message},
};
use lastnim_bots::HouseBot;
use lastnim_client::{Bot, LocalMatch, MatchView, RefusedAction};
use lastnim_core::{
    game::{Game, MatchId, Row, Seat, TournamentId},
    referee::{DealSecret, DealtRows, MatchPhase, MatchSetup, NoteHash, Origin, Timestamp},
};
use lastnim_proto::{
    game::parse_game,
    json::{message_from_json, parse_document},
    parse_request, pb,
    setup::parse_new_setup,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// The time of a match in microseconds, ten random bytes, and its place in a tournament.
type MatchIdentity = (u64, [u8; 10], Option<([u8; 16], u64, u64)>);

/// A house bot, called directly.
#[pyclass(frozen)]
pub struct HousePlayer {
    bot: Mutex<Box<dyn Bot>>,
}

#[pymethods]
impl HousePlayer {
    /// Creates the house bot of this name; the seed fixes its random takes.
    #[new]
    fn build(name: &str, seed: u64) -> PyResult<Self> {
        let bot = name.parse::<HouseBot>().map_err(value_error)?.build_bot(seed);
        Ok(Self { bot: Mutex::new(bot) })
    }

    /// Returns the row that the bot declares in the first seat of a game, given as JSON.
    fn declare(&self, py: Python<'_>, game: &str) -> PyResult<Vec<u8>> {
        let view = view_of_game(game, &[])?;
        py.detach(|| Ok(self.lock_bot().declare(view.info()).offsets().to_vec()))
    }

    /// Returns the bot's take in a game, given as JSON, after `takes`.
    fn play(&self, py: Python<'_>, game: &str, takes: Vec<u64>) -> PyResult<u64> {
        let view = view_of_game(game, &takes)?;
        py.detach(|| Ok(self.lock_bot().play(&view)))
    }
}

impl HousePlayer {
    fn lock_bot(&self) -> std::sync::MutexGuard<'_, Box<dyn Bot>> {
        self.bot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn view_of_game(json: &str, takes: &[u64]) -> PyResult<MatchView> {
    MatchView::practice(&read_game(json)?, takes).map_err(value_error)
}

/// Reads a game from its JSON.
pub fn read_game(json: &str) -> PyResult<Game> {
    let json = parse_document(json).map_err(PyValueError::new_err)?;
    let message: pb::Game = message_from_json(&json).map_err(value_error)?;
    parse_request(|field| parse_game(&message, field)).map_err(value_error)
}

/// A match in this process: its referee, and what each seat knows. Seats are numbers from 0.
#[pyclass]
pub struct MatchInProcess(LocalMatch);

#[pymethods]
impl MatchInProcess {
    /// Begins a match. `request` is the JSON of a `CreateMatchRequest`. If it deals rows, they follow from the seed.
    /// `identity` is the time of all events in microseconds since 1970-01-01 UTC, ten random bytes, which together make
    /// the match id, and the place of the match in a tournament: the id of the tournament, the number of the match and
    /// that of its group; `None` for an exhibition.
    #[new]
    fn begin(request: &str, seed: u64, identity: MatchIdentity) -> PyResult<Self> {
        let json = parse_document(request).map_err(PyValueError::new_err)?;
        let request: pb::CreateMatchRequest = message_from_json(&json).map_err(value_error)?;
        let (setup, rule) = parse_request(|field| parse_new_setup(&request, field)).map_err(value_error)?;
        let (at_us, random, origin) = identity;
        let origin = origin.map(|(tournament, number, group)| Origin {
            tournament: TournamentId::from_bytes(tournament),
            number,
            group,
        });
        let dealt = rule.map(|rule| {
            let dealt = DealtRows::of_match(&secret_of_seed(seed), MatchId::least(), &rule, setup.seats());
            (rule, dealt)
        });
        let id = MatchId::new(at_us / 1_000, &random);
        let setup = MatchSetup { origin, ..setup };
        let begun = LocalMatch::begin(id, setup, dealt, Timestamp::from_micros(at_us));
        begun.map(Self).map_err(|errors| {
            PyValueError::new_err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })
    }

    /// The seat that must act; None if the match is over.
    #[getter]
    fn next_seat(&self) -> Option<usize> {
        self.0.next_seat().map(Seat::index)
    }

    /// What the next seat must do: `talk`, `declare` or `play`; None if the match is over.
    #[getter]
    fn next_action(&self) -> Option<&'static str> {
        match self.0.phase() {
            MatchPhase::Talking => Some("talk"),
            MatchPhase::Declaring => Some("declare"),
            MatchPhase::Playing => Some("play"),
            MatchPhase::Ended => None,
        }
    }

    /// The number of rounds of talk that have ended.
    #[getter]
    fn rounds_ended(&self) -> u32 {
        self.0.record().state().rounds_heard()
    }

    /// All rows, once they are revealed.
    #[getter]
    fn rows(&self) -> Option<Vec<Vec<u8>>> {
        let game = self.0.record().state().game()?;
        Some(game.matrix.rows().iter().map(|row| row.offsets().to_vec()).collect())
    }

    /// Returns what a seat knows about the match, as JSON.
    fn match_of(&mut self, seat: usize) -> PyResult<String> {
        let seat = self.seat(seat)?;
        Ok(match_json(&self.0.info(seat)).to_string())
    }

    /// Returns the open round of talk as a seat sees it, as JSON.
    fn round_of(&mut self, seat: usize) -> PyResult<String> {
        let seat = self.seat(seat)?;
        Ok(talk_round_json(&self.0.talk_round(seat)).to_string())
    }

    /// Sends messages of a seat, and ends its talk in this round.
    fn talk(&mut self, seat: usize, messages: Vec<GivenMessage>) -> PyResult<()> {
        let seat = self.seat(seat)?;
        let seats = self.0.record().state().setup().seats();
        let messages = messages.into_iter().map(|given| read_message(given, seats));
        self.0.talk(seat, &messages.collect::<PyResult<Vec<_>>>()?).map_err(refusal)
    }

    /// Declares the row of a seat.
    #[pyo3(signature = (seat, offsets, note_hash))]
    fn declare(&mut self, seat: usize, offsets: Vec<u64>, note_hash: Option<[u8; 32]>) -> PyResult<()> {
        let seat = self.seat(seat)?;
        let row = Row::parse(&offsets, self.0.record().state().setup().seats()).map_err(value_error)?;
        self.0.declare(seat, &row, note_hash.map(NoteHash::from_bytes)).map_err(refusal)
    }

    /// Takes counters for the seat to move.
    #[pyo3(signature = (take, note_hash))]
    fn take(&mut self, take: u64, note_hash: Option<[u8; 32]>) -> PyResult<()> {
        self.0.take(take, note_hash.map(NoteHash::from_bytes)).map_err(refusal)
    }

    /// Lets a house bot do what the next seat must do. Returns its take; 0 if it does not take counters.
    fn ask_house_bot(&mut self, py: Python<'_>, player: &HousePlayer) -> PyResult<u64> {
        let Some(seat) = self.0.next_seat() else { return Ok(0) };
        let takes = self.0.record().state().takes().len();
        py.detach(|| self.0.ask_bot(seat, &mut **player.lock_bot())).map_err(refusal)?;
        Ok(self.0.record().state().takes().get(takes).map_or(0, |played| played.take))
    }

    /// Returns the record of the match so far, as JSON.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let record = pb::MatchRecord::of(self.0.record(), None);
            record_json(&record).map(|json| json.to_string()).map_err(PyValueError::new_err)
        })
    }
}

impl MatchInProcess {
    fn seat(&self, index: usize) -> PyResult<Seat> {
        self.0.record().state().setup().seats().seat(index).map_err(value_error)
    }
}

/// Returns the secret from which the rows of a match are dealt. Nothing in this process has to be kept from the bots.
fn secret_of_seed(seed: u64) -> DealSecret {
    let mut secret = [0; DealSecret::BYTES];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    DealSecret::from_bytes(secret)
}

fn refusal(refused: RefusedAction) -> PyErr {
    PyValueError::new_err(refused.message)
}

/// Converts an error to `ValueError`.
pub fn value_error(error: impl fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
