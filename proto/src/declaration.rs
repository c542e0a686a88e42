//! Reads questions about declarations and about the rows that explain a player's takes, and writes the answers as
//! messages.

use super::{
    RequestField,
    batch::{check_question_count, check_take_count},
    game::parse_game,
    pb,
};
use lastnim_analysis::{
    BestDeclaration, Completeness, Contradiction, DeclarationProspect, DeclaredRow, Deviation, Equilibria,
    KnowledgeReading, Minimality, PartialRow, RationalisableRows, RowCount, RowSet, TakeOfGame, TruthCheck,
};
use lastnim_core::{
    game::{AllianceMatrix, Game, Row, Seat},
    oracle::{Mover, PlayedTake},
};
use std::collections::HashSet;

/// The maximum number of examples in an answer, unless the request states another one.
const DEFAULT_MAX_EXAMPLES: u32 = 10;
/// The largest maximum that a request may state.
const MAX_EXAMPLES: u32 = 1_000;
/// The maximum number of partial rows in an answer.
const MAX_LEAVES: usize = 1_024;
/// The maximum length of a game's name, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// A game that a player played, and the player's seat in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatGame {
    /// The initial position.
    pub game: Game,
    /// The seat of the player.
    pub seat: Seat,
    /// The takes of all seats, in order.
    pub takes: Vec<PlayedTake>,
    /// The caller's name for the game.
    pub name: String,
}

/// Limits on how many rows of a set are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSetLimits {
    /// The maximum number of example rows.
    pub examples: usize,
    /// The maximum number of partial rows.
    pub leaves: usize,
}

/// Reads the maximum number of examples; 0 stands for the default.
pub fn parse_max_examples(examples: u32, field: RequestField<'_>) -> Option<RowSetLimits> {
    let limits = |examples: u32| Some(RowSetLimits { examples: examples as usize, leaves: MAX_LEAVES });
    match examples {
        0 => limits(DEFAULT_MAX_EXAMPLES),
        1..=MAX_EXAMPLES => limits(examples),
        _ => {
            field.report(format_args!("{examples}: expected 1 to {MAX_EXAMPLES}"));
            None
        }
    }
}

/// Reads the number of a seat in a game.
pub fn parse_seat(seat: u32, game: &Game, field: RequestField<'_>) -> Option<Seat> {
    field.ok_or_report(game.matrix.seats().seat(seat as usize))
}

/// Reads the assumption about what the other seats know. It is common knowledge if unspecified.
pub fn parse_reading(reading: i32, field: RequestField<'_>) -> Option<KnowledgeReading> {
    field.optional_enum(reading).map(|reading| reading.unwrap_or(KnowledgeReading::CommonKnowledge))
}

/// Reads the games of a player, who may have a different seat in each.
pub fn parse_played_games(games: &[pb::PlayedGame], field: RequestField<'_>) -> Option<Vec<SeatGame>> {
    check_question_count(games.len(), field);
    if !field.has_no_violations() {
        return None;
    }
    field.parse_each(games, parse_played_game)
}

fn parse_played_game(played: &pb::PlayedGame, field: RequestField<'_>) -> Option<SeatGame> {
    let game = field.member("game").parse_required(played.game.as_ref(), parse_game);
    check_take_count(played.takes.len(), field.member("takes"));
    let steward_plies: HashSet<u32> = played.steward_plies.iter().copied().collect();
    if let Some(ply) = steward_plies.iter().find(|&&ply| ply as usize >= played.takes.len()) {
        let takes = played.takes.len();
        field
            .member("steward_plies")
            .report(format_args!("ply {ply}: expected a ply below {takes}, the number of takes in the game"));
    }
    if played.name.len() > MAX_NAME_BYTES {
        let bytes = played.name.len();
        field
            .member("name")
            .report(format_args!("{bytes} bytes: expected at most {MAX_NAME_BYTES} in a name"));
    }
    let game = game?;
    let seat = parse_seat(played.seat, &game, field.member("seat"))?;
    let mover = |ply| if steward_plies.contains(&ply) { Mover::Steward } else { Mover::Bot };
    let takes = (0..).zip(&played.takes).map(|(ply, &take)| PlayedTake { take, mover: mover(ply) }).collect();
    Some(SeatGame { game, seat, takes, name: played.name.clone() })
}

impl From<RowCount> for pb::Count {
    fn from(count: RowCount) -> Self {
        Self { number: count.at_least().to_string(), exact: count.is_exact() }
    }
}

impl From<Completeness> for pb::Settled {
    fn from(settled: Completeness) -> Self {
        match settled {
            Completeness::Complete => Self { complete: true, ..Self::default() },
            Completeness::Partial { settled, all, halt } => Self {
                complete: false,
                settled: settled.to_string(),
                all: all.to_string(),
                reason: halt.to_string(),
            },
        }
    }
}

