//! The state of an audit as bytes, and the merging of audits of different matches.
//!
//! The state consists of exact integers, and of samples that hashes choose. So audits of parts of some matches, merged
//! in any order, have the same state as the audit of all these matches.

use super::{
    AuditSubject, Auditor, MAX_PUZZLES,
    auditor::{BotTally, KnownBot},
    blind_choices::BlindChoices,
    equal_answers::AnswerTally,
    group::GroupCounter,
    pair::PairTally,
    talk_tally::TalkTally,
    trust_tally::TrustTally,
};
use lastnim_core::game::BotName;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use thiserror::Error;

/// Why the state of an audit cannot be written, read or merged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PartialAuditError {
    /// There are more bots than the limit. An audit then keeps the bots that appear first, so its findings depend on
    /// the order of the matches.
    #[error("the matches have more than {0} bots: expected at most {0} when parts of an audit are merged")]
    TooManyBots(usize),
    /// The bytes are not the state of an audit.
    #[error("not the state of an audit: {0}")]
    Malformed(&'static str),
    /// Two audits have different subjects or settings.
    #[error("the {setting} is {one} in one part and {other} in another: expected the same in all parts")]
    Settings {
        /// The setting.
        setting: &'static str,
        /// The value of the setting in the first audit.
        one: String,
        /// The value of the setting in the second audit.
        other: String,
    },
}

/// Matches cannot have such sums, so a part does not belong to an audit.
pub(super) const SUMS_TOO_LARGE: PartialAuditError =
    PartialAuditError::Malformed("the sums of all parts are too large");

/// The state as it is written: the settings, the number of matches and their groups, then the tallies.
type State = (
    (AuditSubject, u64, usize, bool),
    (u64, GroupCounter),
    (Vec<KnownBot>, BTreeMap<(usize, usize), PairTally>, BlindChoices, AnswerTally),
);

