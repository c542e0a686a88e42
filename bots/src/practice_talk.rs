//! Matches for bot tests in which bots talk and declare without a server.

use crate::practice_games::dealt_view;
use lastnim_client::{Bot, MatchInfo, Message, OfferedPact, TalkContent, TalkMessage, TalkRound, TalkTerms};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Game, Seat},
    referee::{DealRule, MAX_ROUND_MESSAGES},
};

/// What the bots have said and declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TalkOutcome {
    pub(super) messages: Vec<TalkMessage>,
    pub(super) declared: AllianceMatrix,
}

impl TalkOutcome {
    /// Returns all offered pacts.
    pub(super) fn pacts(&self) -> Vec<OfferedPact> {
        OfferedPact::collect(self.messages.iter().map(|said| (said.offer_id(), &said.content)))
    }

    /// Returns whether a seat has signed a pact and broken it.
    pub(super) fn has_broken_its_word(&self, seat: Seat) -> bool {
        let signed = self.pacts().into_iter().filter(OfferedPact::is_signed);
        let mut constraints = signed.filter_map(|offered| offered.pact.constraint(seat).copied());
        constraints.any(|constraint| !constraint.admits(&self.declared[seat]))
    }
}

/// Returns what a bot knows about a match: its seat, its row in the game, which was dealt by the rule, and the messages
/// that it has sent or heard.
pub(super) fn dealt_info(game: &Game, rule: &DealRule, seat: Seat, messages: &[TalkMessage]) -> MatchInfo {
    let mut info = dealt_view(game, rule.clone()).info().clone();
    info.seat = seat;
    info.dealt_row = Some(game.matrix[seat].clone());
    info.setup.terms.talk = Some(TalkTerms { rounds: 3, pacts: true, ..TalkTerms::default() });
    let hears =
        |message: &&TalkMessage| message.seat == seat || message.to.is_empty() || message.to.contains(seat);
    info.messages = messages.iter().filter(hears).cloned().collect();
    info
}

/// Lets the bots talk for three rounds with pacts, and declare their rows.
pub(super) fn talk_and_declare(game: &Game, rule: &DealRule, bots: &mut BySeat<Box<dyn Bot>>) -> TalkOutcome {
    let seats = game.matrix.seats();
    let mut messages: Vec<TalkMessage> = Vec::new();
    for round in 0..3 {
        let mut said = Vec::new();
        for seat in seats.iter() {
            let info = dealt_info(game, rule, seat, &messages);
            let sent = bots[seat].talk(&TalkRound::practice(&info, round)).unwrap_or_default();
            assert!(sent.len() <= MAX_ROUND_MESSAGES as usize, "{sent:?}");
            for (number, Message { to, content }) in (0..).zip(sent) {
                let to = match &content {
                    TalkContent::Offer(pact) => pact.seat_set(),
                    TalkContent::Accept(offer) => {
                        let pacts = OfferedPact::collect(
                            messages.iter().map(|said| (said.offer_id(), &said.content)),
                        );
                        pacts.into_iter().find(|offered| offered.offer == *offer).unwrap().pact.seat_set()
                    }
                    _ => to,
                };
                assert!(to.is_empty() || to.contains(seat), "seat {seat} is a member");
                said.push(TalkMessage { seat, round, number, to, content });
            }
        }
        messages.extend(said);
    }
    let declared =
        BySeat::from_fn(seats, |seat| bots[seat].declare(&dealt_info(game, rule, seat, &messages)));
    TalkOutcome { messages, declared: AllianceMatrix::from_rows(declared).unwrap() }
}
