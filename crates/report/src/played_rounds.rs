//! The rounds of a Swiss tournament or a knockout, from its matches.

use super::{Round, RoundEntry, RoundFate, RoundTable};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use pb::{tournament_settings::Format, verdict::Verdict as Said};
use std::collections::{BTreeMap, BTreeSet};

/// Whether all matches of a tournament are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownMatches {
    /// All of them.
    All,
    /// Only the newest ones.
    Newest,
}

/// The wins and the number of ended matches at a table, counting only the known matches.
#[derive(Debug, Default)]
struct TableTally {
    wins: BTreeMap<String, u32>,
    played: u64,
}

/// How many tables each round of a tournament has.
struct RoundPlan {
    /// The number of tables in each round. In a Swiss tournament, the last number applies to all later rounds too.
    tables: Vec<u64>,
    matches_per_table: u64,
    is_knockout: bool,
}

impl RoundPlan {
    /// Returns the plan; `None` for a format without fixed rounds, or with too few bots for a match.
    fn of_tournament(tournament: &pb::Tournament) -> Option<Self> {
        let settings = tournament.settings.as_ref()?;
        let (bots, seats) = (tournament.field.len() as u64, u64::from(settings.seats));
        if seats == 0 || bots < seats {
            return None;
        }
        let (tables, table_groups, is_knockout) = match settings.format.as_ref()? {
            Format::Swiss(swiss) => (vec![bots / seats], swiss.table_groups, false),
            Format::Knockout(knockout) => {
                let advance = u64::from(knockout.advance.max(1));
                (knockout_tables(bots, seats, advance), knockout.table_groups, true)
            }
            _ => return None,
        };
        Some(Self { tables, matches_per_table: u64::from(table_groups.max(1)) * seats, is_knockout })
    }

    /// Returns the round of a table, and its index in that round. `table` is counted from the start of the tournament,
    /// from 0. `None` for a table after the final of a knockout.
    fn table_position(&self, table: u64) -> Option<(u64, u64)> {
        let mut first = 0;
        for (round, &tables) in (0..).zip(&self.tables) {
            if table < first + tables {
                return Some((round, table - first));
            }
            first += tables;
        }
        let &tables = self.tables.last().filter(|_| !self.is_knockout)?;
        Some((self.tables.len() as u64 + (table - first) / tables, (table - first) % tables))
    }

    fn table_count(&self, round: u64) -> u64 {
        let round = usize::try_from(round).ok();
        round.and_then(|round| self.tables.get(round)).or(self.tables.last()).copied().unwrap_or(0)
    }

    fn round_name(&self, round: u64) -> String {
        let is_final = self.is_knockout && round + 1 == self.tables.len() as u64;
        if is_final { "Final".to_owned() } else { format!("Round {}", shown_number(round)) }
    }
}

/// Returns the number of tables in each round of a knockout.
fn knockout_tables(bots: u64, seats: u64, advance: u64) -> Vec<u64> {
    let mut tables = Vec::new();
    let mut left = bots;
    while left > seats {
        tables.push(left / seats);
        let next = (left / seats * advance + left % seats).max(seats);
        if next >= left {
            break;
        }
        left = next;
    }
    tables.push(1);
    tables
}

