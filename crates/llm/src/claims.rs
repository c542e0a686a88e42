//! Claims that models make with their answers, which can be compared with the match later.

use super::{answer::number_of_json, question::Question};
use lastnim_core::game::{Seat, SeatCount};
use serde_json::{Map, Value};

/// The key for the probability that the first choice of the row wins.
pub const WIN_PROBABILITY: &str = "win_probability";
/// The key, in answers with a row, for the seat that the model really wants to win.
pub const WANTS: &str = "wants";
/// The key, in answers with a take, for the seat that the model tries to make win from this take on.
pub const PLAN: &str = "plan";

/// Claims that a model makes with its answer. They do not affect the match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Claims {
    /// The model's reasons.
    pub why: Option<String>,
    /// The probability that the first choice of its row wins, from 0 to 1.
    pub win_probability: Option<f64>,
    /// The seat that the model really wants to win; only in answers with a row.
    pub wants: Option<Seat>,
    /// The seat that the model tries to make win from this take on; only in answers with a take.
    pub plan: Option<Seat>,
    /// The members with invalid values, which are ignored, but counted.
    pub ignored: Vec<&'static str>,
}

/// The maximum length of a model's reasons.
const MAX_WHY_CHARS: usize = 2_000;

impl Claims {
    /// Reads the claims in an answer.
    pub fn read(question: &Question<'_>, object: &Map<String, Value>) -> Self {
        let why = member_of(object, "why").and_then(Value::as_str);
        let mut claims =
            Self { why: why.map(|why| why.chars().take(MAX_WHY_CHARS).collect()), ..Self::default() };
        let (name, seats) = match question {
            // A model states only its reasons with what it says to others.
            Question::Talk(_) => return claims,
            Question::Row(info) => (WANTS, info.seats()),
            Question::Take(view) => (PLAN, view.seats()),
        };
        claims.win_probability = claims.read_member(object, WIN_PROBABILITY, probability_of_json);
        let seat = claims.read_member(object, name, |value| seat_of_json(value, seats));
        if name == WANTS {
            claims.wants = seat;
        } else {
            claims.plan = seat;
        }
        claims
    }

    /// Reads a member; null counts as missing.
    fn read_member<T>(
        &mut self,
        object: &Map<String, Value>,
        name: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = member_of(object, name).filter(|value| !value.is_null())?;
        let member = read(value);
        if member.is_none() {
            self.ignored.push(name);
        }
        member
    }
}

/// Returns the member with this name in any letter case; an exact match takes precedence.
pub fn member_of<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let find_in_any_case =
        || object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    object.get(name).or_else(find_in_any_case)
}

fn probability_of_json(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|probability| (0.0..=1.0).contains(probability))
}

fn seat_of_json(value: &Value, seats: SeatCount) -> Option<Seat> {
    seats.seat(usize::try_from(number_of_json(value)?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_client::MatchView;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles};

    #[test]
    fn invalid_members_are_ignored_and_named() {
        let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
        let game = Game::new(Piles::parse(&[3, 5]).unwrap(), matrix, 0, Ending::default()).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        let claims_in = |question: &Question<'_>, text: &str| {
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
            (r#"{"win_probability": "0.5", "wants": "seat 1"}"#, (Some(0.5), Some(1), vec![])),
            (r#"{"win_probability": "half", "wants": "you"}"#, (None, None, vec![WIN_PROBABILITY, WANTS])),
            (r#"{"win_probability": -0.1, "wants": 1.5}"#, (None, None, vec![WIN_PROBABILITY, WANTS])),
            (r#"{"win_probability": null}"#, (None, None, vec![])),
        ] {
            assert_eq!(claims_in(&row, text), expected, "{text}");
        }
        let expected = (Some(0.5), None, vec![]);
        assert_eq!(
            claims_in(&take, r#"{"win_probability": 0.5, "wants": 77}"#),
            expected,
            "takes have no such member"
        );
        assert_eq!(claims_in(&row, r#"{"plan": 77}"#), (None, None, vec![]), "rows have no plan");
        assert_eq!(claims_in(&take, r#"{"plan": 3}"#), (None, None, vec![PLAN]));
        let planned = Claims::read(&take, &serde_json::from_str(r#"{"Plan": "seat 2"}"#).unwrap());
        assert_eq!((planned.plan.map(Seat::index), planned.wants), (Some(2), None));
    }
}
