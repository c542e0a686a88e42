//! A server's finished matches, with their records.

use crate::{
    Failure,
    remote::{MAX_PAGE_SIZE, RemoteServer},
    screen,
};
use clap::ValueEnum;
use indicatif::ProgressBar;
use lastnim_core::{
    game::{BotName, MatchId, TournamentId},
    referee::Record,
};
use lastnim_proto::{
    pb,
    record::{SealedRecord, verify_record},
};
use lastnim_report::words::count_with_noun;
use std::{collections::VecDeque, io::Write as _};
use tokio::task::JoinHandle;
use tonic::{Code, Response, Status};
use tonic_types::StatusExt as _;

/// The maximum number of records that are requested at the same time.
const MAX_PENDING_RECORDS: usize = 8;

/// The flags that select matches.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Matches")]
pub struct MatchSelectionArgs {
    /// Only matches of this tournament
    #[arg(long, value_name = "ID")]
    pub tournament: Option<TournamentId>,
    /// Only matches of this bot; repeat it for matches in which all the named bots played
    #[arg(long = "bot", value_name = "NAME")]
    pub bots: Vec<BotName>,
    /// Only matches in this state
    #[arg(long, value_enum)]
    pub state: Option<MatchStateArg>,
    /// Only matches that ended for this reason
    #[arg(long, value_enum)]
    pub reason: Option<EndReasonArg>,
}

/// The states of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MatchStateArg {
    /// Not finished
    Open,
    /// Finished, and neither voided nor quarantined
    Over,
    /// Voided by an organiser
    Voided,
    /// Found damaged while open
    Quarantined,
}

/// The reasons for which matches end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndReasonArg {
    /// The last counter was taken
    Finished,
    /// The limit on plies was reached
    PlyLimit,
    /// Every seat was lost
    AllForfeited,
    /// It was cancelled
    Cancelled,
}

impl From<MatchStateArg> for pb::MatchState {
    fn from(state: MatchStateArg) -> Self {
        match state {
            MatchStateArg::Open => Self::Open,
            MatchStateArg::Over => Self::Over,
            MatchStateArg::Voided => Self::Voided,
            MatchStateArg::Quarantined => Self::Quarantined,
        }
    }
}

impl From<EndReasonArg> for pb::EndReason {
    fn from(reason: EndReasonArg) -> Self {
        match reason {
            EndReasonArg::Finished => Self::Finished,
            EndReasonArg::PlyLimit => Self::PlyLimit,
            EndReasonArg::AllForfeited => Self::AllForfeited,
            EndReasonArg::Cancelled => Self::Cancelled,
        }
    }
}

impl MatchSelectionArgs {
    /// Checks that the matches may have records, and that the server knows the tournament and the bots.
    ///
    /// # Errors
    /// If no match in the state has a record, or the server does not know an id or a name.
    pub async fn check_record_selection(&self, remote: &RemoteServer) -> Result<(), Failure> {
        let why = match self.state {
            Some(MatchStateArg::Open) => "open: a match has a record only once it is over",
            Some(MatchStateArg::Quarantined) => "quarantined: a quarantined match has no complete record",
            Some(MatchStateArg::Over | MatchStateArg::Voided) | None => {
                return self.check_selection(remote).await;
            }
        };
        Err(Failure::input(format!("--state {why}; expected over or voided")))
    }

    /// Checks that the server knows the tournament and the bots.
    ///
    /// # Errors
    /// The server's refusal of an unknown name.
    pub async fn check_selection(&self, remote: &RemoteServer) -> Result<(), Failure> {
        if let Some(id) = self.tournament {
            let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
            remote.answer(remote.tournament_client().get_tournament(request)).await?;
        }
        for bot in &self.bots {
            let request = pb::GetBotRequest { name: bot.to_string() };
            remote.answer(remote.bot_client().get_bot(request)).await?;
        }
        Ok(())
    }

    /// Checks that the match of a record was selected, since a faulty server may list other matches.
    ///
    /// # Errors
    /// Names the flag that excludes the match.
    pub fn check_record(&self, record: &Record) -> Result<(), String> {
        let setup = record.state().setup();
        if let Some(id) = self.tournament {
            match setup.origin.as_ref().map(|origin| origin.tournament) {
                Some(of) if of == id => {}
                Some(of) => {
                    return Err(format!("its record belongs to tournament {of}, not to --tournament {id}"));
                }
                None => {
                    return Err(format!(
                        "its record does not belong to any tournament: expected --tournament {id}"
                    ));
                }
            }
        }
        match self.bots.iter().find(|&bot| setup.bots.iter().all(|other| other != bot)) {
            Some(missing) => Err(format!("--bot {missing} has no seat in this match")),
            None => Ok(()),
        }
    }

