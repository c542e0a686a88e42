//! Ladder rounds.

use super::in_rounds::{DrawnRound, RoundFormat, RoundTable};
use super::{FieldMovement, FormatVerdict, Suspension, TotalMatches};
use crate::checkpoint::{CheckpointError, ensure_valid};
use crate::{
    BoundedCount, LadderPairing, LadderSettings, MatchResult, OnlineRatings, RatingMeasure, SeatLoss,
    SeededDraw, Settings, StrengthBelief,
};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Used in place of the number of a group in the draws of a ladder. No group has this number, so they are independent
/// of all other draws.
const LADDER_DRAW_TAG: u64 = 0x6c61_6464_6572_2020;
/// The smallest lead that is worth detecting in a ladder rated by wins. A bot with this lead wins 73 of 100 matches
/// between two bots.
const NOTABLE_LEAD: f64 = 1.0;

/// The rounds of a ladder.
///
/// A round seats about half of the bots, preferring those with uncertain ratings. The hosts of its tables alternate
/// between the bot with the most uncertain rating and the bot that has waited longest (see [`LadderPairing`] for
/// another way).
///
/// With ratings by wins, a match gives the most information if its result is uncertain. So the guests are drawn from
/// bots whose ratings are similar to the host's or very uncertain, with twice as many candidates as guests. With
/// ratings by satisfaction, the guests are drawn from all bots, because every table gives the same amount of
/// information, and because a bot's lead depends on the bots that it meets: when bots met only similar ones, their
/// intervals missed their lead over the whole field.
///
/// If hosts were chosen by uncertainty alone, some bots would hardly ever play: a few bots with ratings far from the
/// rest stay uncertain while they meet only each other, and would host every table. With alternating hosts, a bot sits
/// at least once in any 2 N consecutive tables while N bots play, since each other bot can be ahead of it at only one
/// table.
///
/// A bot that forfeits too many matches in a row is suspended: it gets no table until it enters again. Its streak then
/// continues: if it forfeits its next match too, it is suspended again at once. The streak ends when it keeps its seat
/// once. So a bot that keeps returning wastes little of the other bots' time.
///
/// Only the last change of each bot before a round matters, and a rebuilt schedule may skip the others. So nothing here
/// depends on the order in which bots enter and leave between two rounds.
#[derive(Debug)]
pub(super) struct Ladder {
    bots: Vec<LadderEntrant>,
    indices: HashMap<BotName, usize>,
    seats: usize,
    seed: u64,
    settings: LadderSettings,
    groups_left: Option<u64>,
    /// The number of the next round.
    round: u64,
    /// Number of tables drawn in all rounds.
    tables_drawn: u64,
    measure: RatingMeasure,
    /// Ratings of the bots in play. Bots that are not in play are removed, but [`OnlineRatings`] remembers their
    /// ratings.
    ratings: OnlineRatings,
}

/// A bot that has entered a ladder, even if it has left or is suspended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LadderEntrant {
    name: BotName,
    presence: LadderPresence,
    /// Whether the bot was in play when the last round was drawn.
    was_playing: bool,
    /// Number of tables at which the bot has sat.
    tables: u64,
    /// The value of `tables_drawn` when the bot's wait began: at its last table, or at the first round after it last
    /// entered.
    waiting_since: u64,
    streak: LossStreak,
}

/// Whether a bot gets tables in a ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum LadderPresence {
    /// The bot gets tables.
    Playing,
    /// The bot has left the ladder.
    Left,
    /// The bot gets no tables until it enters again.
    Suspended(Suspension),
}

/// The consecutive matches in which a bot has lost its seat.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct LossStreak {
    lost: u64,
    no_shows: u64,
}

impl Ladder {
    /// Creates the ladder of a field sorted by name.
    pub(super) fn new(settings: &Settings, field: Vec<BotName>, ladder: LadderSettings) -> Self {
        let mut new = Self {
            bots: Vec::new(),
            indices: HashMap::new(),
            seats: settings.seats.get(),
            seed: settings.seed,
            settings: ladder,
            groups_left: ladder.groups.map(BoundedCount::get),
            round: 0,
            tables_drawn: 0,
            ratings: OnlineRatings::new(settings.rating_measure()),
            measure: settings.rating_measure(),
        };
        for name in field {
            new.add_entrant(name);
        }
        new
    }

    fn add_entrant(&mut self, name: BotName) {
        let bots = &mut self.bots;
        let place = *self.indices.entry(name.clone()).or_insert_with(|| {
            let (presence, streak) = (LadderPresence::Left, LossStreak::default());
            bots.push(LadderEntrant {
                name,
                presence,
                was_playing: false,
                tables: 0,
                waiting_since: 0,
                streak,
            });
            bots.len() - 1
        });
        bots[place].presence = LadderPresence::Playing;
    }

