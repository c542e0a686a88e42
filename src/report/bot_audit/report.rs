//! An audit of many matches: a summary in words, and then the tables.

use super::{
    figures::{
        RANKS, SHARE, field_table, figure_table, figure_with_interval, regret_plot, slice_table, value_cell,
    },
    pairs::{correction_words, pair_section, with_suspicion},
    preferences::preference_sections,
    puzzles::{kingmaking_section, puzzle_sections},
    verdict::verdict_sentences,
};
use crate::{
    auditing::{BotFindings, Findings, GroupCount, LivePiles, Phase, Scope},
    report::{Report, Section, versions::versions_note, words::counted},
};

/// Reports what was found of a bot or of a field; `sources` says, in sentences, of which records.
pub fn bot_audit_report(scope: &Scope, findings: &Findings, sources: Vec<String>) -> Report {
    let found = match scope {
        Scope::Bot(bot) => findings.bots.iter().find(|found| found.bot == *bot),
        Scope::Field => None,
    };
    let crowded_out = (findings.crowded_out > 0).then(|| {
        let seats = counted(findings.crowded_out, "seat was", "seats were");
        format!("{seats} held by further bots than are told apart: no figure has them.")
    });
    let versions = findings.bots.iter().filter_map(|found| {
        let played: Vec<_> = found.versions.iter().map(Into::into).collect();
        versions_note(found.bot.as_str(), &played).map(|note| format!("{note}."))
    });
    let head = Section::new().paragraph(bot_summary(found, findings)).paragraphs(versions);
    let head = with_suspicion(head, findings)
        .paragraphs(correction_words(scope, findings))
        .paragraphs(sources)
        .paragraphs(crowded_out);
    let rest = match found {
        Some(found) => bot_sections(found, findings),
        None => vec![Section::headed("Bots").table(field_table(&findings.bots)), pair_section(findings)],
    };
    [head].into_iter().chain(rest).collect()
}

fn bot_summary(found: Option<&BotFindings>, findings: &Findings) -> String {
    let groups = match findings.groups {
        GroupCount::Exactly(groups) => counted(groups, "duplicate group", "duplicate groups"),
        GroupCount::About(groups) => format!("about {groups} duplicate groups"),
    };
    let groups = format!("{groups} (the same bots on the same piles, in every rotation of the seats)");
    let matches = counted(findings.matches, "match", "matches");
    let Some(BotFindings { bot, figures, .. }) = found else {
        return format!("{} in {matches} of {groups}.", counted(findings.bots.len(), "bot", "bots"));
    };
    format!(
        "{bot} in {matches} of {groups}: {} of its {} optimal, {}.\n\
         Its errors cost it {} ranks a match; those of others gave it {} ranks a match.\n\
         It won {}; its satisfaction, from 0 to 1, was {}.",
        figures.optimal_plies,
        counted(figures.plies, "take was", "takes were"),
        figure_with_interval(SHARE, figures.accuracy),
        figure_with_interval(RANKS, figures.regret_per_match),
        value_cell(figures.luck_per_match).shown(RANKS),
        figure_with_interval(SHARE, figures.win_share),
        figure_with_interval(RANKS, figures.satisfaction),
    )
}

fn bot_sections(found: &BotFindings, findings: &Findings) -> Vec<Section> {
    let figures = &found.figures;
    let mut sections = vec![
        Section::headed("Figures, with intervals by the bootstrap over duplicate groups")
            .table(figure_table(figures)),
        Section::headed("By phase: more than two thirds of the counters left, more than one, the rest")
            .table(slice_table("phase", &figures.by_phase, Phase::name))
            .plot(regret_plot(&figures.by_phase, Phase::name)),
        Section::headed("By the number of piles that still hold something").table(slice_table(
            "live piles",
            &figures.by_live_piles,
            LivePiles::name,
        )),
    ];
    sections.extend(found.preferences.iter().flat_map(preference_sections));
    sections.extend([pair_section(findings), kingmaking_section(&found.kingmaking)]);
    sections.extend(puzzle_sections(found));
    sections.push(Section::headed("Verdict").list(verdict_sentences(found, findings)));
    sections
}
