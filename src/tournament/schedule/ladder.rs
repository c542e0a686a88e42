//! Rounds in which bots of like strengths meet, for as long as nobody stops them.

use super::in_rounds::{Drawn, Rounds, Table};
use super::strengths::{Strength, Strengths};
use super::{FieldChange, Movement, SetAside, Total, Verdict};
use crate::game::BotName;
use crate::tournament::{Count, Draw, LadderSettings, MatchResult, SeatLoss, Settings};
use std::collections::HashMap;

/// What is drawn for a ladder, besides the seed and the round: no group of matches has such a number.
const LADDER_DRAW: u64 = 0x6c61_6464_6572_2020;

/// The rounds of a ladder.
///
/// A round seats about half of the bots, so that those of whom least is known play more than the others: the hosts of its
/// tables are the bots with the most uncertain strengths, and with them sit bots of like strength, rather those that are
/// uncertain themselves, drawn from twice as many as there is room for. A bot that lost its seat in too many
/// matches in a row is set aside: it sits at no table until it enters again.
#[derive(Debug)]
pub(super) struct Ladder {
    bots: Vec<Entrant>,
    places: HashMap<BotName, usize>,
    seats: usize,
    seed: u64,
    settings: LadderSettings,
    groups_left: Option<u64>,
    /// The number of the round that is drawn next.
    round: u64,
    strengths: Strengths,
}

#[derive(Debug)]
struct Entrant {
    name: BotName,
    presence: Presence,
    /// Tables at which it sat.
    tables: u64,
    streak: Losses,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Presence {
    Playing,
    Left,
    Aside(SetAside),
}

/// Seats lost in matches in a row.
#[derive(Debug, Clone, Copy, Default)]
struct Losses {
    lost: u64,
    no_shows: u64,
}

impl Ladder {
    /// Begins with a field that is in the order of its names.
    pub(super) fn new(settings: &Settings, field: Vec<BotName>, ladder: LadderSettings) -> Self {
        let mut new = Self {
            bots: Vec::new(),
            places: HashMap::new(),
            seats: settings.seats.get(),
            seed: settings.seed,
            settings: ladder,
            groups_left: ladder.groups.map(Count::get),
            round: 0,
            strengths: Strengths::default(),
        };
        for name in field {
            new.enter(name);
        }
        new
    }

    fn enter(&mut self, name: BotName) {
        let bots = &mut self.bots;
        let place = *self.places.entry(name.clone()).or_insert_with(|| {
            bots.push(Entrant { name, presence: Presence::Left, tables: 0, streak: Losses::default() });
            bots.len() - 1
        });
        if bots[place].presence != Presence::Playing {
            bots[place].presence = Presence::Playing;
            bots[place].streak = Losses::default();
        }
    }

    /// Returns how many tables the next round has, given the bots that play: enough for half of them, and one at least.
    fn tables(&self, playing: usize) -> usize {
        let tables = (playing / (2 * self.seats)).max(1);
        let groups_left = self.groups_left.unwrap_or(u64::MAX);
        tables.min((groups_left / self.settings.table_groups.get()) as usize)
    }

    fn set_aside_repeaters(&mut self, numbers: &[(usize, u64)]) {
        for &(bot, last) in numbers {
            let bot = &mut self.bots[bot];
            let Losses { lost, no_shows } = bot.streak;
            if lost >= self.settings.set_aside_after.get() && bot.presence == Presence::Playing {
                let name = bot.name.clone();
                let aside = SetAside { bot: name, from_round: self.round, lost, no_shows, last };
                bot.presence = Presence::Aside(aside);
            }
        }
    }
}

/// Returns how little a match of two bots is worth: it tells most where they are alike, or where it is not known that
/// they are not. The square of their distance, in units of what it may be off by.
fn distance(one: Strength, other: Strength) -> f64 {
    (one.mean - other.mean).powi(2) / (1.0 + one.deviation.powi(2) + other.deviation.powi(2))
}

impl Rounds for Ladder {
    const KEPT: bool = false;

    fn draw(&mut self) -> Drawn {
        let mut free: Vec<usize> =
            (0..self.bots.len()).filter(|&bot| self.bots[bot].presence == Presence::Playing).collect();
        let tables = self.tables(free.len());
        if tables == 0 {
            return Drawn::Over;
        }
        if free.len() < self.seats {
            return Drawn::TooFewBots;
        }
        let mut draw = Draw::of([self.seed, LADDER_DRAW, self.round]);
        draw.shuffle(&mut free);
        let strengths: HashMap<usize, Strength> =
            free.iter().map(|&bot| (bot, self.strengths.of(&self.bots[bot].name))).collect();
        // Sorting keeps the drawn order of equals.
        free.sort_by(|one, other| {
            let by_deviation = strengths[other].deviation.total_cmp(&strengths[one].deviation);
            by_deviation.then_with(|| self.bots[*one].tables.cmp(&self.bots[*other].tables))
        });
        let guests = self.seats - 1;
        let mut drawn: Vec<Table> = Vec::with_capacity(tables);
        for _ in 0..tables {
            let host = free.remove(0);
            let mut near = free.clone();
            let far = |bot: usize| distance(strengths[&host], strengths[&bot]);
            near.sort_by(|&one, &other| far(one).total_cmp(&far(other)));
            near.truncate(2 * guests);
            draw.shuffle(&mut near);
            near.truncate(guests);
            free.retain(|bot| !near.contains(bot));
            near.push(host);
            for &bot in &near {
                self.bots[bot].tables += 1;
            }
            drawn.push(near);
        }
        self.groups_left =
            self.groups_left.map(|left| left - tables as u64 * self.settings.table_groups.get());
        self.round += 1;
        Drawn::Tables(drawn)
    }

    fn take(&mut self, results: &[MatchResult]) {
        let mut lost_last = Vec::new();
        for result in results {
            self.strengths.add(result);
            let Some(outcome) = &result.outcome else { continue };
            for (seat, name) in result.bots.enumerate() {
                let Some(&bot) = self.places.get(name) else { continue };
                let streak = &mut self.bots[bot].streak;
                match outcome.seats[seat].lost {
                    None => *streak = Losses::default(),
                    Some(loss) => {
                        streak.lost += 1;
                        streak.no_shows += u64::from(loss == SeatLoss::NoShow);
                        lost_last.push((bot, result.number));
                    }
                }
            }
        }
        // The last match of a bot comes first.
        lost_last.reverse();
        self.set_aside_repeaters(&lost_last);
    }

    fn name(&self, bot: usize) -> &BotName {
        &self.bots[bot].name
    }

    fn total(&self) -> Total {
        let most = self.settings.groups.map(|groups| groups.get() * self.seats as u64);
        most.map_or(Total::Open, Total::AtMost)
    }

    fn verdict(&self) -> Verdict {
        let aside = self.bots.iter().filter_map(|bot| match &bot.presence {
            Presence::Aside(aside) => Some(aside.clone()),
            Presence::Playing | Presence::Left => None,
        });
        Verdict::SetAside(aside.collect())
    }

    fn change_field(&mut self, change: &FieldChange) {
        match change.movement {
            Movement::Enters => self.enter(change.bot.clone()),
            Movement::Leaves => {
                if let Some(&bot) = self.places.get(&change.bot) {
                    self.bots[bot].presence = Presence::Left;
                }
            }
        }
    }

    fn has_open_field(&self) -> bool {
        true
    }
}
