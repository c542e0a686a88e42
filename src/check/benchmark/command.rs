//! `lastnim check benchmark`.

use super::{
    benchmark_run::{BenchmarkResults, BenchmarkRun},
    player::Player,
    run_folder::RunFolder,
};
use crate::{
    CommandExit, CommandResult, Failure, OwnCommand,
    args::{given_flags::GivenFlags, setting_flags::apply_flags, time::duration_parser},
    form::FormatArgs,
    program_variables::PassedVariableArgs,
    progress::bar_style,
    runtime,
};
use clap::Args;
use indicatif::ProgressBar;
use lastnim_benchmark::{CONFIDENCE, ItemSet, NEWEST_SET, StoppingRule, Tier, with_results};
use lastnim_bots::HouseBot;
use lastnim_core::referee::Clock;
use lastnim_llm::{LlmBot, LlmSettings};
use lastnim_proto::{
    benchmark_card::{CARD_VERSION, write_card},
    pb,
};
use lastnim_report::{
    benchmark_card::benchmark_card_report,
    render::{Terminal, draw_benchmark_card},
};
use lastnim_tournament::Scoring;
use serde_json::json;
use std::{collections::BTreeSet, path::PathBuf, time::Duration};

/// The default of `--bank`, the initial clock of a seat, for a language model, which may think for a long time.
const DEFAULT_MODEL_BANK: Duration = Duration::from_hours(1);
/// The default of `--bank` for other bots.
const DEFAULT_BANK: Duration = Duration::from_mins(1);

/// Measures how well a bot plays a frozen set of positions
///
/// It starts a server on a free port of 127.0.0.1 and the bot, which plays each position against fixed house bots, in five
/// tiers of difficulty. A tier ends when its interval is narrow enough. The same command continues an interrupted
/// benchmark, and `lastnim record verify` checks the card against its records.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BenchmarkArgs {
    /// The bot's program and its arguments; `lastnim` means this program
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<String>,
    /// The name of the program on the card, up to 100 characters [default: the command without folders]
    #[arg(long, value_name = "NAME", requires = "command", value_parser = parse_name)]
    name: Option<String>,
    /// A house bot to measure instead of a program, named as for `lastnim bot run`
    #[arg(long, value_name = "NAME")]
    house: Option<HouseBot>,
    /// The set of positions, lastnim-1 or lastnim-2; only cards of the same set can be compared
    #[arg(long, value_name = "NAME", default_value = NEWEST_SET, value_parser = ItemSet::of_name)]
    set: &'static ItemSet,
    /// The tiers to play, 1 to 5; only a card of all tiers has a total loss
    #[arg(long, value_name = "TIER,..", value_delimiter = ',', default_value = "1,2,3,4,5")]
    tiers: Vec<Tier>,
    /// Ends a tier when its 95% interval is at most this wide; above 0 and at most 1
    #[arg(long, value_name = "WIDTH", default_value_t = 0.2, value_parser = parse_width)]
    width: f64,
    /// Ends a tier after this many items, 1 to 120
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=120))]
    max_items: u32,
    /// The clock of each seat, 1s to 1d; a take adds a tenth of it, at most 1h [default: 1m; models: 1h]
    #[arg(long, value_name = "DURATION", value_parser = duration_parser(Duration::from_secs(1)..=Duration::from_hours(24)))]
    bank: Option<Duration>,
    /// The folder of the card, the records and the key that signs them
    #[arg(long, value_name = "DIR", default_value = "benchmark.run")]
    dir: PathBuf,
    #[command(flatten)]
    passed: PassedVariableArgs,
    #[command(flatten)]
    llm: GivenFlags<LlmSettings>,
    #[command(flatten)]
    form: FormatArgs,
}

const EXAMPLES: &str = "\
Examples:
  lastnim check benchmark --house minimax-2 --tiers 1,5 --max-items 10
  lastnim record verify benchmark.run/card.jsonl
  lastnim check benchmark --dir mine.run --name 'mine 1.2' -- python3 mine.py
  lastnim check benchmark --model gpt-5-mini --dir gpt.run

The folder contains card.txt, card.svg, the signed card.jsonl, records.jsonl and signing.key, which you keep secret. Figures
are shares of the ranks that could be lost: lower is better. docs/reference/benchmark.md has the rules.";

/// The maximum length of a name on a card, in characters.
const MAX_NAME_CHARS: usize = 100;

/// Reads the name of a program.
fn parse_name(name: &str) -> Result<String, String> {
    let is_short = name.chars().count() <= MAX_NAME_CHARS && !name.trim().is_empty();
    let fits = is_short && !name.chars().any(char::is_control);
    fits.then(|| name.to_owned())
        .ok_or_else(|| format!("expected 1 to {MAX_NAME_CHARS} characters in one line, such as \"mine 1.2\""))
}

/// Reads the width of an interval.
fn parse_width(text: &str) -> Result<f64, String> {
    let width = text.parse().ok().filter(|width| *width > 0.0 && *width <= 1.0);
    width.ok_or_else(|| "expected a width above 0 and at most 1, such as 0.2".to_owned())
}

pub fn run(args: &BenchmarkArgs, own: &OwnCommand) -> CommandResult {
    let player = args.player(own)?;
    let run = BenchmarkRun::new(args.set, args.sorted_tiers()?, args.rule(), args.clock(&player));
    runtime::run_on_runtime(None, async {
        tokio::select! {
            done = play_benchmark(args, player, run) => done,
            () = runtime::wait_for_interrupt() => {
                Err(Failure::Runtime(anyhow::anyhow!("interrupted: run the same command again to continue")))
            }
        }
    })
}

