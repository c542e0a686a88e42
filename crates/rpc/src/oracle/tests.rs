//! Tests with mangled requests: every request that parses gets an answer, or an error that fits in a status.

use super::batch::{BatchRequest, ResponsePosition};
use super::question_scheduler::QuestionError;
use super::{declarations, games, robustness, rulesets, trees, variants};
use lastnim_core::game::{Ending, Game};
use lastnim_core::oracle::Budget;
use lastnim_proto::admission::RecordPolicy;
use lastnim_proto::record_file::read_record;
use lastnim_proto::{Violations, bot_audit::parse_audit_scope, parse_request, pb};
use proptest::prelude::*;
use proptest::sample::Index;
use prost::Message;

/// The step limit of each question in these tests. Some questions finish within it, and others are stopped.
const STEP_LIMIT: u64 = 20_000;
/// The maximum size of an error message: the first fault may be long, and the others share one limit.
const MAX_MESSAGE_BYTES: usize = 2 * Violations::MAX_BYTES;

/// A change to a byte.
#[derive(Debug, Clone, Copy)]
enum Change {
    Set(u8),
    Insert(u8),
    Remove,
}

fn any_changes() -> impl Strategy<Value = Vec<(Index, Change)>> {
    let change = prop_oneof![
        4 => any::<u8>().prop_map(Change::Set),
        1 => any::<u8>().prop_map(Change::Insert),
        1 => Just(Change::Remove),
    ];
    prop::collection::vec((any::<Index>(), change), 0..4)
}

fn mangle_message<M: Message + Default>(message: &M, changes: &[(Index, Change)]) -> Option<M> {
    let mut bytes = message.encode_to_vec();
    for (index, change) in changes {
        let at = index.index(bytes.len().max(1));
        match (bytes.get_mut(at), change) {
            (Some(byte), Change::Set(value)) => *byte = *value,
            (_, Change::Insert(value)) => bytes.insert(at, *value),
            (Some(_), Change::Remove) => drop(bytes.remove(at)),
            (None, _) => {}
        }
    }
    M::decode(&*bytes).ok()
}

fn assert_valid_refusal(violations: &Violations) {
    let message = violations.to_string();
    assert!(!violations.is_empty() && message.len() <= MAX_MESSAGE_BYTES, "{message}");
    assert!(violations.as_slice().iter().all(|violation| !violation.field.is_empty()), "{message}");
}

