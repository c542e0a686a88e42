//! `lastnim match create`.

use crate::{
    Failure,
    args::given_flags::GivenFlags,
    bot::bot_refusal_failure,
    credentials::{TOKEN_HELP, caller_text},
    remote::RemoteServer,
    text::numbers,
    tournament_flags::{ExhibitionFlags, settings_of_flags},
};
use clap::Args;
use lastnim_client::new_request_id;
use lastnim_core::game::{AllianceMatrix, BotName, SeatCount};
use lastnim_proto::pb;
use lastnim_tournament::draw_matrix;

/// The name that users can write for the bot to which their token belongs.
const OWN_BOT: &str = "me";

/// The flags that describe the match.
#[derive(Debug, Args)]
pub struct ExhibitionArgs {
    /// The bots by seat, 2 to 32 different ones; `me` is the bot of the given token
    #[arg(long, value_name = "NAME,NAME,..", value_delimiter = ',', required = true)]
    bots: Vec<BotName>,
    /// The counters of each pile
    #[arg(long, value_name = "N,N,..")]
    piles: String,
    /// The seat that moves first
    #[arg(long, value_name = "SEAT", default_value_t = 0)]
    first: u32,
    #[command(flatten)]
    settings: GivenFlags<ExhibitionFlags>,
}

impl ExhibitionArgs {
    /// Creates the match on the server.
    ///
    /// # Errors
    /// If a flag is invalid or the server refuses the match.
    pub async fn create_match(&self, remote: &RemoteServer) -> Result<pb::Match, Failure> {
        let request = self.request()?;
        let bots = self.resolve_bot_names(remote).await?;
        let request =
            pb::CreateMatchRequest { bots: bots.iter().map(ToString::to_string).collect(), ..request };
        let create = || {
            let (mut matches, request) = (remote.match_client(), request.clone());
            async move { matches.create_match(request).await }
        };
        match remote.call_repeatedly(create).await {
            Ok(created) => created.r#match.ok_or_else(|| remote.missing_part_failure("match")),
            Err(status) => Err(bot_refusal_failure(remote, &status, &bots).await),
        }
    }

    /// Returns the names of the bots, with `me` replaced by the caller's bot.
    async fn resolve_bot_names(&self, remote: &RemoteServer) -> Result<Vec<BotName>, Failure> {
        if !self.bots.iter().any(|bot| bot.as_str() == OWN_BOT) {
            return Ok(self.bots.clone());
        }
        let caller = remote.answer(remote.bot_client().get_caller(pb::GetCallerRequest {})).await?;
        let own: BotName = caller.bot.parse().map_err(|_| {
            let why = match caller.role() {
                pb::Role::Unspecified => format!("no token was given: {TOKEN_HELP}"),
                _ => format!("that token belongs to {}: name the bot", caller_text(&caller)),
            };
            Failure::input(format!("bots: {OWN_BOT} is the bot whose token is given, but {why}"))
        })?;
        let name = |bot: &BotName| if bot.as_str() == OWN_BOT { own.clone() } else { bot.clone() };
        Ok(self.bots.iter().map(name).collect())
    }

    /// Returns the request. Its bots are as the user gave them, so `me` is not replaced yet.
    fn request(&self) -> Result<pb::CreateMatchRequest, Failure> {
        let settings = settings_of_flags(&self.settings)?;
        let alliance = match settings.alliance() {
            mode @ (pb::AllianceMode::Declared | pb::AllianceMode::Dealt) => mode,
            // Assigned rows already imply the alliance mode.
            _ => pb::AllianceMode::Unspecified,
        };
        Ok(pb::CreateMatchRequest {
            request_id: new_request_id(),
            bots: self.bots.iter().map(ToString::to_string).collect(),
            piles: numbers::read_numbers(&self.piles, "piles")?,
            first: self.first,
            ending: settings.ending,
            clock: settings.clock,
            strikes: settings.strikes,
            max_plies: settings.max_plies,
            alliance: alliance.into(),
            deal: settings.deal,
            deal_rows: settings.deal_rows.clone(),
            talk: settings.talk,
            assigned: self.assigned_matrix(settings)?,
        })
    }

