//! Converts the verdict that a format adds to the standings to and from messages.

use super::{RequestField, pb};
use lastnim_tournament::{
    BetCapitals, Bye, CapitalPoint, FormatVerdict, KnockoutBot, KnockoutExit, SprtVerdict, Suspension,
};

impl From<&FormatVerdict> for pb::Verdict {
    fn from(verdict: &FormatVerdict) -> Self {
        use pb::verdict::Verdict as Said;
        let verdict = match verdict {
            FormatVerdict::Standings => None,
            FormatVerdict::Byes(byes) => {
                let bye =
                    |bye: &Bye| pb::Bye { bot: bye.bot.to_string(), rounds: bye.rounds, points: bye.points };
                Some(Said::Byes(pb::ByesVerdict { byes: byes.iter().map(bye).collect() }))
            }
            FormatVerdict::Knockout(bots) => {
                Some(Said::Knockout(pb::KnockoutVerdict { bots: bots.iter().map(Into::into).collect() }))
            }
            FormatVerdict::Suspended(bots) => {
                Some(Said::Suspended(pb::SuspensionVerdict { bots: bots.iter().map(Into::into).collect() }))
            }
            FormatVerdict::Sprt(sprt) => Some(Said::Sprt(sprt.into())),
        };
        Self { verdict }
    }
}

impl From<&KnockoutBot> for pb::KnockoutBot {
    fn from(KnockoutBot { bot, lucky_in, exit }: &KnockoutBot) -> Self {
        let tie_break = exit.and_then(|exit| exit.tie_break);
        Self {
            bot: bot.to_string(),
            out_in: exit.map(|exit| exit.round),
            tie_break: tie_break.map_or(pb::TieBreak::Unspecified, Into::into).into(),
            lucky_in: lucky_in.clone(),
        }
    }
}

impl From<&Suspension> for pb::BotSuspension {
    fn from(suspension: &Suspension) -> Self {
        let reason = pb::SuspensionReason::from(suspension.reason()).into();
        let message = suspension.to_string();
        let Suspension { ref bot, from_round, lost, no_shows, last } = *suspension;
        Self { bot: bot.to_string(), from_round, lost, no_shows, last, reason, message }
    }
}

impl From<&SprtVerdict> for pb::SprtVerdict {
    fn from(verdict: &SprtVerdict) -> Self {
        let SprtVerdict { answer, llr, lower, upper, groups, effect, ref path } = *verdict;
        let (answer, path) = (pb::SprtAnswer::from(answer).into(), path.iter().map(Into::into).collect());
        Self { answer, llr, lower, upper, groups, effect, path }
    }
}

impl From<&CapitalPoint> for pb::CapitalPoint {
    fn from(&CapitalPoint { groups, capitals }: &CapitalPoint) -> Self {
        let BetCapitals { better, no_better } = capitals;
        Self { groups, llr: capitals.llr(), better, no_better }
    }
}

impl From<&pb::CapitalPoint> for CapitalPoint {
    fn from(&pb::CapitalPoint { groups, llr: _, better, no_better }: &pb::CapitalPoint) -> Self {
        Self { groups, capitals: BetCapitals { better, no_better } }
    }
}

