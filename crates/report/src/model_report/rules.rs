//! How well models followed the rules: the outcomes of their questions and calls.

use super::figures::{SHARE, figure_column};
use crate::{
    Cell, CellParts, Column, Section, Table,
    words::{count_with_noun, join_items},
};
use lastnim_proto::pb;
use std::collections::BTreeMap;

/// Reports which questions the models answered themselves, and why the others failed.
pub(super) fn rule_sections(models: &[pb::ModelFindings]) -> Vec<Section> {
    let failures = failure_table(models);
    let questions = Section::with_heading("Rule adherence: questions that the models answered themselves")
        .table(question_table(models))
        .list(models.iter().filter_map(mode_text))
        .list(models.iter().filter_map(uncounted_replies_note));
    let policies = models.iter().filter_map(policy_text);
    let failed = (!failures.rows.is_empty()).then(|| {
        Section::with_heading("Failures: unanswered questions by their last failure, and failed calls")
            .table(failures)
            .list(policies)
    });
    [questions].into_iter().chain(failed).collect()
}

fn question_table(models: &[pb::ModelFindings]) -> Table {
    let lines: Vec<_> = models
        .iter()
        .flat_map(|model| {
            [("rows", &model.rows), ("takes", &model.takes)].map(|(kind, counts)| (model, kind, counts))
        })
        .filter_map(|(model, kind, counts)| {
            Some((model, kind, counts.as_ref().filter(|counts| counts.asked > 0)?))
        })
        .collect();
    Table::of_items(&lines)
        .column(Column::text("bot"), |(model, ..)| model.bot.clone())
        .column(Column::text("model"), |(model, ..)| model.models.join(", "))
        .column(Column::text("questions").with_key("kind"), |&(_, kind, _)| kind)
        .column(Column::integer("asked"), |(.., counts)| counts.asked)
        .column(Column::integer("withdrawn"), |(.., counts)| counts.withdrawn)
        .column(Column::integer("answered"), |(.., counts)| counts.answered)
        .column(figure_column("share", SHARE), |(.., counts)| counts.answered_share)
        .column(Column::integer("answers proved").with_parts(CellParts::Fraction), |(model, ..)| {
            let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
            Cell::Fraction { part: count(model.proved_answers), whole: count(model.answers) }
        })
        .into_table()
}

/// A count of failures, and its share.
type CountAndShare = (u64, f64);

fn failure_table(models: &[pb::ModelFindings]) -> Table {
    let mut table = Table::new([
        Column::text("bot"),
        Column::text("failure"),
        Column::text("fault"),
        Column::integer("rows"),
        figure_column("share of rows", SHARE),
        Column::integer("takes"),
        figure_column("share of takes", SHARE),
        Column::integer("calls"),
        figure_column("share of calls", SHARE),
    ]);
    for model in models {
        let [rows, takes] = [&model.rows, &model.takes]
            .map(|counts| counts.as_ref().map_or(&[][..], |counts| counts.unanswered.as_slice()));
        let failed_calls = model.calls.as_ref().map_or(&[][..], |calls| calls.failed.as_slice());
        let mut lines: BTreeMap<(&str, &str), [Option<CountAndShare>; 3]> = BTreeMap::new();
        for (place, failures) in [rows, takes, failed_calls].into_iter().enumerate() {
            for failure in failures {
                lines.entry((&failure.class, &failure.fault)).or_default()[place] =
                    Some((failure.count, failure.share));
            }
        }
        for ((class, fault), counts) in lines {
            let cells = counts.into_iter().flat_map(|counted| {
                let (count, share) = counted.unzip();
                [Cell::from(count.unwrap_or(0)), share.into()]
            });
            table.push_row([model.bot.clone().into(), class.into(), fault.into()].into_iter().chain(cells));
        }
    }
    table
}

/// Says in which modes a model was asked, since figures of different modes should not be compared.
fn mode_text(model: &pb::ModelFindings) -> Option<String> {
    let calls_by_mode = &model.calls.as_ref()?.modes;
    let entries = calls_by_mode
        .iter()
        .map(|mode| format!("{} ({})", mode.mode, count_with_noun(mode.count, "call", "calls")));
    (!calls_by_mode.is_empty()).then(|| format!("{} was asked with {}", model.bot, join_items(entries, "; ")))
}

/// Says for how many replies the endpoint gave no token count.
fn uncounted_replies_note(model: &pb::ModelFindings) -> Option<String> {
    let uncounted = model.calls.as_ref()?.uncounted;
    let replies = count_with_noun(uncounted, "reply", "replies");
    (uncounted > 0).then(|| {
        format!(
            "the endpoint of {} gave no token count for {replies}, so the cost is an upper bound",
            model.bot
        )
    })
}

fn policy_text(model: &pb::ModelFindings) -> Option<String> {
    let mut policies: BTreeMap<&str, u64> = BTreeMap::new();
    for policy in [&model.rows, &model.takes].into_iter().flatten().flat_map(|counts| &counts.policies) {
        *policies.entry(&policy.policy).or_default() += policy.count;
    }
    let entries = join_items(
        policies
            .iter()
            .map(|(policy, count)| format!("{policy} {}", count_with_noun(*count, "time", "times"))),
        ", ",
    );
    (!policies.is_empty()).then(|| format!("when the model gave no answer, {} used: {entries}", model.bot))
}
