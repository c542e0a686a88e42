//! What happened in a match, in sentences: who won and why, and what each take did.

use super::conversation::{heard_sentence, open_round};
use super::sentence::{Seats, Sentence, ordinal_text};
use crate::replay::Replay;
use lastnim_core::oracle::TakeRange;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb::{self, record_event::Event};
use lastnim_report::explanation::take_range_text;
use lastnim_report::matches::AUDIT_WITHHELD_NOTE;
use lastnim_report::words::{count_with_noun, enum_phrase};

/// Formats ranges of takes.
pub(crate) fn format_take_ranges(ranges: &[pb::TakeRange]) -> String {
    let range = |&pb::TakeRange { lo, hi }: &pb::TakeRange| match hi.checked_sub(lo) {
        Some(1) => format!("{lo} or {hi}"),
        _ => take_range_text(TakeRange { lo, hi }),
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(" or ")
}

/// Returns the number of takes up to and including the last error; 0 without errors.
pub(super) fn decisive_ply(audit: &pb::Audit) -> u32 {
    let errors = audit.plies.iter().zip(1..).filter(|(ply, _)| ply.regret > 0);
    errors.last().map_or(0, |(_, after)| after)
}

/// Says who won and because of which take, or how the match stands.
pub(super) fn match_headline(game: &pb::Match, replay: &Replay, audit: Option<&pb::Audit>) -> Sentence {
    if !game.void_reason.is_empty() {
        return Sentence::of(format!("This match does not count: {}", game.void_reason));
    }
    let Some(end) = &replay.end else { return open_headline(game, replay) };
    let Some(winner) = end.winner else { return Sentence::of("The match was cancelled.") };
    let is_forfeited = replay.forfeits.iter().any(|(_, event)| event.seat == winner);
    // A forfeited seat scores nothing.
    let won = if is_forfeited {
        Sentence::of("For ").seat(winner as usize).text(", which was forfeited, the steward won")
    } else {
        Sentence::default().seat(winner as usize).text(" won")
    };
    let Some(audit) = audit else { return won.text(".") };
    let Some(error) = audit.plies.iter().rfind(|ply| ply.regret > 0) else {
        return won.text(if audit.plies.is_empty() {
            " without a take."
        } else if replay.dealt_rows.is_empty() {
            ". Nobody made an error."
        } else {
            ". By the declared orders, nobody made an error."
        });
    };
    let right = match error.optimal_takes.as_slice() {
        [only] if only.lo == error.counters && error.counters == 2 => "both".to_owned(),
        [only] if only.lo == error.counters && error.counters > 2 => format!("all {}", error.counters),
        ranges => format_take_ranges(ranges),
    };
    let mover = error.seat as usize;
    let because = if error.steward {
        won.text(", because the steward took ").text(take_text(error)).text(" for ").seat(mover)
    } else {
        won.text(", because ").seat(mover).text(" took ").text(take_text(error))
    };
    because
        .text(format!(" at take {}. Taking {right} would have made ", shown_number(error.ply)))
        .seat(error.predicted_before as usize)
        .text(" win.")
}

/// Says how a match that is not over stands.
pub(super) fn open_headline(game: &pb::Match, replay: &Replay) -> Sentence {
    if game.phase() == pb::Phase::Quarantined {
        return Sentence::of(format!("The server stopped this match: {}", game.damage));
    }
    if let (Some(round), Some(talk)) = (open_round(replay), &replay.setup.talk) {
        return Sentence::of(format!("The seats are talking: round {round} of {}.", talk.rounds));
    }
    match replay.position_after(replay.ply_count()) {
        _ if replay.rows.is_empty() => Sentence::of("The seats are saying whom they want to see win."),
        Some(position) if !position.is_over() => {
            Sentence::default().seat(position.to_move().index()).text(" is to move.")
        }
        _ => Sentence::of("The last counter has been taken."),
    }
}

fn take_text(ply: &pb::PlyAudit) -> String {
    format!("{} of {}", ply.take, ply.counters)
}

/// States the rule by which a seat wins, how many takes were errors, and who would have won under optimal play.
pub(super) fn match_summary(
    shown: &pb::GetMatchResponse,
    replay: &Replay,
    audit: Option<&pb::Audit>,
) -> Sentence {
    let draft = Sentence::of("When no counter is left, ").strong(match replay.setup.ending() {
        pb::Ending::LastMoverWins => "the seat that took the last one wins",
        _ => "the seat to move wins",
    });
    let takes = count_with_noun(replay.ply_count(), "take", "takes");
    let draft = draft.text(format!(". {} seats, {takes}", replay.setup.bots.len()));
    let draft = match audit.map(|audit| audit.plies.iter().filter(|ply| ply.regret > 0).count()) {
        None => draft.text("."),
        Some(0) => draft.text(", no errors."),
        Some(1) => draft.text(", one error."),
        Some(errors) => draft.text(format!(", {errors} errors.")),
    };
    let draft = match replay.end.as_ref().map(pb::EndedEvent::reason) {
        Some(pb::EndReason::PlyLimit) => draft.text(
            " The match reached its limit of takes, so the seat that would have won under optimal play from that position has won.",
        ),
        Some(pb::EndReason::AllForfeited) => {
            draft.text(" Every seat was forfeited, so the seat that would have won under optimal play from that position has won.")
        }
        _ => draft,
    };
    match audit {
        None if shown.audit_withheld => {
            draft.text(format!(" What the oracle says is {AUDIT_WITHHELD_NOTE}."))
        }
        None => draft,
        Some(audit) if audit.predicted_winner == audit.winner => {
            draft.text(" Optimal play from the start would have had the same winner.")
        }
        Some(audit) => draft
            .text(" Optimal play from the start would have made ")
            .seat(audit.predicted_winner as usize)
            .text(" win."),
    }
}

/// Describes the take that led to a position, and its effect.
pub(super) fn take_sentence(replay: &Replay, audit: Option<&pb::Audit>, ply: u32) -> Sentence {
    let Some(take) = ply.checked_sub(1).and_then(|before| replay.take_at(before)) else {
        return first_sentence(replay, audit);
    };
    let seat = take.took.seat as usize;
    let amount = format!("{} of {}", take.took.take, take.counters);
    let draft = Sentence::of(format!("Take {ply}: "));
    let draft = if take.took.steward {
        draft.text("for ").seat(seat).text(", which is forfeited, the steward takes ").strong(amount)
    } else {
        draft.seat(seat).text(" takes ").strong(amount)
    };
    let draft = draft.text(". ");
    let is_over = replay.position_after(ply).is_some_and(|position| position.is_over());
    let Some(found) = audit.and_then(|audit| audit.plies.get(ply as usize - 1)) else { return draft };
    let winner = found.predicted_after as usize;
    if found.regret > 0 {
        let lost = count_with_noun(found.regret, "place", "places");
        let rank = preference_rank(replay, seat, winner).map(ordinal_text).unwrap_or_default();
        draft
            .strong(format!("This is an error, which cost the seat {lost} in its order."))
            .text(" Now ")
            .seat(winner)
            .text(" wins, the ")
            .text(rank)
            .text(" choice of ")
            .seat(seat)
            .text(". ")
            .strong(format!("Taking {}", format_take_ranges(&found.optimal_takes)))
            .text(" would have made ")
            .seat(found.predicted_before as usize)
            .text(" win.")
    } else if is_over {
        draft.text("No counter is left: ").seat(winner).text(" wins.")
    } else {
        draft.text("No take was better: ").seat(winner).text(" still wins under optimal play.")
    }
}

fn first_sentence(replay: &Replay, audit: Option<&pb::Audit>) -> Sentence {
    let draft = Sentence::of("Before the first take. ");
    match audit {
        Some(audit) => draft
            .text("If every seat plays for what it wants, ")
            .seat(audit.predicted_winner as usize)
            .text(" wins."),
        None => draft.seat(replay.setup.first as usize).text(" moves first."),
    }
}

/// Returns the place of a winner in a seat's preference order, from 0; `None` before rows are revealed.
pub(crate) fn preference_rank(replay: &Replay, seat: usize, winner: usize) -> Option<usize> {
    replay.wanted_winners(seat)?.iter().position(|&other| other == winner)
}

/// Describes an event other than a take; `None` if the page shows it elsewhere.
pub(super) fn incident_sentence(event: &Event) -> Option<Sentence> {
    Some(match event {
        Event::Declared(declared) => {
            let why = match declared.defaulted() {
                pb::RowDefault::Unspecified => return None,
                pb::RowDefault::Late => "did not say in time whom it wants to see win",
                pb::RowDefault::Invalid => "declared an order that is not valid",
                pb::RowDefault::Forfeited => "was forfeited before it declared an order",
            };
            Sentence::default()
                .seat(declared.seat as usize)
                .text(format!(" {why}. It has the standard order: itself, then the seats after it."))
        }
        Event::Struck(struck) => {
            let why = strike_reason_text(struck.reason());
            Sentence::of(format!("Before take {}, ", shown_number(struck.ply)))
                .seat(struck.seat as usize)
                .text(format!(" got a strike: {why}."))
        }
        Event::Forfeited(forfeited) => Sentence::default().seat(forfeited.seat as usize).text(format!(
            " is forfeited: {}. The steward plays for it.",
            forfeit_reason_text(forfeited.reason())
        )),
        Event::Ended(ended) if ended.reason() == pb::EndReason::Cancelled => {
            Sentence::of("The match was cancelled.")
        }
        Event::Created(_)
        | Event::Dealt(_)
        | Event::Said(_)
        | Event::TalkEnded(_)
        | Event::Heard(_)
        | Event::Revealed(_)
        | Event::Took(_)
        | Event::Ended(_) => {
            return None;
        }
    })
}

/// Says why a seat got a strike.
fn strike_reason_text(reason: pb::RefusalReason) -> String {
    match reason {
        pb::RefusalReason::IllegalTake => "it wanted to take more than the pile had, or nothing".to_owned(),
        pb::RefusalReason::NotYourTurn => "it was not its turn".to_owned(),
        pb::RefusalReason::FuturePly => "it named a turn that had not come yet".to_owned(),
        pb::RefusalReason::NotStarted => "not all seats had said yet whom they want to see win".to_owned(),
        other => enum_phrase(other.as_str_name(), "REFUSAL_REASON_"),
    }
}

/// Says why a seat is forfeited.
pub(super) fn forfeit_reason_text(reason: pb::ForfeitReason) -> &'static str {
    match reason {
        pb::ForfeitReason::Unspecified => "forfeited",
        pb::ForfeitReason::TimedOut => "its time ran out",
        pb::ForfeitReason::Disconnected => "its time ran out while it was not connected",
        pb::ForfeitReason::NoShow => "it never connected",
        pb::ForfeitReason::Strikes => "it had too many strikes",
        pb::ForfeitReason::Resigned => "it resigned",
        pb::ForfeitReason::Disqualified => "the organiser disqualified it",
    }
}

