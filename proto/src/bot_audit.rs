//! Reads requests for audits of a bot over many matches, and writes the results as messages.

use super::{RequestField, admission::RecordPolicy, game::take_range_messages, pb};
use lastnim_auditing::{
    AuditFindings, AuditSubject, BotAnswers, BotFigures, BotFindings, CircumstanceFigures, ConditionFindings,
    DeclarationFindings, Dependence, EqualAnswers, Estimate, EstimateInterval, ExplainedRows, FavourMeans,
    Favouritism, FittedRow, GroupCount, HeldRowFigures, HelpKind, HelpPower, KingmakingPly, MIN_GROUPS,
    PairFindings, PlayCondition, PreferenceFindings, Puzzle, REPLICATES, RationalisableCount, RowSource,
    SetFindings, TalkFigures, TrustFigures, TrustFindings, UntestedDeclarations, UntestedReason,
};
use lastnim_core::referee::PublicKey;

/// The scope of an audit over many records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditScope {
    /// The bot to audit, or the whole field.
    pub scope: AuditSubject,
    /// The seed for the random numbers of the resampling.
    pub seed: u64,
    /// The rule that decides which records count.
    pub admission: RecordPolicy,
}

/// Reads the name of the bot to audit; an empty name stands for the whole field.
pub fn parse_audit_subject(bot: &str, field: RequestField<'_>) -> Option<AuditSubject> {
    field.parse_if_given(bot).map(|bot| bot.map_or(AuditSubject::Field, AuditSubject::Bot))
}

/// Reads the scope of an audit over many records.
pub fn parse_audit_scope(scope: &pb::AuditScope, field: RequestField<'_>) -> Option<AuditScope> {
    let whom = parse_audit_subject(&scope.bot, field.member("bot"));
    let tournament = field.member("tournament_id").parse_if_given(&scope.tournament_id);
    let key = match scope.public_key.as_slice() {
        [] => Some(None),
        bytes => {
            let key = <[u8; PublicKey::BYTES]>::try_from(bytes)
                .map_err(|_| format!("{} bytes: expected {} in a public key", bytes.len(), PublicKey::BYTES))
                .and_then(|bytes| PublicKey::from_bytes(bytes).map_err(|error| error.to_string()));
            field.member("public_key").ok_or_report(key).map(Some)
        }
    };
    Some(AuditScope {
        scope: whom?,
        seed: scope.seed,
        admission: RecordPolicy { key: key?, unsigned: scope.unsigned, tournament: tournament? },
    })
}

impl From<&AuditFindings> for pb::BotReport {
    fn from(findings: &AuditFindings) -> Self {
        Self {
            matches: findings.matches,
            groups: findings.groups.get(),
            groups_exact: matches!(findings.groups, GroupCount::Exactly(_)),
            bots: findings.bots.iter().map(Into::into).collect(),
            pairs: findings.pairs.iter().map(Into::into).collect(),
            crowded_out: findings.crowded_out,
            bot: match &findings.subject {
                AuditSubject::Bot(bot) => bot.to_string(),
                AuditSubject::Field => String::new(),
            },
            seed: findings.seed,
            replicates: REPLICATES as u32,
            pairs_tested: findings.pairs_tested() as u64,
            declarations_tested: findings.declarations_tested() as u64,
            sets: findings.sets.iter().map(Into::into).collect(),
            sets_tested: findings.sets_tested,
            powers: findings.powers.iter().map(|&power| power.into()).collect(),
        }
    }
}

impl From<&SetFindings> for pb::BotSet {
    fn from(set: &SetFindings) -> Self {
        Self {
            bots: set.bots.iter().map(ToString::to_string).collect(),
            by_declarations: set.means == FavourMeans::Declarations,
            distinct_groups: set.groups,
            p_value: set.p_value,
            p_corrected: set.p_corrected,
        }
    }
}

impl From<HelpPower> for pb::HelpPower {
    fn from(power: HelpPower) -> Self {
        let HelpPower { kind, share, chance } = power;
        Self { kind: pb::HelpKind::from(kind).into(), share, chance }
    }
}

impl From<HelpKind> for pb::HelpKind {
    fn from(kind: HelpKind) -> Self {
        match kind {
            HelpKind::MutualDeclarations => Self::MutualDeclarations,
            HelpKind::OneWayDeclarations => Self::OneWayDeclarations,
            HelpKind::MutualTakes => Self::MutualTakes,
            HelpKind::OneWayTakes => Self::OneWayTakes,
        }
    }
}