/// Mangles a question, and answers it if it can still be decoded.
fn ask_mangled<Q: Message + Default, A>(
    question: &Q,
    changes: &[(Index, Change)],
    answer: impl FnOnce(&Q, &mut Budget<'_>) -> Result<A, QuestionError>,
) {
    let Some(question) = mangle_message(question, changes) else { return };
    if let Err(QuestionError::Refused(violations)) = answer(&question, &mut Budget::of_steps(STEP_LIMIT)) {
        assert_valid_refusal(&violations);
    }
}

/// Mangles a batch request, and answers all its questions if it can still be decoded.
fn ask_mangled_batch<Q: BatchRequest + Message + Default>(request: &Q, changes: &[(Index, Change)]) {
    let Some(request) = mangle_message(request, changes) else { return };
    let terms = match request.parse_shared_parameters() {
        Ok(terms) => terms,
        Err(violations) => return assert_valid_refusal(&violations),
    };
    let mut next = Some(0);
    while let Some(start) = next {
        let place = ResponsePosition { request: 0, start };
        next = match request.answer_part(&terms, place, &mut Budget::unbounded()) {
            Ok((_, next)) => next,
            Err(halt) => panic!("the budget has no limit here: {halt}"),
        };
        assert!(next.is_none_or(|next| next > start), "it makes progress");
    }
}

fn sample_game() -> pb::Game {
    let rows = [vec![0, 2, 1], vec![0, 1, 2], vec![2, 1, 0]];
    (&Game::parse(&[2, 1, 2], &rows, 1, Ending::ToMoveWins).unwrap()).into()
}

proptest! {
    #[test]
    fn a_mangled_question_is_answered_or_refused(changes in any_changes()) {
        let (game, takes) = (Some(sample_game()), vec![1, 1, 1, 2]);
        ask_mangled(&pb::SolveRequest { game: game.clone() }, &changes, games::solve_game);
        let audit = pb::AuditRequest { game: game.clone(), takes: takes.clone() };
        ask_mangled(&audit, &changes, games::audit_game);
        let explain = pb::ExplainRequest { game: game.clone(), max_plies: 9 };
        ask_mangled(&explain, &changes, trees::explain_winner);
        for form in [pb::TreeForm::Tree, pb::TreeForm::Graph] {
            let tree = pb::BuildTreeRequest { game: game.clone(), form: form.into(), depth: None };
            ask_mangled(&tree, &changes, trees::build_tree);
        }
        for error_rate in [None, Some(0.25)] {
            let robust = pb::AssessRobustnessRequest { game: game.clone(), max_coalition: 2, error_rate };
            ask_mangled(&robust, &changes, robustness::assess_robustness);
        }
        let best = pb::FindBestDeclarationRequest { game: game.clone(), seat: 2, max_examples: 3 };
        ask_mangled(&best, &changes, declarations::find_best_declaration);
        ask_mangled(&pb::CheckTruthRequest { game: game.clone() }, &changes, declarations::check_truth);
        let equilibria = pb::FindEquilibriaRequest { game: game.clone(), max_examples: 3 };
        ask_mangled(&equilibria, &changes, declarations::find_equilibria);
        let takes = takes.clone();
        let played = pb::PlayedGame { game: game.clone(), seat: 1, takes, steward_plies: vec![2], name: "one".into() };
        for reading in [pb::Reading::CommonKnowledge, pb::Reading::DeclaredBelieved] {
            let games = vec![played.clone(), played.clone()];
            let rationalise = pb::RationaliseRequest { games, reading: reading.into(), max_examples: 3 };
            ask_mangled(&rationalise, &changes, declarations::find_rational_rows);
        }
    }

    #[test]
    fn a_mangled_game_of_other_rules_is_answered_or_refused(changes in any_changes()) {
        let base = pb::SolveRulesetRequest {
            piles: vec![3, 2],
            alliance_matrix: sample_game().alliance_matrix,
            ..Default::default()
        };
        for ruleset in lastnim_analysis::general::Ruleset::ALL {
            let request = pb::SolveRulesetRequest { ruleset: ruleset.name().into(), ..base.clone() };
            ask_mangled(&request, &changes, rulesets::solve_ruleset);
            let robust = pb::SolveRulesetRequest { max_coalition: Some(2), ..request.clone() };
            ask_mangled(&robust, &changes, rulesets::solve_ruleset);
            let request = pb::SolveRulesetRequest { window: Some(1), set: vec![1, 3], most: Some(1), ..request };
            ask_mangled(&request, &changes, rulesets::solve_ruleset);
        }
        let edge = |from, to| pb::GraphEdge { from, to, weight: 2 };
        let request = pb::SolveRulesetRequest {
            ruleset: "graph-nim".into(),
            piles: Vec::new(),
            edges: vec![edge(0, 1), edge(1, 2), edge(2, 0)],
            vertex: Some(1),
            ..base
        };
        ask_mangled(&request, &changes, rulesets::solve_ruleset);
    }

    #[test]
    fn a_mangled_variant_is_answered_or_refused(changes in any_changes()) {
        use pb::solve_variant_request::Variant;
        let alliance_matrix = sample_game().alliance_matrix;
        let group = |offsets: &[u32]| pb::TiedOffsets { offsets: offsets.to_vec() };
        let row = pb::TiedRow { groups: vec![group(&[0]), group(&[2, 1])] };
        let seats = vec![0, 2];
        for variant in [
            Variant::Ties(pb::TiedMatrix { rows: vec![row; 3] }),
            Variant::Passes(pb::SharedPasses { alliance_matrix: alliance_matrix.clone(), passes: 2 }),
            Variant::Alliances(pb::TwoAlliances { seats: 4, alliance: seats.clone() }),
            Variant::RandomSeats(pb::RandomSeats { alliance_matrix, seats }),
        ] {
            let request = pb::SolveVariantRequest { piles: vec![2, 3], variant: Some(variant), ..Default::default() };
            ask_mangled(&request, &changes, variants::solve_variant);
        }
    }

    #[test]
    fn a_mangled_request_of_a_batch_is_answered_completely(changes in any_changes()) {
        let position = pb::BatchPosition { piles: vec![2, 3], first: 1 };
        for detail in [pb::SolveDetail::Solution, pb::SolveDetail::Winner] {
            let request = pb::SolveBatchRequest {
                alliance_matrix: sample_game().alliance_matrix,
                ending: pb::Ending::LastMoverWins.into(),
                positions: vec![position.clone(), position.clone()],
                detail: detail.into(),
            };
            ask_mangled_batch(&request, &changes);
        }
        let played = pb::AuditRequest { game: Some(sample_game()), takes: vec![1, 1, 1, 2] };
        ask_mangled_batch(&pb::AuditBatchRequest { games: vec![played.clone(), played] }, &changes);
    }

    #[test]
    fn a_mangled_record_is_admitted_or_refused_with_a_short_message(
        changes in any_changes(),
        unsigned in any::<bool>(),
    ) {
        let record = read_record(include_str!("../../../../tests/data/record.json")).unwrap();
        let admission = RecordPolicy { key: None, unsigned, tournament: None };
        let Some(given) = mangle_message(&record, &changes) else { return Ok(()) };
        if let Err(refusal) = admission.admit_message(&given, &mut Budget::unbounded()) {
            prop_assert!(refusal.to_string().len() <= MAX_MESSAGE_BYTES, "{}", refusal);
        }
        let scope = pb::AuditScope { bot: "alice".into(), public_key: record.signer, ..Default::default() };
        if let Some(scope) = mangle_message(&scope, &changes) {
            let parsed = parse_request(|field| parse_audit_scope(&scope, field.member("scope")));
            if let Err(violations) = parsed {
                assert_valid_refusal(&violations);
            }
        }
    }
}
