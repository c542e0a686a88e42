//! Generates the reference pages for all commands and for all settings of the server.

use crate::{form::COMMON_HEADING, program_command, serve::ServeSettings};
use clap::{Arg, ArgAction, Command};
use lastnim_config::SettingTable as _;
use serde_json::Value;
use std::fmt::Write as _;

/// Returns a Markdown page of all commands and their options.
pub fn commands_page() -> String {
    let program = program_command();
    let common = common_options(&program);
    let mut page = String::new();
    for group in program.get_subcommands() {
        let _ = writeln!(page, "## {}\n", group.get_name());
        write_command(group, &common, &mut page);
        for command in list_subcommands(group) {
            let _ = writeln!(page, "### {}\n", full_name(command));
            write_command(command, &common, &mut page);
        }
    }
    let rows = common.iter().map(option_row).collect::<String>();
    let _ = write!(page, "## Common options\n\n{OPTION_HEAD}{rows}");
    page
}

/// Returns a Markdown table of all settings of `lastnim serve`.
pub fn server_settings_table() -> String {
    let mut table = "| key | default | what it is |\n|---|---|---|\n".to_owned();
    for setting in ServeSettings::default().settings() {
        let default = match setting.value() {
            Value::String(text) if !text.is_empty() => format!("`\"{text}\"`"),
            Value::Null | Value::String(_) => String::new(),
            value => format!("`{value}`"),
        };
        let mut doc = cell_text(&setting.doc_lines().collect::<Vec<_>>().join("\n"));
        if setting.flag() != setting.key().replace('_', "-") {
            let _ = write!(doc, ". The flag is `--{}`", setting.flag());
        }
        let _ = writeln!(table, "| `{}` | {default} | {doc} |", setting.key());
    }
    table
}

const OPTION_HEAD: &str = "| option | value | default | what it does |\n|---|---|---|---|\n";

/// Returns the options that commands share, which are those for the server and for the output.
fn common_options(program: &Command) -> Vec<Arg> {
    let command = program.find_subcommand("tournament").and_then(|group| group.find_subcommand("list"));
    let options = command.into_iter().flat_map(Command::get_arguments);
    let common =
        options.filter(|arg| arg.get_help_heading() == Some(COMMON_HEADING) && arg.get_id() != "csv");
    common.cloned().collect()
}

/// Returns the commands below a group, at any depth.
fn list_subcommands(group: &Command) -> Vec<&Command> {
    let shown = group.get_subcommands().filter(|inner| !inner.is_hide_set());
    shown.flat_map(|inner| std::iter::once(inner).chain(list_subcommands(inner))).collect()
}

fn full_name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_default()
}

/// Writes the description, usage and options of a command.
fn write_command(command: &Command, common: &[Arg], page: &mut String) {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(page, "{}.\n", about.trim_end_matches('.'));
    if command.has_subcommands() && !command.is_args_conflicts_with_subcommands_set() {
        return;
    }
    let usage = command.clone().render_usage().to_string();
    let _ = writeln!(page, "```\n{}\n```\n", usage.trim_start_matches("Usage: "));
    let is_common = |arg: &Arg| common.iter().any(|other| is_same_option(arg, other));
    let is_setting = |arg: &Arg| {
        command.get_name() == "serve"
            && ServeSettings::default().settings().iter().any(|setting| arg.get_id() == setting.key())
    };
    let arguments = || command.get_arguments().filter(|arg| arg.get_id() != "help");
    let rows: String =
        arguments().filter(|arg| !is_common(arg) && !is_setting(arg)).map(option_row).collect();
    if !rows.is_empty() {
        let _ = writeln!(page, "{OPTION_HEAD}{rows}");
    }
    if arguments().any(is_setting) {
        page.push_str("Every [server setting](server-settings.md) is a flag too: `open_matches` is `--open-matches`.\n\n");
    }
    let shared: Vec<_> = arguments().filter(|arg| is_common(arg)).map(option_name).collect();
    if !shared.is_empty() {
        let _ = writeln!(page, "[Common options](#common-options): {}.\n", shared.join(", "));
    }
}

fn is_same_option(arg: &Arg, other: &Arg) -> bool {
    let help = |arg: &Arg| arg.get_help().map(ToString::to_string);
    arg.get_id() == other.get_id() && help(arg) == help(other)
}

fn option_name(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), Some(short)) => format!("`-{short}`, `--{long}`"),
        (Some(long), None) => format!("`--{long}`"),
        (None, _) => "argument".to_owned(),
    }
}

/// Returns the row of an option: its name, value, default and help.
fn option_row(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let (help, default) = match help.split_once(" [default: ") {
        Some((before, rest)) => {
            let (default, after) = rest.split_once(']').unwrap_or((rest, ""));
            (format!("{before}{after}"), default.to_owned())
        }
        None if !takes_value => (help, String::new()),
        None => {
            let given: Vec<_> =
                arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
            (help, given.join(","))
        }
    };
    let words: Vec<_> = arg.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    let value = match (takes_value, words.is_empty()) {
        (false, _) => String::new(),
        (true, false) => words.join(", "),
        (true, true) => arg.get_value_names().unwrap_or_default().join(" "),
    };
    let variable = arg.get_env().map(|name| format!(" (`{}`)", name.to_string_lossy())).unwrap_or_default();
    let cells = [option_name(arg), code_text(&value), code_text(&default), cell_text(&help) + &variable];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn code_text(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

/// Joins paragraphs into one line of sentences.
fn cell_text(text: &str) -> String {
    let paragraphs =
        text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let sentences: Vec<_> = paragraphs.map(|paragraph| paragraph.trim_end_matches('.').to_owned()).collect();
    sentences.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const MAX_PROGRAM_LINES: usize = 40;
    const MAX_HELP_CHARS: usize = 100;

    fn every_command(command: &Command) -> Vec<&Command> {
        let inner = command.get_subcommands().flat_map(every_command);
        std::iter::once(command).chain(inner).collect()
    }

    #[test]
    fn the_help_is_short() {
        let mut program = program_command();
        let lines = program.render_help().to_string().lines().count();
        assert!(lines <= MAX_PROGRAM_LINES, "the help of the program has {lines} lines");
        let mut long = Vec::new();
        for command in every_command(&program) {
            let mut texts: Vec<_> = command.get_arguments().filter_map(Arg::get_help).collect();
            texts.extend(command.get_about());
            for help in texts.into_iter().map(ToString::to_string) {
                let text = help.split(" [default: ").next().unwrap_or_default();
                if text.chars().count() > MAX_HELP_CHARS {
                    long.push(format!("{}: {help}", full_name(command)));
                }
            }
        }
        assert!(long.is_empty(), "longer than {MAX_HELP_CHARS} characters:\n{}", long.join("\n"));
    }

    #[test]
    fn command_summaries_are_distinct() {
        let program = program_command();
        let mut known = HashMap::new();
        for command in every_command(&program) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty(), "{} has no description", full_name(command));
            if let Some(other) = known.insert(about, full_name(command)) {
                panic!("{other} and {} have the same description", full_name(command));
            }
        }
    }

    #[test]
    fn the_help_lists_every_command_once() {
        let listed = crate::COMMAND_GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
        let mut listed: Vec<_> = listed.collect();
        let program = program_command();
        let mut names: Vec<_> = program.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(listed, names);
    }
}
