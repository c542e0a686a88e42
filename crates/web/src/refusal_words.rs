//! The words of refusals on pages, which name no ids: the page or its address says which tournament or match is meant.

use lastnim_core::game::{BotName, MatchId};

/// What follows the name of a bot at the beginning of a refusal.
const VERBS_AFTER_BOT: [&str; 6] = ["cannot", "had", "has", "is", "may", "was"];
/// Words before such a verb that are not names.
const PRONOUNS: [&str; 6] = ["everybody", "it", "nobody", "nothing", "there", "this"];

/// Writes the refusal of a service or an address as a sentence; an empty refusal stays empty. The name of a bot at the
/// beginning is not capitalised.
pub(super) fn refusal_sentence(message: &str) -> String {
    let ids = message.split(|letter: char| letter != '-' && !letter.is_ascii_alphanumeric());
    let ids = ids.filter(|word| word.parse::<MatchId>().is_ok());
    let text = ids.fold(without_field(message).to_owned(), |text, id| without_id(&text, id));
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return text };
    let first = if begins_with_bot(&text) { first } else { first.to_ascii_uppercase() };
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    [first].into_iter().chain(letters).chain(end.chars()).collect()
}

/// Returns whether a refusal begins with the name of a bot. A subject of one word, unless it is a pronoun, is a name.
fn begins_with_bot(text: &str) -> bool {
    let mut words = text.split(' ');
    let (subject, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    VERBS_AFTER_BOT.contains(&verb) && !PRONOUNS.contains(&subject) && subject.parse::<BotName>().is_ok()
}

/// Replaces the id of the page's tournament or match in a refusal.
pub(super) fn without_id(message: &str, id: &str) -> String {
    let mut text = message.to_owned();
    for what in ["tournament", "match"] {
        let named = format!("{what} {id}");
        text =
            text.strip_prefix(&format!("{named}: ")).unwrap_or(&text).replace(&named, &format!("the {what}"));
    }
    text.replace(&format!("the id {id}"), "this id").replace(&format!(" such as {id}"), "")
}

/// Removes the name of a field of the protocol, which a person has not seen, from the beginning.
fn without_field(message: &str) -> &str {
    let is_name = |name: &str| {
        name.contains('_') && name.chars().all(|letter| letter == '_' || letter.is_ascii_lowercase())
    };
    message.split_once(": ").filter(|(name, _)| is_name(name)).map_or(message, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_sentences_without_ids() {
        const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
        for (message, sentence) in [
            ("no page has this address".to_owned(), "No page has this address."),
            (format!("no match has the id {ID}"), "No match has this id."),
            (format!("tournament {ID}: entries closed"), "Entries closed."),
            (
                format!("tournament {ID} is finished: it can start only once"),
                "The tournament is finished: it can start only once.",
            ),
            (
                format!("page_token: tournament id \"x\": expected a UUID such as {ID}"),
                "Tournament id \"x\": expected a UUID.",
            ),
            ("Try again. Later.".to_owned(), "Try again. Later."),
            (String::new(), ""),
            (format!("tournament {ID}: "), ""),
            ("ann has repeated 60 requests in a minute".into(), "ann has repeated 60 requests in a minute."),
            ("b-2 is one of this server's house bots".into(), "b-2 is one of this server's house bots."),
            (format!("tournament {ID}: ann is not one of its bots"), "ann is not one of its bots."),
            ("\"ann\" is taken".into(), "\"ann\" is taken."),
            ("`seats` is missing".into(), "`seats` is missing."),
            ("it is over".into(), "It is over."),
            ("the name ann is taken: choose another".into(), "The name ann is taken: choose another."),
        ] {
            assert_eq!(refusal_sentence(&message), sentence);
        }
    }
}
