//! The plan of a run: everything follows from a seed, and faults can be left out one by one.

use lastnim_core::referee::TalkPrivacy;
use lastnim_tournament::SeededDraw;
use std::fmt;
use std::time::Duration;

/// The random streams of a seed. They are independent, so that leaving out a fault changes nothing else.
#[derive(Debug, Clone, Copy)]
pub enum Stream {
    Setting = 1,
    Faults = 2,
    Key = 3,
    Ids = 4,
    Disk = 5,
    Bots = 6,
}

/// Starts a stream of a seed; `index` distinguishes its users.
pub fn draw_stream(seed: u64, stream: Stream, index: u64) -> SeededDraw {
    SeededDraw::from_numbers([seed, stream as u64, index])
}

/// The kind of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotKind {
    /// Uses the protocol directly, sees every message, answers within milliseconds and reconnects at once.
    Witness,
    /// A house bot on the Rust SDK.
    House,
    /// A bot that breaks every rule.
    Hostile,
}

/// A run: its seed, its games, and its faults.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub setting: Setting,
    pub faults: Vec<Fault>,
}

/// The games of a run and their environment.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The simulation step of all clocks.
    pub tick: Duration,
    /// The minimum and maximum latency of a message.
    pub latency: (Duration, Duration),
    pub bots: Vec<BotKind>,
    pub tournaments: Vec<TournamentPlan>,
    /// The maximum duration of a write.
    pub write_time: Duration,
    pub return_grace: Duration,
    pub stall_threshold: Duration,
    pub session_queue: usize,
    pub keepalive: Duration,
    pub ping_interval: Duration,
    /// The maximum time before a witness answers a ping.
    pub pong_time: Duration,
    pub checkpoint_results: u64,
    /// Messages of one seat that may wait for its match.
    pub unread_per_seat: usize,
}

/// A tournament of a run.
#[derive(Debug, Clone, Copy)]
pub struct TournamentPlan {
    pub seats: usize,
    pub positions: u64,
    pub concurrency: usize,
    pub declares: bool,
    /// Whether rows are dealt to seats that declare.
    pub deals: bool,
    pub bank: Duration,
    pub declaration: Duration,
    /// Whether seats that declare talk before.
    pub talks: bool,
    /// The maximum length of a round of talk.
    pub round_time: Duration,
    /// Who may read private messages once the match has a winner.
    pub privacy: TalkPrivacy,
}

/// A fault at a time, or at a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub at: When,
    pub what: FaultKind,
}

/// When a fault happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At a simulated time.
    Time(Duration),
    /// At a write, by its number.
    Write(u64),
}

/// A direction of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    ToBot,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The server crashes, and restarts after a while.
    Crash { down: Duration },
    /// The server crashes in a write, which is committed or not.
    CrashInWrite { is_written: bool, down: Duration },
    /// A write is committed, but reported as failed.
    LostReply,
    /// The store answers everything with an error.
    StoreFails { lasts: Duration },
    /// The store does not answer.
    StoreHangs { lasts: Duration },
    /// The server stalls while the world's time continues.
    Stall { lasts: Duration },
    /// Another server takes the store over while this one still runs, and bots connect to that one.
    Takeover,
    /// Messages between a bot and the server are lost in both directions, while both believe that they are connected.
    Partition { bot: usize, lasts: Duration },
    /// Messages in one direction are lost.
    OneWayPartition { bot: usize, lost: Direction, lasts: Duration },
    /// Nothing arrives for a while, and then everything.
    Hold { bot: usize, lasts: Duration },
    /// The connections of a bot are reset.
    Cut { bot: usize },
    /// A bot stops reading.
    SlowReader { bot: usize, lasts: Duration },
    /// A bot opens a second session.
    SecondSession { bot: usize },
    /// A bot's program crashes and restarts.
    BotCrash { bot: usize },
}

impl FaultKind {
    /// Returns its duration.
    pub fn lasts(self) -> Duration {
        match self {
            Self::Crash { down } | Self::CrashInWrite { down, .. } => down,
            Self::StoreFails { lasts }
            | Self::StoreHangs { lasts }
            | Self::Stall { lasts }
            | Self::Partition { lasts, .. }
            | Self::OneWayPartition { lasts, .. }
            | Self::Hold { lasts, .. }
            | Self::SlowReader { lasts, .. } => lasts,
            Self::LostReply
            | Self::Takeover
            | Self::Cut { .. }
            | Self::SecondSession { .. }
            | Self::BotCrash { .. } => Duration::ZERO,
        }
    }

    /// Returns the affected bot, if there is one.
    pub fn bot(self) -> Option<usize> {
        match self {
            Self::Partition { bot, .. }
            | Self::OneWayPartition { bot, .. }
            | Self::Hold { bot, .. }
            | Self::SlowReader { bot, .. }
            | Self::Cut { bot }
            | Self::SecondSession { bot }
            | Self::BotCrash { bot } => Some(bot),
            _ => None,
        }
    }

    /// Returns whether it affects a bot or its connection: its clock may be charged for the loss.
    pub fn is_between(self) -> bool {
        self.bot().is_some()
    }
}

impl Plan {
    /// Draws the run of a seed.
    pub fn draw(seed: u64) -> Self {
        let setting = Setting::draw(&mut draw_stream(seed, Stream::Setting, 0));
        let faults = draw_faults(&mut draw_stream(seed, Stream::Faults, 0), setting.bots.len());
        Self { seed, setting, faults }
    }