    /// Returns the number of selected matches that are finished, if the server knows it.
    pub async fn expected_matches(&self, remote: &RemoteServer) -> Result<Option<u64>, Failure> {
        let Self { tournament: Some(id), bots, state: None, reason: None } = self else { return Ok(None) };
        if !bots.is_empty() {
            return Ok(None);
        }
        Ok(Some(remote.fetch_tournament(*id).await?.matches_played))
    }

    /// Returns the request for the first page of the selected matches.
    pub fn list_request(&self, page_size: u32) -> pb::ListMatchesRequest {
        pb::ListMatchesRequest {
            page_size,
            page_token: String::new(),
            tournament_id: self.tournament.map(|id| id.to_string()).unwrap_or_default(),
            bots: self.bots.iter().map(ToString::to_string).collect(),
            state: self.state.map_or(pb::MatchState::Unspecified, Into::into).into(),
            reason: self.reason.map_or(pb::EndReason::Unspecified, Into::into).into(),
        }
    }
}

type PendingRecord = JoinHandle<Result<Response<pb::GetRecordResponse>, Status>>;

/// Finished matches, newest first, with their records. Several records are fetched at once; apart from these, only
/// one page of the list is in memory.
pub struct PlayedMatches<'a, W> {
    remote: &'a RemoteServer,
    which: MatchSelectionArgs,
    /// The next request; `None` after the last page.
    request: Option<pb::ListMatchesRequest>,
    listed: VecDeque<pb::Match>,
    pending: VecDeque<(pb::Match, PendingRecord)>,
    wanted: W,
    bar: ProgressBar,
    left_out: SkippedMatches,
}

/// Numbers of matches left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkippedMatches {
    /// The matches that are not over.
    pub still_open: u64,
    /// The matches that the server has quarantined.
    pub quarantined: u64,
    /// The matches whose records were pruned.
    pub pruned: u64,
    /// The matches with a damaged record.
    pub damaged: u64,
}

impl SkippedMatches {
    /// Describes how many matches were left out, by reason.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let counts =
            [(self.still_open, "not over"), (self.quarantined, "quarantined"), (self.pruned, "pruned")];
        counts.into_iter().filter(|&(count, _)| count > 0).map(|(count, why)| {
            let matches = count_with_noun(count, "match", "matches");
            format!("{matches} left out: {why}")
        })
    }
}

impl<'a, W: FnMut(&pb::Match) -> bool> PlayedMatches<'a, W> {
    /// Starts with the newest match. Only records of `wanted` matches are fetched. Messages about damaged records
    /// appear above the bar.
    pub fn new(remote: &'a RemoteServer, which: &MatchSelectionArgs, bar: ProgressBar, wanted: W) -> Self {
        Self {
            remote,
            which: which.clone(),
            request: Some(which.list_request(MAX_PAGE_SIZE)),
            listed: VecDeque::new(),
            pending: VecDeque::new(),
            wanted,
            bar,
            left_out: SkippedMatches::default(),
        }
    }

    /// Returns how many matches were left out so far.
    pub fn left_out(&self) -> SkippedMatches {
        self.left_out
    }

    /// Returns the next match and its record, which is complete. A match with a damaged record is named on standard
    /// error and left out; one whose record was pruned is only counted.
    pub async fn next(&mut self) -> Result<Option<(pb::Match, SealedRecord)>, Failure> {
        loop {
            while self.pending.len() < MAX_PENDING_RECORDS {
                let Some(game) = self.next_wanted_match().await? else { break };
                let mut matches = self.remote.match_client();
                let request = pb::GetRecordRequest { match_id: game.id.clone() };
                self.pending
                    .push_back((game, tokio::spawn(async move { matches.get_record(request).await })));
            }
            let Some((game, pending)) = self.pending.pop_front() else { return Ok(None) };
            let answered =
                pending.await.map_err(|error| Failure::runtime(error, "a call ended unexpectedly"))?;
            let verified = match answered {
                Ok(answer) => {
                    let answer = answer.into_inner();
                    let record =
                        answer.record.as_ref().ok_or_else(|| self.remote.missing_part_failure("record"))?;
                    verify_record_of(&game.id, record)
                        .map_err(|flaw| format!("its record does not verify: {flaw}"))
                        .and_then(|sealed| self.which.check_record(sealed.record()).map(|()| sealed))
                }
                Err(status) if status_reason(&status) == "RECORD_PRUNED" => {
                    self.left_out.pruned += 1;
                    continue;
                }
                Err(status) if status.code() == Code::DataLoss => Err(status.message().to_owned()),
                Err(status) => return Err(self.remote.refusal_failure(&status)),
            };
            match verified {
                Ok(record) => return Ok(Some((game, record))),
                Err(why) => {
                    self.left_out.damaged += 1;
                    self.warn_left_out(&game, &why);
                }
            }
        }
    }

