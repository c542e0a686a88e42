//! Who leads or has won a tournament, and how sure that is, in sentences.

use super::{
    Round, RoundFate,
    verdict::tie_break_text,
    words::{count_with_noun, join_with_and},
};
use lastnim_proto::pb;
use pb::{TournamentState as State, tournament_settings::Format, verdict::Verdict as Said};

/// The maximum length of a list in which all names are given.
const MAX_NAMED: usize = 6;
/// The number of names given from a longer list.
const MAX_NAMED_FROM_LONG_LIST: usize = 3;
/// The probability of a wrong answer in a sequential test, if its settings do not specify one.
const DEFAULT_ERROR_PROBABILITY: f64 = 0.05;
/// The name of the first of several rounds.
const FIRST_ROUND: &str = "Round 1";

/// Who leads or has won a tournament, and how sure that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentFinding {
    /// Who leads or has won, without a full stop.
    pub headline: String,
    /// How sure that is, in sentences.
    pub certainty: String,
}

impl TournamentFinding {
    fn new(headline: impl Into<String>, certainty: impl Into<String>) -> Self {
        Self { headline: headline.into(), certainty: certainty.into() }
    }

    /// Returns the headline and the certainty as one text.
    pub fn text(&self) -> String {
        let stop = if self.headline.ends_with('?') { "" } else { "." };
        format!("{}{stop} {}", self.headline, self.certainty).trim_end().to_owned()
    }
}

/// Returns whether a bot may be better than a leader: its 95% interval reaches the lower end of the leader's. Always
/// false if their ratings cannot be compared, or if the bot no longer competes.
pub fn may_be_ahead(other: &pb::Standing, leader: &pb::Standing) -> bool {
    let (Some(rating), Some(own)) = (&other.rating, &leader.rating) else { return false };
    other.competes() && rating.island == own.island && rating.high >= own.low
}

/// Returns whether the whole 95% interval of a bot is above that of a leader.
fn is_clearly_stronger(other: &pb::Standing, leader: &pb::Standing) -> bool {
    let intervals = other.rating.as_ref().zip(leader.rating.as_ref());
    may_be_ahead(other, leader) && intervals.is_some_and(|(rating, own)| rating.low > own.high)
}

/// Says who leads or has won, given the standings by place. If the rounds of a knockout are known, the text also
/// describes the champion's path.
pub fn tournament_finding(
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
    rounds: &[Round],
) -> TournamentFinding {
    let field = tournament.field.len();
    match tournament.state() {
        State::Open => {
            let joined = match field {
                0 => "No bot has joined yet".to_owned(),
                1 => "1 bot has joined".to_owned(),
                bots => format!("{bots} bots have joined"),
            };
            return TournamentFinding::new(joined, "The tournament has not started.");
        }
        State::Cancelled => {
            let played = count_with_noun(tournament.matches_played, "match", "matches");
            return TournamentFinding::new(
                "The tournament was cancelled",
                format!("{played} had been played."),
            );
        }
        _ => {}
    }
    match verdict.and_then(|verdict| verdict.verdict.as_ref()) {
        Some(Said::Sprt(said)) => return sprt_finding(tournament, said),
        _ if tournament.matches_played == 0 => {
            let bots = count_with_noun(field, "bot plays", "bots play");
            return TournamentFinding::new("No match has ended yet", format!("{bots} in the tournament."));
        }
        Some(Said::Knockout(said)) => return knockout_finding(tournament, standings, said, rounds),
        _ => {}
    }
    let is_over = tournament.state() == State::Finished;
    let leaders: Vec<_> = standings.iter().take_while(|line| line.place == 1 && line.competes()).collect();
    match leaders.as_slice() {
        [] => TournamentFinding::new("No bot is ranked", ""),
        [leader] => {
            let tie = standings.get(1).and_then(|second| Some((second, tie_break_text(second.tie_break())?)));
            let certainty = certainty_text(leader, standings, is_over);
            let (verb, certainty) = match tie.filter(|_| is_over) {
                Some((second, tie_break)) => {
                    let level = format!("It is level with {} on points; it won {tie_break}.", second.bot);
                    let is_lot = second.tie_break() == pb::TieBreak::Lot;
                    (if is_lot { "won by lot" } else { "won" }, format!("{level} {certainty}"))
                }
                None => (if is_over { "won" } else { "leads" }, certainty),
            };
            TournamentFinding::new(format!("{} {verb}", leader.bot), certainty)
        }
        leaders => {
            let names: Vec<_> = leaders.iter().map(|line| line.bot.as_str()).collect();
            let headline = match names.len() {
                2..=MAX_NAMED_FROM_LONG_LIST => format!("{} share the lead", join_with_and(&names)),
                bots => format!("{bots} bots share the lead"),
            };
            TournamentFinding::new(headline, "They are level so far.")
        }
    }
}