    /// Restarts the waits of bots that have returned. This happens when a round is drawn, not when they return, so a
    /// bot that leaves and comes back between two rounds does not have to wait longer.
    fn reset_waits_of_returned(&mut self) {
        for bot in &mut self.bots {
            let is_in = bot.presence == LadderPresence::Playing;
            if is_in && !bot.was_playing {
                bot.waiting_since = self.tables_drawn;
            }
            bot.was_playing = is_in;
        }
    }

    /// Returns the number of tables in the next round: enough for half of the playing bots, at least one, and no more
    /// than the remaining groups allow.
    fn table_count(&self, playing: usize) -> usize {
        let tables = (playing / (2 * self.seats)).max(1);
        let groups_left = self.groups_left.unwrap_or(u64::MAX);
        tables.min((groups_left / self.settings.table_groups.get()) as usize)
    }

    /// Returns the playing bots, sorted by name.
    fn playing_bots(&self) -> Vec<usize> {
        let mut playing: Vec<usize> =
            (0..self.bots.len()).filter(|&bot| self.bots[bot].presence == LadderPresence::Playing).collect();
        playing.sort_by_key(|&bot| &self.bots[bot].name);
        playing
    }

    /// Updates the set of rated bots. Bots that are not playing are removed from the set, so they cost no computing
    /// time.
    fn update_rated_bots(&mut self, playing: &[usize]) {
        let names: BTreeSet<&BotName> = playing.iter().map(|&bot| &self.bots[bot].name).collect();
        let gone: Vec<BotName> =
            self.ratings.iter().map(|(bot, _)| bot).filter(|bot| !names.contains(bot)).cloned().collect();
        for bot in &gone {
            self.ratings.remove_bot(bot);
        }
        for bot in names {
            self.ratings.add_bot(bot);
        }
    }

    /// Returns the bots from which the guests of a host are drawn.
    fn guest_candidates(
        &self,
        host: usize,
        free: &[usize],
        beliefs: &HashMap<usize, StrengthBelief>,
    ) -> Vec<usize> {
        if self.measure == RatingMeasure::Satisfaction {
            return free.to_vec();
        }
        let mut near: Vec<(f64, usize)> =
            free.iter().map(|&bot| (self.pairing_cost(beliefs, host, bot), bot)).collect();
        near.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        near.into_iter().take(2 * (self.seats - 1)).map(|(_, bot)| bot).collect()
    }

    /// Returns the cost of pairing two bots: the square of the difference between their ratings, divided by its
    /// variance plus a constant. A match is most informative if the two bots are equal, or may be.
    fn pairing_cost(&self, beliefs: &HashMap<usize, StrengthBelief>, one: usize, other: usize) -> f64 {
        let deviation = self.ratings.deviation_between(&self.bots[one].name, &self.bots[other].name);
        let lead = beliefs[&one].strength - beliefs[&other].strength;
        lead.powi(2) / (NOTABLE_LEAD.powi(2) + deviation.unwrap_or_default().powi(2))
    }

    /// Returns the index of the next host among the bots without a table, which are sorted by descending uncertainty.
    fn choose_host(&self, free: &[usize]) -> usize {
        match self.settings.pairing {
            LadderPairing::ByTurns if !self.tables_drawn.is_multiple_of(2) => {}
            LadderPairing::ByTurns | LadderPairing::LeastCertain => return 0,
        }
        let longest = (0..free.len()).min_by_key(|&place| self.bots[free[place]].waiting_since);
        longest.expect("there are bots for every table in a round")
    }

    /// Returns the tie-break between equally uncertain bots: the bot with the lower value comes first.
    fn tie_break_of(&self, bot: usize) -> u64 {
        match self.settings.pairing {
            LadderPairing::LeastCertain => self.bots[bot].tables,
            LadderPairing::ByTurns => self.bots[bot].waiting_since,
        }
    }

    /// Suspends the bots that have lost too many matches in a row. `lost_matches` gives the bot and the match number of
    /// each loss in the round, latest first.
    fn suspend_losing_bots(&mut self, lost_matches: &[(usize, u64)]) {
        for &(bot, last) in lost_matches {
            let bot = &mut self.bots[bot];
            let LossStreak { lost, no_shows } = bot.streak;
            if lost >= self.settings.suspend_after.get() && bot.presence == LadderPresence::Playing {
                let name = bot.name.clone();
                let suspended = Suspension { bot: name, from_round: self.round, lost, no_shows, last };
                bot.presence = LadderPresence::Suspended(suspended);
            }
        }
    }
}

impl RoundFormat for Ladder {
    const KEEPS_ROUNDS: bool = false;
    type State = (Option<u64>, u64, u64, Vec<LadderEntrant>, OnlineRatings);

