//! Messages about whether the winner under optimal play still wins against coalitions or after errors.

use super::{RequestField, game::parse_game, pb};
use lastnim_analysis::{
    Coalition, ErrorOutlook, ErrorRate, Robustness, SeatErrorOutlook, SeatRobustness, SmallestCoalition,
};
use lastnim_core::{
    game::{BySeat, Game, Seat},
    oracle::TakeRobustness,
};

/// The maximum size of the coalitions to search for, unless the request states another. With 32 seats and a few
/// piles, the search takes at most a second.
pub const DEFAULT_MAX_COALITION: usize = 3;

/// A request to assess whether the winner still wins against coalitions or after errors.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustnessQuestion {
    /// The game.
    pub game: Game,
    /// The maximum size of the coalitions to search for.
    pub max_coalition: usize,
    /// The probability that a take is an error, if the request states one.
    pub error_rate: Option<ErrorRate>,
}

/// Reads a request to assess whether the winner still wins against coalitions or after errors.
pub fn parse_robustness_question(
    request: &pb::AssessRobustnessRequest,
    field: RequestField<'_>,
) -> Option<RobustnessQuestion> {
    let game = field.member("game").parse_required(request.game.as_ref(), parse_game);
    let error_rate = match request.error_rate.map(ErrorRate::new) {
        Some(rate) => field.member("error_rate").ok_or_report(rate).map(Some),
        None => Some(None),
    };
    let max_coalition = max_coalition(request.max_coalition);
    Some(RobustnessQuestion { game: game?, max_coalition, error_rate: error_rate? })
}

/// Reads the maximum size of the coalitions to search for; 0 stands for the default.
pub(super) fn max_coalition(seats: u32) -> usize {
    if seats == 0 { DEFAULT_MAX_COALITION } else { seats as usize }
}

/// Writes each seat's predicted and guaranteed rank, and its prospects if some takes are errors.
pub fn robustness_message(
    robustness: &Robustness,
    errors: Option<&ErrorOutlook>,
) -> pb::AssessRobustnessResponse {
    pb::AssessRobustnessResponse {
        winner: robustness.winner.into(),
        seats: seat_robustness_messages(&robustness.seats),
        takes: robustness.takes.iter().map(pb::TakeRobustness::from).collect(),
        errors: errors.map(pb::ErrorOutlook::from),
    }
}

/// Writes the robustness figures of each seat.
pub(super) fn seat_robustness_messages(seats: &BySeat<SeatRobustness>) -> Vec<pb::SeatRobustness> {
    let n = seats.seats().get();
    seats.enumerate().map(|(seat, figures)| seat_robustness_message(seat, figures, n)).collect()
}

fn seat_robustness_message(seat: Seat, figures: &SeatRobustness, n: usize) -> pb::SeatRobustness {
    let (smallest_coalition, cleared, halt) = match &figures.smallest_coalition {
        SmallestCoalition::None => (None, n - 1, None),
        SmallestCoalition::Found(coalition) => (Some(coalition.into()), coalition.seats.len() - 1, None),
        SmallestCoalition::LargerThan { seats, halt } => (None, *seats, *halt),
    };
    pb::SeatRobustness {
        seat: seat.into(),
        predicted_rank: figures.predicted_rank,
        guaranteed_rank: figures.guaranteed_rank,
        guaranteed_winner: figures.guaranteed_winner.into(),
        price_of_trust: figures.price_of_trust(),
        smallest_coalition,
        coalitions_cleared: cleared as u32,
        search_halted: halt.map(|halt| halt.to_string()).unwrap_or_default(),
    }
}

impl From<&Coalition> for pb::Coalition {
    fn from(coalition: &Coalition) -> Self {
        Self {
            seats: coalition.seats.iter().map(|&seat| seat.into()).collect(),
            winner: coalition.winner.into(),
            rank: coalition.rank,
        }
    }
}

impl From<&TakeRobustness> for pb::TakeRobustness {
    fn from(option: &TakeRobustness) -> Self {
        Self {
            takes: Some((&option.takes).into()),
            winner: option.winner.into(),
            rank: option.rank,
            guaranteed_rank: option.guaranteed_rank,
            safety: pb::TakeSafety::from(option.safety).into(),
        }
    }
}

impl From<&ErrorOutlook> for pb::ErrorOutlook {
    fn from(outlook: &ErrorOutlook) -> Self {
        let seats = outlook.seats.enumerate();
        Self {
            rate: outlook.rate.get(),
            win_probabilities: outlook.win_probabilities.as_slice().to_vec(),
            seats: seats.map(|(seat, figures)| seat_error_outlook_message(seat, figures)).collect(),
        }
    }
}

fn seat_error_outlook_message(seat: Seat, figures: &SeatErrorOutlook) -> pb::SeatErrorOutlook {
    pb::SeatErrorOutlook {
        seat: seat.into(),
        expected_rank_if_all_err: figures.expected_rank_if_all_err,
        expected_rank_if_others_err: figures.expected_rank_if_others_err,
        kept_if_all_err: figures.kept_if_all_err,
        kept_if_others_err: figures.kept_if_others_err,
    }
}