/// Says how sure it is that a bot is better than all others.
fn certainty_text(leader: &pb::Standing, standings: &[pb::Standing], is_over: bool) -> String {
    if leader.rating.is_none() {
        return format!(
            "It won {} of {}. There are no ratings, which would show how sure this ranking is.",
            leader.wins,
            count_with_noun(leader.matches, "match", "matches")
        );
    }
    let others = || standings.iter().filter(|line| line.bot != leader.bot && line.competes());
    let rivals = others().filter(|line| may_be_ahead(line, leader));
    let (stronger, near): (Vec<_>, Vec<_>) = rivals.partition(|line| is_clearly_stronger(line, leader));
    let claim = if is_over { "may be just as strong" } else { "may still be ahead of it" };
    let certainty: Vec<_> = [
        rivals_text(
            &stronger,
            ["is stronger by its rating", "are stronger by their ratings"],
            ["lies above", "lie above"],
            leader,
        ),
        rivals_text(&near, [claim; 2], ["reaches into", "reach into"], leader),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !certainty.is_empty() {
        return certainty.join(" ");
    }
    let competing = if standings.iter().all(pb::Standing::competes) { "" } else { "competing " };
    if others().any(|line| {
        line.rating.is_none_or(|rating| Some(rating.island) != leader.rating.map(|own| own.island))
    }) {
        return format!(
            "Among the {competing}bots with comparable ratings, no 95% interval reaches into its own."
        );
    }
    format!("That is clear: no other {competing}bot’s 95% interval reaches into that of {}.", leader.bot)
}

/// Says what is known of some bots, and where their intervals are compared with the leader's; `None` if there are no
/// bots. The claim and the place are given for one bot and for several.
fn rivals_text(
    rivals: &[&pb::Standing],
    claim: [&str; 2],
    place: [&str; 2],
    leader: &pb::Standing,
) -> Option<String> {
    let names: Vec<_> = rivals.iter().map(|line| line.bot.as_str()).collect();
    let (number, interval, form) = match names.len() {
        0 => return None,
        1 => ("One other bot".to_owned(), "Its 95% interval", 0),
        many => (format!("{} other bots", number_word(many)), "Their 95% intervals", 1),
    };
    let (claim, place, names) = (claim[form], place[form], list_names(&names));
    Some(format!("{number} {claim}: {names}. {interval} {place} that of {}.", leader.bot))
}

/// Names all bots of a short list, and the first ones of a longer list.
fn list_names(names: &[&str]) -> String {
    if names.len() <= MAX_NAMED {
        return join_with_and(names);
    }
    let others = format!("{} others", names.len() - MAX_NAMED_FROM_LONG_LIST);
    let shown: Vec<_> = names[..MAX_NAMED_FROM_LONG_LIST].iter().copied().chain([others.as_str()]).collect();
    join_with_and(&shown)
}

/// Writes a number for the start of a sentence, from 2 to 9 in words.
fn number_word(number: usize) -> String {
    let words = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    let word = number.checked_sub(2).and_then(|index| words.get(index));
    word.map_or_else(|| number.to_string(), ToString::to_string)
}

fn sprt_finding(tournament: &pb::Tournament, said: &pb::SprtVerdict) -> TournamentFinding {
    let test = match tournament.settings.as_ref().and_then(|settings| settings.format.as_ref()) {
        Some(Format::Sprt(test)) => test.clone(),
        _ => pb::SprtFormat::default(),
    };
    let pair = |verb: &str| format!("{} {verb} better than {}", test.candidate, test.baseline);
    let error_percent = |given: f64| 100.0 * if given > 0.0 { given } else { DEFAULT_ERROR_PROBABILITY };
    let groups = count_with_noun(said.groups, "group of matches", "groups of matches");
    let decided = |headline: String, given: f64| {
        let detail = format!(
            "This took {groups}. Such a test gives this answer wrongly in at most {}% of cases.",
            error_percent(given)
        );
        TournamentFinding::new(headline, detail)
    };
    match said.answer() {
        pb::SprtAnswer::Better => decided(pair("is"), test.alpha),
        pb::SprtAnswer::NoBetter => decided(pair("is not"), test.beta),
        _ if tournament.state() == State::Finished => TournamentFinding::new(
            format!("The test did not show whether {}", pair("is")),
            format!("There was no answer after {groups}."),
        ),
        _ => TournamentFinding::new(
            format!("Is {} better than {}?", test.candidate, test.baseline),
            format!("There is no answer yet after {groups}; the maximum is {}.", test.groups),
        ),
    }
}

fn knockout_finding(
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
    said: &pb::KnockoutVerdict,
    rounds: &[Round],
) -> TournamentFinding {
    let still_in: Vec<_> = said.bots.iter().filter(|bot| bot.out_in.is_none()).collect();
    match still_in.as_slice() {
        [champion] if tournament.state() == State::Finished => {
            let seats = tournament.settings.as_ref().map_or(0, |settings| settings.seats as usize);
            let line = standings.iter().find(|line| line.bot == champion.bot).cloned().unwrap_or_default();
            // A champion that sat out the first round may have no table there.
            let tables = rounds.iter().filter_map(|round| round.table_of(&champion.bot));
            let has_all_rounds = tournament.field.len() <= seats
                || rounds.first().is_some_and(|round| round.name == FIRST_ROUND)
                || tables.map(|table| table.played).sum::<u64>() == u64::from(line.matches);
            let path = has_all_rounds.then(|| champion_path_text(&champion.bot, rounds)).flatten();
            let path = path.unwrap_or_else(|| {
                format!("It won {} of its {}.", line.wins, count_with_noun(line.matches, "match", "matches"))
            });
            TournamentFinding::new(format!("{} is champion", champion.bot), path)
        }
        still_in => {
            let names: Vec<_> = still_in.iter().map(|bot| bot.bot.as_str()).collect();
            let out = count_with_noun(said.bots.len() - names.len(), "bot is out", "bots are out");
            TournamentFinding::new(
                count_with_noun(names.len(), "bot is still in", "bots are still in"),
                format!("{} can still win; {out}.", list_names(&names)),
            )
        }
    }
}

/// Describes the path of a champion: whom it met, and how many tables a tie-break decided. `None` if its final is not
/// known.
fn champion_path_text(champion: &str, rounds: &[Round]) -> Option<String> {
    let tables: Vec<_> = rounds.iter().filter_map(|round| round.table_of(champion)).collect();
    let (last, earlier) = tables.split_last()?;
    if last.entries.iter().all(|entry| entry.fate != Some(RoundFate::Champion)) {
        return None;
    }
    let opponents = |table: &super::RoundTable| {
        let others = table.entries.iter().filter(|entry| entry.bot != champion);
        others.map(|entry| entry.bot.clone()).collect::<Vec<_>>()
    };
    let before: Vec<_> = earlier.iter().flat_map(|table| opponents(table)).collect();
    let before: Vec<_> = before.iter().map(String::as_str).collect();
    let finalists = opponents(last);
    let finalists: Vec<_> = finalists.iter().map(String::as_str).collect();
    let met = if before.is_empty() {
        format!("It met {} in the final.", list_names(&finalists))
    } else {
        format!("It met {}, and then {} in the final.", list_names(&before), list_names(&finalists))
    };
    let level = tables.iter().filter(|table| table.tie_break.is_some()).count();
    let decided = match level {
        0 => "Points decided each table.".to_owned(),
        level if level == tables.len() && level > 1 => {
            "Each table was level on points, and a tie-break decided it.".to_owned()
        }
        1 => "One of these tables was level on points, and a tie-break decided it.".to_owned(),
        2 => "Two of these tables were level on points, and tie-breaks decided them.".to_owned(),
        level => format!(
            "{} of these tables were level on points, and tie-breaks decided them.",
            number_word(level)
        ),
    };
    Some(format!("{met} {decided}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RoundEntry, RoundTable};

    fn tournament(state: State, format: Option<Format>) -> pb::Tournament {
        let settings = pb::TournamentSettings { format, ..Default::default() };
        let field = ["ann", "bob", "cid"].map(str::to_owned).to_vec();
        let settings = Some(settings);
        pb::Tournament { settings, field, state: state.into(), matches_played: 9, ..Default::default() }
    }

    fn line(place: u32, bot: &str, rating: Option<(f64, f64)>) -> pb::Standing {
        let rating = rating.map(|(low, high)| pb::BotRating {
            points: f64::midpoint(low, high),
            low,
            high,
            ..Default::default()
        });
        pb::Standing { place, bot: bot.into(), wins: 4 - place, matches: 6, rating, ..Default::default() }
    }

    fn summarize(tournament: &pb::Tournament, standings: &[pb::Standing], verdict: Option<Said>) -> String {
        let verdict = pb::Verdict { verdict };
        tournament_finding(tournament, standings, Some(&verdict), &[]).text()
    }

    #[test]
    fn the_finding_names_the_leader_and_the_bots_that_may_be_ahead() {
        let running = tournament(State::Running, None);
        let clear = [line(1, "ann", Some((1600.0, 1700.0))), line(2, "bob", Some((1400.0, 1599.0)))];
        assert_eq!(
            summarize(&running, &clear, None),
            "ann leads. That is clear: no other bot’s 95% interval reaches into that of ann."
        );
        let near = [clear[0].clone(), line(2, "bob", Some((1400.0, 1600.0))), line(3, "cid", None)];
        assert_eq!(
            summarize(&running, &near, None),
            "ann leads. One other bot may still be ahead of it: bob. Its 95% interval reaches into that of ann."
        );
        let many: Vec<_> =
            (1..=9).map(|place| line(place.min(4), &format!("b{place}"), Some((1.0, 9.0)))).collect();
        let level: Vec<_> = (1..=5).map(|bot| line(1, &format!("b{bot}"), None)).collect();
        assert_eq!(summarize(&running, &level, None), "5 bots share the lead. They are level so far.");
        let over = tournament(State::Finished, None);
        assert_eq!(
            summarize(&over, &many, None),
            "b1 won. Eight other bots may be just as strong: b2, b3, b4 and 5 others. Their 95% intervals reach into that of b1."
        );
        let above = line(3, "cid", Some((1701.0, 1800.0)));
        assert_eq!(
            summarize(&over, &[near[0].clone(), near[1].clone(), above.clone()], None),
            "ann won. One other bot is stronger by its rating: cid. Its 95% interval lies above that of ann. One other bot may be just as strong: bob. Its 95% interval reaches into that of ann."
        );
        let withdrawn = pb::Standing { withdrawn: true, ..above };
        assert_eq!(
            summarize(&over, &[clear[0].clone(), clear[1].clone(), withdrawn], None),
            "ann won. That is clear: no other competing bot’s 95% interval reaches into that of ann."
        );
        let mut apart = near.clone();
        apart[1].rating.as_mut().unwrap().island = 1;
        assert_eq!(
            summarize(&running, &apart, None),
            "ann leads. Among the bots with comparable ratings, no 95% interval reaches into its own."
        );
        let unrated = [line(1, "ann", None), line(2, "bob", None)];
        assert!(
            summarize(&running, &unrated, None)
                .starts_with("ann leads. It won 3 of 6 matches. There are no ratings, ")
        );
        let equal = [line(1, "ann", None), line(1, "bob", None)];
        assert_eq!(summarize(&running, &equal, None), "ann and bob share the lead. They are level so far.");
        let lot_line = pb::Standing { tie_break: pb::TieBreak::Lot.into(), ..clear[1].clone() };
        assert_eq!(
            summarize(&over, &[clear[0].clone(), lot_line], None),
            "ann won by lot. It is level with bob on points; it won by lot. That is clear: no other bot’s 95% interval reaches into that of ann."
        );
    }

    #[test]
    fn a_tournament_without_results_says_so() {
        let mut open = tournament(State::Open, None);
        assert_eq!(summarize(&open, &[], None), "3 bots have joined. The tournament has not started.");
        open.field.clear();
        assert!(summarize(&open, &[], None).starts_with("No bot has joined yet. "));
        let cancelled = tournament(State::Cancelled, None);
        assert_eq!(
            summarize(&cancelled, &[], None),
            "The tournament was cancelled. 9 matches had been played."
        );
        let begun = pb::Tournament { matches_played: 0, ..tournament(State::Running, None) };
        assert_eq!(
            summarize(&begun, &[line(1, "ann", None)], None),
            "No match has ended yet. 3 bots play in the tournament."
        );
    }

    #[test]
    fn the_finding_of_a_sequential_test_states_its_answer() {
        let format = pb::SprtFormat {
            candidate: "new".into(),
            baseline: "old".into(),
            groups: 99,
            ..Default::default()
        };
        let sprt_finding = |answer: pb::SprtAnswer, state| {
            let said = pb::SprtVerdict { answer: answer.into(), groups: 20, ..Default::default() };
            summarize(&tournament(state, Some(Format::Sprt(format.clone()))), &[], Some(Said::Sprt(said)))
        };
        assert_eq!(
            sprt_finding(pb::SprtAnswer::Better, State::Finished),
            "new is better than old. This took 20 groups of matches. Such a test gives this answer wrongly in at most 5% of cases."
        );
        assert!(
            sprt_finding(pb::SprtAnswer::NoBetter, State::Finished)
                .starts_with("new is not better than old. ")
        );
        assert_eq!(
            sprt_finding(pb::SprtAnswer::Undecided, State::Finished),
            "The test did not show whether new is better than old. There was no answer after 20 groups of matches."
        );
        assert!(
            sprt_finding(pb::SprtAnswer::Open, State::Running)
                .ends_with("There is no answer yet after 20 groups of matches; the maximum is 99.")
        );
    }

    #[test]
    fn the_finding_of_a_knockout_names_the_champion_and_its_path() {
        let out = |bot: &str, out_in| pb::KnockoutBot { bot: bot.into(), out_in, ..Default::default() };
        let entry = |bot: &str, fate| RoundEntry { bot: bot.into(), wins: 1, fate: Some(fate) };
        let table = |winner: RoundEntry, loser: &str, tie_break| RoundTable {
            entries: vec![winner, entry(loser, RoundFate::Eliminated)],
            played: 2,
            matches: 2,
            tie_break,
        };
        let round = |name: &str, tables| Round { name: name.into(), tables, byes: Vec::new() };
        let lot = Some(pb::TieBreak::Lot);
        let rounds = [
            round("Round 1", vec![table(entry("ann", RoundFate::Advances), "bob", lot)]),
            round("Final", vec![table(entry("ann", RoundFate::Champion), "cid", None)]),
        ];
        let mut shown = tournament(State::Finished, Some(Format::Knockout(pb::KnockoutFormat::default())));
        let bots = vec![out("ann", None), out("cid", Some(1)), out("bob", Some(0))];
        let verdict = pb::Verdict { verdict: Some(Said::Knockout(pb::KnockoutVerdict { bots })) };
        let summarize = |shown: &pb::Tournament, verdict: &pb::Verdict, rounds: &[Round]| {
            tournament_finding(shown, &[line(1, "ann", None)], Some(verdict), rounds).text()
        };
        assert_eq!(
            summarize(&shown, &verdict, &rounds),
            "ann is champion. It met bob, and then cid in the final. One of these tables was level on points, and a tie-break decided it."
        );
        // The matches of the first round are not known.
        assert_eq!(summarize(&shown, &verdict, &[]), "ann is champion. It won 3 of its 6 matches.");
        shown.state = State::Running.into();
        let bots = vec![out("ann", None), out("cid", None), out("bob", Some(0))];
        let verdict = pb::Verdict { verdict: Some(Said::Knockout(pb::KnockoutVerdict { bots })) };
        assert_eq!(
            summarize(&shown, &verdict, &[]),
            "2 bots are still in. ann and cid can still win; 1 bot is out."
        );
    }
}
