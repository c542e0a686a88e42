//! Audits of many matches: a summary as text, and then the tables.

use super::{
    comparisons::{answer_section, condition_section},
    figures::{
        RANKS, SHARE, circumstance_regret_plot, circumstance_table, field_table, figure_table,
        figure_with_interval, value_cell,
    },
    pairs::{correction_note, example_sections, pair_sections, with_flagged_pairs},
    preferences::preference_sections,
    puzzles::{kingmaking_section, puzzle_sections},
    talk::{TALK_HEADINGS, talk_sections},
    trust::{TRUST_HEADING, trust_section},
    verdict::verdict_sentences,
};
use crate::{
    Report, Section, help_power::help_power_section, versions::versions_note, words::count_with_noun,
};
use lastnim_auditing::{AuditFindings, AuditSubject, BotFindings, GamePhase, GroupCount, LivePileCount};
use lastnim_core::oracle::TakeSafetyCounts;
use lastnim_proto::pb;

/// Reports the findings on a bot or a field; `sources` describes the records, in sentences.
pub fn bot_audit_report(scope: &AuditSubject, findings: &AuditFindings, sources: Vec<String>) -> Report {
    let found = match scope {
        AuditSubject::Bot(bot) => findings.bots.iter().find(|found| found.bot == *bot),
        AuditSubject::Field => None,
    };
    let crowded_out = (findings.crowded_out > 0).then(|| {
        let seats = count_with_noun(findings.crowded_out, "seat was", "seats were");
        format!("{seats} not counted, because there are too many bots to count separately.")
    });
    let versions = findings.bots.iter().filter_map(|found| {
        let played: Vec<_> = found.versions.iter().map(Into::into).collect();
        versions_note(found.bot.as_str(), &played).map(|note| format!("{note}."))
    });
    let head = Section::new().paragraph(bot_summary(found, findings)).paragraphs(versions);
    let head = with_flagged_pairs(head, findings)
        .paragraphs(correction_note(scope, findings))
        .paragraphs(sources)
        .paragraphs(crowded_out);
    let pairs: Vec<pb::PairFindings> = findings.pairs.iter().map(Into::into).collect();
    let trust = trust_section(&pairs, TRUST_HEADING);
    let rest: Vec<Section> = if let Some(found) = found {
        bot_sections(found, findings, trust)
    } else {
        let bots = Section::with_heading("Bots").table(field_table(&findings.bots));
        let talk = talk_sections(&findings.bots.iter().map(Into::into).collect::<Vec<_>>(), TALK_HEADINGS);
        [bots].into_iter().chain(talk).chain(trust).chain(pair_sections(findings)).collect()
    };
    let powers: Vec<_> = findings.powers.iter().map(|&power| power.into()).collect();
    let sections = [head].into_iter().chain(example_sections(findings)).chain(help_power_section(&powers));
    sections.chain(rest).collect()
}

fn bot_summary(found: Option<&BotFindings>, findings: &AuditFindings) -> String {
    let groups = match findings.groups {
        GroupCount::Exactly(groups) => count_with_noun(groups, "duplicate group", "duplicate groups"),
        GroupCount::About(groups) => format!("about {groups} duplicate groups"),
    };
    let groups = format!("{groups} (the same bots on the same piles, in every rotation of the seats)");
    let matches = count_with_noun(findings.matches, "match", "matches");
    let Some(BotFindings { bot, figures, .. }) = found else {
        return format!("{} in {matches} of {groups}.", count_with_noun(findings.bots.len(), "bot", "bots"));
    };
    format!(
        "{bot} in {matches} of {groups}: {} of its {} optimal, {}.\n\
         Its errors cost it {} ranks per match; the errors of others gave it {} ranks per match.\n\
         It won {} of its matches; its satisfaction, from 0 to 1, was {}.",
        figures.optimal_plies,
        count_with_noun(figures.plies, "take was", "takes were"),
        figure_with_interval(SHARE, figures.accuracy),
        figure_with_interval(RANKS, figures.regret_per_match),
        value_cell(figures.luck_per_match).display_text(RANKS),
        figure_with_interval(SHARE, figures.win_share),
        figure_with_interval(RANKS, figures.satisfaction),
    )
}

fn bot_sections(found: &BotFindings, findings: &AuditFindings, trust: Option<Section>) -> Vec<Section> {
    let figures = &found.figures;
    let mut sections = vec![
        Section::with_heading("Figures, with 95% intervals over duplicate groups")
            .table(figure_table(figures)),
        safety_section(found),
        Section::with_heading(
            "By phase: more than two thirds of the counters are left, more than one third, or less",
        )
        .table(circumstance_table("phase", &figures.by_phase, GamePhase::name))
        .plot(circumstance_regret_plot(&figures.by_phase, GamePhase::name)),
        Section::with_heading("By the number of nonempty piles").table(circumstance_table(
            "live piles",
            &figures.by_live_piles,
            LivePileCount::name,
        )),
    ];
    let shown = pb::BotFindings::from(found);
    sections.extend(condition_section(&shown.conditions));
    sections.extend(answer_section(&shown));
    sections.extend(talk_sections(&[shown], TALK_HEADINGS));
    sections.extend(trust);
    sections.extend(found.preferences.iter().flat_map(preference_sections));
    sections.extend(pair_sections(findings));
    sections.push(kingmaking_section(&found.kingmaking));
    sections.extend(puzzle_sections(found));
    sections.push(Section::with_heading("Verdict").list(verdict_sentences(found, findings)));
    sections
}

/// Reports how often the bot's takes risked or protected its guaranteed rank.
fn safety_section(found: &BotFindings) -> Section {
    let TakeSafetyCounts { risky, needless_risks, safe_errors, hedges } = found.safety;
    let optimal = found.figures.optimal_plies;
    let errors = found.figures.plies - optimal;
    Section::with_heading("Guaranteed rank: the rank that the bot could force against all others together").list([
        format!(
            "risky: {risky} of {} worsened this rank; in {needless_risks} of these cases another optimal take would have kept a better rank",
            count_with_noun(optimal, "optimal take", "optimal takes"),
        ),
        format!(
            "safe: {safe_errors} of {} kept a guaranteed rank above last place; in {hedges} of these cases no optimal take would have kept it (hedges)",
            count_with_noun(errors, "error", "errors"),
        ),
    ])
}
