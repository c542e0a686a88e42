//! Scores how a bot played the items of a set, from the records of its matches.

use super::item_set::{PLAYER_NAME, SetItem};
use lastnim_auditing::LossShare;
use lastnim_client::MatchView;
use lastnim_core::{
    game::{BotName, Seat},
    oracle::Mover,
    referee::{Clock, EndReason, Event, ForfeitReason, Record, RefusalReason, Terms},
    shown_number::shown_number,
};
use thiserror::Error;

/// The result of a bot on an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemScore {
    /// The share of the ranks at stake in the match that the bot lost by its own takes; 1 if it lost its seat.
    pub loss: LossShare,
    /// The share of the ranks at stake that the bot lost by its first take alone; 1 if the bot did not make the first
    /// take of the match.
    pub first_take_loss: LossShare,
    /// The reason why the bot lost its seat; `None` if it kept its seat.
    pub lost_seat: Option<ForfeitReason>,
    /// The number of takes that the bot made itself.
    pub takes: u32,
    /// The number of the bot's own takes that were optimal.
    pub optimal_takes: u32,
    /// Whether the bot won the match.
    pub won: bool,
    /// The number of illegal takes that the bot tried to make.
    pub illegal_takes: u32,
    /// The number of strikes that the bot received.
    pub strikes: u32,
}

/// The reason why a record does not belong to an item.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordMisfit {
    /// The bots in the record differ from those in the set.
    #[error("the bots are {given}: expected {expected}")]
    Bots {
        /// The bots in the record.
        given: String,
        /// The bots in the set.
        expected: String,
    },
    /// The match started from a different position.
    #[error("the position is not the one in the set: {0} differ")]
    Position(&'static str),
    /// The match was played under different rules or a different clock.
    #[error("the match was not played under the card's terms: {0} differs")]
    Terms(&'static str),
    /// The match belongs to a tournament.
    #[error("the match was played in a tournament, not for a benchmark")]
    Tournament,
    /// The match has no winner.
    #[error("the match has no winner: it is not over, or it was cancelled")]
    Unfinished,
    /// An opponent lost its seat.
    #[error("the opponent {0} lost its seat")]
    OpponentLost(BotName),
    /// An opponent did not make the take that its rule requires.
    #[error("take {}: {bot} took {given}, but must take {expected} by its rule", shown_number(*ply))]
    OpponentTake {
        /// The ply.
        ply: u32,
        /// The opponent.
        bot: BotName,
        /// The take in the record.
        given: u64,
        /// The take that the opponent's rule requires.
        expected: u64,
    },
}

/// Returns the terms under which every item is played.
pub fn item_terms(clock: &Clock) -> Terms {
    Terms { clock: clock.clone(), ..Terms::default() }
}

/// Compares a record with its item, including the opponents' takes, and scores the bot.
///
/// # Errors
/// Returns the first reason why the record does not belong to the item.
///
/// # Panics
/// If the item has more than five seats, which no set has.
pub fn score_record(item: &SetItem, record: &Record, clock: &Clock) -> Result<ItemScore, RecordMisfit> {
    check_setup(item, record, clock)?;
    let state = record.state();
    let Some((reason, Some(winner))) = state.end() else { return Err(RecordMisfit::Unfinished) };
    if reason == EndReason::Cancelled {
        return Err(RecordMisfit::Unfinished);
    }
    let setup = state.setup();
    let player = item.game.first_seat();
    let absent = setup.bots.seats().iter().find(|&seat| seat != player && state.is_forfeited(seat));
    if let Some(seat) = absent {
        return Err(RecordMisfit::OpponentLost(setup.bots[seat].clone()));
    }
    check_opponents(item, record)?;
    let audit = record.audit().map_err(|_| RecordMisfit::Unfinished)?;
    let own: Vec<_> =
        audit.plies.iter().filter(|ply| ply.seat == player && ply.mover == Mover::Bot).collect();
    let all = item.game.matrix.seats().get() as u32 - 1;
    let share = |ranks: u32| LossShare::of_ranks(ranks, all).expect("a set has two to five seats");
    let lost_seat = state.forfeits()[player];
    let first_take_loss =
        own.first().filter(|ply| ply.ply == 0).map_or(LossShare::ALL, |ply| share(ply.regret));
    let loss = match lost_seat {
        None => share(own.iter().map(|ply| ply.regret).sum()),
        Some(_) => LossShare::ALL,
    };
    let struck = record.events().iter().filter_map(|timed| match timed.event {
        Event::Struck { seat, reason, .. } if seat == player => Some(reason),
        _ => None,
    });
    let reasons: Vec<_> = struck.collect();
    Ok(ItemScore {
        loss,
        first_take_loss,
        lost_seat,
        takes: own.len() as u32,
        optimal_takes: own.iter().filter(|ply| ply.is_optimal()).count() as u32,
        won: winner == player,
        illegal_takes: reasons.iter().filter(|&&reason| reason == RefusalReason::IllegalTake).count() as u32,
        strikes: reasons.len() as u32,
    })
}

fn check_setup(item: &SetItem, record: &Record, clock: &Clock) -> Result<(), RecordMisfit> {
    let setup = record.state().setup();
    let bots = item.bots();
    if setup.bots != bots {
        let names = |bots: &lastnim_core::game::BySeat<BotName>| {
            bots.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        return Err(RecordMisfit::Bots { given: names(&setup.bots), expected: names(&bots) });
    }
    let game = &item.game;
    let differs = [
        (setup.piles != game.piles, "the piles"),
        (setup.assigned.as_ref() != Some(&game.matrix), "the rows"),
        (setup.first != game.first_seat(), "the seats that move first"),
        (setup.ending != game.ending, "the endings"),
    ];
    if let Some((_, what)) = differs.into_iter().find(|(differs, _)| *differs) {
        return Err(RecordMisfit::Position(what));
    }
    let terms = item_terms(clock);
    let differs = [
        (setup.terms.clock != terms.clock, "the clock"),
        (setup.terms.strikes != terms.strikes, "the number of strikes"),
        (setup.terms.max_plies != terms.max_plies, "the maximum number of plies"),
    ];
    if let Some((_, what)) = differs.into_iter().find(|(differs, _)| *differs) {
        return Err(RecordMisfit::Terms(what));
    }
    if setup.origin.is_some() { Err(RecordMisfit::Tournament) } else { Ok(()) }
}

/// Checks every opponent's takes by choosing them again: they follow from its rule, its seed and the match.
fn check_opponents(item: &SetItem, record: &Record) -> Result<(), RecordMisfit> {
    let (state, game) = (record.state(), &item.game);
    let takes: Vec<u64> = state.takes().iter().map(|played| played.take).collect();
    let seats = game.matrix.seats();
    for (ply, &given) in takes.iter().enumerate() {
        let seat: Seat = seats.seat_at_offset(game.first_seat(), ply % seats.get());
        let Some(opponent) = (ply % seats.get()).checked_sub(1) else { continue };
        let view = MatchView::replay(record.id(), state.setup().clone(), &game.matrix, &takes[..ply]);
        let view = view.expect("records contain legal takes only");
        let expected = item.opponents[opponent].build_bot(OPPONENT_SEED).play(&view);
        if given != expected {
            let (ply, bot) = (ply as u32, state.setup().bots[seat].clone());
            return Err(RecordMisfit::OpponentTake { ply, bot, given, expected });
        }
    }
    Ok(())
}

/// The seed that every opponent uses.
pub const OPPONENT_SEED: u64 = 0;

/// Returns the name that the measured bot has in matches.
pub fn player_name() -> BotName {
    PLAYER_NAME.parse().expect("the name is valid")
}
