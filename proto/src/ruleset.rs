//! Converts games with rules other than those of Last Nim to and from messages.

use super::{
    RequestField, game, pb,
    robustness::{max_coalition, seat_robustness_messages},
};
use lastnim_analysis::general::{
    GameNumbers, GameNumbersError, GeneralAnswer, GeneralGame, GeneralRobustness, GrundyDecomposition,
    GrundyOption, GrundyPart, MoveOutcome, MoveRobustness, Ruleset, TwoPlayerAnswer,
};
use lastnim_core::game::{AllianceMatrix, Ending, Seat};

/// Maximum total size of the moves and positions in an answer, in bytes.
pub const MAX_OPTION_BYTES: usize = 2 << 20;

/// A request to solve a game with any rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesetQuestion {
    /// The game.
    pub game: GeneralGame,
    /// The preferences of the seats.
    pub matrix: AllianceMatrix,
    /// The seat to move.
    pub first: Seat,
    /// Who wins when a seat has no move.
    pub ending: Ending,
    /// Whether to explain the Grundy value.
    pub is_explained: bool,
    /// The maximum size of the coalitions to search for, if the robustness of the winner is requested.
    pub max_coalition: Option<usize>,
}

/// Reads a request to solve a game with any rules.
pub fn parse_ruleset_question(
    request: &pb::SolveRulesetRequest,
    field: RequestField<'_>,
) -> Option<RulesetQuestion> {
    let ruleset = field.member("ruleset").ok_or_report(request.ruleset.parse::<Ruleset>());
    let numbers = GameNumbers {
        piles: request.piles.clone(),
        set: request.set.clone(),
        window: request.window,
        most: request.most,
        edges: request.edges.iter().map(|edge| [edge.from, edge.to, edge.weight]).collect(),
        vertex: request.vertex,
        max: request.max,
    };
    let game = ruleset.and_then(|ruleset| {
        let parsed = GeneralGame::parse(ruleset, &numbers);
        field.member(parsed.as_ref().err().map_or("piles", field_of_error)).ok_or_report(parsed)
    });
    let matrix = request.alliance_matrix.as_ref();
    let matrix = field.member("alliance_matrix").parse_required(matrix, game::parse_alliance_matrix);
    let default = ruleset.unwrap_or_default().default_ending();
    let ending = game::parse_ending_or(default, request.ending, field.member("ending"));
    let matrix = matrix?;
    let first = field.member("first").ok_or_report(matrix.seats().seat(request.first as usize))?;
    Some(RulesetQuestion {
        game: game?,
        matrix,
        first,
        ending: ending?,
        is_explained: request.explain,
        max_coalition: request.max_coalition.map(max_coalition),
    })
}

/// Returns the name of the field that has the error.
pub(super) fn field_of_error(error: &GameNumbersError) -> &'static str {
    use GameNumbersError as E;
    match error {
        E::Unused { what, .. } | E::Missing { what, .. } => what.name(),
        E::LastNim(_) | E::PileCount(_) | E::PileSize { .. } | E::NotOnePile(_) | E::Circle(_) => "piles",
        E::MaxNextTake(_) => "most",
        E::Window { .. } => "window",
        E::SetCount { .. } | E::SetNumber(_) => "set",
        E::Max { .. } | E::SetAndMax => "max",
        E::EdgeCount(_) | E::EdgeVertex { .. } | E::EdgeWeight { .. } => "edges",
        E::Vertex(_) | E::OffGraph { .. } => "vertex",
    }
}

