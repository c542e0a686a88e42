//! Records as text for people, one fact or event per line. Programs read JSON instead.
//!
//! ```text
//! lastnim record 1
//! match 018bcfe5-6800-7303-8303-030303030303
//! tournament 018bcfe5-6800-7404-8404-040404040404 number 3 group 1
//! seat 0 alice
//! seat 1 bob
//! piles 2 3
//! first 0
//! ending to_move_wins
//! clock initial_ms 10000 increment_ms 100 lag_quota_ms 100 lag_total_ms 10000 declaration_ms 10000
//! strikes 3
//! max_plies 10000
//! rows declared
//! signer <32 bytes in base64>
//! signature <64 bytes in base64>
//! events 9
//! 2023-11-14T22:13:20.000000Z created hash <32 bytes in base64>
//! 2023-11-14T22:13:20.001500Z declared seat 0 alice row 0 1 hash ..
//! 2023-11-14T22:13:20.002000Z declared seat 1 bob row 0 1 default late hash ..
//! 2023-11-14T22:13:20.002000Z revealed rows 0 1; 0 1 hash ..
//! 2023-11-14T22:13:20.003250Z took ply 0 seat 0 alice take 3 by bot charged_us 1250 lag_us 0 hash ..
//! 2023-11-14T22:13:20.004000Z struck ply 1 seat 1 bob for illegal_take hash ..
//! 2023-11-14T22:13:20.005000Z forfeited seat 1 bob resigned hash ..
//! 2023-11-14T22:13:20.005000Z took ply 1 seat 1 bob take 2 by steward charged_us 0 lag_us 0 hash ..
//! 2023-11-14T22:13:20.005000Z ended finished winner 0 alice hash ..
//! ```
//!
//! An exhibition has no `tournament` line. The `clock` line ends with `return_within_ms` if bots must return in time. A
//! match with talk has a `talk` line after `max_plies`. Assigned rows are written as `rows assigned 0 1; 0 1`; dealt
//! rows as `rows dealt from` and the rule, followed by a `commitment` line for each seat. Unsigned records have no
//! `signer` and `signature` lines. Signatures and hashes are left out while anything in the record is secret: until the
//! rows are revealed or, with dealt rows or private messages, until the match has a winner. If a bot added a note hash
//! to its row or take, `note_hash <32 bytes in base64>` precedes `hash`. A cancelled match ends with `ended cancelled`.
//! Words such as `illegal_take` are enumeration values of the protos in lower case, without their prefix. Years after
//! 9999 have more digits. Every line ends with a newline.

mod utc;
mod writer;

pub use utc::{Utc, UtcError};
pub use writer::write_record_text;

/// The first line, with the version of the text format.
pub const VERSION_LINE: &str = "lastnim record 1";

#[cfg(test)]
mod tests;
