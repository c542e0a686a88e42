//! `lastnim bot run`.

use crate::{
    CommandExit, CommandResult, Failure,
    args::given_flags::GivenFlags,
    bot::kind::PlayedBot,
    bot::llm::{build_llm_bot, play_llm_bot, refuse_llm_flags},
    credentials::TokenSource,
    form::{COMMON_HEADING, FormatArgs, OutputFormat},
    hidden_memory::hide_memory,
    remote::{self, Target, TlsArgs},
    runtime,
    text::numbers,
};
use lastnim_client::{
    Bot, Connected, EndReport, Error, MatchEnd, MatchInfo, MatchView, Message, Options, Practice, Refusal,
    SeatFigures, ServerAddress, Summary, Suspension, TakeFeed, TalkRound, practice_until, run_until,
};
use lastnim_core::game::{BotName, ConfigHash, Row, Seat, VersionLabel};
use lastnim_llm::{LlmBot, LlmSettings};
use lastnim_proto::pb;
use lastnim_report::words::{count_with_noun, enum_word};
use serde_json::{Value, json};
use std::{io::Write as _, path::PathBuf};

/// The heading in the help under which the flags for practice are listed.
const PRACTICE_HEADING: &str = "Practice";

/// Runs a house bot or a language model on a server
///
/// The bot plays all its matches until its tournament ends or it is interrupted. It reconnects after a lost connection.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lastnim bot run oracle --token $TOKEN --tournament $ID
  lastnim bot run greedy --token-file alice.token --tournament $ID
  lastnim bot run greedy --token-file alice.token --practice
  lastnim bot run greedy --practice --against oracle,traitor --piles 2,7 --rounds 5
  LASTNIM_TOKEN=$TOKEN lastnim bot run random --tournament $ID --seed 7 --json
  lastnim bot run oracle --token-file alice.token --tournament $ID --session-log alice.jsonl
  lastnim bot run llm --model gpt-5-mini --token-file alice.token --tournament $ID --transcript alice.jsonl
  lastnim bot run llm --model qwen3 --base-url http://127.0.0.1:11434/v1 --token-file alice.token --practice

The token is the one that `lastnim bot register` printed. Flags override the environment, which overrides `lastnim login`.")]
pub struct RunArgs {
    /// A house bot, or llm for a language model
    ///
    /// The house bots are: random, greedy, timid, oracle, loyal, traitor, grudger, mirror, minimax-PLIES (1 to 8), epsilon-RATE (0 to 1), mcts-PLAYOUTS (1 to 100000), liar, naive, keeper or breaker.
    name: PlayedBot,
    /// The server: host:port, a URL or unix:PATH [default: that of `lastnim login`, or 127.0.0.1:7600]
    #[arg(long, help_heading = COMMON_HEADING, env = "LASTNIM_SERVER", value_name = "ADDR")]
    server: Option<String>,
    #[command(flatten)]
    tls: TlsArgs,
    /// The bot's token; use --token-file or `LASTNIM_TOKEN`, because other users can read the command line
    #[arg(long, help_heading = COMMON_HEADING)]
    token: Option<String>,
    /// A file with the token, also as `LASTNIM_TOKEN_FILE`
    #[arg(long, help_heading = COMMON_HEADING, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// The tournament to join; the bot stops at its end
    #[arg(long, env = "LASTNIM_TOURNAMENT", value_name = "ID")]
    tournament: Option<String>,
    /// Plays practice matches against the server's house bots, in each of three seats in turn, then stops
    #[arg(long, help_heading = PRACTICE_HEADING, conflicts_with = "tournament")]
    practice: bool,
    /// Plays against only these house bots
    #[arg(long, help_heading = PRACTICE_HEADING, value_name = "NAME,..", value_delimiter = ',', requires = "practice")]
    against: Vec<BotName>,
    /// The counters of each pile [default: 3,4,5]
    #[arg(long, help_heading = PRACTICE_HEADING, value_name = "N,N,..", requires = "practice")]
    piles: Option<String>,
    /// How many times it plays each house bot in each seat
    #[arg(long, help_heading = PRACTICE_HEADING, value_name = "N", requires = "practice", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// The version of the bot, shown in standings and audits: 1 to 64 visible ASCII characters
    #[arg(long, env = "LASTNIM_BOT_VERSION", value_name = "VERSION")]
    bot_version: Option<VersionLabel>,
    /// A hash of the bot's configuration: 32 bytes as 64 hexadecimal digits or base64
    #[arg(long, env = "LASTNIM_BOT_CONFIG_HASH", value_name = "HASH")]
    config_hash: Option<ConfigHash>,
    /// A file or folder for everything that the bot sends and receives, without the token
    #[arg(long, env = "LASTNIM_SESSION_LOG", value_name = "FILE|DIR")]
    session_log: Option<PathBuf>,
    /// The seed of random takes (random, epsilon, mcts, and llm with --on-failure random) [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    llm: GivenFlags<LlmSettings>,
    #[command(flatten)]
    form: FormatArgs,
}

