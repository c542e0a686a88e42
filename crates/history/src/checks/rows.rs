//! Checks the rows sent to bots and the rows sent by bots.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog, SessionOfMatch},
    replayed_match::{RecordedRow, ReplayedMatch},
};
use lastnim_core::{
    game::{AllianceMatrix, Row, Seat},
    referee::RowDefault,
};
use lastnim_proto::pb::{self, play_response::Event};

pub(super) fn check_rows(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for session in &log.sessions {
        let own = replayed.seat_of_bot(session.bot);
        for message in &session.messages {
            match message.received() {
                Some(Event::Revealed(revealed)) => {
                    check_matrix(revealed.alliance_matrix.as_ref(), replayed, message, findings);
                    check_defaulted(&revealed.defaulted, replayed, message, findings);
                }
                Some(Event::Snapshot(snapshot)) if snapshot.alliance_matrix.is_some() => {
                    check_matrix(snapshot.alliance_matrix.as_ref(), replayed, message, findings);
                }
                Some(Event::Declared(declared)) => {
                    if let Some(seat) = own {
                        check_acknowledged(declared, seat, replayed, message, findings);
                    }
                }
                _ => {}
            }
        }
        if let Some(seat) = own
            && let Some(recorded) = &replayed.rows[seat]
        {
            check_sent_rows(log, session, recorded, seat, findings);
        }
    }
}

fn offsets_of(row: &Row) -> Vec<u32> {
    row.offsets().iter().copied().map(u32::from).collect()
}

fn check_matrix(
    shown: Option<&pb::AllianceMatrix>,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let shown: Vec<&[u32]> = shown
        .map(|matrix| matrix.rows.iter().map(|row| row.offsets.as_slice()).collect())
        .unwrap_or_default();
    let recorded: Option<Vec<Vec<u32>>> = replayed.matrix().map(rows_of);
    if recorded.as_ref().is_none_or(|recorded| *recorded != shown) {
        let recorded = recorded.map_or_else(|| "no rows".to_owned(), |rows| format!("{rows:?}"));
        let detail = format!("the rows are {shown:?}, but the record has {recorded}");
        findings.add(FindingKind::Rows, message, None, detail);
    }
}

fn rows_of(matrix: &AllianceMatrix) -> Vec<Vec<u32>> {
    matrix.rows().iter().map(offsets_of).collect()
}

/// Checks that the seats whose rows the server reported as replaced are those in the record.
fn check_defaulted(
    shown: &[u32],
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let is_defaulted = |row: &Option<RecordedRow>| row.as_ref().is_some_and(|row| row.defaulted.is_some());
    let recorded = replayed.rows.enumerate().filter(|(_, row)| is_defaulted(row));
    let recorded: Vec<u32> = recorded.map(|(seat, _)| seat.into()).collect();
    // The server lists the seats in the order in which their rows were replaced.
    let mut shown = shown.to_vec();
    shown.sort_unstable();
    if shown != recorded {
        let detail = format!(
            "seats whose row was replaced by the standard row: {shown:?} according to the server, {recorded:?} according to the record"
        );
        findings.add(FindingKind::Rows, message, None, detail);
    }
}

fn check_acknowledged(
    declared: &pb::Declared,
    seat: Seat,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    // The record of a match that was cancelled before the reveal has no rows.
    if replayed.matrix().is_none() {
        return;
    }
    let shown = declared.row.as_ref().map(|row| row.offsets.as_slice()).unwrap_or_default();
    // An invalid row is replaced by the standard row. If the bot then declares the standard row, the server
    // acknowledges it.
    let may_stand = |why: Option<RowDefault>| why.is_none_or(|why| why == RowDefault::Invalid);
    let recorded = match &replayed.rows[seat] {
        Some(recorded) if may_stand(recorded.defaulted) && offsets_of(&recorded.row) == shown => return,
        Some(RecordedRow { defaulted: Some(why), .. }) => {
            format!("has the standard row instead ({})", default_text(*why))
        }
        Some(recorded) => format!("has {}", recorded.row),
        None => "has assigned rows".to_owned(),
    };
    let detail = format!("the row {shown:?} of seat {seat} was acknowledged, but the record {recorded}");
    findings.add(FindingKind::Rows, message, None, detail);
}

fn default_text(why: RowDefault) -> &'static str {
    match why {
        RowDefault::Late => "late",
        RowDefault::Invalid => "invalid",
        RowDefault::Forfeited => "the seat was lost",
    }
}

/// Checks that the bot sent the recorded row if the record says that it was declared, and that the bot sent an invalid
/// row if the record says that its row was invalid.
fn check_sent_rows(
    log: &MatchLog<'_>,
    session: &SessionOfMatch<'_>,
    recorded: &RecordedRow,
    seat: Seat,
    findings: &mut Findings,
) {
    let Some(bracket) = session.bracket_of_rows() else { return };
    let sessions =
        log.sessions.iter().filter(|other| other.bot == session.bot && other.place <= session.place);
    let all = sessions.flat_map(|other| {
        let is_last = other.place == session.place;
        other.messages.iter().take_while(move |message| !is_last || message.line < bracket.after.line)
    });
    let offered: Vec<_> = all.filter_map(LoggedMessage::sent_declaration).collect();
    let is_row = |declare: &pb::Declare, row: &Row| {
        declare.row.as_ref().is_some_and(|sent| sent.offsets == offsets_of(row))
    };
    match recorded.defaulted {
        None => {
            let is_sent = offered
                .iter()
                .any(|declare| is_row(declare, &recorded.row) && declare.note_hash == recorded.note_hash);
            if !is_sent {
                let detail = format!(
                    "the record has the row {} for seat {seat}, but up to this line its bot sent {}",
                    recorded.row,
                    sent_rows_text(&offered)
                );
                findings.add(FindingKind::RowNeverSent, bracket.after, None, detail);
            }
        }
        Some(RowDefault::Invalid) => {
            let seats = recorded.row.seats();
            let is_valid = |declare: &pb::Declare| {
                let offsets = declare.row.as_ref().map(|row| row.offsets.as_slice()).unwrap_or_default();
                let offsets: Vec<u64> = offsets.iter().copied().map(u64::from).collect();
                Row::parse(&offsets, seats).is_ok()
            };
            if offered.iter().copied().all(is_valid) {
                let detail = format!(
                    "according to the record, the row that seat {seat} declared was not valid, but its bot sent {}",
                    sent_rows_text(&offered)
                );
                findings.add(FindingKind::RowReplaced, bracket.after, None, detail);
            }
        }
        Some(RowDefault::Late | RowDefault::Forfeited) => {}
    }
}

fn sent_rows_text(sent: &[&pb::Declare]) -> String {
    if sent.is_empty() {
        return "none".to_owned();
    }
    let rows = sent.iter().map(|declare| match &declare.row {
        Some(row) => format!("{:?}", row.offsets),
        None => "no row".to_owned(),
    });
    let rows: Vec<_> = rows.collect();
    rows.join(" and ")
}