async fn play_benchmark(args: &BenchmarkArgs, player: Player, mut run: BenchmarkRun) -> CommandResult {
    let plan = json!({
        "set": run.set.name,
        "player": player.identity(),
        "tiers": run.tiers.iter().map(|tier| tier.number()).collect::<Vec<_>>(),
        "width": args.width,
        "max_items": args.max_items,
        "bank_ms": run.clock.initial.as_millis() as u64,
    });
    let (mut folder, kept) = RunFolder::open(&args.dir, &plan)?;
    for sealed in &kept {
        let id = sealed.record().id();
        run.add_record(sealed).map_err(|why| {
            Failure::input(format!(
                "{}: the record of match {id} does not belong to this benchmark: {why}",
                args.dir.display()
            ))
        })?;
    }
    let bar = ProgressBar::new(u64::from(args.max_items) * run.tiers.len() as u64)
        .with_style(bar_style("{bar:24} {pos} of at most {len} items {msg}"));
    bar.set_position(run.items().into());
    let outcome = run.play(&player, &mut folder, &bar).await;
    bar.finish_and_clear();
    outcome?;
    let card = make_card(&player, &run)?;
    let key = folder.signing_key()?;
    let report = || benchmark_card_report(&card, &key.public_key());
    folder.write_card(
        &write_card(card.clone(), &key),
        &Terminal::without_styles().report_text(&report()),
        &draw_benchmark_card(&card),
    )?;
    args.form.form().print_message_report(&card, report)?;
    tracing::info!(file = %folder.card_file().display(), "wrote the card");
    Ok(CommandExit::Done)
}

/// Creates the card of a finished run.
fn make_card(player: &Player, run: &BenchmarkRun) -> Result<pb::BenchmarkCard, Failure> {
    let card = pb::BenchmarkCard {
        version: CARD_VERSION,
        set: run.set.name.to_owned(),
        set_hash: run.set.hash.to_vec(),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        player: Some(player.to_message(run.takes())?),
        rule: Some(pb::BenchmarkRule {
            confidence: CONFIDENCE,
            width: run.rule.width,
            max_items: run.rule.max_items,
            clock: Some((&run.clock).into()),
        }),
        ..Default::default()
    };
    let BenchmarkResults { tiers, times } = run.results();
    Ok(with_results(card, &tiers, times))
}

impl BenchmarkArgs {
    /// Returns the player.
    fn player(&self, own: &OwnCommand) -> Result<Player, Failure> {
        let is_model = self.llm.words("model").is_some();
        let given = u8::from(is_model) + u8::from(self.house.is_some()) + u8::from(!self.command.is_empty());
        if given != 1 {
            return Err(Failure::input(
                "expected exactly one bot: --house NAME, --model NAME or `-- COMMAND`",
            ));
        }
        if let Some(house) = self.house {
            self.refuse_llm_flags()?;
            return Ok(Player::House(house));
        }
        if !is_model {
            self.refuse_llm_flags()?;
            return Player::of_command(&self.command, self.name.as_deref(), self.passed.variables(), own);
        }
        // The model sees neutral names for its opponents, because the position does not say which house bots they are.
        let mut settings = LlmSettings { blind: true, ..LlmSettings::default() };
        apply_flags(&self.llm, &mut settings)?;
        crate::new_file::create_private_folder(&self.dir)?;
        settings.transcript.get_or_insert_with(|| self.dir.join("transcript.jsonl"));
        settings.ledger.get_or_insert_with(|| self.dir.join("ledger"));
        // The prompts say that satisfaction is scored, because the score of a tier depends on ranks in the same way.
        let bot =
            LlmBot::new(settings.clone(), 0).map_err(Failure::input)?.with_scoring(Scoring::Satisfaction);
        Ok(Player::Model { bot, settings: Box::new(settings) })
    }

    fn refuse_llm_flags(&self) -> Result<(), Failure> {
        use lastnim_config::SettingTable as _;
        let mut settings = LlmSettings::default();
        let all = settings.settings();
        match all.iter().find(|setting| self.llm.words(setting.key()).is_some()) {
            Some(setting) => Err(Failure::input(format!(
                "--{}: this flag is only for a language model: name one with --model",
                setting.flag()
            ))),
            None => Ok(()),
        }
    }

    fn sorted_tiers(&self) -> Result<Vec<Tier>, Failure> {
        let tiers: BTreeSet<Tier> = self.tiers.iter().copied().collect();
        if tiers.len() < self.tiers.len() {
            return Err(Failure::input("--tiers: a tier appears twice: name each tier once, such as 1,5"));
        }
        Ok(tiers.into_iter().collect())
    }

    fn rule(&self) -> StoppingRule {
        StoppingRule { width: self.width, max_items: self.max_items }
    }

    fn clock(&self, player: &Player) -> Clock {
        let usual = if matches!(player, Player::Model { .. }) { DEFAULT_MODEL_BANK } else { DEFAULT_BANK };
        let initial = self.bank.unwrap_or(usual);
        let increment = (initial / 10).min(Duration::from_hours(1));
        Clock { initial, increment, ..Clock::default() }
    }
}
