//! Converts dealt rows and the rules by which they are dealt.

use super::game::parse_row;
use super::{RequestField, pb};
use lastnim_core::game::{BySeat, Row, SeatCount};
use lastnim_core::referee::{Deal, DealHash, DealRule, DealSecret, DealtRows, PublishedSecret};

/// Returns the two fields of a message that name a rule: a word, and the rows of a list.
pub(crate) fn deal_rule_fields(rule: &DealRule) -> (pb::DealRule, Vec<pb::Row>) {
    match rule {
        DealRule::All => (pb::DealRule::All, Vec::new()),
        DealRule::SelfFirst => (pb::DealRule::SelfFirst, Vec::new()),
        DealRule::List(rows) => (pb::DealRule::Unspecified, rows.iter().map(Into::into).collect()),
    }
}

/// Reads a rule from its two fields: a word, and the rows of a list.
pub(crate) fn parse_deal_rule(
    rule: i32,
    rows: &[pb::Row],
    seats: SeatCount,
    [at_rule, at_rows]: [RequestField<'_>; 2],
) -> Option<DealRule> {
    let rule = at_rule.known_enum::<pb::DealRule>(rule);
    let parsed: Option<Vec<Row>> = at_rows.parse_each(rows, |row, at| parse_row(row, seats, at));
    let (rule, rows) = (rule?, parsed?);
    match (rule, rows.is_empty()) {
        (pb::DealRule::Unspecified, false) => {
            let list = DealRule::List(rows);
            at_rows.ok_or_report(list.check_seats(seats))?;
            Some(list)
        }
        (pb::DealRule::Unspecified | pb::DealRule::All, true) => Some(DealRule::All),
        (pb::DealRule::SelfFirst, true) => Some(DealRule::SelfFirst),
        (word, false) => {
            let word = word.as_str_name();
            at_rows.report(format_args!("{word} takes no rows: leave out either the word or the rows"));
            None
        }
    }
}

/// Reports a deal rule that is given although the alliance mode deals no rows. Returns whether no rule is given.
pub(crate) fn refuse_deal(
    mode: pb::AllianceMode,
    rule: i32,
    rows: &[pb::Row],
    [at_rule, at_rows]: [RequestField<'_>; 2],
) -> bool {
    let refuse = |at: RequestField<'_>| {
        at.report(format_args!("{} deals no rows: only ALLIANCE_MODE_DEALT does", mode.as_str_name()));
    };
    if rule != pb::DealRule::Unspecified as i32 {
        refuse(at_rule);
    } else if !rows.is_empty() {
        refuse(at_rows);
    } else {
        return true;
    }
    false
}

impl From<&Deal> for pb::Deal {
    fn from(deal: &Deal) -> Self {
        let (rule, rows) = deal_rule_fields(&deal.rule);
        Self { rule: rule.into(), rows, commitments: hash_messages(&deal.commitments) }
    }
}

/// Reads how rows were dealt in a match with this many seats.
pub(crate) fn parse_deal(deal: &pb::Deal, seats: SeatCount, field: RequestField<'_>) -> Option<Deal> {
    let rule = parse_deal_rule(deal.rule, &deal.rows, seats, [field.member("rule"), field.member("rows")]);
    let commitments = parse_hashes(&deal.commitments, field.member("commitments"));
    Some(Deal { rule: rule?, commitments: commitments? })
}

impl From<&DealtRows> for pb::DealtEvent {
    fn from(dealt: &DealtRows) -> Self {
        Self { rows: Some((&dealt.matrix).into()), salts: hash_messages(&dealt.salts) }
    }
}

/// Reads the dealt rows of a record.
pub(crate) fn parse_dealt_rows(dealt: &pb::DealtEvent, field: RequestField<'_>) -> Option<DealtRows> {
    let matrix = dealt.rows.as_ref();
    let matrix = field.member("rows").parse_required(matrix, super::game::parse_alliance_matrix);
    let salts = parse_hashes(&dealt.salts, field.member("salts"));
    Some(DealtRows { matrix: matrix?, salts: salts? })
}

/// Returns the two fields of a message that show a tournament's secret: its hash, and the secret once it is opened.
pub(crate) fn published_secret_fields(published: Option<&PublishedSecret>) -> (Vec<u8>, Vec<u8>) {
    let Some(PublishedSecret { hash, secret }) = published else { return (Vec::new(), Vec::new()) };
    let secret = secret.as_ref().map(|secret| secret.as_bytes().to_vec());
    (hash.as_bytes().to_vec(), secret.unwrap_or_default())
}

/// Reads what a message shows of a tournament's secret. The inner value is `None` if it shows nothing.
#[expect(
    clippy::option_option,
    reason = "as in all parsers here, the outer option is `None` after a mistake"
)]
pub(crate) fn parse_published_secret(
    hash: &[u8],
    secret: &[u8],
    [at_hash, at_secret]: [RequestField<'_>; 2],
) -> Option<Option<PublishedSecret>> {
    if hash.is_empty() && secret.is_empty() {
        return Some(None);
    }
    let hash = parse_deal_bytes(hash, at_hash).map(DealHash::from_bytes)?;
    if secret.is_empty() {
        return Some(Some(PublishedSecret { hash, secret: None }));
    }
    let secret = DealSecret::from_bytes(parse_deal_bytes(secret, at_secret)?);
    let fits = (secret.hash() == hash).then_some(()).ok_or("its hash is not the one that was published");
    at_secret.ok_or_report(fits)?;
    Some(Some(secret.publish(true)))
}

/// Reads the 32 bytes of a hash, a salt or a secret.
pub(crate) fn parse_deal_bytes(bytes: &[u8], field: RequestField<'_>) -> Option<[u8; DealHash::BYTES]> {
    let array = bytes.try_into();
    field.ok_or_report(array.map_err(|_| format!("{} bytes: expected {}", bytes.len(), DealHash::BYTES)))
}

fn hash_messages(hashes: &BySeat<DealHash>) -> Vec<Vec<u8>> {
    hashes.iter().map(|hash| hash.as_bytes().to_vec()).collect()
}

fn parse_hashes(hashes: &[Vec<u8>], field: RequestField<'_>) -> Option<BySeat<DealHash>> {
    let parsed = field.parse_each(hashes, |hash, at| parse_deal_bytes(hash, at).map(DealHash::from_bytes));
    field.ok_or_report(BySeat::try_from(parsed?))
}
