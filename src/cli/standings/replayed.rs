//! Results of records, told a schedule as they were when the matches were played.

use super::settings::ShownTournament;
use crate::{
    referee::Record,
    tournament::{
        BotComparison, CrossTable, FormatVerdict, MatchOutcome, MatchResult, RatingEvidence, Rulings,
        Schedule, Standing, Standings, TotalMatches, TournamentFormat, plan_schedule,
    },
    wire::record::seat_loss_of_forfeit,
};
use std::collections::BTreeMap;

/// Results of the matches of a tournament, by their numbers.
#[derive(Debug, Default)]
pub struct ReplayedResults(BTreeMap<u64, MatchResult>);

/// What the matches of a tournament come to.
#[derive(Debug)]
pub struct ComputedStandings {
    /// A line for each bot, by place.
    pub standings: Vec<Standing>,
    /// What the format says besides.
    pub verdict: FormatVerdict,
    /// Each two bots compared.
    pub cross_table: Vec<BotComparison>,
    /// How many matches have no record here, where it is known how many there are.
    pub missing: Option<u64>,
}

impl ReplayedResults {
    /// Takes what a record comes to. One of another tournament, or of a match that is not over, comes to nothing.
    ///
    /// # Errors
    /// If it cannot be audited, or there is another of that number.
    pub fn add_record(&mut self, shown: &ShownTournament, record: &Record) -> Result<(), String> {
        let (state, setup) = (record.state(), record.state().setup());
        let origin = setup.origin.as_ref().filter(|origin| origin.tournament == shown.id);
        let (Some(origin), Some((_, winner))) = (origin, state.end()) else { return Ok(()) };
        let outcome = if winner.is_some() {
            let audit = record.audit().map_err(|error| error.to_string())?;
            Some(MatchOutcome::of_audit(&audit, |seat| state.forfeits()[seat].map(seat_loss_of_forfeit)))
        } else {
            None
        };
        let (number, group) = (origin.number, origin.group);
        let result = MatchResult { number, group, bots: setup.bots.clone(), outcome };
        // The first stays: what is refused does not count.
        let known = self.0.entry(number).or_insert_with(|| result.clone());
        if *known == result {
            Ok(())
        } else {
            Err(format!("match {number} of the tournament came out differently in a record before"))
        }
    }

    /// Returns how many matches need no record, as they were not played: nothing follows from them, and they count for nobody.
    fn left_out(&self, schedule: &dyn Schedule, total: u64, rulings: &Rulings) -> u64 {
        if schedule.follows_results() {
            return 0;
        }
        let unplayed = (0..total).filter(|number| !self.0.contains_key(number));
        unplayed
            .filter_map(|number| schedule.pairing_of_number(number))
            .filter(|pairing| rulings.annuls(&pairing.bots))
            .count() as u64
    }

    /// Works out the standings, and what the format says besides.
    ///
    /// # Errors
    /// If a match is none of the tournament's.
    pub fn compute_standings(&self, shown: &ShownTournament) -> Result<ComputedStandings, String> {
        let ShownTournament { settings, field, changes, rulings, .. } = shown;
        let mut standings = Standings::new(settings, field);
        for change in changes {
            standings.add_bot(&change.bot);
        }
        if self.0.is_empty() {
            let mut lines = standings.lines();
            rulings.put_in_order(&mut lines);
            return Ok(ComputedStandings {
                standings: lines,
                verdict: FormatVerdict::Standings,
                cross_table: Vec::new(),
                missing: None,
            });
        }
        let mut schedule = plan_schedule(settings, field).map_err(|error| error.to_string())?;
        for change in changes {
            schedule.change_field(change);
        }
        for result in self.0.values() {
            let pairing = schedule.pairing_of_number(result.number);
            if pairing.is_none_or(|pairing| pairing.bots != result.bots || pairing.group != result.group) {
                return Err(format!(
                    "match {} is none of the tournament's, or the records of matches before it are missing",
                    result.number
                ));
            }
            schedule.report_result(result);
        }
        let (mut evidence, mut cross_table) = (RatingEvidence::new(settings), CrossTable::new());
        let settled = schedule.settled_below();
        for result in self.0.range(..settled).map(|(_, result)| result) {
            let result = rulings.counted(result);
            standings.add_result(&result);
            evidence.add_result(&result);
            cross_table.add_result(&result);
        }
        let verdict = schedule.format_verdict();
        if let (TournamentFormat::Swiss { table_groups, .. }, FormatVerdict::Byes(byes)) =
            (&settings.format, &verdict)
        {
            standings.set_bye_scores(byes, *table_groups);
        }
        let mut lines = standings.lines();
        let appraisal = evidence.appraise_finally(&|| true).map_err(|halt| halt.to_string())?;
        appraisal.add_to_standings(&mut lines);
        rulings.put_in_order(&mut lines);
        let counted = self.0.range(..settled).count() as u64;
        let missing = match schedule.total_matches() {
            TotalMatches::Exactly(total) => {
                let left_out = self.left_out(&*schedule, total, rulings);
                total.checked_sub(counted + left_out).filter(|&missing| missing > 0)
            }
            TotalMatches::AtMost(_) | TotalMatches::Open => None,
        };
        let cross_table = BotComparison::compare_all(&cross_table, &appraisal);
        Ok(ComputedStandings { standings: lines, verdict, cross_table, missing })
    }
}
