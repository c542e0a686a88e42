//! Entry codes: an organiser creates a code for a tournament, and anyone who has it registers a bot that enters.

use crate::accounts::bots::{BotView, NewBot};
use crate::accounts::keyring::Principal;
use crate::arena::{Arena, HeldLock};
use crate::error::ArenaError;
use crate::tournaments::entries::{allows_changes_while_running, check_allowed, check_entries_open};
use crate::tournaments::tournament_handle::TournamentHandle;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_store::{Change, EntryCode, FieldHistory, StoredBot, StoredEntryCode, Token};
use lastnim_tournament::{FieldMovement, TournamentState};
use std::sync::Arc;

/// The error message for an entry code of a tournament that no bot can enter.
const CODE_CONDITION: &str = "only a tournament that bots can still enter has an entry code";

/// A bot that is registered and enters a tournament in one step, with an entry code.
#[derive(Debug, Clone)]
pub(crate) struct NewEntrant {
    bot: StoredBot,
    /// The tournament's entry code after this use.
    code: StoredEntryCode,
}

impl NewEntrant {
    /// Checks that the bot may be registered. The caller holds the lock on bot names.
    pub(crate) async fn check_may_register(&self, arena: &Arena) -> Result<(), ArenaError> {
        arena.check_may_register(&self.bot.name, self.bot.token).await
    }

    /// Returns the changes that register the bot and count the use of the code. The bot's entry is another change, which
    /// must be stored together with these.
    pub(crate) fn changes(&self, id: TournamentId) -> Vec<Change> {
        vec![Change::Bot(self.bot.clone()), Change::EntryCode { id, code: Some(self.code) }]
    }
}

