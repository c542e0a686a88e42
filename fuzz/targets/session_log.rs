//! Session logs: valid lines read back the same, and any log can be audited against itself.

use lastnim_history::{SessionLogs, check_match};
use lastnim_proto::session_log::SessionLogLine;

/// Reads an input as a log.
pub fn check(input: &[u8]) {
    let mut logs = SessionLogs::default();
    let log = logs.begin_log();
    for line in String::from_utf8_lossy(input).lines() {
        if let Ok(read) = SessionLogLine::parse(line) {
            let written = read.write();
            let again = SessionLogLine::parse(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
            assert_eq!(again.write(), written);
        }
        if logs.add_line(log, line).is_err() {
            return;
        }
    }
    if logs.finish_log(log).is_ok() {
        for (id, said) in logs.matches() {
            check_match(id, &said, None);
        }
    }
}
