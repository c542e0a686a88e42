//! The bots of an audit, and their numbers.

use super::{
    AuditSubject, Auditor, MAX_BOTS, MAX_FIELD_BOTS,
    auditor::{BotTally, KnownBot},
    mover_tally::MoverTally,
};
use lastnim_core::game::BotName;

impl AuditSubject {
    /// Returns the maximum number of bots in the audit.
    pub(super) fn max_bots(&self) -> usize {
        match self {
            Self::Bot(_) => MAX_BOTS,
            Self::Field => MAX_FIELD_BOTS,
        }
    }

    /// Returns whether a bot is audited.
    pub(super) fn includes(&self, bot: &BotName) -> bool {
        match self {
            Self::Bot(audited) => audited == bot,
            Self::Field => true,
        }
    }
}

impl Auditor {
    /// Creates a bot with empty tallies. Until [`mark_first_bots`](Self::mark_first_bots) is called, it counts as among
    /// the first by name.
    pub(super) fn new_bot(&self, name: &BotName) -> KnownBot {
        KnownBot {
            name: name.clone(),
            tally: self.subject.includes(name).then(|| BotTally::new(self.puzzles)),
            mover: MoverTally::default(),
            is_among_first: true,
        }
    }

    /// Marks the bots that are among the first by name.
    pub(super) fn mark_first_bots(&mut self) {
        let mut by_name: Vec<&mut KnownBot> = self.bots.iter_mut().collect();
        by_name.sort_by(|one, other| one.name.cmp(&other.name));
        for (place, bot) in by_name.into_iter().enumerate() {
            bot.is_among_first = place < MAX_FIELD_BOTS;
        }
    }

    /// Numbers the known bots by name, so that nothing depends on the order in which they appeared.
    pub(super) fn sort_bots(&mut self) {
        let mut names: Vec<BotName> = self.bots.iter().map(|bot| bot.name.clone()).collect();
        names.sort();
        self.number_bots(&names);
    }

    /// Gives each bot its place in `names` as its number. The names are sorted, and the known bots are among them; the
    /// others are added.
    pub(super) fn number_bots(&mut self, names: &[BotName]) {
        self.close_group();
        let place = |bot: &BotName| names.binary_search(bot).expect("every known bot is in the list");
        let new: Vec<usize> = self.bots.iter().map(|bot| place(&bot.name)).collect();
        let pairs = std::mem::take(&mut self.pairs).into_iter();
        self.pairs = pairs.map(|((one, other), pair)| ((new[one], new[other]), pair)).collect();
        self.choices.renumber_bots(&new);
        self.answers.renumber_bots(&new);
        let mut known: Vec<Option<KnownBot>> = names.iter().map(|_| None).collect();
        for (mut bot, &number) in std::mem::take(&mut self.bots).into_iter().zip(&new) {
            bot.mover.renumber_bots(&new);
            known[number] = Some(bot);
        }
        let bots = known.into_iter().zip(names).map(|(bot, name)| bot.unwrap_or_else(|| self.new_bot(name)));
        self.bots = bots.collect();
        self.numbers = names.iter().cloned().zip(0..).collect();
        self.mark_first_bots();
        let all_places = || 0..names.len();
        let is_kept: Vec<Vec<bool>> = all_places()
            .map(|one| all_places().map(|other| self.is_order_kept(one, other)).collect())
            .collect();
        for bot in &mut self.bots {
            bot.mover.retain_orders(|one, other| is_kept[one][other]);
        }
    }
}