/// Plays until the tournament ends or the process is interrupted.
pub fn run(args: RunArgs) -> CommandResult {
    // The environment may contain the bot's token and the API key of a model.
    hide_memory();
    check_args(&args)?;
    let bot = prepare_bot(&args)?;
    let (token, file) = (args.token.as_deref(), args.token_file.as_deref());
    let given = TokenSource { token, file, variable: Some("LASTNIM_TOKEN") };
    let Target { address: server, token } = remote::find_target(args.server.as_deref(), &args.tls, given)?;
    let token = token.ok_or_else(|| {
        let where_else = "use --token-file, LASTNIM_TOKEN, --token or `lastnim login`";
        Failure::input(format!("a bot needs its token: {where_else}"))
    })?;
    let practice = practice_args(&args)?;
    runtime::run_on_runtime(Some(1), async move {
        play_bot(args, bot, &server, token, practice)
            .await
            .map_err(|error| remote::failure_of_client_error(&error, server.as_str()))
            .and_then(check_model_played)?;
        Ok(CommandExit::Done)
    })
}

/// Fails if the model forfeited its seat in every match, because then nothing about its play was measured.
fn check_model_played(model: Option<Summary>) -> Result<(), Failure> {
    match model {
        Some(Summary { matches, forfeits, .. }) if matches > 0 && forfeits == matches => {
            let matches = count_with_noun(forfeits, "match", "matches");
            Err(Failure::Runtime(anyhow::Error::msg(format!(
                "the model forfeited its seat in every match ({matches})"
            ))))
        }
        _ => Ok(()),
    }
}

/// Refuses flags that the bot does not use.
fn check_args(args: &RunArgs) -> Result<(), Failure> {
    let name = args.name;
    if !name.draws_at_random() && args.seed.is_some() {
        return Err(Failure::input(format!("--seed: {name} makes no random choices: leave out --seed")));
    }
    Ok(())
}

/// A bot that is ready to play.
enum PreparedBot {
    House(Box<dyn Bot>),
    Llm(Box<LlmBot>),
}

fn prepare_bot(args: &RunArgs) -> Result<PreparedBot, Failure> {
    let seed = args.seed.unwrap_or_default();
    Ok(match args.name {
        PlayedBot::House(house) => {
            refuse_llm_flags(house, &args.llm)?;
            PreparedBot::House(house.build_bot(seed))
        }
        PlayedBot::Llm => PreparedBot::Llm(Box::new(build_llm_bot(&args.llm, seed)?)),
    })
}

/// Reads the opponents, the piles and the number of rounds for practice.
fn practice_args(args: &RunArgs) -> Result<Practice, Failure> {
    let mut practice = Practice::default().rounds(args.rounds);
    practice.rivals = args.against.iter().map(ToString::to_string).collect();
    match &args.piles {
        Some(piles) => Ok(practice.piles(numbers::read_numbers(piles, "piles")?)),
        None => Ok(practice),
    }
}

/// Plays until the bot stops, and returns the summary if the bot is a language model.
async fn play_bot(
    args: RunArgs,
    bot: PreparedBot,
    server: &ServerAddress,
    token: String,
    practice: Practice,
) -> Result<Option<Summary>, Error> {
    let form = args.form.form();
    let practice = args.practice.then_some(practice);
    let mut options = Options::new(server, token);
    options.tournament = args.tournament;
    options.version = args.bot_version.map(|version| version.to_string());
    options.config_hash = args.config_hash.map(|hash| *hash.as_bytes());
    options.session_log = args.session_log;
    let interrupted = runtime::wait_for_interrupt();
    let is_model = matches!(bot, PreparedBot::Llm(_));
    let summary = match (bot, practice) {
        (PreparedBot::House(bot), Some(practice)) => {
            practice_until(ReportingBot { bot, form }, options, practice, interrupted).await?
        }
        (PreparedBot::House(bot), None) => {
            run_until(ReportingBot { bot, form }, options, interrupted).await?
        }
        (PreparedBot::Llm(bot), practice) => play_llm_bot(*bot, options, practice, form, interrupted).await?,
    };
    print_event(form, || summary.to_string(), || summary_json(&summary));
    Ok(is_model.then_some(summary))
}