/// Returns the rounds that have begun, based on the known matches; empty for a format without fixed rounds. Tables are
/// in the order of pairing. The bots of a table are ordered by result: bots that advance come first, then by wins.
pub fn played_rounds(
    tournament: &pb::Tournament,
    verdict: Option<&pb::Verdict>,
    matches: &[pb::Match],
    known: KnownMatches,
) -> Vec<Round> {
    let Some(plan) = RoundPlan::of_tournament(tournament) else { return Vec::new() };
    let mut tallies: BTreeMap<(u64, u64), TableTally> = BTreeMap::new();
    for game in matches.iter().filter(|game| game.void_reason.is_empty()) {
        let Some(setup) = &game.setup else { continue };
        let Some(place) = plan.table_position(setup.number / plan.matches_per_table) else { continue };
        let tally = tallies.entry(place).or_default();
        for bot in &setup.bots {
            tally.wins.entry(bot.clone()).or_default();
        }
        tally.played += u64::from(game.phase() == pb::Phase::Ended);
        let winner = game.winner.and_then(|seat| setup.bots.get(seat as usize));
        if let Some(wins) = winner.and_then(|winner| tally.wins.get_mut(winner)) {
            *wins += 1;
        }
    }
    // The oldest known match may lie in the middle of a round. Such a round is shown only if it is the only one.
    if known == KnownMatches::Newest
        && let (Some(&(first, _)), Some(&(last, _))) = (tallies.keys().next(), tallies.keys().next_back())
        && first < last
    {
        tallies.retain(|&(round, _), _| round > first);
    }
    let exits = knockout_results(verdict);
    let out_in = |bot: &str| exits.get(bot).map(|&(_, each)| each.out_in);
    let is_over = tournament.state() == pb::TournamentState::Finished;
    let rounds: BTreeSet<u64> = tallies.keys().map(|&(round, _)| round).collect();
    let rounds = rounds.into_iter().map(|round| {
        let round_tallies: Vec<_> =
            tallies.range((round, 0)..(round + 1, 0)).map(|(_, tally)| tally).collect();
        let is_settled = plan.is_knockout && exits.values().any(|(_, each)| each.out_in == Some(round));
        let is_final = round + 1 == plan.tables.len() as u64;
        let is_out = |bot: &str| is_settled && out_in(bot) == Some(Some(round));
        let fate = |bot: &String| match exits.get(bot.as_str()) {
            Some(_) if is_out(bot) => Some(RoundFate::Eliminated),
            Some((_, each)) if is_settled && is_over && is_final && each.out_in.is_none() => {
                Some(RoundFate::Champion)
            }
            Some((_, each)) if is_settled && each.lucky_in.contains(&round) => Some(RoundFate::LuckyLoser),
            Some(_) if is_settled => Some(RoundFate::Advances),
            _ => None,
        };
        let table = |tally: &&TableTally| {
            let entries =
                tally.wins.iter().map(|(bot, &wins)| RoundEntry { bot: bot.clone(), wins, fate: fate(bot) });
            let mut entries: Vec<_> = entries.collect();
            // The verdict ranks the bots of the final.
            let rank = |bot: &str| exits.get(bot).map(|&(rank, _)| rank).filter(|_| is_final && is_settled);
            entries
                .sort_by_key(|entry| (is_out(&entry.bot), rank(&entry.bot), std::cmp::Reverse(entry.wins)));
            // Matches annulled in advance are never played.
            let matches = if is_over { tally.played } else { plan.matches_per_table };
            let out = entries.iter().filter(|entry| entry.fate == Some(RoundFate::Eliminated));
            let tie_breaks = out.filter_map(|entry| Some(exits.get(entry.bot.as_str())?.1.tie_break()));
            let tie_break = tie_breaks.into_iter().find(|&tie_break| tie_break != pb::TieBreak::Unspecified);
            RoundTable { entries, played: tally.played, matches, tie_break }
        };
        let is_drawn = round_tallies.len() as u64 == plan.table_count(round);
        let sits = |bot: &&String| round_tallies.iter().any(|tally| tally.wins.contains_key(*bot));
        let is_in = |bot: &&String| out_in(bot).flatten().is_none_or(|out| out >= round);
        let byes = tournament.field.iter().filter(|bot| is_drawn && !sits(bot) && is_in(bot));
        let byes = byes.cloned().collect();
        Round { name: plan.round_name(round), tables: round_tallies.iter().map(table).collect(), byes }
    });
    rounds.collect()
}

