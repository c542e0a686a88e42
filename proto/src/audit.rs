//! Writes the audits of matches as messages.

use super::{game::take_range_messages, pb};
use lastnim_core::{
    game::{BySeat, Seat},
    oracle::{Audit, DealtAudit, DealtRanks, Mover, PlyAudit, SeatAudit, TakeSafetyCounts},
};

/// The maximum number of plies in an audit that bots get at the end of a match. A ply takes at most 88 bytes, and many
/// clients refuse messages of more than 4 MiB by default.
const MAX_PLIES_FOR_BOTS: usize = 4_096;

impl From<&Audit> for pb::Audit {
    fn from(audit: &Audit) -> Self {
        audit_message(audit, &audit.plies)
    }
}

/// Writes an audit for the bots that played the match. If it has too many plies, they are all left out.
pub(super) fn audit_message_for_bots(audit: &Audit) -> pb::Audit {
    let plies = if audit.plies.len() > MAX_PLIES_FOR_BOTS { &[] } else { audit.plies.as_slice() };
    audit_message(audit, plies)
}

fn audit_message(audit: &Audit, plies: &[PlyAudit]) -> pb::Audit {
    pb::Audit {
        winner: audit.winner.into(),
        predicted_winner: audit.predicted_winner.into(),
        plies: plies.iter().map(pb::PlyAudit::from).collect(),
        seats: audit.seats.enumerate().map(|(seat, figures)| seat_audit_message(seat, figures)).collect(),
        ledger: audit.ledger.iter().map(ledger_row_message).collect(),
        kingmaking_plies: audit.kingmaking_plies.clone(),
        first_error: audit.first_error,
        dealt: audit.dealt.as_deref().map(Into::into),
        talk: None,
    }
}

impl From<&DealtAudit> for pb::DealtAudit {
    fn from(audit: &DealtAudit) -> Self {
        Self {
            rows: Some((&audit.matrix).into()),
            honest_winner: audit.honest_winner.into(),
            seats: audit.seats.iter().map(|&ranks| ranks.into()).collect(),
            ledger: audit.ledger.iter().map(ledger_row_message).collect(),
        }
    }
}

impl From<DealtRanks> for pb::DealtRanks {
    fn from(ranks: DealtRanks) -> Self {
        let DealtRanks { rank_honest, rank_declared, rank_actual } = ranks;
        Self { rank_honest, rank_declared, rank_actual }
    }
}

impl From<&PlyAudit> for pb::PlyAudit {
    fn from(ply: &PlyAudit) -> Self {
        Self {
            ply: ply.ply,
            seat: ply.seat.into(),
            take: ply.take,
            predicted_before: ply.predicted_before.into(),
            predicted_after: ply.predicted_after.into(),
            regret: ply.regret,
            optimal_takes: take_range_messages(&ply.optimal_takes),
            steward: ply.mover == Mover::Steward,
            counters: ply.counters,
            guaranteed_before: Some(ply.guarantee.before),
            guaranteed_after: Some(ply.guarantee.after),
            guaranteed_if_optimal: Some(ply.guarantee.if_optimal),
            safety: pb::TakeSafety::from(ply.safety).into(),
        }
    }
}

impl From<TakeSafetyCounts> for pb::TakeSafetyCounts {
    fn from(counts: TakeSafetyCounts) -> Self {
        let TakeSafetyCounts { risky, needless_risks, safe_errors, hedges } = counts;
        Self { risky, needless_risks, safe_errors, hedges }
    }
}

fn seat_audit_message(seat: Seat, figures: &SeatAudit) -> pb::SeatAudit {
    pb::SeatAudit {
        seat: seat.into(),
        rank_predicted: figures.rank_predicted,
        rank_actual: figures.rank_actual,
        satisfaction: figures.satisfaction,
        regret: figures.regret,
        luck: figures.luck,
        accuracy: figures.accuracy,
        plies: figures.plies,
        optimal_plies: figures.optimal_plies,
        rank_guaranteed: Some(figures.rank_guaranteed),
        safety: Some(figures.safety.into()),
    }
}