    /// Returns the rows that the request assigns to the seats; `None` if bots declare them or the server chooses them.
    fn assigned_matrix(
        &self,
        settings: pb::TournamentSettings,
    ) -> Result<Option<pb::AllianceMatrix>, Failure> {
        let (mode, given) = (settings.alliance(), settings.alliance_matrix);
        if given.is_some() != (mode == pb::AllianceMode::Given) {
            return Err(Failure::input("--matrix and `--alliance given` go together: use both or neither"));
        }
        let assigned_matrix = |make: fn(SeatCount, u64) -> AllianceMatrix| {
            let seats = SeatCount::new(self.bots.len());
            let seats = seats.map_err(|error| Failure::input(format!("bots: {error}")))?;
            Ok(Some(pb::AllianceMatrix::from(&make(seats, settings.seed))))
        };
        match mode {
            pb::AllianceMode::Standard => assigned_matrix(|seats, _| AllianceMatrix::standard(seats)),
            pb::AllianceMode::Random => assigned_matrix(|seats, seed| draw_matrix(seats, seed, 0)),
            _ => Ok(given),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        exhibition: ExhibitionArgs,
    }

    fn request(words: &[&str]) -> Result<pb::CreateMatchRequest, String> {
        let words = ["create", "--bots", "a,b,c", "--piles", "3,4"].iter().chain(words);
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        cli.exhibition.request().map_err(|failure| failure.to_string())
    }

    #[test]
    fn rows_are_declared_unless_they_are_assigned() {
        let made = request(&[]).unwrap();
        assert_eq!((made.bots.len(), made.piles, made.first), (3, vec![3, 4], 0));
        assert_eq!((made.assigned, made.clock, made.strikes, made.max_plies), (None, None, 0, 0));
        assert_eq!(made.alliance, 0, "the server says how rows come about");
        let declared = request(&["--alliance", "declared"]).unwrap();
        assert_eq!((declared.assigned, declared.alliance), (None, pb::AllianceMode::Declared.into()));
        let rows = |words: &[&str]| -> Vec<Vec<u32>> {
            let assigned = request(words).unwrap().assigned.unwrap();
            assigned.rows.into_iter().map(|row| row.offsets).collect()
        };
        assert_eq!(rows(&["--alliance", "standard"]), [[0, 1, 2]; 3]);
        let given = ["--matrix", "0 2 1; 0 1 2; 1 0 2"];
        assert_eq!(rows(&given), [[0, 2, 1], [0, 1, 2], [1, 0, 2]]);
        let drawn_rows = |seed: &str| rows(&["--alliance", "random", "--seed", seed]);
        assert_eq!(drawn_rows("7"), drawn_rows("7"));
        assert!((0..9).any(|seed| drawn_rows(&seed.to_string()) != drawn_rows("7")));
    }

    #[test]
    fn flags_let_seats_talk() {
        assert_eq!(request(&[]).unwrap().talk, None);
        let flags = [
            ["--talk-rounds", "2"],
            ["--talk-round-time", "30s"],
            ["--talk-text-chars", "80"],
            ["--talk-privacy", "published"],
        ];
        let talk = request(&flags.concat()).unwrap().talk;
        let privacy = pb::TalkPrivacy::Published.into();
        assert_eq!(
            talk,
            Some(pb::Talk { rounds: 2, round_ms: 30_000, text_chars: 80, privacy, pacts: false })
        );
        let pact_talk = request(&[&flags.concat()[..], &["--talk-pacts"]].concat()).unwrap().talk;
        assert!(pact_talk.unwrap().pacts);
        let shortest = request(&["--talk-rounds", "1"]).unwrap().talk.unwrap();
        assert_eq!((shortest.rounds, shortest.round_ms, shortest.text_chars), (1, 60_000, 0));
    }

    #[test]
    fn invalid_flags_are_named() {
        let misplaced = "--matrix and `--alliance given` go together: use both or neither";
        assert_eq!(request(&["--alliance", "given"]).unwrap_err(), misplaced);
        assert_eq!(request(&["--alliance", "standard", "--matrix", "0 1; 0 1"]).unwrap_err(), misplaced);
        assert!(request(&["--bots", "No One"]).unwrap_err().contains("bot name \"No One\""));
    }
}
