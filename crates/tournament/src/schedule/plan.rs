//! Creates schedules from settings.

use super::gauntlet::Gauntlet;
use super::in_rounds::RoundSchedule;
use super::knockout::Knockout;
use super::ladder::Ladder;
use super::planned::PlannedSchedule;
use super::round_robin::RoundRobin;
use super::sample::BalancedSample;
use super::sprt::SprtSchedule;
use super::swiss::Swiss;
use super::{Schedule, TotalMatches};
use crate::{FieldError, MAX_MATCHES, Settings, TournamentFormat};
use lastnim_core::game::{BotName, SeatCount};

/// Plans a tournament between the bots of `field`, which must be distinct but may be in any order.
///
/// # Errors
/// If the field cannot play the format (see [`count_matches`]), or lacks a bot that the format names.
pub fn plan_schedule(settings: &Settings, field: &[BotName]) -> Result<Box<dyn Schedule>, FieldError> {
    let (seats, positions) = (settings.seats, settings.positions.count());
    count_matches(&settings.format, seats, positions, field.len())?;
    let mut field = field.to_vec();
    field.sort();
    let bots = field.len();
    Ok(match &settings.format {
        TournamentFormat::RoundRobin => {
            let tables = RoundRobin::new(bots, seats, positions)?;
            Box::new(PlannedSchedule::new(settings, field, tables))
        }
        TournamentFormat::Sample { groups } => {
            let tables = BalancedSample::new(settings, bots, groups.get());
            Box::new(PlannedSchedule::new(settings, field, tables))
        }
        TournamentFormat::Gauntlet { bot, groups } => {
            let place = field.binary_search(bot);
            let place = place.map_err(|_| FieldError::Missing { bot: bot.clone(), field_size: bots })?;
            let groups = groups
                .map_or_else(|| Gauntlet::default_group_count(bots, positions), |groups| Some(groups.get()));
            let groups = groups.ok_or(FieldError::TooManyGroups { field_size: bots })?;
            let tables = Gauntlet::new(settings, place, bots, groups);
            Box::new(PlannedSchedule::new(settings, field, tables))
        }
        TournamentFormat::Swiss { rounds, table_groups } => {
            let swiss = Swiss::new(settings, field, *rounds, *table_groups);
            Box::new(RoundSchedule::new(settings, *table_groups, swiss))
        }
        TournamentFormat::Knockout { advance, table_groups } => {
            let knockout = Knockout::new(settings, field, *advance, *table_groups);
            Box::new(RoundSchedule::new(settings, *table_groups, knockout))
        }
        TournamentFormat::Ladder(ladder) => {
            let rounds = Ladder::new(settings, field, *ladder);
            Box::new(RoundSchedule::new(settings, ladder.table_groups, rounds))
        }
        TournamentFormat::Sprt(sprt) => Box::new(SprtSchedule::new(settings, sprt, field)?),
    })
}

/// Returns the number of matches for a field of this size.
///
/// # Errors
/// If the field is too small or too large for the format, if it would play more than [`MAX_MATCHES`] matches, or if a
/// balanced sample of this size would take too long to find.
pub fn count_matches(
    format: &TournamentFormat,
    seats: SeatCount,
    positions: usize,
    field: usize,
) -> Result<TotalMatches, FieldError> {
    if field < seats.get() {
        return Err(FieldError::TooFewBots { field_size: field, seats });
    }
    let max = format.profile().max_bots;
    if field > max {
        return Err(FieldError::TooManyBots { field_size: field, max });
    }
    let n = seats.get();
    let matches = |groups: Option<u64>, size: u64| {
        let matches = groups.and_then(|groups| groups.checked_mul(size));
        matches
            .filter(|&matches| matches <= MAX_MATCHES)
            .ok_or(FieldError::TooManyGroups { field_size: field })
    };
    let match_count = |groups: Option<u64>| matches(groups, n as u64);
    Ok(match format {
        TournamentFormat::RoundRobin => {
            TotalMatches::Exactly(RoundRobin::count_groups(field, seats, positions)? * n as u64)
        }
        TournamentFormat::Sample { groups } => {
            BalancedSample::check_groups(field, seats, groups.get())?;
            TotalMatches::Exactly(match_count(Some(groups.get()))?)
        }
        TournamentFormat::Gauntlet { groups: Some(groups), .. } => {
            TotalMatches::Exactly(match_count(Some(groups.get()))?)
        }
        TournamentFormat::Gauntlet { groups: None, .. } => {
            TotalMatches::Exactly(match_count(Gauntlet::default_group_count(field, positions))?)
        }
        TournamentFormat::Swiss { rounds, table_groups } => {
            TotalMatches::Exactly(match_count(Swiss::count_groups(field, n, *rounds, *table_groups))?)
        }
        TournamentFormat::Knockout { advance, table_groups } => {
            let tables = Knockout::count_tables(field, n, *advance);
            TotalMatches::Exactly(match_count(tables.checked_mul(table_groups.get()))?)
        }
        TournamentFormat::Ladder(ladder) => match ladder.groups {
            Some(groups) => TotalMatches::AtMost(match_count(Some(groups.get()))?),
            None => TotalMatches::Open,
        },
        TournamentFormat::Sprt(sprt) => {
            let size = SprtSchedule::group_size(field, seats)?;
            TotalMatches::AtMost(matches(Some(sprt.groups.get()), size)?)
        }
    })
}

/// Returns the number of matches in each duplicate group, for a field of this size.
pub fn group_size(settings: &Settings, field: usize) -> u64 {
    let rotations = settings.seats.get() as u64;
    match settings.format {
        TournamentFormat::Sprt(_) => SprtSchedule::group_size(field, settings.seats).unwrap_or(rotations),
        _ => rotations,
    }
}
