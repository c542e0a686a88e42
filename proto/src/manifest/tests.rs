//! Tests with a frozen manifest and with changed copies of it.

use super::*;
use lastnim_core::game::MatchId;
use lastnim_core::referee::{DealSecret, EventHash, PublishedSecret, SigningKey, Timestamp};
use lastnim_tournament::TournamentState;
use pb::manifest_line::Line;
use proptest::prelude::*;

/// A manifest written by another program that follows the specification. It must stay readable, and the writer must
/// reproduce it.
const FROZEN: &str = include_str!("../../../tests/data/tournament.manifest");

/// The key that signed the frozen manifest; its seed is the bytes 0, 1, .., 31.
fn frozen_key() -> SigningKey {
    SigningKey::from_seed(&std::array::from_fn(|index| index as u8))
}

fn read(text: &[u8]) -> ManifestReadResult {
    let mut reader = ManifestReader::default();
    text.split_inclusive(|&byte| byte == b'\n').for_each(|line| reader.read_line(line));
    reader.finish()
}

fn match_id(index: u8) -> MatchId {
    MatchId::new(1_700_000_000_100 + u64::from(index), &[index; 10])
}

fn listed_match(index: u8, number: u64, record: ListedRecord) -> ListedMatch {
    ListedMatch { id: match_id(index), number, record }
}

fn frozen_matches() -> [ListedMatch; 5] {
    let hash = |byte| EventHash::from_bytes([byte; 32]);
    let (new, old) = (frozen_key().public_key(), SigningKey::from_seed(&[9; 32]).public_key());
    let signed_record = |byte, signer| ListedRecord::Signed { head: hash(byte), signer };
    [
        listed_match(0, 0, ListedRecord::Unrevealed { public_head: hash(1) }),
        listed_match(1, 0, signed_record(2, old)),
        listed_match(2, 1, signed_record(3, old)),
        listed_match(3, 2, signed_record(4, new)),
        listed_match(4, 3, ListedRecord::Unrecorded),
    ]
}

fn seal_lines(mut writer: ManifestWriter) -> Vec<u8> {
    let seal = frozen_key().seal_manifest(writer.hash());
    writer.push_seal(&seal);
    writer.take_text()
}

#[test]
fn frozen_manifest_verifies_and_is_reproduced() {
    let ManifestReadResult { signed, manifest } = read(FROZEN.as_bytes());
    assert_eq!(signed, Ok(frozen_key().public_key()));
    let manifest = manifest.unwrap();
    assert_eq!((manifest.state, manifest.is_interim()), (TournamentState::Finished, false));
    assert_eq!(manifest.matches, frozen_matches());
    assert_eq!((manifest.field.len(), manifest.changes.len(), manifest.events.len()), (2, 1, 1));
    let time_at = |micros| Timestamp::from_micros(micros);
    let (created_at, over_at) = (time_at(1_700_000_000_000_000), time_at(1_700_000_060_000_000));
    let mut writer = ManifestWriter::begin(manifest.id, manifest.state, created_at, Some(over_at), None);
    writer.push_line(Line::Settings(manifest.settings));
    for bot in manifest.field {
        writer.push_line(Line::Bot(pb::ManifestBot { name: bot.to_string() }));
    }
    for change in &manifest.changes {
        writer.push_line(Line::FieldChange(change.into()));
    }
    manifest.events.into_iter().for_each(|event| writer.push_line(Line::Event(event)));
    manifest.matches.iter().for_each(|listed| writer.push_match(listed));
    manifest.standings.into_iter().for_each(|line| writer.push_line(Line::Standing(line)));
    writer.push_line(Line::Verdict(manifest.verdict));
    assert_eq!(String::from_utf8(seal_lines(writer)).unwrap(), FROZEN);
}

