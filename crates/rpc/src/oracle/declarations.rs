//! Questions about declarations: the best rows, and rows that explain a seat's play.

use super::question_scheduler::QuestionError;
use lastnim_analysis::{BestDeclaration, Equilibria, RationalisableRows, TakeOfGame, TruthCheck};
use lastnim_core::oracle::Budget;
use lastnim_proto::declaration::{
    NamedTake, TakeInPosition, best_declaration_message, equilibria_message, parse_max_examples,
    parse_played_games, parse_reading, parse_seat, rationalisable_message,
};
use lastnim_proto::game::parse_game;
use lastnim_proto::{parse_request, pb};

/// Finds the best rows for a seat.
pub(super) fn find_best_declaration(
    request: &pb::FindBestDeclarationRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::FindBestDeclarationResponse, QuestionError> {
    let (game, seat, limits) = parse_request(|field| {
        let limits = parse_max_examples(request.max_examples, field.member("max_examples"));
        let game = field.member("game").parse_required(request.game.as_ref(), parse_game)?;
        let seat = parse_seat(request.seat, &game, field.member("seat"))?;
        Some((game, seat, limits?))
    })?;
    Ok(best_declaration_message(&BestDeclaration::find(&game, seat, budget), &game, limits))
}

/// Checks whether truthful declarations are an equilibrium.
pub(super) fn check_truth(
    request: &pb::CheckTruthRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::CheckTruthResponse, QuestionError> {
    let game = request.game.as_ref();
    let game = parse_request(|field| field.member("game").parse_required(game, parse_game))?;
    Ok((&TruthCheck::check(&game, budget)).into())
}

/// Finds all declarations of a game that are equilibria.
pub(super) fn find_equilibria(
    request: &pb::FindEquilibriaRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::FindEquilibriaResponse, QuestionError> {
    let (game, limits) = parse_request(|field| {
        let limits = parse_max_examples(request.max_examples, field.member("max_examples"));
        let game = field.member("game").parse_required(request.game.as_ref(), parse_game);
        game.zip(limits)
    })?;
    let found = Equilibria::find(&game, budget);
    let found = parse_request(|field| field.member("game").member("alliance_matrix").ok_or_report(found))?;
    Ok(equilibria_message(&found, &game, limits.examples))
}

/// Finds the rows that explain all takes that a player made in the given games.
pub(super) fn find_rational_rows(
    request: &pb::RationaliseRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::RationaliseResponse, QuestionError> {
    let (games, reading, limits) = parse_request(|field| {
        let limits = parse_max_examples(request.max_examples, field.member("max_examples"));
        let reading = parse_reading(request.reading, field.member("reading"));
        let games = parse_played_games(&request.games, field.member("games"));
        Some((games?, reading?, limits?))
    })?;
    let mut explained = RationalisableRows::new(games[0].game.matrix.seats(), reading);
    parse_request(|field| {
        for (index, played) in games.iter().enumerate() {
            // A game that a limit leaves out causes no error here: the response states how many games were left out.
            let added = explained.add_game(&played.game, played.seat, &played.takes, budget);
            field.member("games").element(index).ok_or_report(added);
        }
        Some(())
    })?;
    let count = explained.rows().count_rows(budget);
    let contradiction = explained.contradiction(budget);
    let named_take = |take: TakeOfGame| {
        let played = &games[usize::try_from(take.game).expect("a received game's index fits in memory")];
        NamedTake {
            seat: played.seat,
            name: played.name.clone(),
            details: TakeInPosition::of_ply(&played.game, &played.takes, take.ply),
        }
    };
    Ok(rationalisable_message(&explained, count, contradiction.as_ref(), named_take, limits))
}
