//! What a run is made of: all of it follows from a seed, and faults can be left out one by one.

use lastnim_tournament::SeededDraw;
use std::fmt;
use std::time::Duration;

/// The streams of numbers that are drawn from one seed, so that leaving out a fault changes nothing else.
#[derive(Debug, Clone, Copy)]
pub enum Stream {
    Setting = 1,
    Faults = 2,
    Key = 3,
    Ids = 4,
    Disk = 5,
    Bots = 6,
}

/// Starts one of the streams of a seed; `index` tells apart what draws from the same one.
pub fn draw_stream(seed: u64, stream: Stream, index: u64) -> SeededDraw {
    SeededDraw::from_numbers([seed, stream as u64, index])
}

/// What a bot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotKind {
    /// Speaks the protocol by itself, hears everything, answers after a few milliseconds and comes back at once.
    Witness,
    /// A house bot on the Rust SDK.
    House,
    /// A bot that breaks every rule.
    Hostile,
}

/// A run: a seed, what it plays, and what goes wrong.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub setting: Setting,
    pub faults: Vec<Fault>,
}

/// What is played, on what.
#[derive(Debug, Clone)]
pub struct Setting {
    /// How far all clocks go at a time.
    pub tick: Duration,
    /// The shortest and the longest time that a message is under way.
    pub latency: (Duration, Duration),
    pub bots: Vec<BotKind>,
    pub tournaments: Vec<TournamentPlan>,
    /// The longest time that a write takes.
    pub write_time: Duration,
    pub return_grace: Duration,
    pub stall_threshold: Duration,
    pub session_queue: usize,
    pub keepalive: Duration,
    pub ping_interval: Duration,
    /// The longest time that a witness takes to answer a ping.
    pub pong_time: Duration,
    pub checkpoint_results: u64,
    /// Messages of one seat that may wait for its match.
    pub unread_per_seat: usize,
}

/// What a tournament is.
#[derive(Debug, Clone, Copy)]
pub struct TournamentPlan {
    pub seats: usize,
    pub positions: u64,
    pub concurrency: usize,
    pub declares: bool,
    pub bank: Duration,
    pub declaration: Duration,
}

/// Something that goes wrong at a time, or at a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub at: When,
    pub what: Trouble,
}

/// When something goes wrong.
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

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The server dies, and starts again after a while.
    Crash { down: Duration },
    /// The server dies in a write, which is on the disk or is not.
    CrashInWrite { is_written: bool, down: Duration },
    /// A write is on the disk, and the server is told that it failed.
    LostReply,
    /// The store answers everything with an error.
    StoreFails { lasts: Duration },
    /// The store does not answer: it is cut off, or its disk stands still.
    StoreHangs { lasts: Duration },
    /// The server stands still while the world's time goes on.
    Stall { lasts: Duration },
    /// Another server takes the store over while this one still runs, and from then on bots reach that one.
    Takeover,
    /// What is under way between a bot and the server is lost, both ways, and so is what they send meanwhile: both believe
    /// that they are connected.
    Partition { bot: usize, lasts: Duration },
    /// What is under way in one direction is lost, and so is what is sent that way meanwhile.
    OneWayPartition { bot: usize, lost: Direction, lasts: Duration },
    /// Nothing arrives for a while, and then everything.
    Hold { bot: usize, lasts: Duration },
    /// The connections of a bot are reset.
    Cut { bot: usize },
    /// A bot reads nothing.
    SlowReader { bot: usize, lasts: Duration },
    /// A bot connects once more beside the session that it has.
    SecondSession { bot: usize },
    /// A bot's program dies and starts again.
    BotCrash { bot: usize },
}

impl Trouble {
    /// Returns how long it lasts.
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

    /// Returns the bot that it happens to, if it is one.
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

    /// Returns whether it comes between a bot and the server: what a bot loses by it may be lost to its clock.
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

    /// Returns whether nothing happens to the servers and the store.
    pub fn spares_the_server(&self) -> bool {
        self.faults.iter().all(|fault| fault.what.is_between())
    }

    /// Returns whether nothing comes between the bots and the server.
    pub fn spares_the_network(&self) -> bool {
        !self.faults.iter().any(|fault| fault.what.is_between())
    }
}

fn millis(draw: &mut SeededDraw, least: u64, most: u64) -> Duration {
    Duration::from_millis(least + draw.number_below(most - least + 1))
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
        let least = millis(draw, 0, 4);
        let latency = (least, least + millis(draw, 1, 25));
        let write_time = millis(draw, 0, 12);
        // As long as the SDK may take to come back, whose pauses grow.
        let (return_grace, stall_threshold) = (millis(draw, 16_000, 20_000), millis(draw, 50, 400));
        Self {
            tick,
            latency,
            bots,
            tournaments,
            write_time,
            return_grace,
            stall_threshold,
            session_queue: [2, 16][draw.number_below(2) as usize],
            keepalive: millis(draw, 1_000, 4_000),
            // Where pings are short, ends are confirmed all the time.
            ping_interval: if draw.number_below(2) == 0 {
                millis(draw, 10, 60)
            } else {
                millis(draw, 200, 3_000)
            },
            pong_time: millis(draw, 0, 60),
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
            bank: millis(draw, 700, 4_000),
            declaration: millis(draw, 700, 3_000),
        }
    }
}

fn draw_faults(draw: &mut SeededDraw, bots: usize) -> Vec<Fault> {
    let count = draw.number_below(9);
    // In every second run nothing comes between bots and server, so that every clock can be held against what the bot did.
    let is_calm = draw.number_below(2) == 0;
    (0..count).map(|_| draw_fault(draw, bots, is_calm)).collect()
}

fn draw_fault(draw: &mut SeededDraw, bots: usize, is_calm: bool) -> Fault {
    let at = When::Time(millis(draw, 20, 4_000));
    let write = When::Write(draw.number_below(260));
    let bot = draw.number_below(bots as u64) as usize;
    let (brief, lasts) = (millis(draw, 20, 1_500), millis(draw, 100, 7_000));
    let is_written = draw.number_below(2) == 0;
    let lost = if is_written { Direction::ToServer } else { Direction::ToBot };
    let (at, what) = match draw.number_below(if is_calm { 12 } else { 24 }) {
        0 => (at, Trouble::Crash { down: brief }),
        1..=3 => (write, Trouble::CrashInWrite { is_written, down: brief }),
        4 | 5 => (write, Trouble::LostReply),
        6 => (at, Trouble::StoreFails { lasts }),
        7 | 8 => (at, Trouble::StoreHangs { lasts }),
        9 => (at, Trouble::Stall { lasts }),
        10 | 11 => (at, Trouble::Takeover),
        12 | 13 => (at, Trouble::Partition { bot, lasts }),
        14 => (at, Trouble::Hold { bot, lasts: brief }),
        15 | 16 => (at, Trouble::Cut { bot }),
        17 => (at, Trouble::SlowReader { bot, lasts }),
        18 => (at, Trouble::SecondSession { bot }),
        19..=22 => (at, Trouble::OneWayPartition { bot, lost, lasts }),
        _ => (at, Trouble::BotCrash { bot }),
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