#[test]
fn removed_added_and_moved_lines_break_the_signature() {
    let lines: Vec<&str> = FROZEN.split_inclusive('\n').collect();
    let (body, seal) = lines.split_at(lines.len() - 1);
    let signer_of = |body: &[&str]| read([body, seal].concat().concat().as_bytes()).signed;
    assert!(signer_of(body).is_ok());
    for index in 0..body.len() {
        let mut shortened = body.to_vec();
        shortened.remove(index);
        assert_eq!(signer_of(&shortened), Err(ManifestFlaw::Signature), "without line {index}");
        let mut twice = body.to_vec();
        twice.insert(index, body[index]);
        assert_eq!(signer_of(&twice), Err(ManifestFlaw::Signature), "line {index} twice");
        for other in index + 1..body.len() {
            let mut moved = body.to_vec();
            moved.swap(index, other);
            assert_eq!(signer_of(&moved), Err(ManifestFlaw::Signature), "lines {index} and {other}");
        }
    }
    let cut = read(body.concat().as_bytes());
    assert_eq!((cut.signed, cut.manifest.is_ok()), (Err(ManifestFlaw::CutOff), true));
    let behind = read((FROZEN.to_owned() + body[2]).as_bytes());
    assert_eq!(behind.signed, Err(ManifestFlaw::AfterSeal { line: lines.len() as u64 + 1 }));
}

/// A reader can check the signature of a newer server's manifest without knowing all its fields.
#[test]
fn unknown_field_is_named_and_the_signature_is_valid() {
    let newer = FROZEN.replacen("\"seats\":2", "\"seats\":2,\"of_a_later_version\":7", 1);
    let lines: Vec<&str> = newer.split_inclusive('\n').collect();
    let mut hasher = lastnim_core::referee::ManifestHasher::default();
    lines[..lines.len() - 1].iter().for_each(|line| hasher.update(line.as_bytes()));
    let seal = frozen_key().seal_manifest(hasher.hash());
    let mut writer = ManifestWriter::default();
    writer.push_seal(&seal);
    let text = [lines[..lines.len() - 1].concat().into_bytes(), writer.take_text()].concat();
    let ManifestReadResult { signed, manifest } = read(&text);
    assert_eq!(signed, Ok(frozen_key().public_key()));
    let flaw = manifest.unwrap_err().to_string();
    assert!(flaw.starts_with("line 2: ") && flaw.contains("of_a_later_version"), "{flaw}");
}

#[test]
fn misplaced_lines_and_invalid_values_are_named() {
    let flaw = |from: &str, to: &str| {
        assert!(FROZEN.contains(from), "{from}");
        read(FROZEN.replacen(from, to, 1).as_bytes()).manifest.unwrap_err().to_string()
    };
    let lines: Vec<&str> = FROZEN.split_inclusive('\n').collect();
    assert_eq!(
        flaw("\"version\":1", "\"version\":2"),
        "line 1: manifest.version: 2: this program reads version 1"
    );
    assert_eq!(flaw(lines[1], ""), "line 2: it is repeated or in the wrong place");
    assert_eq!(flaw(lines[13], ""), "the line `verdict` is missing");
    let swapped = [lines[7], lines[6]].concat();
    let both = [lines[6], lines[7]].concat();
    assert_eq!(
        flaw(&both, &swapped),
        "line 8: match.match_id: the ids of the lines are not in ascending order"
    );
    assert!(
        flaw("\"unrecorded\":true", "\"unrecorded\":false").contains("exactly one of head, public_head,")
    );
    assert_eq!(flaw("AgICAgIC", "AgIC"), "line 8: match.head: 29 bytes: expected 32 in a hash");
    let unsigned = format!("\"signer\":\"{}\"", SigningKey::from_seed(&[9; 32]).public_key());
    assert_eq!(flaw(&format!(",{unsigned}"), ""), "line 8: match.signer: missing");
    let empty = read(b"");
    assert_eq!(
        (empty.signed, empty.manifest),
        (Err(ManifestFlaw::CutOff), Err(ManifestFlaw::Missing { what: "manifest" }))
    );
}

#[test]
fn manifest_is_distinguished_from_a_record() {
    assert!(looks_like_manifest(FROZEN.as_bytes()) && looks_like_manifest(b" {\n \"manifest\" : {"));
    for other in ["", "{", "{\"manifest\"", "{\"match_id\":\"\"}", "lastnim record 1\n", "{\"manifesto\":{"] {
        assert!(!looks_like_manifest(other.as_bytes()), "{other}");
    }
}

