//! Questions and reports as JSON for the dataclasses in `lastnim/match.py` and `lastnim/notices.py`.

use lastnim_client::{
    Clock, Connected, EndReport, Error, JoinRefusal, MatchEnd, MatchInfo, MatchView, Refusal, SeenTake,
    Summary, Suspension, TalkContent, TalkMessage, TalkRound, TournamentEnd,
};
use lastnim_core::{
    game::{AllianceMatrix, BotName, Pact, Row, Seat},
    oracle::Mover,
};
use lastnim_proto::pb;
use serde_json::{Value, json};
use std::time::Duration;

/// Writes the settings of a match that are known before the first take.
pub fn match_json(info: &MatchInfo) -> Value {
    json!({
        "id": info.id.to_string(),
        "seat": info.seat.index(),
        "bots": info.bots.iter().map(BotName::as_str).collect::<Vec<_>>(),
        "piles": info.piles.as_slice(),
        "first": info.first.index(),
        "ending": info.ending.name().replace('-', "_"),
        "clock": clock_json(info.clock()),
        "strikes": info.terms.strikes,
        "max_plies": info.terms.max_plies,
        "assigned": info.assigned.as_ref().map(rows_json),
        "dealt_row": info.dealt_row.as_ref().map(Row::offsets),
        "talk": info.terms.talk.map(|talk| json!({
            "rounds": talk.rounds,
            "round_ms": whole_milliseconds(talk.round_time),
            "text_chars": talk.text_chars,
            "privacy": word_of(pb::TalkPrivacy::from(talk.privacy).as_str_name(), "TALK_PRIVACY_"),
            "pacts": talk.pacts,
        })),
        "messages": info.messages.iter().map(message_json).collect::<Vec<_>>(),
        "origin": info.origin.as_ref().map(|origin| json!({
            "tournament": origin.tournament.to_string(),
            "number": origin.number,
            "group": origin.group,
        })),
    })
}

/// Writes a message that the bot has sent or heard.
fn message_json(message: &TalkMessage) -> Value {
    let mut json = json!({
        "seat": message.seat.index(),
        "round": message.round,
        "number": message.number,
        "to": message.to.iter().map(Seat::index).collect::<Vec<_>>(),
    });
    match &message.content {
        TalkContent::Text(text) => json["text"] = json!(text),
        TalkContent::Claim(row) => json["claim"] = json!(row.offsets()),
        TalkContent::Offer(pact) => json["offer"] = pact_json(pact),
        TalkContent::Accept(offer) => {
            json["accept"] =
                json!({ "seat": offer.seat.index(), "round": offer.round, "number": offer.number });
        }
    }
    json
}

fn pact_json(pact: &Pact) -> Value {
    let members = pact.members().iter().map(|member| {
        let relations = member.relations();
        let relations =
            relations.map(|(before, after)| json!({ "before": before.index(), "after": after.index() }));
        json!({ "seat": member.seat.index(), "relations": relations.collect::<Vec<_>>() })
    });
    json!({ "members": members.collect::<Vec<_>>() })
}

/// Writes a round of talk.
pub fn talk_round_json(round: &TalkRound) -> Value {
    json!({
        "match": match_json(round.info()),
        "round": round.round(),
        "time_left_ms": whole_milliseconds(round.time_left()),
    })
}

/// Writes a round of talk that has ended.
pub fn heard_json(info: &MatchInfo, round: u32) -> Value {
    json!({ "match": match_json(info), "round": round })
}

/// Writes a match at the bot's turn.
pub fn turn_json(view: &MatchView) -> Value {
    json!({
        "match": match_json(view.info()),
        "position": {
            "piles": view.position().piles().collect::<Vec<_>>(),
            "seat": view.position().to_move().index(),
            "rows": rows_json(view.matrix()),
            "ending": view.ending.name().replace('-', "_"),
            "ply": view.ply(),
            "bank_left_ms": whole_milliseconds(view.bank_left()),
        },
        "seen_takes": seen_takes_json(view.seen_takes()),
    })
}