/// Describes the latest event for screen readers; empty if there is nothing to say.
pub(super) fn event_announcement(replay: &Replay, seats: &Seats) -> String {
    let newest = replay.newest_takes().next().filter(|take| take.event == replay.events);
    let draft = match newest {
        Some(_) => Some(take_sentence(replay, None, replay.ply_count())),
        None => match &replay.end {
            Some(pb::EndedEvent { winner: Some(winner), .. }) => {
                Some(Sentence::default().seat(*winner as usize).text(" won."))
            }
            _ => replay.incidents.last().and_then(|timed| match timed.event.as_ref()? {
                Event::Heard(heard) => Some(heard_sentence(replay, heard.round)),
                event => incident_sentence(event),
            }),
        },
    };
    draft.map(|draft| draft.plain(seats).trim_end().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strike_has_a_reason_in_plain_words() {
        let bots = vec!["ann".to_owned(), "bob".to_owned()];
        let seats = Seats::of_setup(&pb::MatchSetup { bots, ..Default::default() });
        let strike_text = |reason: pb::RefusalReason| {
            let struck = pb::StruckEvent { seat: 1, ply: 2, reason: reason.into() };
            incident_sentence(&Event::Struck(struck)).unwrap().plain(&seats)
        };
        assert_eq!(
            strike_text(pb::RefusalReason::FuturePly),
            "Before take 3, bob got a strike: it named a turn that had not come yet."
        );
        assert_eq!(
            strike_text(pb::RefusalReason::NotYourTurn),
            "Before take 3, bob got a strike: it was not its turn."
        );
    }
}