#[test]
fn match_newer_than_the_manifest_is_recognised_by_its_id() {
    let mut manifest = read(FROZEN.as_bytes()).manifest.unwrap();
    assert!(!manifest.is_newer_match(match_id(200)), "no match begins after the end of the tournament");
    manifest.state = TournamentState::Running;
    assert!(manifest.is_newer_match(match_id(5)) && !manifest.is_newer_match(match_id(3)));
    let last = manifest.matches.last().unwrap().id;
    assert!(!manifest.is_newer_match(last) && !manifest.is_newer_match(last.before()));
    assert!(
        manifest.is_newer_match(MatchId::new(last.unix_ms(), &[255; 10])),
        "ids rise even within one millisecond"
    );
    manifest.matches.clear();
    assert!(manifest.is_newer_match(match_id(0)));
}

fn any_record() -> impl Strategy<Value = ListedRecord> {
    let signers = [1, 2, 3].map(|seed| SigningKey::from_seed(&[seed; 32]).public_key());
    prop_oneof![
        (any::<[u8; 32]>(), 0..3_usize).prop_map(move |(head, signer)| ListedRecord::Signed {
            head: EventHash::from_bytes(head),
            signer: signers[signer],
        }),
        any::<[u8; 32]>()
            .prop_map(|head| ListedRecord::Unrevealed { public_head: EventHash::from_bytes(head) }),
        Just(ListedRecord::Open),
        Just(ListedRecord::Unrecorded),
    ]
}

#[test]
fn the_secret_of_the_deals_must_have_the_published_hash() {
    let secret = DealSecret::from_bytes([3; 32]);
    let (id, at) = (read(FROZEN.as_bytes()).manifest.unwrap().id, Timestamp::from_micros(1));
    let written_secret = |published: &PublishedSecret| {
        let mut writer = ManifestWriter::begin(id, TournamentState::Finished, at, Some(at), Some(published));
        writer.push_line(Line::Settings(pb::TournamentSettings::default()));
        writer.push_line(Line::Verdict(pb::Verdict::default()));
        read(&seal_lines(writer)).manifest
    };
    for is_over in [false, true] {
        let published = secret.publish(is_over);
        assert_eq!(written_secret(&published).unwrap().deal_secret, Some(published));
    }
    let other = DealSecret::from_bytes([4; 32]);
    let forged = PublishedSecret { hash: secret.hash(), secret: Some(other) };
    assert_eq!(
        written_secret(&forged).unwrap_err().to_string(),
        "line 1: manifest.deal_secret: its hash is not the one that was published"
    );
}

proptest! {
    // Without optimisation, each signature takes milliseconds, so the number of cases is small.
    #![proptest_config(lastnim_core::game::testing::cases(48))]

    #[test]
    fn matches_read_back(given in prop::collection::vec((any_record(), any::<u64>()), 0..40)) {
        let expected: Vec<_> =
            (0..).zip(given).map(|(index, (record, number))| listed_match(index, number, record)).collect();
        let (id, at) = (read(FROZEN.as_bytes()).manifest.unwrap().id, Timestamp::from_micros(1));
        let mut writer = ManifestWriter::begin(id, TournamentState::Running, at, None, None);
        writer.push_line(Line::Settings(pb::TournamentSettings::default()));
        // The written text must be the same even if it is drained early.
        let mut text = writer.take_text();
        for listed in &expected {
            writer.push_match(listed);
            text.append(&mut writer.take_text());
        }
        writer.push_line(Line::Verdict(pb::Verdict::default()));
        text.append(&mut seal_lines(writer));
        let ManifestReadResult { signed, manifest } = read(&text);
        prop_assert_eq!(signed, Ok(frozen_key().public_key()));
        let manifest = manifest.unwrap();
        prop_assert!(manifest.is_interim());
        for (place, listed) in expected.iter().enumerate() {
            prop_assert_eq!(manifest.index_of_match(listed.id), Some(place));
        }
        prop_assert_eq!(manifest.matches, expected);
    }

    #[test]
    fn one_changed_byte_breaks_the_signature(place: prop::sample::Index, by in 1..=255_u8) {
        let mut text = FROZEN.as_bytes().to_vec();
        let place = place.index(text.len() - 1);
        text[place] ^= by;
        prop_assert!(read(&text).signed.is_err(), "byte {}", place);
    }
}