/// Reads a verdict. Its reasons and wording are not read, but derived from its figures.
pub fn parse_verdict(given: &pb::Verdict, field: RequestField<'_>) -> Option<FormatVerdict> {
    use pb::verdict::Verdict as Said;
    Some(match &given.verdict {
        None => FormatVerdict::Standings,
        Some(Said::Byes(said)) => {
            let byes = said.byes.iter().map(|bye| {
                let bot = field.member("byes").ok_or_report(bye.bot.parse());
                Some(Bye { bot: bot?, rounds: bye.rounds, points: bye.points })
            });
            FormatVerdict::Byes(byes.collect::<Option<_>>()?)
        }
        Some(Said::Knockout(said)) => {
            let knockout_field = field.member("knockout");
            let bots = said.bots.iter().map(|given| {
                let tie_break = knockout_field.optional_enum(given.tie_break)?;
                let exit = given.out_in.map(|round| KnockoutExit { round, tie_break });
                let bot = knockout_field.ok_or_report(given.bot.parse())?;
                Some(KnockoutBot { bot, lucky_in: given.lucky_in.clone(), exit })
            });
            FormatVerdict::Knockout(bots.collect::<Option<_>>()?)
        }
        Some(Said::Suspended(said)) => {
            let bots = said.bots.iter().map(|given| {
                let bot = field.member("suspension").ok_or_report(given.bot.parse())?;
                let pb::BotSuspension { from_round, lost, no_shows, last, .. } = *given;
                Some(Suspension { bot, from_round, lost, no_shows, last })
            });
            FormatVerdict::Suspended(bots.collect::<Option<_>>()?)
        }
        Some(Said::Sprt(said)) => {
            let sprt_field = field.member("sprt");
            let answer = sprt_field.required_enum(said.answer, "missing")?;
            let pb::SprtVerdict { llr, lower, upper, groups, effect, ref path, .. } = *said;
            let path = path.iter().map(Into::into).collect();
            FormatVerdict::Sprt(SprtVerdict { answer, llr, lower, upper, groups, effect, path })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{message_from_json, message_to_json};
    use crate::parse_request;
    use lastnim_tournament::{SprtAnswer, TieBreak};

    #[test]
    fn verdicts_read_back() {
        let bot = |name: &str| name.parse().unwrap();
        let suspension = Suspension { bot: bot("a"), from_round: 3, lost: 5, no_shows: 2, last: 17 };
        let sprt = |answer| {
            FormatVerdict::Sprt(SprtVerdict {
                answer,
                llr: 0.1,
                lower: -2.9,
                upper: 2.9,
                groups: 7,
                effect: Some(1.0 / 3.0),
                path: vec![CapitalPoint {
                    groups: 7,
                    capitals: BetCapitals { better: 0.1, no_better: -1.5 },
                }],
            })
        };
        let exits = [None, Some(None), Some(Some(TieBreak::Regret)), Some(Some(TieBreak::Lot))];
        let exits = exits.map(|exit| exit.map(|tie_break| KnockoutExit { round: 0, tie_break }));
        let bots = ["a", "b", "c", "d"].into_iter().zip(exits);
        let bots =
            bots.map(|(name, exit)| KnockoutBot { bot: bot(name), lucky_in: vec![0, 2], exit }).collect();
        let mut verdicts = vec![
            FormatVerdict::Standings,
            FormatVerdict::Byes(vec![
                Bye { bot: bot("a"), rounds: 2, points: 1.5 },
                Bye { bot: bot("b"), rounds: 0, points: 0.0 },
            ]),
            FormatVerdict::Knockout(bots),
            FormatVerdict::Suspended(vec![suspension.clone()]),
        ];
        verdicts.extend(
            [SprtAnswer::Open, SprtAnswer::Better, SprtAnswer::NoBetter, SprtAnswer::Undecided].map(sprt),
        );
        for verdict in verdicts {
            let json = message_to_json(&pb::Verdict::from(&verdict));
            let written = message_from_json(&json).unwrap();
            let parsed = parse_request(|request| parse_verdict(&written, request.member("verdict")));
            assert_eq!(parsed, Ok(verdict), "{json}");
        }
        let told = pb::BotSuspension::from(&suspension);
        assert_eq!(
            (told.reason(), told.message.as_str()),
            (pb::SuspensionReason::LostSeats, &*suspension.to_string())
        );
        let never_came = Suspension { no_shows: suspension.lost, ..suspension };
        assert_eq!(pb::BotSuspension::from(&never_came).reason(), pb::SuspensionReason::NeverCame);
    }

    #[test]
    fn mistakes_in_verdicts_are_named() {
        let refusal = |verdict| {
            let given = pb::Verdict { verdict: Some(verdict) };
            let parsed = parse_request(|request| parse_verdict(&given, request.member("verdict")));
            parsed.unwrap_err().to_string()
        };
        let bye = pb::Bye { rounds: 1, ..Default::default() };
        let byes = refusal(pb::verdict::Verdict::Byes(pb::ByesVerdict { byes: vec![bye] }));
        assert!(byes.starts_with("verdict.byes: "), "{byes}");
        let sprt = refusal(pb::verdict::Verdict::Sprt(pb::SprtVerdict::default()));
        assert_eq!(sprt, "verdict.sprt: missing");
    }
}