/// Writes the solution of a game, and the robustness of its winner if that was assessed. Moves and positions may take
/// up at most `max_option_bytes`; moves that do not fit are left out.
pub fn ruleset_solution_message(
    game: &GeneralGame,
    ending: Ending,
    answer: &GeneralAnswer,
    robustness: Option<&GeneralRobustness>,
    max_option_bytes: usize,
) -> pb::SolveRulesetResponse {
    let kept = options_within_bytes(&answer.options, max_option_bytes);
    let options: Vec<_> = kept.iter().map(|&index| (&answer.options[index]).into()).collect();
    pb::SolveRulesetResponse {
        robustness: robustness.map(|robustness| pb::RulesetRobustness {
            seats: seat_robustness_messages(&robustness.seats),
            moves: kept.iter().map(|&index| (&robustness.moves[index]).into()).collect(),
        }),
        winner: answer.winner.into(),
        value: answer.value as u32,
        winner_by_first: answer.winner_by_first.iter().map(|&winner| winner.into()).collect(),
        options_left_out: (answer.options.len() - options.len()) as u64,
        options,
        method: answer.method.name().into(),
        states: answer.states,
        two_players: answer.two_players.as_ref().map(Into::into),
        ruleset: game.ruleset().name().into(),
        ending: pb::Ending::from(ending).into(),
    }
}

/// Selects the moves that fit into an answer, optimal ones first, and returns their indices in order.
fn options_within_bytes(options: &[MoveOutcome], max_bytes: usize) -> Vec<usize> {
    let mut room = max_bytes;
    let mut fits = |option: &MoveOutcome| {
        // The 24 bytes allow for the rest of an option: a winner, a flag, the robustness, and the tags of all fields.
        let bytes = option.play.len() + option.position.len() + 24;
        let fits = bytes <= room;
        room = if fits { room - bytes } else { 0 };
        fits
    };
    let optimal: Vec<bool> = options.iter().map(|option| option.is_optimal() && fits(option)).collect();
    let kept = options.iter().enumerate().zip(optimal);
    kept.filter(|((_, option), kept)| *kept || (!option.is_optimal() && fits(option)))
        .map(|((index, _), _)| index)
        .collect()
}

impl From<&MoveRobustness> for pb::MoveRobustness {
    fn from(robustness: &MoveRobustness) -> Self {
        Self {
            guaranteed_rank: robustness.guaranteed_rank,
            safety: pb::TakeSafety::from(robustness.safety).into(),
        }
    }
}

impl From<&MoveOutcome> for pb::RulesetOption {
    fn from(option: &MoveOutcome) -> Self {
        Self {
            play: option.play.clone(),
            position: option.position.clone(),
            winner: option.winner.into(),
            optimal: option.is_optimal(),
            regret: option.regret,
        }
    }
}

impl From<&TwoPlayerAnswer> for pb::TwoPlayers {
    fn from(two: &TwoPlayerAnswer) -> Self {
        Self {
            outcome: pb::Outcome::from(two.outcome).into(),
            grundy: two.grundy.as_ref().ok().map(Into::into),
        }
    }
}

