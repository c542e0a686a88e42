//! What a model says beside its answer, and what can be held against the match later.

use super::question::Question;
use lastnim_core::game::{Seat, SeatCount};
use serde_json::{Map, Value};

/// The member of an answer in which a model says how likely the seat wins that its row wants most.
pub const WIN_PROBABILITY: &str = "win_probability";
/// The member of a row in which a model says which seat it would truly like to win.
pub const WANTS: &str = "wants";

/// What a model says beside its answer. Nothing follows from it in the match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Claims {
    /// Why it answers so.
    pub why: Option<String>,
    /// How likely it takes the seat to win that stands first in its row, from 0 to 1.
    pub win_probability: Option<f64>,
    /// The seat that it would truly like to win; only beside a row.
    pub wants: Option<Seat>,
    /// The members that are there and out of range, or of another kind: they are counted, and do no harm to the answer.
    pub ignored: Vec<&'static str>,
}

/// Characters of a model's reasons that are kept.
const MAX_WHY_CHARS: usize = 2_000;

impl Claims {
    /// Reads what stands beside an answer.
    pub fn read(question: &Question<'_>, object: &Map<String, Value>) -> Self {
        let why = object.get("why").and_then(Value::as_str);
        let mut claims =
            Self { why: why.map(|why| why.chars().take(MAX_WHY_CHARS).collect()), ..Self::default() };
        claims.win_probability = claims.read_member(object, WIN_PROBABILITY, probability_of_json);
        if let Question::Row(info) = question {
            claims.wants = claims.read_member(object, WANTS, |value| seat_of_json(value, info.seats()));
        }
        claims
    }

    /// Reads a member, for which null stands as well as nothing.
    fn read_member<T>(
        &mut self,
        object: &Map<String, Value>,
        name: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = object.get(name).filter(|value| !value.is_null())?;
        let member = read(value);
        if member.is_none() {
            self.ignored.push(name);
        }
        member
    }
}

fn probability_of_json(value: &Value) -> Option<f64> {
    value.as_f64().filter(|probability| (0.0..=1.0).contains(probability))
}

fn seat_of_json(value: &Value, seats: SeatCount) -> Option<Seat> {
    seats.seat(usize::try_from(value.as_u64()?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_client::MatchView;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles};

    #[test]
    fn what_is_out_of_range_is_ignored_and_named() {
        let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
        let game = Game::new(Piles::parse(&[3, 5]).unwrap(), matrix, 0, Ending::default()).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        let read = |question: &Question<'_>, text: &str| {
            let claims = Claims::read(question, &serde_json::from_str(text).unwrap());
            (claims.win_probability, claims.wants.map(Seat::index), claims.ignored)
        };
        let (row, take) = (Question::Row(view.info()), Question::Take(&view));
        for (text, expected) in [
            (r#"{"win_probability": 0.25, "wants": 2}"#, (Some(0.25), Some(2), vec![])),
            (r#"{"win_probability": 0, "wants": null}"#, (Some(0.0), None, vec![])),
            (r#"{"win_probability": 1}"#, (Some(1.0), None, vec![])),
            (r#"{"win_probability": 1.01, "wants": 3}"#, (None, None, vec![WIN_PROBABILITY, WANTS])),
            (r#"{"win_probability": 40, "wants": -1}"#, (None, None, vec![WIN_PROBABILITY, WANTS])),
            (r#"{"win_probability": "0.5", "wants": "seat 1"}"#, (None, None, vec![WIN_PROBABILITY, WANTS])),
            (r#"{"win_probability": -0.1, "wants": 1.5}"#, (None, None, vec![WIN_PROBABILITY, WANTS])),
            (r#"{"win_probability": null}"#, (None, None, vec![])),
        ] {
            assert_eq!(read(&row, text), expected, "{text}");
        }
        let expected = (Some(0.5), None, vec![]);
        assert_eq!(read(&take, r#"{"win_probability": 0.5, "wants": 77}"#), expected, "no take has it");
    }
}
