//! Matches without a server: house bots, and records of the matches.

use crate::records::record_json;
use lastnim_bots::HouseBot;
use lastnim_client::{Bot, MatchView};
use lastnim_core::{
    game::{BotName, BySeat, Game, MatchId, TournamentId},
    referee::{MatchSetup, NoteHash, Origin, Referee, RefereeInput, SeatAction, Timestamp},
};
use lastnim_proto::{
    game::parse_game,
    json::{message_from_json, parse_document},
    parse_request, pb,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// The time of a match in microseconds, ten random bytes, and its place in a tournament.
type MatchIdentity = (u64, [u8; 10], Option<([u8; 16], u64, u64)>);

/// A take with the note hash of its bot.
type ChosenTake = (u64, Option<[u8; 32]>);

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

/// Returns the JSON record of a match: its bots, the game with all rows, whether they were assigned, the note hashes of
/// declared rows, and the takes. `identity` is the time of all events in microseconds since 1970-01-01 UTC, ten random
/// bytes, which together make the match id, and the place of the match in a tournament: the id of the tournament, the
/// number of the match and that of its group; `None` for an exhibition.
#[pyfunction]
#[pyo3(signature = (bots, game, assigned, row_hashes, takes, identity))]
pub fn record_of_play(
    py: Python<'_>,
    bots: Vec<String>,
    game: &str,
    assigned: bool,
    row_hashes: Vec<Option<[u8; 32]>>,
    takes: Vec<ChosenTake>,
    identity: MatchIdentity,
) -> PyResult<String> {
    let game = read_game(game)?;
    let names =
        bots.iter().map(|name| name.parse::<BotName>().map_err(value_error)).collect::<PyResult<Vec<_>>>()?;
    let names: BySeat<BotName> = names
        .try_into()
        .map_err(|_| PyValueError::new_err(format!("bots: {} bots: expected 2 to 32", bots.len())))?;
    let (at_us, random, origin) = identity;
    let origin = origin.map(|(tournament, number, group)| Origin {
        tournament: TournamentId::from_bytes(tournament),
        number,
        group,
    });
    let setup = MatchSetup {
        origin,
        first: game.first_seat(),
        ending: game.ending,
        assigned: assigned.then(|| game.matrix.clone()),
        ..MatchSetup::new(names, game.piles.clone())
    };
    let setup = setup.validate().map_err(|errors| {
        PyValueError::new_err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })?;
    py.detach(|| {
        let now = Timestamp::from_micros(at_us);
        let present = BySeat::from_fn(setup.seats(), |_| true);
        let (mut referee, _) = Referee::begin(MatchId::new(at_us / 1_000, &random), setup, present, now);
        let hash_of = |hash: Option<[u8; 32]>| hash.map(NoteHash::from_bytes);
        let mut inputs = Vec::with_capacity(takes.len() + row_hashes.len());
        if !assigned {
            for (seat, row) in game.matrix.rows().enumerate() {
                let note_hash = hash_of(row_hashes.get(seat.index()).copied().flatten());
                inputs.push(RefereeInput::Act { seat, action: SeatAction::declare(row, note_hash) });
            }
        }
        let mut seat = game.first_seat();
        for (ply, (take, hash)) in (0..).zip(takes) {
            inputs.push(RefereeInput::Act { seat, action: SeatAction::take(ply, take, hash_of(hash)) });
            seat = game.matrix.seats().next(seat);
        }
        for input in inputs {
            // The record already has its events.
            let _ = referee.handle_input(input, now);
            referee.mark_effects_announced(now);
        }
        let record = pb::MatchRecord::of(referee.record(), None);
        record_json(&record).map(|json| json.to_string()).map_err(PyValueError::new_err)
    })
}

/// Converts an error to `ValueError`.
pub fn value_error(error: impl fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
