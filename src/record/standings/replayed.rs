//! Computes the standings of a tournament by replaying the results of its records in the schedule.

use super::settings::ShownTournament;
use lastnim_core::{
    game::{BotName, BySeat, MatchId},
    referee::Record,
    shown_number::shown_number,
};
use lastnim_proto::record::seat_loss_of_forfeit;
use lastnim_report::words::join_items;
use lastnim_tournament::{
    BotComparison, CrossTable, FormatVerdict, MatchOutcome, MatchResult, RatingEvidence, Rulings, Schedule,
    Standing, Standings, StandingsOrder, TotalMatches, TournamentState, plan_schedule,
};
use std::collections::{BTreeMap, BTreeSet};

/// The results of a tournament's matches, by match number.
#[derive(Debug)]
pub struct ReplayedResults {
    results: BTreeMap<u64, (MatchId, MatchResult)>,
    /// The numbers of the matches that have no record and so do not count.
    unrecorded: BTreeSet<u64>,
    /// The schedule of the tournament, if its matches do not depend on results.
    fixed_schedule: Option<Box<dyn Schedule>>,
}

/// Whether bots are rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingChoice {
    /// Bots are rated from all matches, as at the end of a tournament.
    Final,
    /// Bots are not rated.
    Unrated,
}

/// The standings that follow from the matches of a tournament.
#[derive(Debug)]
pub struct ComputedStandings {
    /// A line for each bot, by place.
    pub standings: Vec<Standing>,
    /// The first criterion by which the lines are sorted.
    pub order: StandingsOrder,
    /// The verdict of the format.
    pub verdict: FormatVerdict,
    /// The comparison of each pair of bots.
    pub cross_table: Vec<BotComparison>,
    /// The number of matches without a record here; `None` if it is 0 or the total number of matches is unknown.
    pub missing: Option<u64>,
    /// Matches that must have been played, judging by the known ones, but have neither a record nor a result here.
    pub omitted: OmittedMatches,
}

/// The matches that have neither a record nor a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OmittedMatches {
    /// The number of these matches.
    pub count: u64,
    /// The lowest numbers of these matches in the tournament.
    pub first: Vec<u64>,
}

/// The maximum number of omitted matches whose numbers are listed; further ones are only counted.
const MAX_LISTED_NUMBERS: usize = 100;

impl ReplayedResults {
    /// Starts without results.
    pub fn new(shown: &ShownTournament) -> Self {
        // Before a tournament starts, its field may be too small for a match.
        let planned = plan_schedule(&shown.settings, &shown.field).ok();
        let fixed_schedule = planned.filter(|schedule| !schedule.depends_on_results());
        Self { results: BTreeMap::new(), unrecorded: BTreeSet::new(), fixed_schedule }
    }

    /// Adds the result of a record. Records of other tournaments and of unfinished matches are ignored.
    ///
    /// # Errors
    /// If the record cannot be audited, if it belongs to no match of the tournament, or if its match or number already
    /// has a different record.
    pub fn add_record(&mut self, shown: &ShownTournament, record: &Record) -> Result<(), String> {
        let (state, setup) = (record.state(), record.state().setup());
        let origin = setup.origin.as_ref().filter(|origin| origin.tournament == shown.id);
        let (Some(origin), Some((_, winner))) = (origin, state.end()) else { return Ok(()) };
        let (id, number, group) = (record.id(), origin.number, origin.group);
        let shown_as = shown_number(number);
        self.check_number(id, number, group, &setup.bots)?;
        let outcome = if winner.is_some() {
            let audit = record.audit().map_err(|error| error.to_string())?;
            Some(MatchOutcome::of_audit(&audit, |seat| state.forfeits()[seat].map(seat_loss_of_forfeit)))
        } else {
            None
        };
        let result = MatchResult { number, group, bots: setup.bots.clone(), outcome };
        // If two records have the same number, the first one is kept and the second one is refused.
        let (known_id, known) = self.results.entry(number).or_insert_with(|| (id, result.clone()));
        if *known_id != id {
            Err(format!(
                "match {id} has the number {shown_as}, but match {known_id}, whose record was read first, has it too"
            ))
        } else if *known != result {
            Err(format!("an earlier record of match {id} has a different result"))
        } else {
            Ok(())
        }
    }

    /// Checks that the tournament has a match with this number, in this group and with these bots. Nothing is checked
    /// if the matches depend on results.
    fn check_number(
        &self,
        id: MatchId,
        number: u64,
        group: u64,
        bots: &BySeat<BotName>,
    ) -> Result<(), String> {
        let Some(schedule) = &self.fixed_schedule else { return Ok(()) };
        let shown_as = shown_number(number);
        let Some(pairing) = schedule.pairing_of_number(number) else {
            return Err(format!(
                "match {id} has the number {shown_as}, but the tournament has no match with this number"
            ));
        };
        if pairing.group != group {
            return Err(format!(
                "match {id} has the number {shown_as} in duplicate group {}, but this number belongs to group {}",
                shown_number(group),
                shown_number(pairing.group)
            ));
        }
        if pairing.bots != *bots {
            return Err(format!(
                "match {id} has the number {shown_as}, but the match with this number has the bots {}, not {}",
                join_items(&pairing.bots, ", "),
                join_items(bots, ", ")
            ));
        }
        Ok(())
    }

    /// Notes the number of a match that has no record and so does not count.
    pub fn add_unrecorded(&mut self, number: u64) {
        self.unrecorded.insert(number);
    }

