//! Checks the snapshots sent to bots.

use super::turns::{TurnNotice, check_bank};
use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
    replayed_match::ReplayedMatch,
};
use lastnim_proto::pb::{self, play_response::Event};

pub(super) fn check_snapshots(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for message in log.sessions.iter().flat_map(|session| &session.messages) {
        if let Some(Event::Snapshot(snapshot)) = message.received() {
            check_snapshot(snapshot, replayed, message, findings);
        }
    }
}

fn check_snapshot(
    snapshot: &pb::Snapshot,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let ply = snapshot.ply;
    let mut differs = |what: &str, reported: String, recorded: String| {
        let detail = format!("{what} is {reported}, but the record says {recorded}");
        findings.add(FindingKind::Snapshot, message, ply, detail);
    };
    let Some(state) = replayed.ply_state(ply) else {
        return differs(
            "the number of takes",
            ply.to_string(),
            format!("{} in the whole match", replayed.takes.len()),
        );
    };
    let position = &state.position;
    let (pile, counters) = (position.pile_index(), position.counters());
    if (snapshot.pile as usize, snapshot.counters) != (pile, counters) {
        let reported = format!("pile {} with {} left", snapshot.pile, snapshot.counters);
        differs("the pile in play", reported, format!("pile {pile} with {counters} left"));
    }
    if snapshot.to_move != u32::from(position.to_move()) {
        differs("the seat to move", snapshot.to_move.to_string(), position.to_move().to_string());
    }
    check_strikes(snapshot, replayed, &mut differs);
    check_forfeited(snapshot, replayed, &mut differs);
    for (seat, &left) in state.banks.enumerate() {
        let Some(&reported) = snapshot.banks_ms.get(seat.index()) else { continue };
        // Only the clock of the seat to move may have run during the ply.
        let is_running = position.to_move() == seat && snapshot.phase() == pb::Phase::Playing;
        let notice = if is_running { TurnNotice::Repeated } else { TurnNotice::First };
        check_bank(reported, left, notice, (seat, ply), message, findings);
    }
}

/// Checks the number of strikes: it must count those before the current ply, and may count some of those during it.
fn check_strikes(
    snapshot: &pb::Snapshot,
    replayed: &ReplayedMatch<'_>,
    differs: &mut impl FnMut(&str, String, String),
) {
    for seat in replayed.setup().seats().iter() {
        let seat_strikes = || replayed.strikes.iter().filter(|strike| strike.seat == seat);
        let before = seat_strikes().filter(|strike| strike.ply < snapshot.ply).count();
        let until = seat_strikes().filter(|strike| strike.ply <= snapshot.ply).count();
        let reported = snapshot.strikes.get(seat.index()).copied().unwrap_or_default() as usize;
        if !(before..=until).contains(&reported) {
            let recorded = if before == until { before.to_string() } else { format!("{before} to {until}") };
            differs(&format!("the number of strikes of seat {seat}"), reported.to_string(), recorded);
        }
    }
}

/// Checks the lost seats: they must include those lost before the current ply, and may include some lost during it.
fn check_forfeited(
    snapshot: &pb::Snapshot,
    replayed: &ReplayedMatch<'_>,
    differs: &mut impl FnMut(&str, String, String),
) {
    for (seat, forfeit) in replayed.forfeits.enumerate() {
        let reported = snapshot.forfeited.contains(&seat.into());
        let recorded = match forfeit {
            Some(forfeit) if forfeit.ply < snapshot.ply => true,
            Some(forfeit) if forfeit.ply == snapshot.ply => continue,
            _ => false,
        };
        if reported != recorded {
            let detail = |lost: bool| if lost { "lost" } else { "not lost" }.to_owned();
            differs(&format!("seat {seat}"), detail(reported), detail(recorded));
        }
    }
}
