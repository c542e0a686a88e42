//! The combined effect of a tournament's events.

use super::{DisqualifiedResults, OpenMatches, Reason, TournamentEvent, VoidedMatch};
use crate::tie_break::rank_lines_by;
use crate::{FieldChange, FieldMovement, FormatVerdict, MatchResult, Pairing, Standing};
use lastnim_core::game::{BotName, MatchId, Seat};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The combined effect of a tournament's events, in their order: whether the tournament is paused, which bots are
/// disqualified or have withdrawn, and which results do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rulings {
    events: usize,
    pause: Option<OpenMatches>,
    disqualified: BTreeMap<BotName, (DisqualifiedResults, Reason)>,
    /// The bots that have withdrawn, each with the first round without it.
    withdrawn: BTreeMap<BotName, Option<u64>>,
    voided: BTreeMap<MatchId, Reason>,
    closed_before: Option<u64>,
    recounts: u64,
}

impl Rulings {
    /// Combines events, given in their order.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a TournamentEvent>) -> Self {
        let mut rulings = Self::default();
        events.into_iter().for_each(|event| rulings.add(event));
        rulings
    }

    /// Adds the next event.
    pub fn add(&mut self, event: &TournamentEvent) {
        self.events += 1;
        match event {
            TournamentEvent::Paused { open } => self.pause = Some(*open),
            TournamentEvent::Resumed => self.pause = None,
            TournamentEvent::Disqualified { bot, results, reason } => {
                self.recounts += u64::from(*results == DisqualifiedResults::Annul);
                self.disqualified.insert(bot.clone(), (*results, reason.clone()));
            }
            TournamentEvent::Voided { matches, reason } => {
                self.recounts += 1;
                self.voided.extend(matches.iter().map(|voided| (voided.id, reason.clone())));
            }
            TournamentEvent::Withdrawn { bot, from_round } => {
                self.withdrawn.entry(bot.clone()).or_insert(*from_round);
            }
            TournamentEvent::Closed { before } => self.closed_before = Some(*before),
        }
    }

    /// Returns the number of events so far.
    pub fn event_count(&self) -> usize {
        self.events
    }

    /// Returns the number of events that changed which results count.
    pub fn recounts(&self) -> u64 {
        self.recounts
    }

    /// Returns what happens to open matches while the tournament is paused; `None` if it is not paused.
    pub fn pause(&self) -> Option<OpenMatches> {
        self.pause
    }

    /// Returns whether open matches are frozen.
    pub fn is_frozen(&self) -> bool {
        self.pause == Some(OpenMatches::Freeze)
    }

    /// Returns whether a bot is disqualified.
    pub fn is_disqualified(&self, bot: &BotName) -> bool {
        self.disqualified.contains_key(bot)
    }

    /// Returns whether a bot has withdrawn.
    pub fn is_withdrawn(&self, bot: &BotName) -> bool {
        self.withdrawn.contains_key(bot)
    }

    /// Returns the bots that have withdrawn.
    pub fn withdrawn_bots(&self) -> impl ExactSizeIterator<Item = &BotName> {
        self.withdrawn.keys()
    }

    /// Returns the changes of the field that follow from withdrawals, in a format with rounds.
    pub fn departures(&self) -> impl Iterator<Item = FieldChange> {
        self.withdrawn.iter().filter_map(|(bot, from_round)| {
            from_round.map(|round| FieldChange { round, bot: bot.clone(), movement: FieldMovement::Leaves })
        })
    }

    /// Returns the voided matches, each with the reason for voiding it.
    pub fn voided(&self) -> impl Iterator<Item = (MatchId, &Reason)> {
        self.voided.iter().map(|(&id, reason)| (id, reason))
    }

    /// Returns the reason for voiding a match; `None` if it was not voided.
    pub fn void_reason(&self, id: MatchId) -> Option<&Reason> {
        self.voided.get(&id)
    }

    /// Returns one more than the number of the last match that a closed ladder plays; `None` if the ladder is not
    /// closed.
    pub fn closed_before(&self) -> Option<u64> {
        self.closed_before
    }

    /// Returns the seats of disqualified bots in a pairing.
    pub fn disqualified_seats(&self, pairing: &Pairing) -> impl Iterator<Item = Seat> {
        pairing.bots.enumerate().filter(|(_, bot)| self.is_disqualified(bot)).map(|(seat, _)| seat)
    }

    /// Returns whether a match between these bots counts for none of them, because the results of at least one are
    /// annulled.
    pub fn annuls<'a>(&self, bots: impl IntoIterator<Item = &'a BotName>) -> bool {
        let is_annulled = |bot| matches!(self.disqualified.get(bot), Some((DisqualifiedResults::Annul, _)));
        !self.disqualified.is_empty() && bots.into_iter().any(is_annulled)
    }

    /// Returns whether no further match between these bots begins, in a format without rounds: it would count for none
    /// of them, or one of them has withdrawn.
    pub fn leaves_out<'a>(&self, bots: impl IntoIterator<Item = &'a BotName> + Clone) -> bool {
        self.annuls(bots.clone()) || bots.into_iter().any(|bot| self.is_withdrawn(bot))
    }

    /// Returns a result as it counts in the standings: unchanged, or as cancelled if the results of one of its bots are
    /// annulled.
    pub fn counted<'a>(&self, result: &'a MatchResult) -> Cow<'a, MatchResult> {
        if result.outcome.is_some() && self.annuls(&result.bots) {
            Cow::Owned(MatchResult { outcome: None, ..result.clone() })
        } else {
            Cow::Borrowed(result)
        }
    }

    /// Sorts the lines and gives them their final places. In a knockout, bots are sorted by how far they got. In every
    /// format, bots that have withdrawn come after those that stayed, and all disqualified bots share the last place.
    pub fn rank_standings(&self, lines: &mut [Standing], verdict: &FormatVerdict) {
        verdict.rank_standings(lines);
        if self.disqualified.is_empty() && self.withdrawn.is_empty() {
            return;
        }
        for line in &mut *lines {
            line.is_disqualified = self.is_disqualified(&line.bot);
            line.is_withdrawn = self.is_withdrawn(&line.bot);
        }
        rank_lines_by(lines, |one, other| {
            let rank = |line: &Standing| (line.is_disqualified, line.is_withdrawn);
            rank(one).cmp(&rank(other))
        });
        let kept = lines.partition_point(|line| !line.is_disqualified);
        for line in &mut lines[kept..] {
            (line.place, line.tie_break) = (kept as u32 + 1, None);
        }
    }
}

