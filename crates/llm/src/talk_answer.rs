//! Reads what a model says in a round of talk.

use super::{
    answer::{number_of_json, numbers_of_json, shorten},
    claims::member_of,
    failure::{CallFailure, FailureClass},
    row_notation::RowNotation,
};
use lastnim_client::{Message, OfferedPact, TalkPrivacy, TalkRound, TalkTerms};
use lastnim_core::{
    game::{Pact, Seat},
    referee::MAX_ROUND_MESSAGES,
};
use serde_json::{Map, Value, json};

/// The keys of a message.
const TO: &str = "to";
const TEXT: &str = "text";
const CLAIM: &str = "claim";
const OFFER: &str = "offer";
const ACCEPT: &str = "accept";
/// All keys of a message.
const KEYS: [&str; 5] = [TO, TEXT, CLAIM, OFFER, ACCEPT];
/// The keys of a member of a pact.
const MEMBER: &str = "member";
const PROMISES: &str = "promises";

/// Returns the JSON schema of the messages in an answer. A message has one of the last four members; the others are null.
pub fn talk_schema() -> Value {
    let numbers = json!({ "type": "array", "items": { "type": "integer" } });
    let member = json!({
        "type": "object",
        "properties": { MEMBER: { "type": "integer" }, PROMISES: { "type": "array", "items": numbers } },
        "required": [MEMBER, PROMISES],
        "additionalProperties": false,
    });
    let message = json!({
        "type": "object",
        "properties": {
            TO: numbers,
            TEXT: { "type": ["string", "null"] },
            CLAIM: { "type": ["array", "null"], "items": { "type": "integer" } },
            OFFER: { "type": ["array", "null"], "items": member },
            ACCEPT: { "type": ["integer", "null"] },
        },
        "required": KEYS,
        "additionalProperties": false,
    });
    json!({ "type": "array", "items": message })
}

/// Reads the list of messages in an answer, in which rows have the given notation. A message with several of `text`,
/// `claim`, `offer` and `accept` counts as several messages.
///
/// # Errors
/// If the list cannot be read, or the server would refuse a message. The text of the error is meant for the model.
pub fn read_messages(
    round: &TalkRound,
    rows: RowNotation,
    value: &Value,
) -> Result<Vec<Message>, CallFailure> {
    let reader =
        MessageReader { round, terms: round.terms.talk.unwrap_or_default(), rows, pacts: round.pacts() };
    let Some(list) = value.as_array() else {
        return Err(unparsable("talk", value, "a list of messages"));
    };
    let mut messages = Vec::new();
    for item in list {
        let object = item.as_object().ok_or_else(|| unparsable("a message", item, "an object"))?;
        reader.read_message(object, &mut messages)?;
    }
    if messages.len() > MAX_ROUND_MESSAGES as usize {
        let given = messages.len();
        return Err(illegal(format!("{given} messages in a round: send at most {MAX_ROUND_MESSAGES}")));
    }
    Ok(messages)
}

/// Returns the member with this name, unless it is null or an empty text or list.
fn given_member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    member_of(object, name).filter(|value| match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    })
}

fn unparsable(name: &str, value: &Value, expected: &str) -> CallFailure {
    let shown = shorten(&value.to_string());
    CallFailure::new(FailureClass::Unparsable, format!("{name} is {shown}: expected {expected}"))
}

fn illegal(what: impl Into<String>) -> CallFailure {
    CallFailure::new(FailureClass::Illegal, what)
}

struct MessageReader<'a> {
    round: &'a TalkRound,
    terms: TalkTerms,
    rows: RowNotation,
    /// In the order in which the prompt numbers them.
    pacts: Vec<OfferedPact>,
}