/// Returns how far each bot got in a knockout, and its rank from 0.
fn knockout_results(verdict: Option<&pb::Verdict>) -> BTreeMap<&str, (usize, &pb::KnockoutBot)> {
    match verdict.and_then(|verdict| verdict.verdict.as_ref()) {
        Some(Said::Knockout(said)) => {
            said.bots.iter().enumerate().map(|(rank, each)| (each.bot.as_str(), (rank, each))).collect()
        }
        _ => BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tournament(bots: &[&str], seats: u32, format: Format) -> pb::Tournament {
        let settings = pb::TournamentSettings { seats, format: Some(format), ..Default::default() };
        let field = bots.iter().map(ToString::to_string).collect();
        let state = pb::TournamentState::Running.into();
        pb::Tournament { settings: Some(settings), field, state, ..Default::default() }
    }

    fn game(number: u64, bots: [&str; 2], winner: u32) -> pb::Match {
        let setup = pb::MatchSetup { number, bots: bots.map(str::to_owned).to_vec(), ..Default::default() };
        let phase = pb::Phase::Ended.into();
        pb::Match { setup: Some(setup), phase, winner: Some(winner), ..Default::default() }
    }

    fn summarize(rounds: &[Round]) -> Vec<String> {
        let entry = |entry: &RoundEntry| {
            let fate = entry.fate.map_or("", |fate| match fate {
                RoundFate::Advances => "advances",
                RoundFate::LuckyLoser => "lucky loser",
                RoundFate::Champion => "champion",
                RoundFate::Eliminated => "out",
            });
            format!("{} {} {fate}", entry.bot, entry.wins)
        };
        let table = |table: &RoundTable| {
            let entries = table.entries.iter().map(|each| entry(each).trim().to_owned());
            let tie_break = table.tie_break.map(|tie_break| tie_break.as_str_name().to_lowercase());
            entries.chain(tie_break).collect::<Vec<_>>().join(", ")
        };
        let round = |round: &Round| {
            let tables: Vec<_> = round.tables.iter().map(table).collect();
            format!("{}: {} | {}", round.name, tables.join("; "), round.byes.join(", "))
        };
        rounds.iter().map(round).collect()
    }

    #[test]
    fn a_knockout_has_rounds_and_a_final() {
        let knockout = Format::Knockout(pb::KnockoutFormat { advance: 1, table_groups: 1 });
        let mut shown = tournament(&["a", "b", "c"], 2, knockout);
        let first = [game(0, ["a", "b"], 0), game(1, ["b", "a"], 1)];
        let far = |bot: &str, out_in, tie_break: pb::TieBreak| pb::KnockoutBot {
            bot: bot.into(),
            out_in,
            tie_break: tie_break.into(),
            ..Default::default()
        };
        let points = pb::TieBreak::Unspecified;
        let verdict = |bots| pb::Verdict { verdict: Some(Said::Knockout(pb::KnockoutVerdict { bots })) };
        let before = verdict(vec![far("a", None, points), far("b", None, points), far("c", None, points)]);
        let rounds = played_rounds(&shown, Some(&before), &first[..1], KnownMatches::All);
        assert_eq!(summarize(&rounds), ["Round 1: a 1, b 0 | c"]);
        assert_eq!((rounds[0].tables[0].played, rounds[0].tables[0].matches), (1, 2));

        shown.state = pb::TournamentState::Finished.into();
        let matches = [first.as_slice(), &[game(2, ["c", "a"], 0), game(3, ["a", "c"], 1)]].concat();
        let after =
            verdict(vec![far("c", None, points), far("a", Some(1), points), far("b", Some(0), points)]);
        let rounds = played_rounds(&shown, Some(&after), &matches, KnownMatches::All);
        assert_eq!(
            summarize(&rounds),
            ["Round 1: a 2 advances, b 0 out | c", "Final: c 2 champion, a 0 out | "]
        );
        let newest = played_rounds(&shown, Some(&after), &matches[1..], KnownMatches::Newest);
        assert_eq!(summarize(&newest), ["Final: c 2 champion, a 0 out | "]);

        // At each table, each bot wins one match.
        let tied =
            [game(0, ["a", "b"], 0), game(1, ["b", "a"], 0), game(2, ["c", "a"], 0), game(3, ["a", "c"], 0)];
        let after = verdict(vec![
            far("a", None, points),
            far("c", Some(1), pb::TieBreak::Lot),
            far("b", Some(0), pb::TieBreak::Regret),
        ]);
        let rounds = played_rounds(&shown, Some(&after), &tied, KnownMatches::All);
        assert_eq!(
            summarize(&rounds),
            [
                "Round 1: a 1 advances, b 1 out, tie_break_regret | c",
                "Final: a 1 champion, c 1 out, tie_break_lot | "
            ]
        );
    }

    #[test]
    fn a_lucky_loser_is_marked() {
        let knockout = Format::Knockout(pb::KnockoutFormat { advance: 1, table_groups: 1 });
        let shown = tournament(&["a", "b", "c", "d"], 2, knockout);
        let matches = [game(0, ["a", "b"], 0), game(1, ["b", "a"], 1)];
        let bot = |bot: &str, out_in, lucky_in: &[u64]| pb::KnockoutBot {
            bot: bot.into(),
            out_in,
            lucky_in: lucky_in.to_vec(),
            ..Default::default()
        };
        let bots = vec![bot("a", None, &[]), bot("b", None, &[0]), bot("c", Some(0), &[])];
        let verdict = pb::Verdict { verdict: Some(Said::Knockout(pb::KnockoutVerdict { bots })) };
        let rounds = played_rounds(&shown, Some(&verdict), &matches, KnownMatches::All);
        assert_eq!(summarize(&rounds), ["Round 1: a 2 advances, b 0 lucky loser | "]);
    }

    #[test]
    fn all_rounds_of_a_swiss_tournament_have_equally_many_tables() {
        let swiss = Format::Swiss(pb::SwissFormat { rounds: 9, table_groups: 1 });
        let shown = tournament(&["a", "b", "c", "d", "e"], 2, swiss);
        let mut voided = game(5, ["a", "d"], 0);
        voided.void_reason = "a mistake".into();
        let matches = [game(0, ["a", "b"], 0), game(2, ["c", "d"], 1), game(4, ["a", "d"], 0), voided];
        let rounds = played_rounds(&shown, None, &matches, KnownMatches::All);
        assert_eq!(summarize(&rounds), ["Round 1: a 1, b 0; d 1, c 0 | e", "Round 2: a 1, d 0 | "]);
        let ladder = tournament(&["a", "b"], 2, Format::Ladder(pb::LadderFormat::default()));
        assert_eq!(played_rounds(&ladder, None, &matches, KnownMatches::All), []);
        assert_eq!(knockout_tables(6, 2, 1), [3, 1, 1]);
        assert_eq!(knockout_tables(10, 4, 2), [2, 1, 1]);
    }
}