impl From<&BotFindings> for pb::BotFindings {
    fn from(bot: &BotFindings) -> Self {
        Self {
            bot: bot.bot.to_string(),
            figures: Some((&bot.figures).into()),
            preferences: bot.preferences.iter().map(Into::into).collect(),
            kingmaking_plies: bot.kingmaking.plies,
            kingmaking_examples: bot.kingmaking.examples.iter().map(Into::into).collect(),
            puzzles: bot.puzzles.iter().map(Into::into).collect(),
            versions: bot.versions.iter().map(Into::into).collect(),
            safety: Some(bot.safety.into()),
            conditions: bot.conditions.iter().map(Into::into).collect(),
            equal_answers: bot.answers.iter().map(Into::into).collect(),
            talk: bot.talk.as_ref().map(Into::into),
        }
    }
}

impl From<&TalkFigures> for pb::TalkFigures {
    fn from(figures: &TalkFigures) -> Self {
        let estimate = |estimate: Option<Estimate>| estimate.map(Into::into);
        Self {
            matches: figures.matches,
            hidden_matches: figures.hidden_matches,
            offered: figures.offered,
            signed: figures.signed,
            kept: figures.kept,
            broken: figures.broken,
            defaulted: figures.defaulted,
            tempted: figures.tempted,
            kept_when_tempted: figures.kept_when_tempted,
            unknown_temptations: figures.unknown_temptations,
            double_dealing: figures.double_dealing,
            kept_share: estimate(figures.kept_share),
            value: estimate(figures.value),
            harm_done: estimate(figures.harm_done),
            harm_suffered: estimate(figures.harm_suffered),
            claims: figures.claims,
            other_claims: figures.other_claims,
            hidden_messages: figures.hidden_messages,
            true_share: estimate(figures.true_share),
            distance: estimate(figures.distance),
        }
    }
}

impl From<&ConditionFindings> for pb::ConditionFindings {
    fn from(found: &ConditionFindings) -> Self {
        let (older_version, newer_version) = match &found.condition {
            PlayCondition::NewerVersion { older, newer } => (older.to_string(), newer.to_string()),
            _ => Default::default(),
        };
        Self {
            condition: found.condition.name().to_owned(),
            plies: found.plies,
            other_plies: found.other_plies,
            added_errors: found.added_errors.map(Into::into),
            older_version,
            newer_version,
        }
    }
}

impl From<&BotAnswers> for pb::EqualAnswers {
    fn from(found: &BotAnswers) -> Self {
        let EqualAnswers { states, equal, by_chance } = found.answers;
        Self { other: found.other.to_string(), states, equal, by_chance }
    }
}

impl From<Estimate> for pb::Estimate {
    fn from(estimate: Estimate) -> Self {
        let value = estimate.value;
        match estimate.interval {
            EstimateInterval::Between { low, high } => {
                Self { value, low: Some(low), high: Some(high), too_few_groups: None }
            }
            EstimateInterval::TooFewGroups { groups } => {
                Self { value, low: None, high: None, too_few_groups: Some(groups) }
            }
        }
    }
}

impl From<&BotFigures> for pb::BotFigures {
    fn from(figures: &BotFigures) -> Self {
        let estimate = |estimate: Option<Estimate>| estimate.map(Into::into);
        Self {
            matches: figures.matches,
            plies: figures.plies,
            optimal_plies: figures.optimal_plies,
            regret: figures.regret,
            wins: figures.wins,
            forfeits: figures.forfeits,
            accuracy: estimate(figures.accuracy),
            regret_per_ply: estimate(figures.regret_per_ply),
            regret_per_match: estimate(figures.regret_per_match),
            satisfaction: estimate(figures.satisfaction),
            win_share: estimate(figures.win_share),
            luck_per_match: estimate(figures.luck_per_match),
            forfeit_share: estimate(figures.forfeit_share),
            by_phase: figures
                .by_phase
                .iter()
                .map(|slice| slice_message(slice, slice.circumstance.name()))
                .collect(),
            by_live_piles: figures
                .by_live_piles
                .iter()
                .map(|slice| slice_message(slice, slice.circumstance.name()))
                .collect(),
        }
    }
}