    /// Returns whether no fault affects the servers or the store.
    pub fn has_no_server_fault(&self) -> bool {
        self.faults.iter().all(|fault| fault.what.is_between())
    }

    /// Returns whether no fault affects a bot or its connection.
    pub fn has_no_network_fault(&self) -> bool {
        !self.faults.iter().any(|fault| fault.what.is_between())
    }
}

fn draw_millis(draw: &mut SeededDraw, min: u64, max: u64) -> Duration {
    Duration::from_millis(min + draw.number_below(max - min + 1))
}

impl Setting {
    fn draw(draw: &mut SeededDraw) -> Self {
        let count = 3 + draw.number_below(3) as usize;
        let mut bots = vec![BotKind::Witness; 2];
        bots.extend((2..count).map(|_| {
            *draw
                .choose(&[BotKind::Witness, BotKind::House, BotKind::House, BotKind::Hostile])
                .expect("there are kinds")
        }));
        let tournaments = 1 + draw.number_below(2);
        let tournaments = (0..tournaments).map(|_| TournamentPlan::draw(draw)).collect();
        let tick = Duration::from_millis([2, 4, 8][draw.number_below(3) as usize]);
        let least = draw_millis(draw, 0, 4);
        let latency = (least, least + draw_millis(draw, 1, 25));
        let write_time = draw_millis(draw, 0, 12);
        // This is long enough for the growing reconnect pauses of the SDK.
        let (return_grace, stall_threshold) = (draw_millis(draw, 16_000, 20_000), draw_millis(draw, 50, 400));
        Self {
            tick,
            latency,
            bots,
            tournaments,
            write_time,
            return_grace,
            stall_threshold,
            session_queue: [2, 16][draw.number_below(2) as usize],
            keepalive: draw_millis(draw, 1_000, 4_000),
            // With short ping intervals, ends are confirmed all the time.
            ping_interval: if draw.number_below(2) == 0 {
                draw_millis(draw, 10, 60)
            } else {
                draw_millis(draw, 200, 3_000)
            },
            pong_time: draw_millis(draw, 0, 60),
            checkpoint_results: 1 + draw.number_below(12),
            unread_per_seat: [1, 4][draw.number_below(2) as usize],
        }
    }
}

impl TournamentPlan {
    fn draw(draw: &mut SeededDraw) -> Self {
        let seats = 2 + draw.number_below(2) as usize;
        Self {
            seats,
            positions: 1 + draw.number_below(3),
            concurrency: 1 + draw.number_below(6) as usize,
            declares: draw.number_below(2) == 0,
            deals: draw.number_below(2) == 0,
            bank: draw_millis(draw, 700, 4_000),
            declaration: draw_millis(draw, 700, 3_000),
            talks: draw.number_below(2) == 0,
            round_time: draw_millis(draw, 60, 1_200),
            privacy: if draw.number_below(2) == 0 { TalkPrivacy::Published } else { TalkPrivacy::Private },
        }
    }
}

fn draw_faults(draw: &mut SeededDraw, bots: usize) -> Vec<Fault> {
    let count = draw.number_below(9);
    // Every second run has no network faults, so that every clock can be checked against the bot's behaviour.
    let is_calm = draw.number_below(2) == 0;
    (0..count).map(|_| draw_fault(draw, bots, is_calm)).collect()
}

fn draw_fault(draw: &mut SeededDraw, bots: usize, is_calm: bool) -> Fault {
    let at = When::Time(draw_millis(draw, 20, 4_000));
    let write = When::Write(draw.number_below(260));
    let bot = draw.number_below(bots as u64) as usize;
    let (brief, lasts) = (draw_millis(draw, 20, 1_500), draw_millis(draw, 100, 7_000));
    let is_written = draw.number_below(2) == 0;
    let lost = if is_written { Direction::ToServer } else { Direction::ToBot };
    let (at, what) = match draw.number_below(if is_calm { 12 } else { 24 }) {
        0 => (at, FaultKind::Crash { down: brief }),
        1..=3 => (write, FaultKind::CrashInWrite { is_written, down: brief }),
        4 | 5 => (write, FaultKind::LostReply),
        6 => (at, FaultKind::StoreFails { lasts }),
        7 | 8 => (at, FaultKind::StoreHangs { lasts }),
        9 => (at, FaultKind::Stall { lasts }),
        10 | 11 => (at, FaultKind::Takeover),
        12 | 13 => (at, FaultKind::Partition { bot, lasts }),
        14 => (at, FaultKind::Hold { bot, lasts: brief }),
        15 | 16 => (at, FaultKind::Cut { bot }),
        17 => (at, FaultKind::SlowReader { bot, lasts }),
        18 => (at, FaultKind::SecondSession { bot }),
        19..=22 => (at, FaultKind::OneWayPartition { bot, lost, lasts }),
        _ => (at, FaultKind::BotCrash { bot }),
    };
    Fault { at, what }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {:?}", self.seed, self.setting)?;
        for (index, Fault { at, what }) in self.faults.iter().enumerate() {
            writeln!(f, "  fault {index}: {at:?} {what:?}")?;
        }
        Ok(())
    }
}
