//! The oracle's verdict on a player's game.

use super::game::SeatNames;
use crate::address::PageAddress;
use lastnim_core::game::MatchId;
use lastnim_core::oracle::TakeRange;
use lastnim_proto::pb;
use lastnim_report::explanation::take_range_words;
use lastnim_report::words::count_words;

const MAX_ERRORS: usize = 20;

/// The oracle's verdict on a player's game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    /// A summary, one sentence each.
    pub words: Vec<String>,
    /// The player's errors, each with the address of the position before it.
    pub errors: Vec<(String, String)>,
}

/// Summarises how the player played.
pub(super) fn judge_game(id: MatchId, audit: &pb::Audit, seat: usize, names: &SeatNames) -> Verdict {
    let own: Vec<_> = audit.plies.iter().filter(|ply| ply.seat as usize == seat && !ply.steward).collect();
    let wrong: Vec<_> = own.iter().filter(|ply| ply.regret > 0).collect();
    let predicted = names.subject(audit.predicted_winner as usize);
    let mut words = vec![format!("Under optimal play from the first move {predicted} would have won.")];
    words.push(match (own.len(), wrong.len()) {
        (0, _) => "You made no takes yourself.".to_owned(),
        (1, 0) => "Your take was optimal.".to_owned(),
        (takes, 0) => format!("All of your {takes} takes were optimal."),
        (takes, errors) => {
            let cost: u32 = wrong.iter().map(|ply| ply.regret).sum();
            format!(
                "{errors} of your {} {} not optimal and cost you {} in your row.",
                count_words(takes, "take", "takes"),
                if errors == 1 { "was" } else { "were" },
                count_words(cost, "rank", "ranks"),
            )
        }
    });
    let others =
        audit.plies.iter().filter(|ply| ply.seat as usize != seat && ply.regret > 0 && !ply.steward).count();
    if others > 0 {
        words.push(format!("The others made {}.", count_words(others, "error", "errors")));
    }
    let errors =
        wrong.iter().take(MAX_ERRORS).map(|ply| (error_words(ply, names), position_address(id, ply.ply)));
    Verdict { words, errors: errors.collect() }
}

fn error_words(ply: &pb::PlyAudit, names: &SeatNames) -> String {
    let ranges =
        ply.optimal_takes.iter().map(|&pb::TakeRange { lo, hi }| take_range_words(TakeRange { lo, hi }));
    let optimal = ranges.collect::<Vec<_>>().join(" or ");
    let winner = |seat: u32| names.object(seat as usize);
    format!(
        "At ply {} you took {} of {}. Optimal: {optimal}. The winner changed from {} to {}.",
        ply.ply,
        ply.take,
        ply.counters,
        winner(ply.predicted_before),
        winner(ply.predicted_after),
    )
}

fn position_address(id: MatchId, ply: u32) -> String {
    PageAddress::Match { id, ply: Some(ply) }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit(plies: Vec<pb::PlyAudit>) -> pb::Audit {
        pb::Audit { plies, predicted_winner: 1, winner: 0, ..pb::Audit::default() }
    }

    fn ply(ply: u32, seat: u32, regret: u32) -> pb::PlyAudit {
        let optimal_takes = vec![pb::TakeRange { lo: 1, hi: 1 }, pb::TakeRange { lo: 3, hi: 4 }];
        pb::PlyAudit {
            ply,
            seat,
            regret,
            take: 2,
            counters: 5,
            optimal_takes,
            predicted_before: 1,
            ..Default::default()
        }
    }

    #[test]
    fn a_game_is_summarised() {
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        let names = SeatNames::new(vec!["greedy".into(), "guest".into()], 1);
        let judged =
            judge_game(id, &audit(vec![ply(0, 0, 1), ply(1, 1, 1), ply(2, 0, 0), ply(3, 1, 0)]), 1, &names);
        assert_eq!(
            judged.words,
            [
                "Under optimal play from the first move you would have won.",
                "1 of your 2 takes was not optimal and cost you 1 rank in your row.",
                "The others made 1 error.",
            ]
        );
        let (words, address) = &judged.errors[0];
        assert_eq!(
            words,
            "At ply 1 you took 2 of 5. Optimal: 1 or 3 to 4. The winner changed from you to greedy."
        );
        assert_eq!(*address, format!("/matches/{id}?ply=1"));
        let perfect = judge_game(id, &audit(vec![ply(0, 1, 0)]), 1, &names);
        assert_eq!(perfect.words[1], "Your take was optimal.");
        assert!(perfect.errors.is_empty());
        let absent = judge_game(id, &audit(vec![pb::PlyAudit { steward: true, ..ply(0, 1, 1) }]), 1, &names);
        assert_eq!(absent.words[1], "You made no takes yourself.");
    }
}