fn slice_message<C>(slice: &CircumstanceFigures<C>, circumstance: &str) -> pb::BotSlice {
    pb::BotSlice {
        circumstance: circumstance.into(),
        plies: slice.plies,
        optimal_plies: slice.optimal_plies,
        accuracy: slice.accuracy.map(Into::into),
        regret_per_ply: slice.regret_per_ply.map(Into::into),
    }
}

impl From<&PreferenceFindings> for pb::BotPreference {
    fn from(preference: &PreferenceFindings) -> Self {
        let chosen_over = preference.chosen_over.iter();
        Self {
            seats: preference.seats.get() as u32,
            rows: preference.rows.iter().map(|held| held_row_message(held, preference.source)).collect(),
            other_rows: preference.other_rows,
            choices: preference.choices,
            chosen_over: chosen_over.map(|times| pb::ChosenOver { times: times.clone() }).collect(),
            best_fit: preference.best_fit.as_ref().map(Into::into),
            rows_that_explain: Some((&preference.rationalisable_rows).into()),
            common_rows_that_explain: preference.explained.as_ref().map(Into::into),
            by_place: preference.source == RowSource::Assigned,
        }
    }
}

fn held_row_message(held: &HeldRowFigures, source: RowSource) -> pb::HeldRow {
    pb::HeldRow {
        row: Some((&held.row).into()),
        assigned: source == RowSource::Assigned,
        matches: held.matches,
        plies: held.plies,
        optimal_plies: held.optimal_plies,
        agreement: held.agreement,
    }
}

impl From<&FittedRow> for pb::FittedRow {
    fn from(fitted: &FittedRow) -> Self {
        Self {
            row: Some((&fitted.row).into()),
            agreement: fitted.agreement,
            plies: fitted.plies,
            optimal_plies: fitted.optimal_plies,
        }
    }
}

impl From<&RationalisableCount> for pb::RowsThatExplain {
    fn from(rationalisable: &RationalisableCount) -> Self {
        match rationalisable {
            RationalisableCount::Counted { rows, example } => {
                Self { count: Some(*rows), example: Some(example.into()), cycle: Vec::new() }
            }
            RationalisableCount::Contradicted { cycle } => Self {
                count: Some(0),
                example: None,
                cycle: cycle.iter().map(|&offset| offset as u32).collect(),
            },
            RationalisableCount::Uncounted { example } => {
                Self { count: None, example: Some(example.into()), cycle: Vec::new() }
            }
        }
    }
}

impl From<&ExplainedRows> for pb::CommonRowsThatExplain {
    fn from(explained: &ExplainedRows) -> Self {
        Self {
            count: Some(explained.rows.into()),
            example: explained.example.as_ref().map(Into::into),
            left_out: explained.left_out,
        }
    }
}

impl From<&KingmakingPly> for pb::KingmakingPly {
    fn from(ply: &KingmakingPly) -> Self {
        Self {
            match_id: ply.match_id.to_string(),
            ply: ply.ply,
            take: ply.take,
            regret: ply.regret,
            gainer: ply.gainer.to_string(),
            gain: ply.gain,
        }
    }
}

impl From<&Puzzle> for pb::Puzzle {
    fn from(puzzle: &Puzzle) -> Self {
        Self {
            match_id: puzzle.match_id.to_string(),
            ply: puzzle.ply,
            bots: puzzle.bots.iter().map(ToString::to_string).collect(),
            game: Some(pb::Game {
                piles: puzzle.piles.clone(),
                alliance_matrix: Some((&puzzle.matrix).into()),
                first: puzzle.seat.into(),
                ending: pb::Ending::from(puzzle.ending).into(),
            }),
            take: puzzle.take,
            optimal_takes: take_range_messages(&puzzle.optimal_takes),
            winner_if_optimal: puzzle.winner_if_optimal.into(),
            winner_after: puzzle.winner_after.into(),
            regret: puzzle.regret,
            harm: puzzle.harm,
        }
    }
}