impl From<&PartialRow> for pb::PartialRow {
    fn from(row: &PartialRow) -> Self {
        let pair = |(preferred, other)| pb::OffsetPair { preferred: preferred as u32, other: other as u32 };
        Self { pairs: row.covering_pairs().map(pair).collect() }
    }
}

impl From<DeclarationProspect> for pb::Prospect {
    fn from(prospect: DeclarationProspect) -> Self {
        Self { winner: prospect.winner.into(), rank: prospect.rank as u32 }
    }
}

/// Writes a set of rows with the given examples. `count` may include rows that are not in the set.
fn row_set_message(rows: &RowSet, count: RowCount, examples: &[Row], max_leaves: usize) -> pb::RowSet {
    let leaves = rows.leaves();
    let shown = leaves.len().min(max_leaves);
    pb::RowSet {
        count: Some(count.into()),
        share: count.share_of_all_rows(rows.seats()),
        examples: examples.iter().map(pb::Row::from).collect(),
        leaves: leaves[..shown].iter().map(pb::PartialRow::from).collect(),
        leaves_left_out: (leaves.len() - shown) as u64,
    }
}

/// Writes the best declarations of a seat.
pub fn best_declaration_message(
    best: &BestDeclaration,
    game: &Game,
    limits: RowSetLimits,
) -> pb::FindBestDeclarationResponse {
    let examples = best.examples(game, limits.examples);
    pb::FindBestDeclarationResponse {
        truthful: Some(best.truthful.into()),
        best: Some(best.best.into()),
        rows: Some(row_set_message(&best.rows, best.count, &examples, limits.leaves)),
        settled: Some(best.settled.into()),
        seat: best.seat.into(),
        truth_is_best: best.is_truth_best(),
        best_is_certain: best.is_best_certain(),
    }
}

impl From<&TruthCheck> for pb::CheckTruthResponse {
    fn from(truth: &TruthCheck) -> Self {
        match truth {
            TruthCheck::Equilibrium => Self { equilibrium: Some(true), ..Self::default() },
            TruthCheck::Refuted(deviation) => {
                Self { equilibrium: Some(false), deviation: Some(deviation.into()), ..Self::default() }
            }
            TruthCheck::Unsettled { seat, halt } => Self {
                unsettled_seat: Some((*seat).into()),
                unsettled_reason: halt.to_string(),
                ..Self::default()
            },
        }
    }
}

impl From<&Deviation> for pb::Deviation {
    fn from(deviation: &Deviation) -> Self {
        Self {
            seat: deviation.seat.into(),
            row: Some((&deviation.row).into()),
            truthful: Some(deviation.truthful.into()),
            deviating: Some(deviation.deviating.into()),
        }
    }
}

/// Writes at most `max_examples` of the equilibria found, and whether the true rows are an equilibrium.
pub fn equilibria_message(
    found: &Equilibria,
    game: &Game,
    max_examples: usize,
) -> pb::FindEquilibriaResponse {
    let example = |(declared, winner): (AllianceMatrix, Seat)| pb::Equilibrium {
        declared: Some((&declared).into()),
        winner: winner.into(),
        set_size: found.regions.iter().find(|set| set.contains(&declared)).map(|set| set.count.into()),
    };
    pb::FindEquilibriaResponse {
        by_winner: found.by_winner.iter().map(|&count| count.into()).collect(),
        count: Some(found.count().into()),
        examples: found.examples(&game.matrix, max_examples).into_iter().map(example).collect(),
        settled: Some(found.settled.into()),
        truth: Some((&found.truth).into()),
    }
}

/// Writes the rows that explain a player's takes. `named` adds the seat, the caller's name for the game, and the
/// position to a take of the contradiction.
pub fn rationalisable_message(
    explained: &RationalisableRows,
    count: RowCount,
    contradiction: Option<&Contradiction>,
    named: impl Fn(TakeOfGame) -> NamedTake,
    limits: RowSetLimits,
) -> pb::RationaliseResponse {
    let rows = explained.rows();
    let declared = match explained.declared() {
        DeclaredRow::Always(row) => Some(row),
        DeclaredRow::Nothing | DeclaredRow::Various => None,
    };
    let standard = Row::standard(rows.seats());
    let examples = rows.examples(declared.unwrap_or(&standard), limits.examples);
    pb::RationaliseResponse {
        rows: Some(row_set_message(rows, count, &examples, limits.leaves)),
        declared_explains: explained.is_declared_rational(),
        games: explained.game_count(),
        takes: explained.take_count(),
        games_left_out: explained.games_left_out(),
        contradiction: contradiction.map(|found| contradiction_message(found, named)),
        declared: declared.map(Into::into),
        reading: pb::Reading::from(explained.reading()).into(),
    }
}

