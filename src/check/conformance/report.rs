//! Shows the results of the conformance suite as tables and as JSON.

use lastnim_conformance::{Check, CheckOutcome, CheckVerdict};
use lastnim_report::{Column, NumberUnit, Report, Section, Table};
use serde_json::{Value, json};

/// Lists the checks.
pub fn check_list_report(checks: &[&Check]) -> Report {
    let table = Table::of_items(checks)
        .column(Column::text("check"), |check| check.name)
        .column(Column::text("what is checked"), |check| check.summary)
        .into_table();
    Section::new().table(table).into()
}

/// Returns the list of checks as JSON.
pub fn checks_json(checks: &[&Check]) -> Value {
    let checks = checks.iter();
    checks.map(|check| json!({ "check": check.name, "summary": check.summary, "why": check.why })).collect()
}

fn verdict_name(verdict: &CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Passed => "passed",
        CheckVerdict::Failed(_) => "failed",
        CheckVerdict::Skipped => "skipped",
    }
}

/// Reports the result of each check, and describes the failures.
pub fn outcome_report(outcomes: &[CheckOutcome]) -> Report {
    let table = Table::of_items(outcomes)
        .column(Column::text("check"), |outcome| outcome.check.name)
        .column(Column::text("result"), |outcome| verdict_name(&outcome.verdict))
        .column(Column::number("seconds", NumberUnit::Count, 1), |outcome| outcome.took.as_secs_f64())
        .column(Column::text("what is checked"), |outcome| outcome.check.summary)
        .alert_where(|outcome| outcome.verdict != CheckVerdict::Passed)
        .into_table();
    let failed = outcomes.iter().filter_map(failure_section);
    Report::from(Section::new().table(table)).with_sections(failed)
}

/// Reports why a check failed; `None` if it did not fail.
fn failure_section(outcome: &CheckOutcome) -> Option<Section> {
    let CheckVerdict::Failed(failure) = &outcome.verdict else { return None };
    let facts = [
        ("expected", failure.expected.clone()),
        ("got", failure.got.clone()),
        ("why it matters", outcome.check.why.to_owned()),
    ];
    let section = Section::with_heading(format!("{} failed", outcome.check.name)).facts(facts);
    let section = match failure.sent.as_slice() {
        [] => section,
        sent => section.paragraph("The last messages sent to the bot:").list(sent.iter().cloned()),
    };
    Some(match outcome.output.as_slice() {
        [] => section,
        output => section.paragraph("The last output of the bot:").list(output.iter().cloned()),
    })
}

/// Returns the results of all checks as JSON.
pub fn outcomes_json(command: &[String], outcomes: &[CheckOutcome]) -> Value {
    let checks: Vec<_> = outcomes.iter().map(outcome_json).collect();
    let count = |word| outcomes.iter().filter(|outcome| verdict_name(&outcome.verdict) == word).count();
    json!({
        "command": command,
        "passed": count("passed"),
        "failed": count("failed"),
        "skipped": count("skipped"),
        "checks": checks,
    })
}

fn outcome_json(outcome: &CheckOutcome) -> Value {
    let failure = match &outcome.verdict {
        CheckVerdict::Failed(failure) => Some(json!({
            "sent": failure.sent,
            "expected": failure.expected,
            "got": failure.got,
            "output": outcome.output,
        })),
        CheckVerdict::Passed | CheckVerdict::Skipped => None,
    };
    json!({
        "check": outcome.check.name,
        "result": verdict_name(&outcome.verdict),
        "seconds": outcome.took.as_secs_f64(),
        "summary": outcome.check.summary,
        "why": outcome.check.why,
        "failure": failure,
    })
}