/// Prints an event as one line of text or JSON.
pub fn print_event(form: OutputFormat, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
    // A write error is ignored: the bot keeps playing even if nobody can read its output.
    let _ = form.print_result(json, |out| writeln!(out, "{}", text()));
}

/// A bot that prints a line for each session, suspension and finished match.
struct ReportingBot {
    bot: Box<dyn Bot>,
    form: OutputFormat,
}

impl Bot for ReportingBot {
    fn take_feed(&self) -> TakeFeed {
        self.bot.take_feed()
    }

    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        self.bot.talk(round)
    }

    fn heard(&mut self, game: &MatchInfo, round: u32) {
        self.bot.heard(game, round);
    }

    fn declare(&mut self, game: &MatchInfo) -> Row {
        self.bot.declare(game)
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        self.bot.play(game)
    }

    fn ended(&mut self, end: &MatchEnd) {
        print_event(self.form, || end_line(end), || end_json(end));
        self.bot.ended(end);
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.bot.refused(refusal);
    }

    fn suspended(&mut self, notice: &Suspension) {
        print_event(self.form, || suspension_line(notice), || suspension_json(notice));
        self.bot.suspended(notice);
    }

    fn connected(&mut self, session: &Connected) {
        print_event(self.form, || connected_line(session), || connected_json(session));
        self.bot.connected(session);
    }
}

pub fn connected_line(session: &Connected) -> String {
    let open = match session.open_matches {
        0 => String::new(),
        open => format!("; {} under way", count_with_noun(open, "match is", "matches are")),
    };
    format!("connected as {} to lastnim {}{open}", session.bot, session.server_version)
}

pub fn connected_json(session: &Connected) -> Value {
    json!({
        "event": "connected",
        "bot": session.bot,
        "server_version": session.server_version,
        "open_matches": session.open_matches,
    })
}

pub fn suspension_line(notice: &Suspension) -> String {
    format!(
        "tournament {}: {}; to continue playing, the bot must join again",
        notice.tournament, notice.message
    )
}

pub fn suspension_json(notice: &Suspension) -> Value {
    let reason = notice.reason.map(|reason| pb::SuspensionReason::from(reason).as_str_name());
    json!({
        "event": "suspended",
        "tournament_id": notice.tournament.to_string(),
        "reason": reason.map(|name| enum_word(name, "SUSPENSION_REASON_")),
        "message": notice.message,
        "from_round": notice.from_round,
        "lost": notice.lost,
        "no_shows": notice.no_shows,
        "last": notice.last,
    })
}

pub fn end_line(end: &MatchEnd) -> String {
    let info = &end.info;
    let outcome = match end.winner {
        None => end.reason.to_string(),
        Some(_) if end.won() => "won".to_owned(),
        Some(winner) => format!("lost to seat {winner} ({})", info.bots[winner]),
    };
    let forfeited = if end.forfeited { "; seat forfeited" } else { "" };
    let regret = end.figures.map(|figures| format!("; regret {}", figures.regret)).unwrap_or_default();
    let accuracy = end.figures.as_ref().and_then(SeatFigures::accuracy);
    let accuracy = accuracy.map(|share| format!("; accuracy {:.0}%", 100.0 * share)).unwrap_or_default();
    format!(
        "match {}, seat {} ({} seats): {outcome}{forfeited}{regret}{accuracy}",
        info.id,
        info.seat,
        info.seats()
    )
}

pub fn end_json(end: &MatchEnd) -> Value {
    let info = &end.info;
    let figures = end.figures.as_ref();
    json!({
        "event": "match_ended",
        "match_id": info.id.to_string(),
        "seat": info.seat.index(),
        "bots": info.bots.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "reason": end_reason_name(end.reason),
        "winner": end.winner.map(Seat::index),
        "won": end.won(),
        "forfeited": end.forfeited,
        "regret": figures.map(|figures| figures.regret),
        "luck": figures.map(|figures| figures.luck),
        "satisfaction": figures.map(|figures| figures.satisfaction),
        "accuracy": figures.and_then(SeatFigures::accuracy),
    })
}

