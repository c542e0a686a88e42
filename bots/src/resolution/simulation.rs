//! Simulated tournaments.

use super::{
    group_pool::{GroupPool, PlayedGroup},
    typical_field::typical_kinds,
};
use lastnim_core::{
    game::{BotName, BySeat},
    oracle::Budget,
};
use lastnim_tournament::{
    FormatVerdict, MatchOutcome, MatchResult, Pairing, RatingEvidence, ReplicateCount, Rulings, ScheduleStep,
    SeatResult, SeededDraw, Settings, SettingsDraft, Standing, Standings, TournamentFormat, TournamentState,
    plan_schedule,
};
use std::collections::{HashMap, hash_map::Entry};

/// Plays a tournament, one match after another, and returns its final standings, with ratings if the format ranks by
/// them. `play` plays a match; if it returns `None`, the tournament ends without standings.
///
/// # Panics
/// If the bots of the field cannot play a tournament with these settings, or if the settings have no end.
pub fn play_to_standings(
    settings: &Settings,
    field: &[BotName],
    mut play: impl FnMut(&Pairing) -> Option<MatchOutcome>,
) -> Option<Vec<Standing>> {
    let mut schedule = plan_schedule(settings, field).expect("the field can play these settings");
    let mut results = Vec::new();
    while let ScheduleStep::Match(pairing) = schedule.next() {
        let result = MatchResult::finished(&pairing, play(&pairing)?);
        schedule.report_result(&result);
        results.push(result);
    }
    Some(final_standings(settings, field, &results, &schedule.format_verdict()))
}

fn final_standings(
    settings: &Settings,
    field: &[BotName],
    results: &[MatchResult],
    verdict: &FormatVerdict,
) -> Vec<Standing> {
    let mut standings = Standings::new(settings, field);
    for result in results {
        standings.add_result(result);
    }
    if let (Some(groups), FormatVerdict::Byes(byes)) = (settings.format.bye_groups(), verdict) {
        standings.set_bye_scores(byes, groups);
    }
    let mut lines = standings.lines(TournamentState::Finished);
    if matches!(settings.format, TournamentFormat::Ladder(_)) {
        let mut evidence = RatingEvidence::new(settings);
        for result in results {
            evidence.add_result(result);
        }
        let fewest = ReplicateCount::new(ReplicateCount::MIN).unwrap_or_default();
        let appraisal = evidence.appraise(fewest, &mut Budget::unbounded()).expect("no bound");
        appraisal.add_to_standings(&mut lines, TournamentState::Finished);
    }
    Rulings::default().rank_standings(&mut lines, verdict);
    lines
}

/// Simulates tournaments of a typical field.
pub(super) struct FieldSimulation<'a, 'pool> {
    settings: &'a Settings,
    field: Vec<BotName>,
    kinds: Vec<u8>,
    pool: &'a mut GroupPool<'pool>,
    /// All matches, if they do not depend on results. They are planned once, because some plans take long to find.
    planned: Option<Vec<Pairing>>,
}

/// A group of the tournament that is being simulated.
struct OpenGroup {
    played: PlayedGroup,
    /// The place of each bot, by the name of the bot.
    places: Vec<(BotName, usize)>,
}

impl<'a, 'pool> FieldSimulation<'a, 'pool> {
    pub(super) fn new(settings: &'a Settings, bots: usize, pool: &'a mut GroupPool<'pool>) -> Self {
        let named = match &settings.format {
            TournamentFormat::Gauntlet { bot, .. } => Some(bot.clone()),
            _ => None,
        };
        let others = (0..).map(|number| format!("bot-{number}").parse().expect("a short word"));
        let others = others.filter(|other| named.as_ref() != Some(other));
        let field: Vec<BotName> = named.iter().cloned().chain(others).take(bots).collect();
        let mut schedule = plan_schedule(settings, &field).expect("the field can play these settings");
        let planned = (!schedule.depends_on_results()).then(|| {
            let next =
                || if let ScheduleStep::Match(pairing) = schedule.next() { Some(pairing) } else { None };
            std::iter::from_fn(next).collect()
        });
        Self { settings, field, kinds: typical_kinds(bots), pool, planned }
    }

    /// Simulates the tournament with this number and returns whether the best bot finishes first. Which bot is the best
    /// is drawn. `None` if the groups are too long to play.
    pub(super) fn best_is_first(&mut self, number: u64) -> Option<bool> {
        let mut draw = SeededDraw::from_numbers([self.settings.seed, number]);
        let seed = draw.next_bits();
        let settings = Settings::new(SettingsDraft { seed, ..(**self.settings).clone() });
        let settings = settings.expect("the seed does not affect whether settings are consistent");
        draw.shuffle(&mut self.kinds);
        let kinds: HashMap<&BotName, u8> = self.field.iter().zip(self.kinds.iter().copied()).collect();
        let mut open: HashMap<u64, OpenGroup> = HashMap::new();
        let mut play = |pairing: &Pairing| {
            let n = pairing.bots.seats().get();
            let group = match open.entry(pairing.group) {
                Entry::Occupied(group) => group.into_mut(),
                Entry::Vacant(new) => {
                    let mut table: Vec<(u8, &BotName)> =
                        pairing.bots.iter().map(|bot| (kinds[bot], bot)).collect();
                    table.sort_unstable();
                    let place_kinds: Vec<u8> = table.iter().map(|&(kind, _)| kind).collect();
                    let played = self.pool.draw_group(&place_kinds)?.clone();
                    let places = table.into_iter().zip(0..).map(|((_, bot), place)| (bot.clone(), place));
                    new.insert(OpenGroup { played, places: places.collect() })
                }
            };
            let outcome = group.outcome(pairing);
            if pairing.rotation + 1 == n {
                open.remove(&pairing.group);
            }
            Some(outcome)
        };
        let lines = match &self.planned {
            None => play_to_standings(&settings, &self.field, play)?,
            Some(planned) => {
                let results =
                    planned.iter().map(|pairing| Some(MatchResult::finished(pairing, play(pairing)?)));
                let results: Vec<_> = results.collect::<Option<_>>()?;
                final_standings(&settings, &self.field, &results, &FormatVerdict::Standings)
            }
        };
        Some(kinds[&lines[0].bot] == 0)
    }
}

impl OpenGroup {
    /// Returns the outcome of one of the group's matches.
    fn outcome(&self, pairing: &Pairing) -> MatchOutcome {
        let played = &self.played[pairing.rotation];
        let place_of = |bot: &BotName| {
            let place = self.places.iter().find(|(name, _)| name == bot);
            place.expect("all matches of a group have the same bots").1
        };
        let places: BySeat<usize> = pairing.bots.map(place_of);
        let winner = places.enumerate().find(|&(_, &place)| place == played.winner);
        let seats: BySeat<SeatResult> = places.map(|&place| played.places[place].clone());
        MatchOutcome { winner: winner.expect("a bot at the table won").0, seats }
    }
}
