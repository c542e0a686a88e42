//! Writes records as text.

use super::{Utc, VERSION_LINE};
use crate::{pb, record::whole_micros};
use lastnim_core::game::{BotName, BySeat, Seat};
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{
    Audience, DealRule, Event, MatchSetup, NoteHash, OfferId, OpenedContent, Record, Seal, TalkContent,
    TimedEvent,
};
use std::fmt::Write as _;

/// Writes a record, with the seal if one is given. While rows are secret, this leaves them out, and also the hashes and
/// the seal, which depend on them.
pub fn write_record_text(record: &Record, seal: Option<&Seal>) -> String {
    let mut text = format!("{VERSION_LINE}\nmatch {}\n", record.id());
    let setup = record.state().setup();
    write_header(&mut text, setup);
    let all_public = record.state().is_all_public();
    if let Some(seal) = seal.filter(|_| all_public) {
        write_line(&mut text, format_args!("signer {}\nsignature {}", seal.signer, seal.signature));
    }
    write_line(&mut text, format_args!("events {}", record.public_events().count()));
    for (timed, hash) in record.public_events().zip(record.hashes()) {
        write_event(&mut text, timed, &setup.bots);
        if all_public {
            write_line(&mut text, format_args!(" hash {hash}"));
        } else {
            text.push('\n');
        }
    }
    text
}

fn write_formatted(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("a `String` accepts all writes");
}

fn write_line(text: &mut String, words: std::fmt::Arguments<'_>) {
    write_formatted(text, words);
    text.push('\n');
}

fn write_header(text: &mut String, setup: &MatchSetup) {
    if let Some(origin) = &setup.origin {
        let (id, number, group) = (origin.tournament, origin.number, origin.group);
        write_line(text, format_args!("tournament {id} number {number} group {group}"));
    }
    for (seat, bot) in setup.bots.enumerate() {
        write_line(text, format_args!("seat {seat} {bot}"));
    }
    text.push_str("piles");
    for counters in setup.piles.as_slice() {
        write_formatted(text, format_args!(" {counters}"));
    }
    write_line(text, format_args!("\nfirst {}\nending {}", setup.first, setup.ending));
    let pb::Clock { initial_ms, increment_ms, lag_quota_ms, lag_total_ms, declaration_ms, return_within_ms } =
        setup.clock().into();
    write_line(
        text,
        format_args!(
            "clock initial_ms {initial_ms} increment_ms {increment_ms} lag_quota_ms {lag_quota_ms} \
             lag_total_ms {lag_total_ms} declaration_ms {declaration_ms}{}",
            return_within_ms.map(|ms| format!(" return_within_ms {ms}")).unwrap_or_default()
        ),
    );
    write_line(text, format_args!("strikes {}\nmax_plies {}", setup.terms.strikes, setup.terms.max_plies));
    if let Some(talk) = &setup.terms.talk {
        let pb::Talk { rounds, round_ms, text_chars, privacy, pacts } = talk.into();
        let privacy = pb::TalkPrivacy::try_from(privacy).unwrap_or_default().as_str_name();
        let privacy = enum_value_name(privacy, "TALK_PRIVACY_");
        write_line(
            text,
            format_args!(
                "talk rounds {rounds} round_ms {round_ms} text_chars {text_chars} privacy {privacy} \
                 pacts {pacts}"
            ),
        );
    }
    match (&setup.assigned, &setup.deal) {
        (Some(matrix), _) => write_line(text, format_args!("rows assigned {matrix}")),
        (None, None) => write_line(text, format_args!("rows declared")),
        (None, Some(deal)) => {
            text.push_str("rows dealt from ");
            match &deal.rule {
                DealRule::All => text.push_str("all"),
                DealRule::SelfFirst => text.push_str("self_first"),
                DealRule::List(rows) => {
                    let rows: Vec<_> = rows.iter().map(ToString::to_string).collect();
                    text.push_str(&rows.join("; "));
                }
            }
            text.push('\n');
            for (seat, commitment) in deal.commitments.enumerate() {
                write_line(text, format_args!("commitment {seat} {commitment}"));
            }
        }
    }
}