impl Auditor {
    /// Returns the state as bytes. Equal states have equal bytes, no matter in which order the matches were added.
    ///
    /// # Errors
    /// If the matches have more bots than the limit of the audit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PartialAuditError> {
        let mut sorted = self.clone();
        sorted.sort_bots();
        sorted.check_all_bots_counted()?;
        let Self {
            subject,
            seed,
            puzzles,
            without_power,
            matches,
            groups,
            bots,
            pairs,
            choices,
            answers,
            ..
        } = &sorted;
        let settings = (subject, seed, puzzles, without_power);
        let state = (settings, (matches, groups), (bots, pairs, choices, answers));
        Ok(postcard::to_allocvec(&state).expect("every list's length is known"))
    }

    /// Reads a state from bytes.
    ///
    /// # Errors
    /// If the bytes are not a state that [`Auditor::to_bytes`] could have written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PartialAuditError> {
        let malformed = PartialAuditError::Malformed;
        let ((subject, seed, puzzles, without_power), (matches, groups), (bots, pairs, choices, answers)): State =
            match postcard::take_from_bytes(bytes) {
                Ok((state, [])) => state,
                Ok(_) => return Err(malformed("trailing bytes")),
                Err(_) => return Err(malformed("its encoding is invalid")),
            };
        let numbers: HashMap<BotName, usize> = bots.iter().map(|bot| bot.name.clone()).zip(0..).collect();
        let mut audit = Self {
            puzzles,
            without_power,
            matches,
            groups,
            numbers,
            bots,
            pairs,
            choices,
            answers,
            ..Self::new(subject, seed)
        };
        audit.check_consistency().map_err(malformed)?;
        audit.mark_first_bots();
        Ok(audit)
    }

    /// Adds the matches of another audit with the same subject and settings. The two audits must not have a match in
    /// common.
    ///
    /// # Errors
    /// If the subjects or settings differ, both audits together have more bots than the limit, a group has other bots
    /// in one audit than in the other, or sums become too large for matches. The audit must not be used
    /// after an error.
    pub fn merge(&mut self, mut other: Self) -> Result<(), PartialAuditError> {
        self.check_settings(&other)?;
        self.check_all_bots_counted()?;
        other.check_all_bots_counted()?;
        let names: BTreeSet<&BotName> = self.bots.iter().chain(&other.bots).map(|bot| &bot.name).collect();
        if names.len() > self.subject.max_bots() {
            return Err(PartialAuditError::TooManyBots(self.subject.max_bots()));
        }
        let names: Vec<BotName> = names.into_iter().cloned().collect();
        self.number_bots(&names);
        other.number_bots(&names);
        self.choices.merge(std::mem::take(&mut other.choices))?;
        self.merge_sums(other).ok_or(SUMS_TOO_LARGE)
    }

    /// Adds the sums of another audit whose bots have the same numbers; returns `None` if a sum is too large.
    fn merge_sums(&mut self, other: Self) -> Option<()> {
        add_fields!(self, other; matches);
        self.groups.add_groups(&other.groups);
        for (bot, more) in self.bots.iter_mut().zip(other.bots) {
            bot.mover.merge(&more.mover)?;
            if let (Some(tally), Some(more)) = (&mut bot.tally, more.tally) {
                tally.merge(more)?;
                tally.has_possible_sums().then_some(())?;
            }
        }
        for (pair, more) in other.pairs {
            self.pairs.entry(pair).or_default().merge(more)?;
        }
        self.answers.merge(other.answers)
    }

    fn check_all_bots_counted(&self) -> Result<(), PartialAuditError> {
        match self.crowded_out {
            0 => Ok(()),
            _ => Err(PartialAuditError::TooManyBots(self.subject.max_bots())),
        }
    }

    fn check_settings(&self, other: &Self) -> Result<(), PartialAuditError> {
        let settings = |audit: &Self| {
            let subject = match &audit.subject {
                AuditSubject::Bot(bot) => bot.to_string(),
                AuditSubject::Field => "every bot".to_owned(),
            };
            let power = if audit.without_power { "left out" } else { "estimated" };
            [
                ("subject", subject),
                ("seed", audit.seed.to_string()),
                ("number of puzzles", audit.puzzles.to_string()),
                ("power of the tests", power.to_owned()),
            ]
        };
        let both = settings(self).into_iter().zip(settings(other));
        let mut differing = both.filter(|((_, one), (_, other))| one != other);
        differing.next().map_or(Ok(()), |((setting, one), (_, other))| {
            Err(PartialAuditError::Settings { setting, one, other })
        })
    }

    /// Checks that a state that was read can belong to an audit.
    fn check_consistency(&self) -> Result<(), &'static str> {
        let bots = self.bots.len();
        let is_tally = |tally: &BotTally| {
            tally.has_possible_sums()
                && tally.puzzles.limit() == self.puzzles
                && tally.preferences.iter().all(|(&(seats, source), tally)| tally.is_possible(seats, source))
        };
        let is_bot = |bot: &KnownBot| {
            bot.tally.is_some() == self.subject.includes(&bot.name)
                && bot.mover.is_possible(bots)
                && bot.tally.as_ref().is_none_or(is_tally)
        };
        let is_pair = |(&(one, other), pair): (&(usize, usize), &PairTally)| {
            one != other
                && one < bots
                && other < bots
                && self.is_pair_audited(one, other)
                && self.bots[one].mover.ceded.includes(pair.declarations.ceded)
                && pair.trust.as_ref().is_none_or(TrustTally::is_possible)
        };
        let checks = [
            (self.puzzles <= MAX_PUZZLES, "it has too many puzzles"),
            (bots <= self.subject.max_bots(), "it has too many bots"),
            (self.bots.is_sorted_by(|one, next| one.name < next.name), "its bots are not sorted"),
            (self.bots.iter().all(is_bot), "the counts of a bot are impossible"),
            (self.pairs.iter().all(is_pair), "the counts of a pair are impossible"),
            (self.choices.is_possible(bots), "the choices of a group are impossible"),
            (self.answers.is_possible(bots), "the answers to a state are impossible"),
        ];
        checks.into_iter().try_for_each(|(is_fulfilled, problem)| is_fulfilled.then_some(()).ok_or(problem))
    }
}

impl BotTally {
    /// Returns whether matches can have these figures.
    fn has_possible_sums(&self) -> bool {
        self.figures.is_possible() && self.talk.as_ref().is_none_or(TalkTally::is_possible)
    }

    /// Adds the tally of the same bot over other matches; returns `None` if a sum is too large.
    fn merge(&mut self, other: Self) -> Option<()> {
        self.figures.merge(&other.figures);
        for ((seats, source), more) in other.preferences {
            match self.preferences.get_mut(&(seats, source)) {
                Some(tally) => tally.merge(more)?,
                None => drop(self.preferences.insert((seats, source), more)),
            }
        }
        self.safety.add_counts(&other.safety)?;
        self.kingmaking.merge(other.kingmaking)?;
        self.puzzles.merge(other.puzzles);
        self.versions.merge(&other.versions)?;
        self.similar.merge(other.similar)?;
        match (&mut self.talk, other.talk) {
            (Some(tally), Some(more)) => tally.merge(&more),
            (None, more) => self.talk = more,
            (Some(_), None) => {}
        }
        Some(())
    }
}
