//! What a tournament's format adds to its standings, such as byes or the result of a sequential test, as text and as a
//! plot.

use super::{
    MarkShape, NumberFormat, NumberUnit, Plot, PlotMark,
    words::{count_with_noun, enum_phrase},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use pb::verdict::Verdict as Said;

/// Describes the verdict of a format, one line per statement; empty without a verdict.
pub(super) fn format_verdict_lines(verdict: Option<&pb::Verdict>) -> Vec<String> {
    match verdict.and_then(|verdict| verdict.verdict.as_ref()) {
        None => Vec::new(),
        Some(Said::Byes(said)) => {
            let sat_out = said.byes.iter().filter(|bye| bye.rounds > 0);
            let points = NumberFormat::new(NumberUnit::Points, 2);
            sat_out
                .map(|bye| {
                    let rounds = count_with_noun(bye.rounds, "round", "rounds");
                    format!("{} sat out {rounds}: {} points", bye.bot, points.format_number(bye.points))
                })
                .collect()
        }
        Some(Said::Knockout(said)) => {
            let alone = said.bots.iter().filter(|bot| bot.out_in.is_none()).count() == 1;
            let still_in = if alone { "the champion" } else { "still in" };
            said.bots.iter().map(|bot| knockout_text(bot, still_in)).collect()
        }
        Some(Said::Suspended(said)) => said.bots.iter().map(|bot| bot.message.clone()).collect(),
        Some(Said::Sprt(said)) => vec![sprt_line(said)],
    }
}

/// Plots where a sequential test is between its bounds; `None` for other formats.
pub(super) fn format_verdict_plot(verdict: Option<&pb::Verdict>) -> Option<Plot> {
    let Some(Said::Sprt(said)) = verdict.and_then(|verdict| verdict.verdict.as_ref()) else { return None };
    let caption = format!(
        "The test ends at a bound: at {:.2} the candidate is judged no better, at {:.2} better",
        said.lower, said.upper
    );
    let mark =
        PlotMark { label: "evidence".to_owned(), value: said.llr, interval: Some((said.lower, said.upper)) };
    let format = NumberFormat { is_signed: true, ..NumberFormat::new(NumberUnit::Count, 2) };
    Some(Plot { caption, shape: MarkShape::Intervals, format, marks: vec![mark] })
}

fn knockout_text(bot: &pb::KnockoutBot, still_in: &str) -> String {
    let fate = match bot.out_in {
        Some(round) => {
            let tie_break = tie_break_text(bot.tie_break()).map(|tie_break| format!(", {tie_break}"));
            format!("out in round {}{}", shown_number(round), tie_break.unwrap_or_default())
        }
        None => still_in.to_owned(),
    };
    let lucky = bot.lucky_in.iter().map(|round| format!("; a lucky loser of round {}", shown_number(*round)));
    format!("{}: {fate}{}", bot.bot, lucky.collect::<String>())
}

/// Returns the text that names the deciding tie-break; `None` if no tie-break was needed.
pub fn tie_break_text(tie_break: pb::TieBreak) -> Option<&'static str> {
    match tie_break {
        pb::TieBreak::Unspecified => None,
        pb::TieBreak::Regret => Some("by fewer own errors"),
        pb::TieBreak::HeadToHead => Some("head to head"),
        pb::TieBreak::Lot => Some("by lot"),
    }
}

fn sprt_line(said: &pb::SprtVerdict) -> String {
    let answer = match said.answer() {
        pb::SprtAnswer::Better => "the candidate is better".to_owned(),
        pb::SprtAnswer::NoBetter => "the candidate is no better".to_owned(),
        answer => {
            format!(
                "it is {} whether the candidate is better",
                enum_phrase(answer.as_str_name(), "SPRT_ANSWER_")
            )
        }
    };
    let effect = said.effect.map_or_else(String::new, |effect| format!("; effect {effect:+.3} per match"));
    let pb::SprtVerdict { llr, lower, upper, .. } = said;
    let groups = count_with_noun(said.groups, "group", "groups");
    format!("{answer}: log-likelihood ratio {llr:.2}, bounds {lower:.2} and {upper:.2}, {groups}{effect}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_tournament::{
        Bye, FormatVerdict, KnockoutBot, KnockoutExit, SprtAnswer, SprtVerdict, Suspension, TieBreak,
    };

    fn describe(verdict: &FormatVerdict) -> Vec<String> {
        format_verdict_lines(Some(&verdict.into()))
    }

    #[test]
    fn verdicts_are_described() {
        use TieBreak::{HeadToHead, Lot, Regret};
        let bot = |name: &str| name.parse().unwrap();
        assert_eq!(format_verdict_lines(None), [""; 0]);
        assert_eq!(describe(&FormatVerdict::Standings), [""; 0]);

        let bye = |name: &str, rounds: u32| Bye {
            bot: bot(name),
            rounds: rounds.into(),
            points: 0.5 * f64::from(rounds),
        };
        let byes = describe(&FormatVerdict::Byes(vec![bye("a", 1), bye("b", 2), bye("c", 0)]));
        assert_eq!(byes, ["a sat out 1 round: 0.50 points", "b sat out 2 rounds: 1.00 points"]);

        let knockout = |exits: &[Option<(u64, Option<TieBreak>)>]| {
            let exit = |exit: &Option<(u64, Option<TieBreak>)>| {
                exit.map(|(round, tie_break)| KnockoutExit { round, tie_break })
            };
            let bots = ["a", "b", "c", "d", "e"].into_iter().zip(exits);
            let bots = bots.map(|(name, given)| KnockoutBot {
                bot: bot(name),
                lucky_in: if name == "b" { vec![0] } else { Vec::new() },
                exit: exit(given),
            });
            describe(&FormatVerdict::Knockout(bots.collect()))
        };
        let over = knockout(&[
            None,
            Some((1, None)),
            Some((1, Some(Regret))),
            Some((1, Some(HeadToHead))),
            Some((0, Some(Lot))),
        ]);
        assert_eq!(
            over,
            [
                "a: the champion",
                "b: out in round 2; a lucky loser of round 1",
                "c: out in round 2, by fewer own errors",
                "d: out in round 2, head to head",
                "e: out in round 1, by lot"
            ]
        );
        assert_eq!(
            knockout(&[None, None, Some((0, None))]),
            ["a: still in", "b: still in; a lucky loser of round 1", "c: out in round 1"]
        );

        let suspended = Suspension { bot: bot("a"), from_round: 3, lost: 5, no_shows: 2, last: 17 };
        assert_eq!(describe(&FormatVerdict::Suspended(vec![suspended.clone()])), [suspended.to_string()]);

        let sprt = SprtVerdict {
            answer: SprtAnswer::NoBetter,
            llr: -3.0,
            lower: -2.94,
            upper: 2.94,
            groups: 21,
            effect: Some(-0.25),
            path: Vec::new(),
        };
        assert_eq!(
            describe(&FormatVerdict::Sprt(sprt.clone())),
            [
                "the candidate is no better: log-likelihood ratio -3.00, bounds -2.94 and 2.94, 21 groups; effect -0.250 per match"
            ]
        );
        let open =
            describe(&FormatVerdict::Sprt(SprtVerdict { answer: SprtAnswer::Open, effect: None, ..sprt }));
        assert!(open[0].starts_with("it is open whether the candidate is better: "), "{open:?}");
    }
}
