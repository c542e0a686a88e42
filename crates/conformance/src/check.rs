//! The checks of the suite, in the order in which they are reported.

use super::{
    network::NetworkPace,
    scenes::{ending, joining, later_protocol, losses, playing, repetition, session, snapshots},
    stage::{SceneResult, Stage},
};
use std::{fmt, pin::Pin};

/// What a check does.
type Scene = for<'a> fn(&'a mut Stage) -> Pin<Box<dyn Future<Output = SceneResult> + Send + 'a>>;

/// One thing that a bot has to do.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name: lowercase words with hyphens.
    pub name: &'static str,
    /// What is checked.
    pub summary: &'static str,
    /// What goes wrong on a real server where it does not hold.
    pub why: &'static str,
    pub(super) pace: NetworkPace,
    pub(super) scene: Scene,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Makes a check of its name, its scene, what is checked, and why.
macro_rules! check {
    ($name:literal, $scene:path, $summary:literal, $why:literal) => {
        check!($name, $scene, NetworkPace::Fast, $summary, $why)
    };
    ($name:literal, $scene:path, $pace:expr, $summary:literal, $why:literal) => {
        Check {
            name: $name,
            summary: $summary,
            why: $why,
            pace: $pace,
            scene: |stage| Box::pin($scene(stage)),
        }
    };
}

/// Every check. The first says whether the bot plays at all: without it the others mean nothing.
pub const CHECKS: &[Check] = &[
    check!(
        "joins",
        joining::joins,
        "connects with its token and asks to join its tournament",
        "a bot that does not join is given no match"
    ),
    check!(
        "joins-again",
        joining::asks_again,
        "asks again where joining is refused as busy or unavailable",
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
        "plays where rows are assigned, and declares none",
        "a row that is declared there is refused; refused messages are rationed, and end the session"
    ),
    check!(
        "declared-rows",
        playing::declared_rows,
        "declares a valid row, once, before it takes",
        "without a valid row in time the standard row counts: the bot then plays for somebody else's preferences"
    ),
    check!(
        "large-piles",
        playing::large_piles,
        "plays legally with piles of up to 2^63-1 counters, and with 1,024 piles",
        "counters are 64-bit integers: a number that passes through a double or 32 bits comes out as another one, and the take is illegal"
    ),
    check!(
        "many-matches",
        playing::many_matches,
        "plays 16 matches at once on one stream",
        "tournaments seat a bot in many matches at once; one that mixes them up or waits for one of them loses the others on time"
    ),
    check!(
        "snapshot-turn",
        snapshots::in_turn,
        "answers the turn in a snapshot after its session was lost",
        "the clock of a seat runs on while its bot is away; a bot that waits for a `turn` event loses the seat on time"
    ),
    check!(
        "snapshot-declaration",
        snapshots::in_declaration,
        "declares after a snapshot that awaits its row, and goes on after one that has it",
        "a row that never comes is replaced by the standard row, and the bot plays for preferences that it has not chosen"
    ),
    check!(
        "snapshot-ended",
        snapshots::after_end,
        "takes in the end of a match that it missed, also when it is told twice, and plays on",
        "an end is told until the bot has confirmed it; a bot that breaks on it never gets past its first lost session"
    ),
    check!(
        "restarted",
        snapshots::after_restart,
        "plays on from the snapshot alone after its program was started again",
        "a program that was started again knows nothing of its matches but what the snapshots say"
    ),
    check!(
        "server-killed",
        losses::server_killed,
        "comes back after its server was killed and started again",
        "after a crash of the server every match goes on, against the clocks of those that do not come back"
    ),
    check!(
        "cut-joining",
        losses::while_joining,
        "comes back and joins wherever the stream is lost around the welcome and joining",
        "networks fail at any moment; whoever does not come back loses all its matches"
    ),
    check!(
        "cut-declaring",
        losses::while_declaring,
        "comes back and declares wherever the stream is lost around a declaration",
        "networks fail at any moment; whoever does not come back loses all its matches"
    ),
    check!(
        "cut-playing",
        losses::while_playing,
        "comes back and moves wherever the stream is lost around a take",
        "networks fail at any moment; whoever does not come back loses all its matches"
    ),
    check!(
        "cut-ending",
        losses::while_ending,
        "comes back and plays on wherever the stream is lost around the end of a match",
        "networks fail at any moment; whoever does not come back loses all its matches"
    ),
    check!(
        "refused",
        repetition::refused,
        "answers again where its row or its take is refused and asked for again",
        "the clock runs on after a refusal; whoever does not answer the repeated request loses the seat"
    ),
    check!(
        "duplicate-events",
        repetition::duplicates,
        "makes one take a ply and one row a match, also where every event comes twice",
        "a turn may come again, in a snapshot or after a refusal; a second answer that differs from the first is refused"
    ),
    check!(
        "stale-events",
        repetition::stale,
        "is not misled by turns and takes of earlier plies",
        "an answer to an old turn that differs from the one made then is refused; refused messages are rationed, and end the session"
    ),
    check!(
        "pings",
        session::pings,
        "answers pings with their ids, between matches and while it is to move",
        "without pongs no lag is given back, and the ends of matches are told again and again"
    ),
    check!(
        "draining",
        session::draining,
        "plays on while the server is about to stop, and comes back afterwards",
        "a server that is updated says so, and lets matches go on for a while; whoever leaves then pays with its clock"
    ),
    check!(
        "slow-network",
        session::slow_network,
        NetworkPace::Slow,
        "plays where every byte is 150 ms under way and messages come in pieces",
        "a bot with timeouts of its own that are too short loses sessions that nothing was wrong with"
    ),
    check!(
        "lost-seats",
        session::lost_seats,
        "plays on where other seats are lost, and in other matches where its own is",
        "the steward plays on for a seat that was lost; a bot that breaks on it loses its other seats as well"
    ),
    check!(
        "later-events",
        later_protocol::events,
        "passes over events of kinds that it does not know",
        "a newer server may send events that today's bots do not know, so that they need not be updated together"
    ),
    check!(
        "later-fields",
        later_protocol::fields,
        "passes over fields that it does not know",
        "a newer server may add fields to any message, so that bots need not be updated together"
    ),
    check!(
        "later-values",
        later_protocol::values,
        "passes over reasons and settings that it does not know",
        "a newer server may have more reasons to refuse, to suspend or to end, so that bots need not be updated together"
    ),
    check!(
        "other-tournaments",
        ending::other_tournaments,
        "plays on when another tournament of the bot ends or suspends it",
        "a bot hears of all its tournaments on one stream; one that stops with the first of them forfeits the others"
    ),
    check!(
        "ends",
        ending::with_tournament,
        "ends by itself, with exit status 0, when its tournament is over",
        "whoever runs the bot waits for its end, and takes another exit status for a crash"
    ),
    check!(
        "ends-while-away",
        ending::while_away,
        "ends by itself where its tournament ended while it was away, or before it joined",
        "a bot that was away when its tournament ended would wait for ever"
    ),
];

/// Finds a check by its name.
pub fn find_check(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}