impl Arena {
    /// Creates the entry code of a tournament, in place of any earlier one. It registers up to `uses` bots.
    ///
    /// # Errors
    /// If there is no such tournament, or no bot can enter it any more.
    pub fn create_entry_code(
        &self,
        id: TournamentId,
        uses: u32,
    ) -> BoxFuture<'static, Result<EntryCode, ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            let code = EntryCode::generate();
            let kept = StoredEntryCode { hash: code.hash(), uses_left: uses };
            arena.set_entry_code_locked(held, id, Some(kept)).await?;
            tracing::info!(tournament = %id, uses, "entry code created");
            Ok(code)
        })
    }

    /// Revokes the entry code of a tournament. Does nothing if it has none.
    ///
    /// # Errors
    /// If there is no such tournament, or no bot can enter it any more.
    pub fn revoke_entry_code(&self, id: TournamentId) -> BoxFuture<'static, Result<(), ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.set_entry_code_locked(held, id, None).await?;
            tracing::info!(tournament = %id, "entry code revoked");
            Ok(())
        })
    }

    async fn set_entry_code_locked(
        &self,
        _guard: HeldLock,
        id: TournamentId,
        code: Option<StoredEntryCode>,
    ) -> Result<(), ArenaError> {
        let handle = self.require_unfinished_tournament(id, CODE_CONDITION).await?;
        let stored = handle.view().stored;
        if !allows_changes_while_running(&stored) {
            Self::check_tournament_state(&stored, CODE_CONDITION)?;
        }
        if code.is_some() {
            check_entries_open(&stored, self.inner.environment.date())?;
        }
        self.commit(vec![Change::EntryCode { id, code }]).await?;
        handle.set_entry_code(code);
        Ok(())
    }

    /// Registers a bot with a given token and enters it into a tournament, with the tournament's entry code.
    ///
    /// The registration, the entry and the use of the code are stored together, so a refusal costs no use. If a bot of
    /// this name with this token has already entered, the call is a repetition: it changes nothing.
    ///
    /// # Errors
    /// If the code is not the tournament's or has been used up, the name or the token is taken, no bot of this name can be
    /// registered or enter, or the bot repeats requests too often.
    pub async fn register_entrant(
        &self,
        id: TournamentId,
        new: NewBot,
        code: EntryCode,
    ) -> Result<(BotView, TournamentView), ArenaError> {
        if let Some(entered) = self.find_entrant(id, &new.name, &new.token).await? {
            return Ok(entered);
        }
        // A caller with a wrong code does not wait for the lock, and nobody waits for it.
        self.check_entry_code(id, &code)?;
        let registering = self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.register_entrant_locked(held, id, new, code).await
        });
        registering.await
    }

    /// Returns the bot of this name if it has this token and has entered the tournament, also if the tournament is over
    /// or the bot has left it while it ran. This counts as a repeated request.
    async fn find_entrant(
        &self,
        id: TournamentId,
        name: &BotName,
        token: &Token,
    ) -> Result<Option<(BotView, TournamentView)>, ArenaError> {
        if self.principal_of_token(token.reveal()) != Some(Principal::Bot(name.clone())) {
            return Ok(None);
        }
        let view = match self.tournament(id).await {
            Err(ArenaError::NoSuchTournament(_)) => return Ok(None),
            view => view?,
        };
        let was_in = |history: FieldHistory| history.changes.iter().any(|change| change.bot == *name);
        if view.stored.field.contains(name) || self.field_history(&view).await?.is_some_and(was_in) {
            self.count_repeat(name)?;
            return Ok(Some((self.bot(name).await?, view)));
        }
        Ok(None)
    }

    async fn register_entrant_locked(
        &self,
        _guard: HeldLock,
        id: TournamentId,
        new: NewBot,
        code: EntryCode,
    ) -> Result<(BotView, TournamentView), ArenaError> {
        if let Some(entered) = self.find_entrant(id, &new.name, &new.token).await? {
            return Ok(entered);
        }
        let (view, kept) = self.check_entry_code(id, &code)?;
        check_entries_open(&view.stored, self.inner.environment.date())?;
        check_allowed(&view.stored, &new.name)?;
        let uses_left = kept.uses_left.checked_sub(1).ok_or(ArenaError::EntryCodeUsedUp(id))?;
        let bot = new.into_stored(self.inner.clock.now());
        let name = bot.name.clone();
        let new = Some(NewEntrant { bot: bot.clone(), code: StoredEntryCode { uses_left, ..kept } });
        let entered = if allows_changes_while_running(&view.stored) {
            self.change_running_field(view, name, FieldMovement::Enters, new).await?
        } else {
            self.enter_before_start(view.stored, name, new).await?
        };
        // From here on nothing may fail: the bot is registered.
        Ok((self.bot_view(bot), entered))
    }

    /// Returns an unfinished tournament and its entry code, if this is the code. Nobody without the code learns from the
    /// error whether the tournament exists.
    fn check_entry_code(
        &self,
        id: TournamentId,
        code: &EntryCode,
    ) -> Result<(TournamentView, StoredEntryCode), ArenaError> {
        let view = self.live_tournament(id).map(|handle| handle.view());
        let coded = view.and_then(|view| view.stored.entry_code.map(|kept| (view, kept)));
        coded.filter(|(_, kept)| kept.hash == code.hash()).ok_or(ArenaError::WrongEntryCode(id))
    }

    /// Returns how many more bots can be registered with the entry code of a tournament; 0 without a code, and once no bot
    /// can enter.
    pub fn entry_code_uses(&self, view: &TournamentView) -> u32 {
        let stored = &view.stored;
        let is_open = stored.state == TournamentState::Open || allows_changes_while_running(stored);
        let is_open = is_open && check_entries_open(stored, self.inner.environment.date()).is_ok();
        stored.entry_code.filter(|_| is_open).map_or(0, |code| code.uses_left)
    }

    /// Makes the stored registration of a bot take effect.
    pub(crate) fn apply_registration(&self, handle: &Arc<TournamentHandle>, new: &NewEntrant) {
        self.accept_bot_token(&new.bot);
        handle.set_entry_code(Some(new.code));
        let (bot, uses_left) = (&new.bot.name, new.code.uses_left);
        tracing::info!(%bot, uses_left, "bot registered with an entry code");
    }
}