/// The details of a take in a contradiction, with the caller's name for its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTake {
    /// The seat that made the take.
    pub seat: Seat,
    /// The caller's name for the game.
    pub name: String,
    /// The take and the piles before it; `None` if the game's takes were not stored.
    pub details: Option<TakeInPosition>,
}

/// A take, and the position in which it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeInPosition {
    /// The piles before the take.
    pub piles: Vec<u64>,
    /// The number of counters taken.
    pub take: u64,
}

impl TakeInPosition {
    /// Finds the take of a ply and the piles before it, if the game has that ply.
    pub fn of_ply(game: &Game, takes: &[PlayedTake], ply: u32) -> Option<Self> {
        let ply = ply as usize;
        let take = takes.get(ply)?.take;
        let mut position = game.first_position();
        takes[..ply].iter().try_for_each(|played| position.take(played.take)).ok()?;
        Some(Self { piles: position.piles().collect(), take })
    }
}

fn contradiction_message(
    contradiction: &Contradiction,
    named: impl Fn(TakeOfGame) -> NamedTake,
) -> pb::Contradiction {
    let take = |take: &TakeOfGame| {
        let NamedTake { seat, name, details } = named(*take);
        let (piles, counters) =
            details.map_or_else(Default::default, |TakeInPosition { piles, take }| (piles, take));
        pb::TakeOfGame { game: take.game, ply: take.ply, seat: seat.into(), name, piles, take: counters }
    };
    let (minimality, of_takes) = match contradiction.minimality {
        Minimality::Proved => (pb::Minimality::Proved, None),
        Minimality::ProvedAmong(takes) => (pb::Minimality::ProvedAmong, Some(takes)),
        Minimality::AtLeast(takes) => (pb::Minimality::AtLeast, Some(takes as u64)),
    };
    pb::Contradiction {
        takes: contradiction.takes.iter().map(take).collect(),
        shortest: minimality == pb::Minimality::Proved,
        minimality: minimality.into(),
        of_takes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request};

    fn parse(games: &[pb::PlayedGame]) -> Result<Vec<SeatGame>, Violations> {
        parse_request(|request| parse_played_games(games, request.member("games")))
    }

    fn played_game(takes: &[u64], steward_plies: &[u32]) -> pb::PlayedGame {
        let game = Game::parse(&[3, 2], &[vec![0, 1], vec![1, 0]], 0, lastnim_core::game::Ending::default())
            .unwrap();
        pb::PlayedGame {
            game: Some((&game).into()),
            seat: 1,
            takes: takes.to_vec(),
            steward_plies: steward_plies.to_vec(),
            name: "one".into(),
        }
    }

    #[test]
    fn played_game_keeps_who_moved() {
        let games = parse(&[played_game(&[2, 1, 2], &[1])]).unwrap();
        let steward = PlayedTake { take: 1, mover: Mover::Steward };
        assert_eq!(games[0].takes, [PlayedTake::by_bot(2), steward, PlayedTake::by_bot(2)]);
        assert_eq!((games[0].seat.index(), games[0].name.as_str()), (1, "one"));
    }

    #[test]
    fn every_mistake_in_played_games_is_named() {
        let fields = |games: &[pb::PlayedGame]| -> Vec<String> {
            let violations = parse(games).unwrap_err();
            violations.as_slice().iter().map(|violation| violation.field.clone()).collect()
        };
        assert_eq!(fields(&[]), ["games"]);
        let no_game = pb::PlayedGame { game: None, ..played_game(&[1], &[]) };
        let no_seat = pb::PlayedGame { seat: 2, ..played_game(&[1], &[]) };
        let long_name = pb::PlayedGame { name: "x".repeat(257), ..played_game(&[1], &[]) };
        assert_eq!(
            fields(&[played_game(&[1], &[0]), no_game, no_seat, long_name]),
            ["games[1].game", "games[2].seat", "games[3].name"]
        );
        let violations = parse(&[played_game(&[1], &[1])]).unwrap_err();
        assert_eq!(
            violations.to_string(),
            "games[0].steward_plies: ply 1: expected a ply below 1, the number of takes in the game"
        );
    }

    #[test]
    fn the_number_of_examples_is_limited() {
        let examples = |examples| {
            let limits =
                |request: RequestField<'_>| parse_max_examples(examples, request.member("max_examples"));
            parse_request(limits).map(|limits| limits.examples)
        };
        assert_eq!((examples(0), examples(1_000)), (Ok(10), Ok(1_000)));
        assert_eq!(examples(1_001).unwrap_err().to_string(), "max_examples: 1001: expected 1 to 1000");
    }
}
