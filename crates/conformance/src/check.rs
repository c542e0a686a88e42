//! The checks of the suite, in the order in which they are reported.

use super::{
    network::NetworkPace,
    scenarios::{ending, future_protocol, joining, losses, playing, repetition, session, snapshots},
    stage::{ScenarioResult, Stage},
};
use std::{fmt, pin::Pin};

/// The scenario that a check plays: it acts as the server and judges the bot's answers.
type Scenario = for<'a> fn(&'a mut Stage) -> Pin<Box<dyn Future<Output = ScenarioResult> + Send + 'a>>;

/// A requirement for bots.
#[derive(Clone, Copy)]
pub struct Check {
    /// The name of the check, in lowercase words joined by hyphens.
    pub name: &'static str,
    /// What the bot must do.
    pub summary: &'static str,
    /// What goes wrong on a real server if the bot fails the check.
    pub why: &'static str,
    pub(super) pace: NetworkPace,
    pub(super) scenario: Scenario,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Creates a check from its name, scenario, requirement and reason.
macro_rules! check {
    ($name:literal, $scenario:path, $summary:literal, $why:literal) => {
        check!($name, $scenario, NetworkPace::Fast, $summary, $why)
    };
    ($name:literal, $scenario:path, $pace:expr, $summary:literal, $why:literal) => {
        Check {
            name: $name,
            summary: $summary,
            why: $why,
            pace: $pace,
            scenario: |stage| Box::pin($scenario(stage)),
        }
    };
}

/// All checks. If the first one fails, the bot does not join its tournament at all, so the other checks are pointless.
pub const CHECKS: &[Check] = &[
    check!(
        "joins",
        joining::join_tournament,
        "connects with its token and asks to join its tournament",
        "a bot that does not join gets no matches"
    ),
    check!(
        "joins-again",
        joining::retry_refused_join,
        "asks to join again if the server refuses because it is busy or unavailable",
        "a bot that gives up when the server is busy misses its tournament"
    ),
    check!(
        "seats",
        playing::every_number_of_seats,
        "plays legally with 2 to 32 seats",
        "an illegal take is a strike, and the third strike costs the seat"
    ),
    check!(
        "endings",
        playing::both_endings,
        "plays legally under both endings, from every seat",
        "an illegal take is a strike, and the third strike costs the seat"
    ),
    check!(
        "assigned-rows",
        playing::assigned_rows,
        "plays with assigned rows, without declaring one",
        "the server refuses a row in such a match; too many refused messages end the session"
    ),
    check!(
        "declared-rows",
        playing::declared_rows,
        "declares a valid row, once, before it takes",
        "without a valid row in time the bot gets the standard row, and plays for preferences that are not its own"
    ),
    check!(
        "dealt-rows",
        playing::dealt_rows,
        "declares a valid row, once, if a private row was dealt to it",
        "a bot that mistakes a dealt row for an assigned one does not declare, and gets the standard row"
    ),
    check!(
        "talk",
        playing::talk_before_declaring,
        "sends valid messages and ends its talk in each round, or declares its row at once, if seats can talk",
        "a refused message does not reach anybody, and a bot that neither talks nor declares delays all others"
    ),
    check!(
        "large-piles",
        playing::large_piles,
        "plays legally with piles of up to 2^63-1 counters, and with 1,024 piles",
        "counters are 64-bit integers: converting them to a double or 32 bits changes large numbers, and the take becomes illegal"
    ),
    check!(
        "many-matches",
        playing::many_matches,
        "plays 16 matches at the same time on one stream",
        "in tournaments a bot plays many matches at the same time; one that mixes them up or waits for one of them loses seats in the others when their clocks run out"
    ),
    check!(
        "snapshot-turn",
        snapshots::lost_session_in_turn,
        "answers the turn in a snapshot after a lost session",
        "a seat's clock keeps running while its bot is disconnected; a bot that waits for a `turn` event loses the seat when the clock runs out"
    ),
    check!(
        "snapshot-declaration",
        snapshots::lost_session_in_declaration,
        "declares after a snapshot that asks for its row, and continues after one that contains it",
        "a missing row is replaced by the standard row, and the bot plays for preferences that are not its own"
    ),
    check!(
        "snapshot-ended",
        snapshots::repeated_match_end,
        "accepts the end of a match that it missed, even if that end arrives twice, and plays on",
        "the server repeats an end until the bot confirms it; a bot that cannot handle a repeated end cannot recover from a lost session"
    ),
    check!(
        "restarted",
        snapshots::restarted_program,
        "plays on from the snapshot alone after its program is restarted",
        "a restarted program knows only what the snapshots contain"
    ),
    check!(
        "server-killed",
        losses::server_killed,
        "reconnects after its server is killed and restarted",
        "after the server crashes, all matches continue; the clocks of bots that do not reconnect keep running"
    ),
    check!(
        "cut-joining",
        losses::lost_stream_while_joining,
        "reconnects and joins if the stream is lost at any point while it connects and joins",
        "a network can fail at any moment; a bot that does not reconnect loses all its matches"
    ),
    check!(
        "cut-declaring",
        losses::lost_stream_while_declaring,
        "reconnects and declares if the stream is lost at any point during the declaration",
        "a network can fail at any moment; a bot that does not reconnect loses all its matches"
    ),
    check!(
        "cut-talking",
        losses::lost_stream_while_talking,
        "reconnects and talks on, or declares, if the stream is lost at any point during the talk",
        "a message is refused if it differs from the one with the same number that the server has already stored"
    ),
    check!(
        "cut-playing",
        losses::lost_stream_while_playing,
        "reconnects and makes its take if the stream is lost at any point during a take",
        "a network can fail at any moment; a bot that does not reconnect loses all its matches"
    ),
    check!(
        "cut-ending",
        losses::lost_stream_while_ending,
        "reconnects and plays on if the stream is lost at any point while a match ends",
        "a network can fail at any moment; a bot that does not reconnect loses all its matches"
    ),
    check!(
        "silent",
        losses::silent_connection,
        "reconnects within 30 s after its connection has gone silent",
        "a network failure may leave the stream open; a bot without keepalive waits forever while its clocks run out"
    ),
    check!(
        "refused",
        repetition::refused_answers,
        "answers again after its row or take is refused",
        "the clock keeps running after a refusal; a bot that does not answer the repeated request loses the seat"
    ),
    check!(
        "duplicate-events",
        repetition::duplicate_events,
        "sends one take per ply and one row per match, even if every event arrives twice",
        "a turn may be repeated in a snapshot or after a refusal; a second answer that differs from the first is refused"
    ),
    check!(
        "stale-events",
        repetition::stale_events,
        "ignores turns and takes of earlier plies",
        "a different answer to an old turn is refused; too many refused messages end the session"
    ),
    check!(
        "pings",
        session::answered_pings,
        "answers pings with their ids, between matches and during its turn",
        "without pongs the server does not compensate for lag, and sends the ends of matches again and again"
    ),
    check!(
        "draining",
        session::draining_server,
        "plays on while the server is stopping, and reconnects afterwards",
        "before an update, a server announces that it is stopping, and lets matches continue for a while; a bot that leaves at this point loses time"
    ),
    check!(
        "slow-network",
        session::slow_network,
        NetworkPace::Slow,
        "plays over a network with 150 ms latency and fragmented messages",
        "a bot with timeouts that are too short closes healthy sessions"
    ),
    check!(
        "lost-seats",
        session::lost_seats,
        "plays on after other seats are lost, and in other matches after its own seat is lost",
        "the steward plays for a lost seat; a bot that cannot handle this loses its other seats as well"
    ),
    check!(
        "later-events",
        future_protocol::unknown_events,
        "ignores unknown events",
        "a newer server may send new events; bots and servers are not updated together"
    ),
    check!(
        "later-fields",
        future_protocol::unknown_fields,
        "ignores unknown fields",
        "a newer server may add fields to any message; bots and servers are not updated together"
    ),
    check!(
        "later-values",
        future_protocol::unknown_values,
        "ignores unknown reasons and settings",
        "a newer server may have new reasons for refusals, suspensions and ends; bots and servers are not updated together"
    ),
    check!(
        "other-tournaments",
        ending::other_tournaments,
        "plays on when another of its tournaments ends or suspends it",
        "a bot gets the events of all its tournaments on one stream; one that stops at the first end forfeits the other tournaments"
    ),
    check!(
        "ends",
        ending::exit_after_tournament,
        "exits with status 0 when its tournament ends",
        "the program that runs the bot waits for its exit, and treats any other exit status as a crash"
    ),
    check!(
        "ends-while-away",
        ending::ended_while_offline,
        "exits if its tournament ended while it was disconnected, or before it joined",
        "a bot that was disconnected when its tournament ended would otherwise wait forever"
    ),
];

/// Finds a check by its name.
pub fn find_check(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}