fn ledger_row_message(costs: &BySeat<i32>) -> pb::LedgerRow {
    pb::LedgerRow { costs: costs.as_slice().to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::{
        game::{Ending, Game, MAX_COUNTERS},
        oracle::{MAX_PLIES, PlayedTake, TakeGuarantee},
    };
    use prost::Message as _;

    fn audit_takes(takes: &[u64]) -> Audit {
        let rows = vec![vec![0, 2, 1], vec![0, 1, 2], vec![2, 1, 0]];
        let game = Game::parse(&[1, 2, 3], &rows, 0, Ending::ToMoveWins).unwrap();
        let mut takes: Vec<_> = takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
        takes[1].mover = Mover::Steward;
        Audit::of_finished(&game, &takes).unwrap()
    }

    #[test]
    fn audit_keeps_every_figure() {
        let lines: [&[u64]; 6] =
            [&[3, 2, 1], &[3, 1, 1, 1], &[2, 1, 2, 1], &[1, 2, 2, 1], &[2, 1, 1, 1, 1], &[1; 6]];
        let errors = lines.into_iter().filter(|takes| {
            let audit = audit_takes(takes);
            assert_same_figures(&audit, &pb::Audit::from(&audit));
            audit.first_error.is_some()
        });
        assert!((1..6).contains(&errors.count()), "some lines have an error and some do not");
    }

    #[test]
    fn largest_audit_has_the_stated_size() {
        let range = pb::TakeRange { lo: MAX_COUNTERS, hi: MAX_COUNTERS };
        let ply = pb::PlyAudit {
            ply: MAX_PLIES as u32,
            seat: 31,
            take: MAX_COUNTERS,
            predicted_before: 31,
            predicted_after: 31,
            regret: 31,
            optimal_takes: vec![range; 2],
            steward: true,
            counters: MAX_COUNTERS,
            guaranteed_before: Some(31),
            guaranteed_after: Some(31),
            guaranteed_if_optimal: Some(31),
            safety: pb::TakeSafety::Error.into(),
        };
        let alone = pb::Audit { plies: vec![ply.clone()], ..pb::Audit::default() };
        assert_eq!(alone.encoded_len(), 88);
        let seat = pb::SeatAudit {
            seat: 31,
            rank_predicted: 31,
            rank_actual: 31,
            satisfaction: 0.5,
            regret: u32::MAX,
            luck: i32::MIN,
            accuracy: Some(0.5),
            plies: u32::MAX,
            optimal_plies: u32::MAX,
            rank_guaranteed: Some(31),
            safety: Some(pb::TakeSafetyCounts {
                risky: u64::MAX,
                needless_risks: u64::MAX,
                safe_errors: u64::MAX,
                hedges: u64::MAX,
            }),
        };
        let largest = pb::Audit {
            winner: 31,
            predicted_winner: 31,
            plies: vec![ply; MAX_PLIES],
            seats: vec![seat; 32],
            ledger: vec![pb::LedgerRow { costs: vec![i32::MIN; 32] }; 32],
            kingmaking_plies: vec![MAX_PLIES as u32; MAX_PLIES],
            first_error: Some(MAX_PLIES as u32),
            dealt: Some(pb::DealtAudit {
                rows: Some(pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![31; 32] }; 32] }),
                honest_winner: 31,
                seats: vec![pb::DealtRanks { rank_honest: 31, rank_declared: 31, rank_actual: 31 }; 32],
                ledger: vec![pb::LedgerRow { costs: vec![i32::MIN; 32] }; 32],
            }),
            talk: Some(largest_talk_audit()),
        };
        assert!((4 << 20..6 << 20).contains(&largest.encoded_len()), "{}", largest.encoded_len());
    }

    /// Returns an audit of 16 claims of each of 32 seats. Pacts would be smaller.
    fn largest_talk_audit() -> pb::TalkAudit {
        let claim = pb::ClaimAudit {
            seat: 31,
            round: 3,
            number: 3,
            row: Some(pb::Row { offsets: vec![31; 32] }),
            from_dealt: Some(496),
            from_declared: Some(496),
        };
        pb::TalkAudit { claims: vec![claim; 32 * 16], ..pb::TalkAudit::default() }
    }

    fn assert_same_figures(audit: &Audit, wire: &pb::Audit) {
        assert_eq!(
            (wire.winner, wire.predicted_winner),
            (audit.winner.into(), audit.predicted_winner.into())
        );
        assert_eq!((wire.plies.len(), wire.seats.len()), (audit.plies.len(), 3));
        for (ply, sent) in audit.plies.iter().zip(&wire.plies) {
            assert_eq!((sent.ply, sent.seat, sent.take), (ply.ply, ply.seat.into(), ply.take));
            let predicted = (ply.predicted_before.into(), ply.predicted_after.into());
            assert_eq!((sent.predicted_before, sent.predicted_after), predicted);
            assert_eq!((sent.regret, sent.steward), (ply.regret, ply.ply == 1));
            assert_eq!(sent.counters, ply.counters);
            let guarantee = [sent.guaranteed_before, sent.guaranteed_after, sent.guaranteed_if_optimal];
            let TakeGuarantee { before, after, if_optimal } = ply.guarantee;
            assert_eq!(guarantee, [before, after, if_optimal].map(Some));
            assert_eq!(sent.safety(), ply.safety.into());
            let ranges: Vec<_> = sent.optimal_takes.iter().map(|range| (range.lo, range.hi)).collect();
            assert_eq!(
                ranges,
                ply.optimal_takes.iter().map(|range| (range.lo, range.hi)).collect::<Vec<_>>()
            );
        }
        for (seat, figures) in audit.seats.enumerate() {
            let sent = &wire.seats[seat.index()];
            assert_eq!((sent.seat, sent.luck, sent.regret), (seat.into(), figures.luck, figures.regret));
            assert_eq!(
                (sent.rank_predicted, sent.rank_actual),
                (figures.rank_predicted, figures.rank_actual)
            );
            assert_eq!(sent.accuracy, figures.accuracy);
            assert_eq!(sent.rank_guaranteed, Some(figures.rank_guaranteed));
            assert_eq!(sent.safety, Some(figures.safety.into()));
            assert_eq!((sent.optimal_plies, sent.plies), (figures.optimal_plies, figures.plies));
            assert!((sent.satisfaction - (1.0 - f64::from(sent.rank_actual) / 2.0)).abs() < 1e-12);
            // In the message, each column of the ledger still adds up to the difference between the two ranks.
            let column: i64 = wire.ledger.iter().map(|row| i64::from(row.costs[seat.index()])).sum();
            assert_eq!(column, i64::from(figures.rank_actual) - i64::from(figures.rank_predicted));
        }
        assert_eq!(wire.kingmaking_plies, audit.kingmaking_plies);
        assert_eq!(wire.first_error, wire.plies.iter().find(|ply| ply.regret > 0).map(|ply| ply.ply));
    }
}