    /// Reports on standard error that a match is left out.
    fn warn_left_out(&self, game: &pb::Match, why: &str) {
        self.bar.suspend(|| {
            // A write error is ignored: the match is also counted as left out.
            let _ = writeln!(screen::stderr(), "left out: match {}: {why}", game.id);
        });
    }

    async fn next_wanted_match(&mut self) -> Result<Option<pb::Match>, Failure> {
        loop {
            while let Some(game) = self.listed.pop_front() {
                check_match_id(&game.id)?;
                match game.phase() {
                    pb::Phase::Ended if (self.wanted)(&game) => return Ok(Some(game)),
                    pb::Phase::Ended => {}
                    pb::Phase::Quarantined => {
                        self.left_out.quarantined += 1;
                        self.warn_left_out(&game, &format!("quarantined: {}", game.damage));
                    }
                    _ => self.left_out.still_open += 1,
                }
            }
            let Some(request) = self.request.take() else { return Ok(None) };
            let page = self.remote.answer(self.remote.match_client().list_matches(request.clone())).await?;
            self.listed = page.matches.into();
            if !page.next_page_token.is_empty() {
                self.request = Some(pb::ListMatchesRequest { page_token: page.next_page_token, ..request });
            }
        }
    }
}

/// Returns the machine-readable reason for a refusal; empty if the server gave none.
pub fn status_reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// Fails if matches were left out because their records are damaged.
pub fn fail_if_damaged(damaged: u64) -> Result<(), Failure> {
    let what = match damaged {
        0 => return Ok(()),
        1 => "1 match was left out: the server's record of it cannot be used".to_owned(),
        damaged => format!("{damaged} matches were left out: the server's records of them cannot be used"),
    };
    Err(Failure::Runtime(anyhow::Error::msg(what)))
}

/// Checks that the id of a match is valid, because it comes from the server and files are named after it.
fn check_match_id(id: &str) -> Result<(), Failure> {
    let what = || format!("the server listed match {id:?}");
    match id.parse::<MatchId>() {
        Ok(parsed) if parsed.to_string() == id => Ok(()),
        Ok(parsed) => Err(Failure::runtime(anyhow::anyhow!("expected {parsed}"), what())),
        Err(error) => Err(Failure::runtime(error, what())),
    }
}

/// Verifies a record that the server sent for a match.
fn verify_record_of(id: &str, record: &pb::MatchRecord) -> Result<SealedRecord, String> {
    if record.match_id != id {
        return Err(format!("the record belongs to match {}", record.match_id));
    }
    verify_record(record).map_err(|flaw| flaw.to_string())
}

/// Parses a record that the server sent for a match.
pub fn parse_fetched_record(
    remote: &RemoteServer,
    id: &str,
    answer: &pb::GetRecordResponse,
) -> Result<SealedRecord, Failure> {
    let record = answer.record.as_ref().ok_or_else(|| remote.missing_part_failure("record"))?;
    verify_record_of(id, record).map_err(|flaw| {
        Failure::Runtime(anyhow::anyhow!(
            "the server sent a record of match {id} that does not verify: {flaw}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::record_file::read_record;

    #[test]
    fn a_record_of_another_tournament_or_other_bots_is_refused() {
        let given = read_record(include_str!("../tests/data/record.json")).unwrap();
        let sealed = verify_record(&given).unwrap();
        let setup = sealed.record().state().setup();
        let tournament = setup.origin.as_ref().unwrap().tournament;
        let (bot, other) = (setup.bots.iter().next().unwrap(), "nobody".parse().unwrap());
        let check = |tournament, bots: &[&BotName]| {
            let bots = bots.iter().map(|&bot| bot.clone()).collect();
            let which = MatchSelectionArgs { tournament, bots, ..MatchSelectionArgs::default() };
            which.check_record(sealed.record())
        };
        assert_eq!(check(None, &[]), Ok(()));
        assert_eq!(check(Some(tournament), &[bot]), Ok(()));
        let wanted: TournamentId = "01890a5d-ac96-774b-bcce-b302099a8099".parse().unwrap();
        let why = check(Some(wanted), &[bot]).unwrap_err();
        assert_eq!(
            why,
            format!("its record belongs to tournament {tournament}, not to --tournament {wanted}")
        );
        assert_eq!(check(None, &[bot, &other]).unwrap_err(), "--bot nobody has no seat in this match");
    }
}