/// Writes takes; in a run of consecutive takes, only the first has a position.
fn seen_takes_json(seen: &[SeenTake]) -> Value {
    let runs = seen.chunk_by(|take, next| take.ply.checked_add(1) == Some(next.ply));
    runs.filter_map(|run| run.first().map(|first| (first, run)))
        .map(|(first, run)| {
            json!({
                "ply": first.ply,
                "piles": first.before.piles().collect::<Vec<_>>(),
                "seat": first.before.to_move().index(),
                "takes": run.iter().map(|seen| seen.take).collect::<Vec<_>>(),
                "by_steward": run.iter().map(|seen| seen.mover == Mover::Steward).collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn rows_json(matrix: &AllianceMatrix) -> Value {
    matrix.rows().iter().map(|row| json!(row.offsets())).collect()
}

fn clock_json(clock: &Clock) -> Value {
    json!({
        "initial_ms": whole_milliseconds(clock.initial),
        "increment_ms": whole_milliseconds(clock.increment),
        "lag_quota_ms": whole_milliseconds(clock.lag_quota),
        "lag_total_ms": whole_milliseconds(clock.lag_total),
        "declaration_ms": whole_milliseconds(clock.declaration),
        "return_within_ms": clock.return_within.map(whole_milliseconds),
    })
}

fn whole_milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Writes the end of a match.
pub fn match_end_json(end: &MatchEnd) -> Value {
    let reason = match end.reason {
        EndReport::Known(reason) => word_of(pb::EndReason::from(reason).as_str_name(), "END_REASON_"),
        EndReport::Unknown(_) => "unknown".to_owned(),
        EndReport::Unseen => "unseen".to_owned(),
    };
    json!({
        "match": match_json(&end.info),
        "reason": reason,
        "winner": end.winner.map(Seat::index),
        "forfeited": end.forfeited,
        "figures": end.figures.map(|figures| json!({
            "satisfaction": figures.satisfaction,
            "regret": figures.regret,
            "luck": figures.luck,
            "takes": figures.takes,
            "optimal_takes": figures.optimal_takes,
        })),
    })
}

/// Writes a refusal.
pub fn refusal_json(refusal: &Refusal) -> Value {
    let word = refusal
        .reason
        .map(|reason| word_of(pb::RefusalReason::from(reason).as_str_name(), "REFUSAL_REASON_"));
    json!({
        "match": refusal.match_id.map(|id| id.to_string()),
        "reason": word,
        "message": refusal.message,
        "ply": refusal.ply,
        "strikes": refusal.strikes,
        "strikes_left": refusal.strikes_left,
    })
}

/// Writes a suspension.
pub fn suspension_json(notice: &Suspension) -> Value {
    let word = notice
        .reason
        .map(|reason| word_of(pb::SuspensionReason::from(reason).as_str_name(), "SUSPENSION_REASON_"));
    json!({
        "tournament": notice.tournament.to_string(),
        "reason": word,
        "message": notice.message,
        "from_round": notice.from_round,
        "lost": notice.lost,
        "no_shows": notice.no_shows,
        "last": notice.last,
    })
}

/// Writes the end of a tournament.
pub fn tournament_end_json(end: &TournamentEnd) -> Value {
    json!({
        "tournament": end.tournament.to_string(),
        "title": end.title,
        "state": word_of(pb::TournamentState::from(end.state).as_str_name(), "TOURNAMENT_STATE_"),
        "place": end.place,
        "points": end.points,
        "matches": end.matches,
        "wins": end.wins,
        "bots": end.bots,
    })
}

/// Writes an open session.
pub fn connected_json(session: &Connected) -> Value {
    json!({
        "bot": session.bot,
        "server_version": session.server_version,
        "open_matches": session.open_matches,
    })
}

/// Writes the summary of a run.
pub fn summary_json(summary: &Summary) -> Value {
    json!({
        "matches": summary.matches,
        "wins": summary.wins,
        "forfeits": summary.forfeits,
        "cancelled": summary.cancelled,
        "unseen": summary.unseen,
        "unaudited": summary.unaudited,
        "regret": summary.regret,
        "takes": summary.takes,
        "optimal_takes": summary.optimal_takes,
        "line": summary.to_string(),
    })
}

/// Writes the error of a run: a code and a message.
pub fn error_json(error: &Error) -> Value {
    let code = match error {
        Error::Address { .. } => "address",
        Error::Token => "token",
        Error::NoToken => "no_token",
        Error::TokenFile { .. } => "token_file",
        Error::Version(_) => "version",
        Error::ConfigHash(_) => "config_hash",
        Error::SessionLog { .. } => "session_log",
        Error::Unreachable { .. } => "unreachable",
        Error::Ca { .. } => "ca",
        Error::ClientCertificate { .. } | Error::HalfClientCertificate { .. } => "client_certificate",
        Error::Tls { .. } => "tls",
        Error::Refused(_) => "refused",
        Error::Superseded => "superseded",
        Error::GaveUp { .. } => "gave_up",
        Error::NotJoined { .. } => "not_joined",
        Error::Tournament { .. } => "tournament",
        Error::Practice(_) => "practice",
        Error::NoHouseBots { .. } => "no_house_bots",
        Error::Protocol(_) => "protocol",
        _ => "failed",
    };
    let join_refusal = match error {
        Error::NotJoined { reason: Some(reason), .. } => Some(join_refusal_word(*reason)),
        _ => None,
    };
    json!({ "code": code, "reason": join_refusal, "message": error.to_string() })
}

fn join_refusal_word(reason: JoinRefusal) -> String {
    word_of(pb::JoinRefusal::from(reason).as_str_name(), "JOIN_REFUSAL_")
}

/// Returns the name of an enumeration value in JSON.
fn word_of(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}
