//! Results of records, told a schedule as they were when the matches were played.

use super::settings::Shown;
use crate::{
    game::TournamentId,
    referee::Record,
    tournament::{
        Comparison, CrossTable, Evidence, Format, MatchOutcome, MatchResult, Standing, Standings, Total,
        Verdict, plan_schedule,
    },
    wire::record::seat_loss_of_forfeit,
};
use std::collections::BTreeMap;

/// Results of the matches of a tournament, by their numbers.
#[derive(Debug, Default)]
pub struct Replayed(BTreeMap<u64, MatchResult>);

/// What the matches of a tournament come to.
#[derive(Debug)]
pub struct TournamentOutcome {
    /// A line for each bot, by place.
    pub standings: Vec<Standing>,
    /// What the format says besides.
    pub verdict: Verdict,
    /// Each two bots compared.
    pub cross_table: Vec<Comparison>,
    /// How many matches have no record here, where it is known how many there are.
    pub missing: Option<u64>,
}

impl Replayed {
    /// Takes what a record comes to. One of another tournament, or of a match that is not over, comes to nothing.
    ///
    /// # Errors
    /// If it cannot be audited, or there is another of that number.
    pub fn add(&mut self, tournament: TournamentId, record: &Record) -> Result<(), String> {
        let (state, setup) = (record.state(), record.state().setup());
        let origin = setup.origin.as_ref().filter(|origin| origin.tournament == tournament);
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

    /// Works out the standings, and what the format says besides.
    ///
    /// # Errors
    /// If a match is none of the tournament's.
    pub fn outcome(&self, shown: &Shown) -> Result<TournamentOutcome, String> {
        let Shown { settings, field, changes, .. } = shown;
        let mut standings = Standings::new(settings, field);
        for change in changes {
            standings.enter(&change.bot);
        }
        if self.0.is_empty() {
            return Ok(TournamentOutcome {
                standings: standings.lines(),
                verdict: Verdict::Standings,
                cross_table: Vec::new(),
                missing: None,
            });
        }
        let mut schedule = plan_schedule(settings, field).map_err(|error| error.to_string())?;
        for change in changes {
            schedule.change_field(change);
        }
        for result in self.0.values() {
            let pairing = schedule.pairing(result.number);
            if pairing.is_none_or(|pairing| pairing.bots != result.bots || pairing.group != result.group) {
                return Err(format!(
                    "match {} is none of the tournament's, or the records of matches before it are missing",
                    result.number
                ));
            }
            schedule.report(result);
        }
        let (mut evidence, mut cross_table) = (Evidence::new(settings), CrossTable::new());
        let settled = schedule.settled();
        for result in self.0.range(..settled).map(|(_, result)| result) {
            standings.add(result);
            evidence.add(result);
            cross_table.add(result);
        }
        let verdict = schedule.verdict();
        if let (Format::Swiss { table_groups, .. }, Verdict::Byes(byes)) = (&settings.format, &verdict) {
            standings.set_byes(byes, *table_groups);
        }
        let mut lines = standings.lines();
        let appraisal = evidence.appraise_finally(&|| true).map_err(|halt| halt.to_string())?;
        appraisal.complete(&mut lines);
        let counted = self.0.range(..settled).count() as u64;
        let missing = match schedule.total() {
            Total::Exactly(total) => total.checked_sub(counted).filter(|&missing| missing > 0),
            Total::AtMost(_) | Total::Open => None,
        };
        let cross_table = Comparison::all(&cross_table, &appraisal);
        Ok(TournamentOutcome { standings: lines, verdict, cross_table, missing })
    }
}
