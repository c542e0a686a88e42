//! The settings, limits and first contents of the store of a simulated run.

use super::plan::{BotKind, Plan, Stream, TournamentPlan, draw_stream};
use super::players::{bot_name, bot_token};
use super::run::tournament_ids;
use super::talk;
use super::world::World;
use lastnim_arena::{Backend, Durability, Environment, Limits};
use lastnim_core::game::{BotProfile, Piles};
use lastnim_core::referee::{Clock, DealRule, DealSecret, SigningKey, TalkTerms, Terms, Timestamp};
use lastnim_store::{Change, StoredBot, StoredTournament};
use lastnim_tournament::{
    AllianceSource, Concurrency, Positions, Scoring, Settings, SettingsDraft, TournamentState, testing,
};
use std::sync::Arc;
use std::time::Duration;

/// Returns the initial contents of the disk: the bots and the tournaments. Witnesses join by themselves.
pub fn first_changes(plan: &Plan) -> Vec<Change> {
    let names: Vec<_> = (0..plan.setting.bots.len()).map(|bot| bot_name(plan, bot)).collect();
    let bots = names.iter().enumerate().map(|(bot, name)| {
        let token = bot_token(plan.seed, bot).hash();
        Change::Bot(StoredBot {
            name: name.clone(),
            registered_at: Timestamp::default(),
            token,
            profile: BotProfile::default(),
        })
    });
    let joined: Vec<_> = names
        .iter()
        .zip(&plan.setting.bots)
        .filter(|&(_, &kind)| kind != BotKind::Witness)
        .map(|(name, _)| name.clone())
        .collect();
    let tournaments =
        tournament_ids(plan).into_iter().zip(&plan.setting.tournaments).map(|(id, tournament)| {
            Change::TournamentCreated(StoredTournament {
                id,
                created_at: Timestamp::default(),
                settings: Arc::new(settings_of(tournament, plan)),
                terms: terms_of(tournament),
                field: Arc::new(joined.clone()),
                state: TournamentState::Open,
                over: None,
                deal_secret: (tournament.declares && tournament.deals).then(|| deal_secret(plan)),
                entry_code: None,
            })
        });
    bots.chain(tournaments).collect()
}

fn deal_secret(plan: &Plan) -> DealSecret {
    let mut bytes = [0; DealSecret::BYTES];
    bytes[..8].copy_from_slice(&plan.seed.to_le_bytes());
    DealSecret::from_bytes(bytes)
}

fn settings_of(tournament: &TournamentPlan, plan: &Plan) -> Settings {
    let alliance = match (tournament.declares, tournament.deals) {
        (true, true) => AllianceSource::Dealt(DealRule::All),
        (true, false) => AllianceSource::Declared,
        (false, _) => AllianceSource::Standard,
    };
    let standard = testing::settings(tournament.seats, 1, alliance.clone());
    let positions = (0..tournament.positions).map(|index| {
        let piles: Vec<u64> = (0..2 + index).map(|pile| 2 + (plan.seed + pile) % 3).collect();
        Piles::parse(&piles).expect("a few counters")
    });
    let draft = SettingsDraft {
        positions: Positions::listed(positions.collect()).expect("a few positions"),
        scoring: Scoring::default_for(&alliance, standard.seats),
        concurrency: Concurrency::new(tournament.concurrency).expect("a few at once"),
        start_when: Some(plan.setting.bots.len()),
        seed: plan.seed,
        ..(*standard).clone()
    };
    Settings::new(draft).expect("the parts fit together")
}

fn terms_of(tournament: &TournamentPlan) -> Terms {
    let clock = Clock {
        initial: tournament.bank,
        increment: Duration::from_millis(20),
        declaration: tournament.declaration,
        ..Clock::default()
    };
    let talk = (tournament.declares && tournament.talks).then(|| TalkTerms {
        rounds: talk::ROUNDS,
        round_time: tournament.round_time,
        privacy: tournament.privacy,
        ..TalkTerms::default()
    });
    Terms { clock, max_plies: 60, talk, ..Terms::default() }
}

pub fn limits_of(plan: &Plan) -> Limits {
    let setting = &plan.setting;
    Limits {
        return_grace: setting.return_grace,
        stall_threshold: setting.stall_threshold,
        session_queue: setting.session_queue,
        ping_interval: setting.ping_interval,
        checkpoint_results: setting.checkpoint_results,
        unread_per_seat: setting.unread_per_seat,
        ..Limits::default()
    }
}

pub fn backend_of(world: &Arc<World>, server: usize) -> Backend {
    let (dated, drawing) = (Arc::clone(world), Arc::clone(world));
    let mut key = [0; SigningKey::SEED_BYTES];
    let mut draw = draw_stream(world.plan.seed, Stream::Key, 0);
    key.fill_with(|| draw.next_bits() as u8);
    Backend {
        store: world.disk.open(server),
        durability: Durability::Ply,
        key: SigningKey::from_seed(&key),
        environment: Environment::new(move || dated.date(), move |bytes| drawing.fill_random(bytes)),
    }
}
