//! Reads and writes the text of a benchmark card: a line of JSON, then a line with a seal over the bytes of the first.

use super::{
    json::{MessageJson, message_from_json, parse_document},
    pb,
};
use lastnim_core::referee::{CardHash, PublicKey, Seal, Signature, SigningKey};
use pb::benchmark_line::Line;
use thiserror::Error;

/// The version of the card format.
pub const CARD_VERSION: u32 = 1;

/// The reason why a text is not a signed card.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CardFlaw {
    /// One of the two lines is invalid.
    #[error("line {line}: {why}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with the line.
        why: String,
    },
    /// The card has a version of the format that this program does not know.
    #[error(
        "version {0}: this program only reads version {CARD_VERSION}; use the version of lastnim that wrote it"
    )]
    Version(u32),
    /// The text does not have exactly two lines, a card and a seal.
    #[error("it has {0}: expected two lines, the card and the seal, each ending with a newline")]
    Lines(String),
    /// The signature does not match the card.
    #[error("the signature does not match this card: the card or the signature was changed")]
    Signature,
    /// The text of the seal is not exactly the text that lastnim would write.
    #[error("the seal is not written exactly as lastnim writes it: its line was changed")]
    Rewritten,
}

/// Returns whether a text begins like a card.
pub fn looks_like_card(text: &[u8]) -> bool {
    text.starts_with(b"{\"card\":")
}

/// Writes and signs a card.
pub fn write_card(card: pb::BenchmarkCard, key: &SigningKey) -> String {
    let line = write_line(Line::Card(card));
    let seal = key.seal_card(CardHash::of_line(line.as_bytes()));
    line + &write_seal(&seal)
}

/// Reads a card, checks its signature, and returns the card and its signer.
///
/// # Errors
/// Describes the first mistake found.
pub fn read_card(text: &str) -> Result<(pb::BenchmarkCard, PublicKey), CardFlaw> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let &[first, second] = lines.as_slice() else {
        return Err(CardFlaw::Lines(match lines.len() {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        }));
    };
    if !second.ends_with('\n') {
        return Err(CardFlaw::Lines("no newline at its end".to_owned()));
    }
    let seal = match read_line(second, 2)? {
        Line::Seal(seal) => parse_seal(&seal).map_err(|why| CardFlaw::Line { line: 2, why })?,
        Line::Card(_) => return Err(CardFlaw::Lines("no seal".to_owned())),
    };
    // The signature does not cover the seal itself, so its text is compared.
    if write_seal(&seal) != second {
        return Err(CardFlaw::Rewritten);
    }
    if !seal.verifies_card(CardHash::of_line(first.as_bytes())) {
        return Err(CardFlaw::Signature);
    }
    match read_line(first, 1)? {
        Line::Card(card) if card.version == CARD_VERSION => Ok((card, seal.signer)),
        Line::Card(card) => Err(CardFlaw::Version(card.version)),
        Line::Seal(_) => Err(CardFlaw::Lines("no card".to_owned())),
    }
}

fn write_line(line: Line) -> String {
    let line = MessageJson::of(&pb::BenchmarkLine { line: Some(line) });
    serde_json::to_string(&line).expect("all keys are strings") + "\n"
}

fn write_seal(seal: &Seal) -> String {
    write_line(Line::Seal(pb::BenchmarkSeal {
        signer: seal.signer.as_bytes().to_vec(),
        signature: seal.signature.as_bytes().to_vec(),
    }))
}

fn read_line(text: &str, line: usize) -> Result<Line, CardFlaw> {
    let flaw = |why: String| CardFlaw::Line { line, why };
    let json = parse_document(text).map_err(flaw)?;
    let read: pb::BenchmarkLine = message_from_json(&json).map_err(|error| flaw(error.to_string()))?;
    read.line.ok_or_else(|| flaw("it has neither `card` nor `seal`".to_owned()))
}

fn parse_seal(given: &pb::BenchmarkSeal) -> Result<Seal, String> {
    let lacks = |what: &str, given: usize, bytes: usize| format!("{what} of {given} bytes: expected {bytes}");
    let key = given.signer.as_slice().try_into();
    let key = key.map_err(|_| lacks("signer", given.signer.len(), PublicKey::BYTES))?;
    let signature = given.signature.as_slice().try_into();
    let signature = signature.map_err(|_| lacks("signature", given.signature.len(), Signature::BYTES))?;
    let signer = PublicKey::from_bytes(key).map_err(|error| error.to_string())?;
    Ok(Seal { signer, signature: Signature::from_bytes(signature) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_card() -> (String, PublicKey) {
        let key = SigningKey::from_seed(&[7; 32]);
        let card = pb::BenchmarkCard {
            version: CARD_VERSION,
            set: "lastnim-1".to_owned(),
            loss: Some(pb::LossFigure { value: 0.1, low: 0.05, high: 0.2 }),
            ..Default::default()
        };
        (write_card(card, &key), key.public_key())
    }

    #[test]
    fn written_card_reads_back() {
        let (text, key) = sign_card();
        assert!(looks_like_card(text.as_bytes()), "{text}");
        let (card, signer) = read_card(&text).unwrap();
        assert_eq!((card.set.as_str(), card.loss.unwrap().high, signer), ("lastnim-1", 0.2, key));
    }

    #[test]
    fn changes_to_a_card_are_named() {
        let (text, _) = sign_card();
        let (card, seal) = text.split_once('\n').unwrap();
        let why = |text: &str| read_card(text).unwrap_err().to_string();
        let changed = "the signature does not match this card: the card or the signature was changed";
        assert_eq!(why(&text.replacen("0.1", "0.01", 1)), changed);
        assert_eq!(why(&text.replacen("{\"card\"", "{ \"card\"", 1)), changed);
        assert_eq!(
            why(&format!("{card}\n")),
            "it has 1 line: expected two lines, the card and the seal, each ending with a newline"
        );
        assert!(why(text.trim_end()).starts_with("it has no newline at its end: "));
        assert!(why(&format!("{text}{seal}")).starts_with("it has 3 lines: "));
        assert_eq!(
            why(&text.replacen("{\"seal\"", "{ \"seal\"", 1)),
            "the seal is not written exactly as lastnim writes it: its line was changed"
        );
        assert!(why(&format!("{card}\n{{}}\n")).starts_with("line 2: it has neither"));
        let short = seal.replacen("\"signature\":\"", "\"signature\":\"AAAA", 1);
        assert!(
            why(&format!("{card}\n{short}")).starts_with("line 2: signature of 67 bytes"),
            "{}",
            why(&format!("{card}\n{short}"))
        );
    }
}