    /// Returns the matches with numbers below `end` that have neither a record nor a result. Matches that an annulment or
    /// a withdrawal left out are not among them: they were not played, and nothing depends on them.
    fn omitted_below(&self, end: u64, schedule: &dyn Schedule, rulings: &Rulings) -> OmittedMatches {
        let is_left_out = |number: &u64| {
            !schedule.depends_on_results()
                && schedule
                    .pairing_of_number(*number)
                    .is_some_and(|pairing| rulings.leaves_out(&pairing.bots))
        };
        let is_known = |number: &u64| self.results.contains_key(number) || self.unrecorded.contains(number);
        let mut omitted = OmittedMatches::default();
        for number in (0..end).filter(|number| !is_known(number) && !is_left_out(number)) {
            omitted.count += 1;
            if omitted.first.len() < MAX_LISTED_NUMBERS {
                omitted.first.push(number);
            }
        }
        omitted
    }

    /// Computes the standings and the verdict of the format.
    ///
    /// # Errors
    /// If the schedule cannot be planned, or a match does not belong to the tournament.
    pub fn compute_standings(
        &self,
        shown: &ShownTournament,
        ratings: RatingChoice,
    ) -> Result<ComputedStandings, String> {
        let ShownTournament { settings, field, changes, rulings, .. } = shown;
        let mut standings = Standings::new(settings, field);
        for change in changes {
            standings.add_bot(&change.bot);
        }
        let has_started = matches!(shown.state, Some(TournamentState::Running | TournamentState::Finished));
        if !has_started && self.results.is_empty() && self.unrecorded.is_empty() {
            let mut lines = standings.lines(TournamentState::Open);
            rulings.rank_standings(&mut lines, &FormatVerdict::Standings);
            return Ok(ComputedStandings {
                order: StandingsOrder::of_lines(&settings.format, TournamentState::Open, &lines),
                standings: lines,
                verdict: FormatVerdict::Standings,
                cross_table: Vec::new(),
                missing: None,
                omitted: OmittedMatches::default(),
            });
        }
        let mut schedule = plan_schedule(settings, field).map_err(|error| error.to_string())?;
        for change in changes {
            schedule.change_field(change);
        }
        for change in rulings.departures() {
            schedule.change_field(&change);
        }
        let results = self.report_results(&mut *schedule)?;
        let (mut evidence, mut cross_table) = (RatingEvidence::new(settings), CrossTable::new());
        let settled = schedule.settled_below();
        for result in results.range(..settled).map(|(_, result)| result) {
            let result = rulings.counted(result);
            standings.add_result(&result);
            evidence.add_result(&result);
            cross_table.add_result(&result);
        }
        let verdict = schedule.format_verdict();
        if let (Some(bye_groups), FormatVerdict::Byes(byes)) = (settings.format.bye_groups(), &verdict) {
            standings.set_bye_scores(byes, bye_groups);
        }
        let total = schedule.total_matches();
        let known_end = results.last_key_value().map_or(0, |(number, _)| number + 1);
        let end = if let TotalMatches::Exactly(total) = total { total } else { known_end };
        let omitted = self.omitted_below(end, &*schedule, rulings);
        let missing = match total {
            TotalMatches::Exactly(_) => Some(omitted.count).filter(|&missing| missing > 0),
            TotalMatches::AtMost(_) | TotalMatches::Open => None,
        };
        let recorded_state =
            if missing.is_none() { TournamentState::Finished } else { TournamentState::Running };
        let state = shown.state.unwrap_or(recorded_state);
        let mut lines = standings.lines_for_rulings(state, rulings);
        let appraisal = match ratings {
            RatingChoice::Final => Some(evidence.final_appraisal(&|| true).map_err(|halt| halt.to_string())?),
            RatingChoice::Unrated => None,
        };
        let mut compared = Vec::new();
        if let Some(appraisal) = &appraisal {
            appraisal.add_to_standings(&mut lines, state);
            compared = BotComparison::compare_all(&cross_table, appraisal);
        }
        rulings.rank_standings(&mut lines, &verdict);
        if let Some(appraisal) = &appraisal {
            appraisal.add_place_ranges(&mut lines);
        }
        let order = StandingsOrder::of_lines(&settings.format, state, &lines);
        Ok(ComputedStandings { standings: lines, order, verdict, cross_table: compared, missing, omitted })
    }

    /// Reports all results to a schedule in the order of their match numbers, and returns them.
    fn report_results(&self, schedule: &mut dyn Schedule) -> Result<BTreeMap<u64, MatchResult>, String> {
        let mut results = BTreeMap::new();
        let numbers: BTreeSet<u64> =
            self.results.keys().copied().chain(self.unrecorded.iter().copied()).collect();
        for number in numbers {
            let (known, pairing) = (self.results.get(&number), schedule.pairing_of_number(number));
            let result = pairing.and_then(|pairing| match known {
                Some((_, result)) => {
                    (pairing.bots == result.bots && pairing.group == result.group).then(|| result.clone())
                }
                None => Some(MatchResult::cancelled(&pairing)),
            });
            let result = result.ok_or_else(|| {
                let id = known.map(|(id, _)| format!(" {id} with")).unwrap_or_default();
                let number = shown_number(number);
                format!(
                    "match{id} number {number} does not belong to the tournament, or records of earlier matches are missing"
                )
            })?;
            schedule.report_result(&result);
            results.insert(number, result);
        }
        Ok(results)
    }
}