impl From<&GrundyDecomposition> for pb::Grundy {
    fn from(grundy: &GrundyDecomposition) -> Self {
        let option = |option: &GrundyOption| pb::GrundyOption {
            value: option.value,
            position: option.position.clone(),
        };
        let part = |part: &GrundyPart| pb::GrundyPart {
            part: part.part.clone(),
            value: part.value,
            options: part.options.iter().map(option).collect(),
        };
        Self {
            value: grundy.value,
            parts: grundy.parts.iter().map(part).collect(),
            ending: pb::Ending::from(GrundyDecomposition::ENDING).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request};
    use lastnim_core::game::SeatCount;

    fn request(ruleset: &str, piles: &[u64]) -> pb::SolveRulesetRequest {
        let seats = SeatCount::new(3).unwrap();
        pb::SolveRulesetRequest {
            ruleset: ruleset.into(),
            piles: piles.to_vec(),
            alliance_matrix: Some((&AllianceMatrix::standard(seats)).into()),
            ..Default::default()
        }
    }

    fn fields(request: &pb::SolveRulesetRequest) -> Vec<String> {
        let violations = parse_request(|field| parse_ruleset_question(request, field)).err();
        let violations = violations.iter().flat_map(Violations::as_slice);
        violations.map(|violation| violation.field.clone()).collect()
    }

    #[test]
    fn every_ruleset_is_parsed() {
        let edges = vec![pb::GraphEdge { from: 0, to: 1, weight: 2 }];
        for ruleset in Ruleset::ALL {
            let mut request = request(ruleset.name(), &[3]);
            match ruleset {
                Ruleset::CircularNim => request.window = Some(1),
                Ruleset::Subtraction => request.set = vec![1, 3],
                Ruleset::GraphNim => {
                    request = pb::SolveRulesetRequest {
                        piles: vec![],
                        edges: edges.clone(),
                        vertex: Some(0),
                        ..request
                    };
                }
                _ => {}
            }
            assert_eq!(fields(&request), Vec::<String>::new(), "{ruleset}");
        }
    }

    #[test]
    fn a_missing_ending_defaults_to_the_usual_ending_of_the_game() {
        let ending = |ruleset: &str, ending: pb::Ending| {
            let request = pb::SolveRulesetRequest { ending: ending.into(), ..request(ruleset, &[3]) };
            parse_request(|field| parse_ruleset_question(&request, field)).unwrap().ending
        };
        for (ruleset, default) in [
            ("last-nim", Ending::ToMoveWins),
            ("nim", Ending::LastMoverWins),
            ("kayles", Ending::LastMoverWins),
            ("end-nim", Ending::LastMoverWins),
        ] {
            assert_eq!(ending(ruleset, pb::Ending::Unspecified), default, "{ruleset}");
            assert_eq!(ending(ruleset, pb::Ending::ToMoveWins), Ending::ToMoveWins, "{ruleset}");
            assert_eq!(ending(ruleset, pb::Ending::LastMoverWins), Ending::LastMoverWins, "{ruleset}");
        }
    }

    #[test]
    fn mistakes_are_reported_by_field() {
        let base = || request("nim", &[3]);
        let cases = [
            (request("nin", &[3]), "ruleset"),
            (request("nim", &[]), "piles"),
            (request("nim", &[1_000_001]), "piles"),
            (request("nim", &[1; 65]), "piles"),
            (request("fibonacci-nim", &[1, 2]), "piles"),
            (request("last-nim", &[0, 1]), "piles"),
            (request("subtraction", &[3]), "set"),
            (request("circular-nim", &[3]), "window"),
            (request("graph-nim", &[3]), "piles"),
            (pb::SolveRulesetRequest { set: vec![1], ..base() }, "set"),
            (pb::SolveRulesetRequest { max: Some(1), ..base() }, "max"),
            (pb::SolveRulesetRequest { max: Some(0), ..request("take-away", &[3]) }, "max"),
            (pb::SolveRulesetRequest { max: Some(1), set: vec![1], ..request("subtraction", &[3]) }, "max"),
            (pb::SolveRulesetRequest { window: Some(1), ..base() }, "window"),
            (pb::SolveRulesetRequest { most: Some(1), ..base() }, "most"),
            (pb::SolveRulesetRequest { vertex: Some(1), ..base() }, "vertex"),
            (pb::SolveRulesetRequest { edges: vec![pb::GraphEdge::default()], ..base() }, "edges"),
            (pb::SolveRulesetRequest { first: 3, ..base() }, "first"),
            (pb::SolveRulesetRequest { ending: 3, ..base() }, "ending"),
            (pb::SolveRulesetRequest { alliance_matrix: None, ..base() }, "alliance_matrix"),
        ];
        for (request, field) in cases {
            assert_eq!(fields(&request), [field], "{request:?}");
        }
    }

    #[test]
    fn optimal_moves_are_kept_first() {
        let seat = SeatCount::new(2).unwrap().seat(0).unwrap();
        let option = |regret, bytes: usize| MoveOutcome {
            play: "x".repeat(bytes),
            position: String::new(),
            winner: seat,
            regret,
        };
        let third = MAX_OPTION_BYTES / 3 - 24;
        let options = [option(1, third), option(1, third), option(0, third), option(0, third - 8)];
        assert_eq!(options_within_bytes(&options, MAX_OPTION_BYTES), [0, 2, 3]);
    }
}
