//! Questions about rows: which are best declared, and which explain how a seat played.

use super::asking::Unanswered;
use super::games::game_of;
use crate::oracle::{BestDeclaration, Budget, Equilibria, RationalisableRows, Truth};
use crate::wire::declaration::{
    best_declaration, equilibria, parse_max_examples, parse_played_games, parse_reading, parse_seat,
    rationalisable,
};
use crate::wire::{Field, Violations, pb};

/// Finds the rows with which a seat is best off.
pub(super) fn find_best_declaration(
    request: &pb::FindBestDeclarationRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::FindBestDeclarationResponse, Unanswered> {
    let mut violations = Violations::default();
    let limits = parse_max_examples(request.max_examples, &mut violations);
    let game = game_of(request.game.as_ref(), &mut violations);
    let game = game.and_then(|game| {
        let seat = parse_seat(request.seat, &game, Field::root("seat"), &mut violations)?;
        Some((game, seat))
    });
    let ((game, seat), limits) = violations.finish(game.zip(limits))?;
    Ok(best_declaration(&BestDeclaration::of(&game, seat, budget), &game, limits))
}

/// Looks whether the truth is an equilibrium.
pub(super) fn check_truth(
    request: &pb::CheckTruthRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::CheckTruthResponse, Unanswered> {
    let mut violations = Violations::default();
    let game = game_of(request.game.as_ref(), &mut violations);
    let game = violations.finish(game)?;
    Ok((&Truth::of(&game, budget)).into())
}

/// Finds all equilibria.
pub(super) fn find_equilibria(
    request: &pb::FindEquilibriaRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::FindEquilibriaResponse, Unanswered> {
    let mut violations = Violations::default();
    let limits = parse_max_examples(request.max_examples, &mut violations);
    let game = game_of(request.game.as_ref(), &mut violations);
    let (game, limits) = violations.finish(game.zip(limits))?;
    let mut violations = Violations::default();
    let at_game = Field::root("game");
    let found = violations.keep(at_game.member("alliance_matrix"), Equilibria::of(&game, budget));
    Ok(equilibria(&violations.finish(found)?, &game, limits.examples))
}

/// Finds the rows that explain every take of a player.
pub(super) fn rationalise(
    request: &pb::RationaliseRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::RationaliseResponse, Unanswered> {
    let mut violations = Violations::default();
    let limits = parse_max_examples(request.max_examples, &mut violations);
    let reading = parse_reading(request.reading, &mut violations);
    let games = parse_played_games(&request.games, &mut violations);
    let ((games, reading), limits) = violations.finish(games.zip(reading).zip(limits))?;
    let mut violations = Violations::default();
    let mut explained = RationalisableRows::new(games[0].game.matrix.seats(), reading);
    let field = Field::root("games");
    for (index, played) in games.iter().enumerate() {
        // What is left out is counted.
        let added = explained.add(&played.game, played.seat, &played.takes, budget);
        violations.keep(field.element(index), added);
    }
    violations.finish(Some(()))?;
    let count = explained.rows().count(budget);
    let contradiction = explained.contradiction(budget);
    let named = |game: u64| {
        let played = &games[usize::try_from(game).expect("a game that was sent has a place in memory")];
        (played.seat, played.name.clone())
    };
    Ok(rationalisable(&explained, count, contradiction.as_ref(), named, limits))
}