impl MessageReader<'_> {
    fn read_message(
        &self,
        object: &Map<String, Value>,
        messages: &mut Vec<Message>,
    ) -> Result<(), CallFailure> {
        let (seat, seats, before) = (self.round.seat, self.round.seats(), messages.len());
        // A misspelt "to" must not send a private message to everyone.
        if let Some(key) = object.keys().find(|key| KEYS.iter().all(|known| !key.eq_ignore_ascii_case(known)))
        {
            let keys = KEYS.map(|known| format!("\"{known}\"")).join(", ");
            let why = format!("a message has the member {:?}: expected only {keys}", shorten(key));
            return Err(CallFailure::new(FailureClass::Unparsable, why));
        }
        let to = match member_of(object, TO) {
            None | Some(Value::Null) => Vec::new(),
            Some(to) => self.read_audience(to)?,
        };
        if let Some(value) = given_member(object, TEXT) {
            let text = value.as_str().ok_or_else(|| unparsable("\"text\"", value, "a text or null"))?;
            let (given, max) = (text.chars().count(), self.terms.text_chars);
            if given > max as usize {
                return Err(illegal(format!("a text of {given} characters: write at most {max}")));
            }
            messages.push(Message::text(text).to(to.iter().copied()));
        }
        if let Some(value) = given_member(object, CLAIM) {
            let numbers = numbers_of_json(value)
                .ok_or_else(|| unparsable("\"claim\"", value, "a list of whole numbers or null"))?;
            let row = self.rows.parse_row(&numbers, seat, seats).map_err(illegal)?;
            messages.push(Message::claim(row).to(to.iter().copied()));
        }
        if let Some(value) = given_member(object, OFFER) {
            messages.push(Message::offer(self.read_pact(value)?));
        }
        if let Some(value) = given_member(object, ACCEPT) {
            messages.push(self.read_acceptance(value)?);
        }
        if messages.len() == before {
            return Err(illegal(format!(
                "a message without content: give one of \"{TEXT}\", \"{CLAIM}\", \"{OFFER}\" and \"{ACCEPT}\""
            )));
        }
        Ok(())
    }

    fn read_audience(&self, value: &Value) -> Result<Vec<Seat>, CallFailure> {
        let expected = "a list of seats, which is empty for everyone";
        let numbers = numbers_of_json(value).ok_or_else(|| unparsable("\"to\"", value, expected))?;
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        if self.terms.privacy == TalkPrivacy::Open {
            return Err(illegal("a message to some seats: in this match, \"to\" must be an empty list"));
        }
        let own = self.round.seat;
        let seats = numbers.into_iter().map(|number| match self.read_seat(number)? {
            seat if seat == own => {
                Err(illegal(format!("a message to seat {own}, your own seat: name other seats")))
            }
            seat => Ok(seat),
        });
        seats.collect()
    }

    fn read_seat(&self, number: i128) -> Result<Seat, CallFailure> {
        let seats = self.round.seats();
        let seat = usize::try_from(number).ok().and_then(|index| seats.seat(index).ok());
        seat.ok_or_else(|| illegal(format!("seat {number}: expected 0 to {}", seats.get() - 1)))
    }

    /// Refuses pacts in matches without them.
    fn check_pacts_exist(&self) -> Result<(), CallFailure> {
        if self.terms.pacts {
            return Ok(());
        }
        Err(illegal(format!("a pact: in this match, \"{OFFER}\" and \"{ACCEPT}\" must be null")))
    }

    fn read_pact(&self, value: &Value) -> Result<Pact, CallFailure> {
        self.check_pacts_exist()?;
        let wrong_offer = || unparsable("\"offer\"", value, "a list of members, each with its promises");
        let mut members = Vec::new();
        for item in value.as_array().ok_or_else(wrong_offer)? {
            let object = item.as_object().ok_or_else(wrong_offer)?;
            let number = member_of(object, MEMBER).and_then(number_of_json).ok_or_else(wrong_offer)?;
            let mut promises = Vec::new();
            for promise in member_of(object, PROMISES).and_then(Value::as_array).ok_or_else(wrong_offer)? {
                let pair = numbers_of_json(promise).and_then(|pair| <[i128; 2]>::try_from(pair).ok());
                let expected = "two seats, the first one ranked before the second";
                let [before, after] = pair.ok_or_else(|| unparsable("a promise", promise, expected))?;
                promises.push((self.read_seat(before)?.index(), self.read_seat(after)?.index()));
            }
            members.push((self.read_seat(number)?.index(), promises));
        }
        let pact = Pact::parse(self.round.seats(), &members).map_err(|error| illegal(error.to_string()))?;
        let own = self.round.seat;
        if pact.constraint(own).is_none() {
            return Err(illegal(format!("a pact without seat {own}: you must be one of its members")));
        }
        Ok(pact)
    }

    fn read_acceptance(&self, value: &Value) -> Result<Message, CallFailure> {
        self.check_pacts_exist()?;
        let number = number_of_json(value)
            .ok_or_else(|| unparsable("\"accept\"", value, "the number of a pact or null"))?;
        let own = self.round.seat;
        let offered = usize::try_from(number).ok().and_then(|number| self.pacts.get(number));
        let offered = offered.filter(|offered| offered.pact.constraint(own).is_some());
        let offered = offered.ok_or_else(|| illegal(format!("pact {number} was not offered to you")))?;
        if offered.accepted.contains(own) {
            return Err(illegal(format!("you have already accepted pact {number}")));
        }
        Ok(Message::accept(offered.offer))
    }
}

#[cfg(test)]
mod tests;