impl Rulings {
    /// Returns an event that voids the matches that are not voided yet; `None` if all of them are voided.
    pub fn voiding_event(&self, mut matches: Vec<VoidedMatch>, reason: Reason) -> Option<TournamentEvent> {
        matches.retain(|voided| !self.voided.contains_key(&voided.id));
        matches.sort_by_key(|voided| (voided.number, voided.id));
        matches.dedup();
        (!matches.is_empty()).then_some(TournamentEvent::Voided { matches, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AllianceSource, Standings, StandingsOrder, TournamentState, rating::testing::match_of_group, testing,
    };
    use proptest::prelude::*;

    fn disqualification(bot: &BotName, results: DisqualifiedResults) -> TournamentEvent {
        let reason = "it crashes its opponents".parse().unwrap();
        TournamentEvent::Disqualified { bot: bot.clone(), results, reason }
    }

    #[test]
    fn the_latest_pause_counts() {
        let (finish, freeze) = (OpenMatches::Finish, OpenMatches::Freeze);
        let pause_event = |open| TournamentEvent::Paused { open };
        let pause = |events: &[TournamentEvent]| Rulings::of(events).pause();
        assert_eq!(pause(&[]), None);
        assert_eq!(pause(&[pause_event(finish)]), Some(finish));
        assert_eq!(pause(&[pause_event(finish), pause_event(freeze)]), Some(freeze));
        assert_eq!(pause(&[pause_event(freeze), TournamentEvent::Resumed]), None);
    }

    #[test]
    fn a_match_cannot_be_voided_twice() {
        let id = MatchId::new(1, &[1; 10]);
        let (first, second) =
            (VoidedMatch { number: 3, id }, VoidedMatch { number: 2, id: MatchId::new(2, &[1; 10]) });
        let reason: Reason = "the network was down".parse().unwrap();
        let event = Rulings::default().voiding_event(vec![first, second, first], reason.clone()).unwrap();
        assert_eq!(event, TournamentEvent::Voided { matches: vec![second, first], reason: reason.clone() });
        let rulings = Rulings::of([&event]);
        assert_eq!(rulings.voiding_event(vec![first, second], reason.clone()), None);
        assert_eq!(rulings.void_reason(id), Some(&reason));
    }

    #[test]
    fn withdrawn_bots_come_behind_those_that_stayed() {
        let (settings, field) = (testing::settings(2, 1, AllianceSource::Declared), testing::field(4));
        let mut standings = Standings::new(&settings, &field);
        let pairs = [(0, 1), (0, 2), (1, 2), (1, 3), (3, 2)];
        for (number, (winner, loser)) in (0..).zip(pairs) {
            standings.add_result(&match_of_group(number, &[field[winner].clone(), field[loser].clone()], 0));
        }
        let mut rulings = Rulings::default();
        let ranked = |rulings: &Rulings| {
            let mut lines = standings.lines_for_rulings(TournamentState::Finished, rulings);
            rulings.rank_standings(&mut lines, &FormatVerdict::Standings);
            let order = StandingsOrder::of_lines(&settings.format, TournamentState::Finished, &lines);
            let line = |line: &Standing| (line.bot.as_str().to_owned(), line.place, line.is_withdrawn);
            (order, lines.iter().map(line).collect::<Vec<_>>())
        };
        let line = |bot: &str, place, is_withdrawn| (bot.to_owned(), place, is_withdrawn);
        // Wins and matches: bot0 2 of 2, bot1 2 of 3, bot2 0 of 3, bot3 1 of 2. bot0 has beaten bot1.
        let (order, lines) = ranked(&rulings);
        let point_lines =
            [line("bot0", 1, false), line("bot1", 2, false), line("bot3", 3, false), line("bot2", 4, false)];
        assert_eq!((order, lines), (StandingsOrder::Points, point_lines.to_vec()));
        rulings.add(&TournamentEvent::Withdrawn { bot: field[0].clone(), from_round: None });
        let (order, lines) = ranked(&rulings);
        let rate_lines =
            [line("bot1", 1, false), line("bot3", 2, false), line("bot2", 3, false), line("bot0", 4, true)];
        assert_eq!((order, lines), (StandingsOrder::PointsPerMatch, rate_lines.to_vec()));
        rulings.add(&disqualification(&field[1], DisqualifiedResults::Stand));
        let (_, lines) = ranked(&rulings);
        let names: Vec<_> = lines.iter().map(|(bot, ..)| bot.as_str()).collect();
        assert_eq!(names, ["bot3", "bot2", "bot0", "bot1"], "disqualified bots come last");
        assert!(rulings.leaves_out(&field[..2]) && !rulings.leaves_out(&field[1..]));
        assert_eq!(rulings.departures().count(), 0, "a round robin has no rounds");
    }

    proptest! {
        #[test]
        fn a_disqualified_bot_comes_last_and_the_others_move_up(
            winners in prop::collection::vec((0..3_usize, 0..4_usize), 0..30), out in prop::collection::vec(any::<bool>(), 5),
            annul: bool,
        ) {
            let (settings, field) = (testing::settings(3, 1, AllianceSource::Declared), testing::field(5));
            let results = if annul { DisqualifiedResults::Annul } else { DisqualifiedResults::Stand };
            let banned: Vec<_> = field.iter().zip(&out).filter(|(_, out)| **out).map(|(bot, _)| bot.clone()).collect();
            let events: Vec<_> = banned.iter().map(|bot| disqualification(bot, results)).collect();
            let rulings = Rulings::of(&events);
            let (mut with, mut without) = (Standings::new(&settings, &field), Standings::new(&settings, &field));
            for (number, &(winner, left_out)) in (0..).zip(&winners) {
                let table: Vec<_> = (0..4).filter(|&bot| bot != left_out).map(|bot| field[bot].clone()).collect();
                let result = match_of_group(number, &table, winner);
                with.add_result(&rulings.counted(&result));
                if !annul || !table.iter().any(|bot| banned.contains(bot)) {
                    without.add_result(&result);
                }
            }
            let (mut lines, plain) = (with.lines(TournamentState::Running), without.lines(TournamentState::Running));
            rulings.rank_standings(&mut lines, &FormatVerdict::Standings);
            let (kept, last): (Vec<_>, Vec<_>) = lines.iter().cloned().partition(|line| !line.is_disqualified);
            prop_assert_eq!(&lines[..kept.len()], &kept[..], "disqualified bots come last");
            prop_assert!(last.iter().all(|line| line.place as usize == kept.len() + 1 && banned.contains(&line.bot)));
            prop_assert_eq!(last.len(), banned.len());
            let plain: Vec<_> = plain.iter().filter(|line| !banned.contains(&line.bot)).collect();
            for (index, (line, plain_line)) in kept.iter().zip(&plain).enumerate() {
                prop_assert_eq!((&line.bot, line.points, line.matches), (&plain_line.bot, plain_line.points, plain_line.matches));
                let ahead = plain.iter().filter(|other| other.place < plain_line.place).count();
                prop_assert_eq!(line.place as usize, ahead + 1, "line {}", index);
            }
        }
    }
}