/// Returns the name that records use for this reason.
fn end_reason_name(reason: EndReport) -> String {
    match reason {
        EndReport::Known(reason) => enum_word(pb::EndReason::from(reason).as_str_name(), "END_REASON_"),
        EndReport::Unknown(_) | EndReport::Unseen => reason.to_string(),
    }
}

fn summary_json(summary: &Summary) -> Value {
    json!({
        "event": "summary",
        "matches": summary.matches,
        "wins": summary.wins,
        "forfeits": summary.forfeits,
        "cancelled": summary.cancelled,
        "unseen": summary.unseen,
        "regret": summary.regret,
        "regret_per_match": summary.regret_per_match(),
        "accuracy": summary.accuracy(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_bots::HouseBot;
    use lastnim_core::{
        game::{AllianceMatrix, Ending, Game, Piles, SeatCount},
        referee::EndReason,
    };
    use std::sync::Arc;

    fn end(winner: Option<usize>) -> MatchEnd {
        let three = SeatCount::new(3).unwrap();
        let piles = Piles::parse(&[2, 3]).unwrap();
        let game = Game::new(piles, AllianceMatrix::standard(three), 0, Ending::default()).unwrap();
        let figures = SeatFigures { satisfaction: 0.5, regret: 1, luck: 0, takes: 4, optimal_takes: 3 };
        MatchEnd {
            info: Arc::new(MatchView::practice(&game, &[1]).unwrap().info().clone()),
            reason: EndReport::Known(if winner.is_some() {
                EndReason::Finished
            } else {
                EndReason::Cancelled
            }),
            winner: winner.map(|seat| three.seat(seat).unwrap()),
            forfeited: false,
            figures: winner.map(|_| figures),
        }
    }

    #[test]
    fn a_match_is_described_in_one_line() {
        let line_of = |end: &MatchEnd| end_line(end).split_once(" seat ").unwrap().1.to_owned();
        assert_eq!(line_of(&end(Some(0))), "1 (3 seats): lost to seat 0 (seat-0); regret 1; accuracy 75%");
        assert_eq!(line_of(&end(Some(1))), "1 (3 seats): won; regret 1; accuracy 75%");
        assert_eq!(line_of(&end(None)), "1 (3 seats): cancelled");
        let lost = MatchEnd { forfeited: true, ..end(Some(2)) };
        assert!(line_of(&lost).contains("seat forfeited"));
        let json = end_json(&end(Some(0)));
        assert_eq!(
            (&json["won"], &json["winner"], &json["accuracy"]),
            (&json!(false), &json!(0), &json!(0.75))
        );
        assert_eq!(end_json(&end(None))["regret"], Value::Null);
    }

    #[test]
    fn a_summary_is_written_in_one_line() {
        let mut summary = Summary::default();
        assert_eq!(summary.to_string(), "0 matches, 0 wins, 0 forfeits, regret 0");
        (summary.matches, summary.wins, summary.regret) = (1, 1, 2);
        (summary.takes, summary.optimal_takes, summary.unseen) = (3, 2, 1);
        let line = "1 match, 1 win, 0 forfeits, regret 2, accuracy 67%, 1 ended unseen";
        assert_eq!(summary.to_string(), line);
    }

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        bot: RunArgs,
    }

    #[test]
    fn a_seed_is_refused_for_bots_without_random_choices() {
        use clap::Parser as _;
        let parse = |words: &[&str]| {
            let common = ["bot", "--server", "localhost:1", "--token", "t"];
            Cli::try_parse_from(common.iter().chain(words)).map(|cli| cli.bot)
        };
        let args = parse(&["random", "--seed", "3"]).unwrap();
        assert_eq!((args.name, args.seed), (PlayedBot::House(HouseBot::Random), Some(3)));
        assert!(parse(&["gready"]).err().unwrap().to_string().contains("expected one of random, greedy"));
        let refusal = |words| check_args(&parse(words).unwrap()).map_err(|failure| failure.to_string());
        assert_eq!(refusal(&["random", "--seed", "3"]), Ok(()));
        assert_eq!(refusal(&["llm", "--model", "m", "--seed", "3"]), Ok(()));
        let why = "--seed: greedy makes no random choices: leave out --seed";
        assert_eq!(refusal(&["greedy", "--seed", "0"]), Err(why.into()));
    }
}