/// Returns the name of an enumeration value in the text: its name in the proto without the common prefix, in lower
/// case.
fn enum_value_name(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

fn write_note_hash(text: &mut String, note_hash: Option<&NoteHash>) {
    if let Some(note_hash) = note_hash {
        write_formatted(text, format_args!(" note_hash {note_hash}"));
    }
}

fn write_event(text: &mut String, timed: &TimedEvent, bots: &BySeat<BotName>) {
    write_formatted(text, format_args!("{} ", Utc(timed.at.as_micros())));
    let named_seat = |seat: Seat| format!("{seat} {}", bots[seat]);
    match &timed.event {
        Event::Created(_) => text.push_str("created"),
        Event::Dealt(dealt) => {
            write_formatted(text, format_args!("dealt rows {} salts", dealt.matrix));
            dealt.salts.iter().for_each(|salt| write_formatted(text, format_args!(" {salt}")));
        }
        Event::Said(message) => {
            let (from, round, number) = (named_seat(message.seat), message.round, message.number);
            write_formatted(text, format_args!("said round {round} number {number} seat {from} to"));
            match message.audience {
                Audience::Everyone => text.push_str(" all"),
                Audience::Seats { seats, .. } => {
                    seats.iter().for_each(|seat| write_formatted(text, format_args!(" {seat}")));
                }
            }
            write_formatted(text, format_args!(" commitment {}", message.commitment));
            if let Some(OpenedContent { salt, content }) = message.public_content() {
                write_formatted(text, format_args!(" salt {salt}"));
                match content {
                    TalkContent::Text(words) => write_formatted(text, format_args!(" text {words:?}")),
                    TalkContent::Claim(row) => write_formatted(text, format_args!(" claim {row}")),
                    TalkContent::Offer(pact) => write_formatted(text, format_args!(" offer {pact}")),
                    TalkContent::Accept(OfferId { seat, round, number }) => write_formatted(
                        text,
                        format_args!(" accept seat {seat} round {round} number {number}"),
                    ),
                }
            }
        }
        Event::TalkEnded { seat, round } => {
            write_formatted(text, format_args!("talk_ended round {round} seat {}", named_seat(*seat)));
        }
        Event::Heard { round } => write_formatted(text, format_args!("heard round {round}")),
        Event::Declared { seat, row, defaulted, note_hash } => {
            write_formatted(text, format_args!("declared seat {} row {row}", named_seat(*seat)));
            if let Some(why) = defaulted {
                let why = enum_value_name(pb::RowDefault::from(*why).as_str_name(), "ROW_DEFAULT_");
                write_formatted(text, format_args!(" default {why}"));
            }
            write_note_hash(text, note_hash.as_ref());
        }
        Event::Revealed { matrix } => write_formatted(text, format_args!("revealed rows {matrix}")),
        Event::Took { ply, seat, take, mover, charged, credited, note_hash } => {
            let mover = match mover {
                Mover::Bot => "bot",
                Mover::Steward => "steward",
            };
            let (seat, charged, lag) = (named_seat(*seat), whole_micros(*charged), whole_micros(*credited));
            write_formatted(
                text,
                format_args!(
                    "took ply {ply} seat {seat} take {take} by {mover} charged_us {charged} lag_us {lag}"
                ),
            );
            write_note_hash(text, note_hash.as_ref());
        }
        Event::Struck { seat, ply, reason } => {
            let reason = enum_value_name(pb::RefusalReason::from(*reason).as_str_name(), "REFUSAL_REASON_");
            write_formatted(text, format_args!("struck ply {ply} seat {} for {reason}", named_seat(*seat)));
        }
        Event::Forfeited { seat, reason } => {
            let reason = enum_value_name(pb::ForfeitReason::from(*reason).as_str_name(), "FORFEIT_REASON_");
            write_formatted(text, format_args!("forfeited seat {} {reason}", named_seat(*seat)));
        }
        Event::Ended { reason, winner } => {
            write_formatted(
                text,
                format_args!(
                    "ended {}",
                    enum_value_name(pb::EndReason::from(*reason).as_str_name(), "END_REASON_")
                ),
            );
            if let Some(winner) = winner {
                write_formatted(text, format_args!(" winner {}", named_seat(*winner)));
            }
        }
    }
}