    fn draw_round(&mut self) -> DrawnRound {
        let mut free = self.playing_bots();
        let tables = self.table_count(free.len());
        if tables == 0 {
            return DrawnRound::Over;
        }
        if free.len() < self.seats {
            return DrawnRound::TooFewBots;
        }
        self.reset_waits_of_returned();
        self.update_rated_bots(&free);
        // Both lists are sorted by name.
        let beliefs: HashMap<usize, StrengthBelief> =
            free.iter().copied().zip(self.ratings.iter().map(|(_, belief)| belief)).collect();
        let mut draw = SeededDraw::from_numbers([self.seed, LADDER_DRAW_TAG, self.round]);
        draw.shuffle(&mut free);
        // The sort is stable: equal bots keep the drawn order.
        free.sort_by(|one, other| {
            let deviation_order = beliefs[other].deviation.total_cmp(&beliefs[one].deviation);
            deviation_order.then_with(|| self.tie_break_of(*one).cmp(&self.tie_break_of(*other)))
        });
        let mut drawn: Vec<RoundTable> = Vec::with_capacity(tables);
        for _ in 0..tables {
            let host = free.remove(self.choose_host(&free));
            let mut table: RoundTable = self.guest_candidates(host, &free, &beliefs);
            draw.shuffle(&mut table);
            table.truncate(self.seats - 1);
            free.retain(|bot| !table.contains(bot));
            table.push(host);
            self.tables_drawn += 1;
            for &bot in &table {
                self.bots[bot].waiting_since = self.tables_drawn;
                self.bots[bot].tables += 1;
            }
            drawn.push(table);
        }
        self.groups_left =
            self.groups_left.map(|left| left - tables as u64 * self.settings.table_groups.get());
        self.round += 1;
        DrawnRound::Tables(drawn)
    }

    fn observe_result(&mut self, result: &MatchResult) {
        self.ratings.update_with(result);
    }

    fn finish_round(&mut self, results: &[MatchResult]) {
        let mut lost_last = Vec::new();
        for result in results {
            let Some(outcome) = &result.outcome else { continue };
            for (seat, name) in result.bots.enumerate() {
                let Some(&bot) = self.indices.get(name) else { continue };
                let streak = &mut self.bots[bot].streak;
                match outcome.seats[seat].lost {
                    None => *streak = LossStreak::default(),
                    Some(loss) => {
                        streak.lost += 1;
                        streak.no_shows += u64::from(loss == SeatLoss::NoShow);
                        lost_last.push((bot, result.number));
                    }
                }
            }
        }
        // Each bot's last lost match must come first, since a bot is suspended with its first match in the list.
        lost_last.reverse();
        self.suspend_losing_bots(&lost_last);
    }

    fn name_of_bot(&self, bot: usize) -> &BotName {
        &self.bots[bot].name
    }

    fn total_matches(&self) -> TotalMatches {
        let max_matches = self.settings.groups.map(|groups| groups.get() * self.seats as u64);
        max_matches.map_or(TotalMatches::Open, TotalMatches::AtMost)
    }

    fn format_verdict(&self) -> FormatVerdict {
        let suspended = self.bots.iter().filter_map(|bot| match &bot.presence {
            LadderPresence::Suspended(suspended) => Some(suspended.clone()),
            LadderPresence::Playing | LadderPresence::Left => None,
        });
        let mut suspended: Vec<Suspension> = suspended.collect();
        suspended.sort_by(|one, other| (one.last, &one.bot).cmp(&(other.last, &other.bot)));
        FormatVerdict::Suspended(suspended)
    }

    fn change_field(&mut self, bot: BotName, movement: FieldMovement) {
        match movement {
            FieldMovement::Enters => self.add_entrant(bot),
            FieldMovement::Leaves => {
                if let Some(&bot) = self.indices.get(&bot) {
                    self.bots[bot].presence = LadderPresence::Left;
                }
            }
        }
    }

    fn can_change_field(&self) -> bool {
        true
    }

    fn state(&self) -> impl Serialize {
        (self.groups_left, self.round, self.tables_drawn, &self.bots, &self.ratings)
    }

    fn restore(&mut self, state: Self::State) -> Result<(), CheckpointError> {
        (self.groups_left, self.round, self.tables_drawn, self.bots, self.ratings) = state;
        self.indices = self.bots.iter().enumerate().map(|(place, bot)| (bot.name.clone(), place)).collect();
        ensure_valid(self.indices.len() == self.bots.len(), "a bot is in the ladder twice")?;
        self.ratings.ensure_consistent(self.measure)
    }

    fn bot_count(&self) -> usize {
        self.bots.len()
    }
}