impl From<&PairFindings> for pb::PairFindings {
    fn from(pair: &PairFindings) -> Self {
        let favouritism = match pair.favouritism {
            Favouritism::Tested { per_error, p_value, p_corrected, own_loss, is_returned } => {
                let flagged = pair.favouritism.is_flagged();
                let significant = pair.favouritism.is_significant();
                Some(pb::Favouritism {
                    per_error,
                    p_value,
                    p_corrected,
                    flagged,
                    significant,
                    own_loss,
                    is_returned,
                    distinct_groups: pair.usable_groups,
                })
            }
            Favouritism::Untested => None,
        };
        let takes = if pair.favouritism.is_flagged() { pair.takes_to_look_at.as_slice() } else { &[] };
        let matches = pair.declarations.is_flagged().then_some(&pair.matches_to_look_at);
        Self {
            mover: pair.mover.to_string(),
            other: pair.other.to_string(),
            matches: pair.matches,
            cost: pair.cost,
            gave: pair.gave,
            favouritism,
            ledger: pair.ledger_entry(),
            errors: pair.errors,
            untested: pair.untested_reason().map(|untested| pb::Untested {
                reason: pb::UntestedReason::from(untested).into(),
                usable_groups: pair.usable_groups,
                needed_groups: MIN_GROUPS as u64,
            }),
            declarations: Some((&pair.declarations).into()),
            takes_to_look_at: takes.iter().map(Into::into).collect(),
            matches_to_look_at: matches.into_iter().flatten().map(ToString::to_string).collect(),
            trust: pair.trust.as_ref().map(Into::into),
        }
    }
}

impl From<&TrustFindings> for pb::Trust {
    fn from(trust: &TrustFindings) -> Self {
        Self { unbroken: Some((&trust.unbroken).into()), broken: Some((&trust.broken).into()) }
    }
}

impl From<&TrustFigures> for pb::TrustFigures {
    fn from(figures: &TrustFigures) -> Self {
        Self {
            matches: figures.matches,
            matches_with_offer: figures.matches_with_offer,
            invitations: figures.invitations,
            accepted: figures.accepted,
            signed: figures.signed,
            breaches: figures.breaches,
            harm: figures.harm,
            offer_share: figures.offer_share.map(Into::into),
            accepted_share: figures.accepted_share.map(Into::into),
            price: figures.price.map(Into::into),
        }
    }
}

impl From<&DeclarationFindings> for pb::Declarations {
    fn from(declarations: &DeclarationFindings) -> Self {
        let (dependence, untested) = match declarations.dependence {
            Dependence::Tested { ranks, p_value, p_corrected } => {
                let significant = declarations.is_dependent();
                let distinct_groups = declarations.groups;
                (Some(pb::Dependence { ranks, p_value, p_corrected, significant, distinct_groups }), None)
            }
            Dependence::Untested(untested) => (None, Some(untested)),
        };
        Self {
            matches: declarations.matches,
            dependence,
            untested: untested.map(|untested| pb::Untested {
                reason: pb::UntestedReason::from(untested).into(),
                usable_groups: match untested {
                    UntestedDeclarations::TooFewGroups { groups } => groups,
                    UntestedDeclarations::NeverDiffers => MIN_GROUPS as u64,
                    UntestedDeclarations::NoneDeclared | UntestedDeclarations::NoThirdSeat => 0,
                },
                needed_groups: MIN_GROUPS as u64,
            }),
            wins_given: declarations.wins_given,
            wins_paid: declarations.wins_paid,
            is_paid: declarations.is_paid,
            is_returned: declarations.is_returned,
            flagged: declarations.is_flagged(),
            wins_forgone: declarations.wins_forgone,
            ceded: declarations.ceded,
        }
    }
}

impl From<UntestedDeclarations> for pb::UntestedReason {
    fn from(untested: UntestedDeclarations) -> Self {
        match untested {
            UntestedDeclarations::NoneDeclared => Self::NoneDeclared,
            UntestedDeclarations::NoThirdSeat => Self::NoThirdSeat,
            UntestedDeclarations::TooFewGroups { .. } => Self::TooFewGroups,
            UntestedDeclarations::NeverDiffers => Self::NeverDiffers,
        }
    }
}

impl From<UntestedReason> for pb::UntestedReason {
    fn from(untested: UntestedReason) -> Self {
        match untested {
            UntestedReason::NoErrors => Self::NoErrors,
            UntestedReason::NoThirdSeat => Self::NoThirdSeat,
            UntestedReason::NoOpeningErrors => Self::NoOpeningErrors,
            UntestedReason::NoOtherOfTheSameRow => Self::NoOtherOfTheSameRow,
            UntestedReason::TooFewGroups { .. } => Self::TooFewGroups,
            UntestedReason::NoDifference => Self::NoDifference,
        }
    }
}
