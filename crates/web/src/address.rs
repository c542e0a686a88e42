//! The addresses of pages, which are parsed from requests and written into links.

pub(super) use super::address_parts::PageFormat;
use super::address_parts::{PathPart, QueryPart, declare_actions, declare_addresses, join_segments};
use super::asset::{Asset, AssetVersion, asset_address};
use super::book::Chapter;
use super::forms::{FormFields, SiteCookie};
use super::match_filter::MatchFilter;
use super::position_input::PositionInput;
use super::site_cookies::{PLAY_COOKIE, PLAYER_COOKIE, SESSION_COOKIE};
use form_urlencoded::Serializer;
use lastnim_arena::is_guest_name;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use std::fmt;

/// The error for an unknown address.
const UNKNOWN_ADDRESS: &str = "no page has this address";

/// The maximum number of feeds in one stream. `live_stream.js` repeats this number.
const MAX_FEEDS_PER_STREAM: usize = 32;

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SiteAddress {
    /// A page that shows data, in a format for people or for programs.
    Page(PageAddress, PageFormat),
    /// The record of a match, as JSON.
    Record(MatchId),
    /// The live updates of a page.
    Feed(FeedAddress),
    /// The live updates of several pages in one stream.
    Feeds(Vec<FeedAddress>),
    /// A page with forms, which only one visitor may see.
    Form(FormAddress),
    /// A style sheet, script or icon, at its address in this version of the program or in another one.
    Asset(&'static Asset, AssetVersion),
    /// The icon for browsers that ask for it without reading a page.
    Favicon,
    /// Whether the process is alive.
    Health,
    /// Whether the server can take requests.
    Readiness,
    /// The metrics of the server.
    Metrics,
}

/// A page with forms, private to the visitor who has its cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FormAddress {
    /// The pages of organisers.
    Organise(OrganiseAddress),
    /// The pages where a guest plays.
    Play(PlayAddress),
    /// The pages where somebody plays as a bot.
    BotPlay(BotPlayAddress),
    /// The pages for signing in to read, and for signing out.
    SignIn(SignInAddress),
    /// The pages where somebody enters a bot with an entry code.
    Entry(EntryAddress),
}

declare_addresses! {
    /// A page that shows data.
    PageAddress {
        /// The home page.
        Home => "";
        /// The list of tournaments; the first page if `page` is empty.
        Tournaments { ; page: String } => "tournaments";
        /// A tournament.
        Tournament { id: TournamentId } => "tournaments" / id;
        /// The standings of a tournament from line `from` on, and how its bots compare.
        Standings { id: TournamentId; from: Option<u32> } => "tournaments" / id / "standings";
        /// The list of a tournament's matches.
        TournamentMatches { id: TournamentId; filter: MatchFilter, page: String } => "tournaments" / id / "matches";
        /// The list of all matches.
        Matches { ; filter: MatchFilter, page: String } => "matches";
        /// A match after a ply; without `ply`, at the take that decided it, or else its newest position.
        Match { id: MatchId; ply: Option<u32> } => "matches" / id;
        /// A match after a ply, with another take in place of the one that was played.
        WhatIf { id: MatchId; ply: u32, take: Option<u64> } => "matches" / id / "what-if";
        /// What a language model logged when it chose the row of a seat, or one of its takes.
        Transcript { id: MatchId; seat: u32, ply: Option<u32> } => "matches" / id / "transcript";
        /// A position, with what the oracle says about it.
        Oracle { ; position: PositionInput } => "oracle";
        /// The list of bots.
        Bots { ; page: String } => "bots";
        /// A bot.
        Bot { name: BotName } => "bots" / name;
        /// The audit of a bot.
        BotAudit { name: BotName } => "bots" / name / "audit";
        /// A match as other sites can show it in a frame, at the take that decided it.
        EmbeddedMatch { id: MatchId } => "embed" / "matches" / id;
        /// The standings of a tournament as other sites can show them in a frame.
        EmbeddedTournament { id: TournamentId } => "embed" / "tournaments" / id;
        /// The contents of the book.
        Contents => "docs";
        /// A chapter of the book.
        Chapter { chapter: &'static Chapter } => "docs" / chapter;
    }
}

declare_addresses! {
    /// The live updates of a page.
    FeedAddress {
        /// The updates of the home page.
        Home => "events";
        /// The updates of a tournament's page.
        Tournament { id: TournamentId } => "tournaments" / id / "events";
        /// The events of a match after those that the tab already shows.
        Match { id: MatchId; after: Option<u64> } => "matches" / id / "events";
    }
}

declare_addresses! {
    /// The pages of organisers. Each shows a form or handles a submitted one.
    OrganiseAddress {
        /// The newest tournaments and the possible actions.
        Overview => "organise";
        /// The form for the admin's token.
        SignIn => "organise" / "sign-in";
        /// Ends the session.
        SignOut => "organise" / "sign-out";
        /// Creates a tournament.
        NewTournament => "organise" / "new-tournament";
        /// Starts an exhibition.
        NewMatch => "organise" / "new-match";
        /// Shows a tournament with its actions.
        Tournament { id: TournamentId } => "organise" / "tournaments" / id;
        /// Voids matches of a tournament.
        VoidMatches { id: TournamentId } => "organise" / "tournaments" / id / "void";
        /// Applies an action to a tournament.
        Act { id: TournamentId, action: TournamentAction } => "organise" / "tournaments" / id / action;
        /// Registers bots.
        Bots => "organise" / "bots";
        /// Replaces the token of a bot.
        RotateToken => "organise" / "bots" / "rotate";
        /// Removes a bot.
        RemoveBot => "organise" / "bots" / "remove";
    }
}

declare_addresses! {
    /// The pages where somebody plays as a bot, with its token.
    BotPlayAddress {
        /// The matches of the bot. With `since`, the server responds once there is a newer revision than this one.
        Seats { ; since: Option<u64> } => "play" / "bot";
        /// The form for the bot's token. Signing in takes over the bot's seats.
        SignIn => "play" / "bot" / "sign-in";
        /// Signs out and leaves the bot's seats.
        SignOut => "play" / "bot" / "sign-out";
        /// Takes the seats back from another session.
        RetakeSeats => "play" / "bot" / "take-seats";
        /// Lets the bot join or leave a tournament.
        ChangeField { id: TournamentId, action: FieldAction } => "play" / "bot" / "tournaments" / id / action;
        /// A game of the bot; for `since`, see `Seats`.
        Game { id: MatchId; since: Option<u64> } => "play" / "bot" / id;
    }
}

declare_addresses! {
    /// The pages where a guest plays.
    PlayAddress {
        /// The form for a new game.
        NewGame => "play";
        /// A game of the guest. With `since`, the server responds once there is a newer revision than this one.
        Game { id: MatchId; since: Option<u64> } => "play" / id;
    }
}

declare_addresses! {
    /// The pages for signing in to read, and for signing out.
    SignInAddress {
        /// The form for a token. After signing in, the visitor is sent to the page `to`.
        SignIn { ; to: Option<Box<SiteAddress>> } => "sign-in";
        /// Forgets the token.
        SignOut => "sign-out";
    }
}

declare_addresses! {
    /// The pages where somebody enters a bot with an entry code.
    EntryAddress {
        /// The form for a name and the code of a tournament.
        Form { id: TournamentId } => "tournaments" / id / "enter";
    }
}

declare_actions! {
    /// An action of an organiser on a tournament.
    TournamentAction {
        /// Starts the tournament.
        Start => "start";
        /// Starts no further match; open matches continue.
        Pause => "pause";
        /// Starts no further match, and stops the clocks of open ones.
        Freeze => "freeze";
        /// Undoes `Pause` or `Freeze`.
        Resume => "resume";
        /// Ends a ladder after its current round.
        Finish => "finish";
        /// Ends the tournament early; open matches end without a winner.
        Cancel => "cancel";
        /// Enters a bot.
        Join => "join";
        /// Takes a bot out.
        Leave => "leave";
        /// Withdraws a bot from a running tournament.
        Withdraw => "withdraw";
        /// Disqualifies a bot.
        Disqualify => "disqualify";
    }
}

declare_actions! {
    /// Whether a bot joins or leaves a tournament.
    FieldAction {
        Join => "join";
        Leave => "leave";
    }
}

impl SiteAddress {
    /// Parses the path and the query of a request.
    ///
    /// # Errors
    /// Names the part that is unknown or invalid.
    pub(super) fn parse(path: &str, query: &str) -> Result<Self, String> {
        let path = path.strip_prefix('/').unwrap_or(path);
        match path {
            "favicon.ico" => return Ok(Self::Favicon),
            "healthz" => return Ok(Self::Health),
            "readyz" => return Ok(Self::Readiness),
            "metrics" => return Ok(Self::Metrics),
            _ => {}
        }
        if let Some((asset, version)) = Asset::find_at_address(path) {
            return Ok(Self::Asset(asset, version));
        }
        let (path, form) = PageFormat::split(path);
        let query = FormFields::parse(query.as_bytes())?;
        let segments: Vec<_> = if path == "index" { vec![""] } else { path.split('/').collect() };
        if let Some(page) = PageAddress::read(&segments, &query)? {
            return Ok(Self::Page(page, form));
        }
        let found = match (segments.as_slice(), form) {
            (["matches", id, "record"], PageFormat::Json) => Some(Self::Record(MatchId::read(id)?)),
            (["live"], PageFormat::Html) => Some(Self::Feeds(FeedAddress::read_all(&query)?)),
            (segments, PageFormat::Html) => match FeedAddress::read(segments, &query)? {
                Some(feed) => Some(Self::Feed(feed)),
                None => FormAddress::read(segments, &query)?.map(Self::Form),
            },
            _ => None,
        };
        found.ok_or_else(|| UNKNOWN_ADDRESS.to_owned())
    }

    /// Returns the requested format.
    pub(super) fn format(&self) -> PageFormat {
        match self {
            Self::Page(_, form) => *form,
            Self::Record(_) => PageFormat::Json,
            _ => PageFormat::Html,
        }
    }

    /// Returns the address as that of a page with forms, if it is one.
    pub(super) fn form_address(&self) -> Option<&FormAddress> {
        match self {
            Self::Form(address) => Some(address),
            _ => None,
        }
    }

    /// Returns whether the content does not depend on the visitor's cookies.
    pub(super) fn is_independent_of_cookies(&self) -> bool {
        matches!(self, Self::Asset(..) | Self::Favicon | Self::Health | Self::Readiness) || self.is_embedded()
    }

    /// Returns whether this is a page that other sites can show in a frame.
    pub(super) fn is_embedded(&self) -> bool {
        matches!(self, Self::Page(page, PageFormat::Html) if page.whole_page().is_some())
    }

    /// Returns the page where a visitor signs in and is then sent to this address; `None` for live updates and the
    /// sign-in pages.
    pub(super) fn sign_in_address(&self) -> Option<SignInAddress> {
        match self {
            Self::Feed(_) | Self::Feeds(_) | Self::Form(FormAddress::SignIn(_)) => None,
            wanted => Some(SignInAddress::SignIn { to: Some(Box::new(wanted.clone())) }),
        }
    }

    /// Returns the address of the events after `last_event` if this is the feed of a match; otherwise the same address.
    pub(super) fn with_last_event(self, last_event: Option<u64>) -> Self {
        match self {
            Self::Feed(FeedAddress::Match { id, after }) => {
                Self::Feed(FeedAddress::Match { id, after: last_event.or(after) })
            }
            other => other,
        }
    }
}

impl PageAddress {
    /// Returns the full page, if this is the version of a page that other sites can show in a frame.
    pub(super) fn whole_page(&self) -> Option<Self> {
        match *self {
            Self::EmbeddedMatch { id } => Some(Self::Match { id, ply: None }),
            Self::EmbeddedTournament { id } => Some(Self::Tournament { id }),
            _ => None,
        }
    }

    /// Returns the version of this page that other sites can show in a frame, if there is one.
    pub(super) fn embedded_page(&self) -> Option<Self> {
        match *self {
            Self::Match { id, .. } => Some(Self::EmbeddedMatch { id }),
            Self::Tournament { id } => Some(Self::EmbeddedTournament { id }),
            _ => None,
        }
    }

    /// Returns the list that this page's news feed is about, if the page has a news feed.
    pub(super) fn news_page(&self) -> Option<Self> {
        match self {
            Self::Home | Self::Tournaments { .. } => Some(Self::Tournaments { page: String::new() }),
            &Self::Tournament { id } | &Self::Standings { id, .. } | &Self::TournamentMatches { id, .. } => {
                Some(Self::matches_page(Some(id), MatchFilter::default(), String::new()))
            }
            _ => None,
        }
    }

    /// Returns a page of the list of all matches, or of one tournament's matches.
    pub(super) fn matches_page(tournament: Option<TournamentId>, filter: MatchFilter, page: String) -> Self {
        match tournament {
            Some(id) => Self::TournamentMatches { id, filter, page },
            None => Self::Matches { filter, page },
        }
    }
}

impl FeedAddress {
    /// Reads the addresses of a stream of several feeds.
    fn read_all(query: &FormFields) -> Result<Vec<Self>, String> {
        let feeds: Vec<_> = query.values("feed").map(Self::read_address).collect::<Result<_, _>>()?;
        let count = feeds.len();
        if count == 0 || count > MAX_FEEDS_PER_STREAM {
            return Err(format!("{count} feeds: expected 1 to {MAX_FEEDS_PER_STREAM}, such as feed=/events"));
        }
        Ok(feeds)
    }

    fn read_address(address: &str) -> Result<Self, String> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let segments: Vec<_> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
        Self::read(&segments, &FormFields::parse(query.as_bytes())?)?
            .ok_or_else(|| format!("feed {address:?}: expected the address of live updates, such as /events"))
    }
}

impl FormAddress {
    fn read(segments: &[&str], query: &FormFields) -> Result<Option<Self>, String> {
        Ok(match segments {
            ["organise", ..] => OrganiseAddress::read(segments, query)?.map(Self::Organise),
            ["play", "bot", ..] => BotPlayAddress::read(segments, query)?.map(Self::BotPlay),
            ["play", ..] => PlayAddress::read(segments, query)?.map(Self::Play),
            ["tournaments", ..] => EntryAddress::read(segments, query)?.map(Self::Entry),
            _ => SignInAddress::read(segments, query)?.map(Self::SignIn),
        })
    }

    /// Returns the cookie that these pages use.
    pub(super) fn cookie(&self) -> &'static SiteCookie {
        match self {
            Self::Organise(_) | Self::SignIn(_) | Self::Entry(_) => &SESSION_COOKIE,
            Self::Play(_) => &PLAY_COOKIE,
            Self::BotPlay(_) => &PLAYER_COOKIE,
        }
    }
}

impl fmt::Display for SiteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(page, form) => f.write_str(&page.in_format(*form)),
            Self::Record(id) => write!(f, "/matches/{id}/record.json"),
            Self::Feed(feed) => feed.fmt(f),
            Self::Feeds(feeds) => {
                let mut query = Serializer::new("/live?".to_owned());
                for feed in feeds {
                    query.append_pair("feed", &feed.to_string());
                }
                f.write_str(&query.finish())
            }
            Self::Form(address) => address.fmt(f),
            Self::Asset(asset, _) => f.write_str(&asset_address(asset.path)),
            Self::Favicon => f.write_str("/favicon.ico"),
            Self::Health => f.write_str("/healthz"),
            Self::Readiness => f.write_str("/readyz"),
            Self::Metrics => f.write_str("/metrics"),
        }
    }
}

impl fmt::Display for FormAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Organise(address) => address.fmt(f),
            Self::Play(address) => address.fmt(f),
            Self::BotPlay(address) => address.fmt(f),
            Self::SignIn(address) => address.fmt(f),
            Self::Entry(address) => address.fmt(f),
        }
    }
}

impl PathPart for TournamentId {
    fn read(id: &str) -> Result<Self, String> {
        id.parse().map_err(|error| format!("{error}"))
    }
}

impl PathPart for MatchId {
    fn read(id: &str) -> Result<Self, String> {
        id.parse().map_err(|error| format!("{error}"))
    }
}

impl PathPart for BotName {
    fn read(name: &str) -> Result<Self, String> {
        name.parse().map_err(|error| format!("{error}"))
    }
}

impl PathPart for &'static Chapter {
    fn read(name: &str) -> Result<Self, String> {
        Chapter::find_named(name)
            .ok_or_else(|| format!("no chapter is called {name:?}: /docs lists all chapters"))
    }
}

impl QueryPart for Option<Box<SiteAddress>> {
    /// Parses the page to return to after signing in. Returns `None` if it is not a page of this server.
    fn read(query: &FormFields, key: &str) -> Result<Self, String> {
        let to = query.value(key);
        // Addresses from browsers consist of visible ASCII.
        if !to.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(None);
        }
        // Returning to the pages for signing in and out would redirect in a loop.
        if !to.starts_with('/') || to.starts_with("/sign-") {
            return Ok(None);
        }
        let (path, query) = to.split_once('?').unwrap_or((to, ""));
        let wanted = SiteAddress::parse(path, query).ok();
        Ok(wanted.filter(|wanted| wanted.format() == PageFormat::Html).map(Box::new))
    }

    fn write(&self, key: &str, query: &mut Serializer<'_, String>) {
        if let Some(to) = self {
            query.append_pair(key, &to.to_string());
        }
    }
}

/// Returns the address that a cell of a table of matches links to, if it links to one.
pub(super) fn match_cell_link(key: &str, text: &str) -> Option<String> {
    cell_link(if key == "id" { "match" } else { key }, text)
}

/// Returns the address that a cell of a table of tournaments links to, if it links to one.
pub(super) fn tournament_cell_link(key: &str, text: &str) -> Option<String> {
    cell_link(if key == "id" { "tournament" } else { key }, text)
}

/// Returns the address that a cell of any other table links to, if it links to one.
pub(super) fn cell_link(key: &str, text: &str) -> Option<String> {
    let bot = || {
        let name = text.parse().ok().filter(|bot| !is_guest_name(bot))?;
        Some(PageAddress::Bot { name }.to_string())
    };
    match key {
        "bot" | "bots" | "name" => bot(),
        "match" => {
            let id = text.parse().ok()?;
            Some(PageAddress::Match { id, ply: None }.to_string())
        }
        "tournament" => Some(PageAddress::Tournament { id: text.parse().ok()? }.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";

    fn parse_address(address: &str) -> Result<SiteAddress, String> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        SiteAddress::parse(path, query)
    }

    #[test]
    fn page_addresses_round_trip() {
        let (id, tournament) = (ID.parse().unwrap(), ID.parse().unwrap());
        let page = ID.to_owned();
        let addresses = [
            PageAddress::Home,
            PageAddress::Tournaments { page: String::new() },
            PageAddress::Tournaments { page: page.clone() },
            PageAddress::Tournament { id: tournament },
            PageAddress::Standings { id: tournament, from: None },
            PageAddress::Standings { id: tournament, from: Some(150) },
            PageAddress::TournamentMatches {
                id: tournament,
                filter: MatchFilter::default(),
                page: page.clone(),
            },
            PageAddress::Matches {
                filter: MatchFilter {
                    bot: Some("a.b".parse().unwrap()),
                    state: Some(lastnim_proto::pb::MatchState::Over),
                    reason: Some(lastnim_proto::pb::EndReason::Finished),
                },
                page: "é&=+% \r\n\0".into(),
            },
            PageAddress::Match { id, ply: None },
            PageAddress::Match { id, ply: Some(12) },
            PageAddress::WhatIf { id, ply: 3, take: Some(u64::MAX) },
            PageAddress::WhatIf { id, ply: 0, take: None },
            PageAddress::Transcript { id, seat: 2, ply: None },
            PageAddress::Transcript { id, seat: 0, ply: Some(4) },
            PageAddress::Oracle { position: PositionInput::default() },
            PageAddress::Oracle {
                position: PositionInput {
                    piles: "3, 4".into(),
                    rows: "1>2; 1>2".into(),
                    first: "é&=+%".into(),
                    passes: "2".into(),
                    alliance: "0, 2".into(),
                    random: "é&=+%".into(),
                    ..PositionInput::default()
                },
            },
            PageAddress::Contents,
            PageAddress::Chapter { chapter: Chapter::find_named("first-bot").unwrap() },
            PageAddress::Bots { page },
            PageAddress::Bot { name: "ann".parse().unwrap() },
            PageAddress::BotAudit { name: "a.b".parse().unwrap() },
            PageAddress::Bot { name: "a.b".parse().unwrap() },
            PageAddress::Bot { name: "x.json".parse().unwrap() },
            PageAddress::Bot { name: "x.html".parse().unwrap() },
            PageAddress::Bot { name: "x.toml".parse().unwrap() },
            PageAddress::Bot { name: "x.png".parse().unwrap() },
            PageAddress::EmbeddedMatch { id },
            PageAddress::EmbeddedTournament { id: tournament },
        ];
        for address in addresses {
            for form in [
                PageFormat::Html,
                PageFormat::Json,
                PageFormat::Csv,
                PageFormat::Toml,
                PageFormat::Svg,
                PageFormat::Png,
                PageFormat::Atom,
            ] {
                let address = SiteAddress::Page(address.clone(), form);
                assert!(address.to_string().bytes().all(|byte| byte.is_ascii_graphic()), "{address}");
                assert_eq!(parse_address(&address.to_string()), Ok(address));
            }
        }
    }

    #[test]
    fn form_and_feed_addresses_round_trip() {
        let (id, tournament) = (ID.parse().unwrap(), ID.parse().unwrap());
        let organise_forms = [
            OrganiseAddress::Overview,
            OrganiseAddress::SignIn,
            OrganiseAddress::SignOut,
            OrganiseAddress::NewTournament,
            OrganiseAddress::NewMatch,
            OrganiseAddress::Tournament { id: tournament },
            OrganiseAddress::VoidMatches { id: tournament },
            OrganiseAddress::Bots,
            OrganiseAddress::RotateToken,
            OrganiseAddress::RemoveBot,
        ];
        let words = "start pause freeze resume finish cancel join leave withdraw disqualify";
        let actions = words.split(' ').map(|word| TournamentAction::read(word).unwrap());
        let acts = actions.map(|action| OrganiseAddress::Act { id: tournament, action });
        let play_forms = [
            PlayAddress::NewGame,
            PlayAddress::Game { id, since: None },
            PlayAddress::Game { id, since: Some(7) },
        ];
        let bot_play_forms = [
            BotPlayAddress::Seats { since: None },
            BotPlayAddress::Seats { since: Some(7) },
            BotPlayAddress::SignIn,
            BotPlayAddress::SignOut,
            BotPlayAddress::RetakeSeats,
            BotPlayAddress::ChangeField { id: tournament, action: FieldAction::Join },
            BotPlayAddress::ChangeField { id: tournament, action: FieldAction::Leave },
            BotPlayAddress::Game { id, since: None },
            BotPlayAddress::Game { id, since: Some(7) },
        ];
        let pages = [
            PageAddress::Tournaments { page: "x+/=".into() },
            PageAddress::Match { id, ply: Some(12) },
            PageAddress::Bot { name: "x.json".parse().unwrap() },
        ];
        let pages = pages.map(|page| SiteAddress::Page(page, PageFormat::Html).sign_in_address().unwrap());
        let sign_in_forms =
            pages.into_iter().chain([SignInAddress::SignIn { to: None }, SignInAddress::SignOut]);
        let forms = (organise_forms.into_iter().chain(acts).map(FormAddress::Organise))
            .chain(play_forms.map(FormAddress::Play))
            .chain(bot_play_forms.map(FormAddress::BotPlay))
            .chain(sign_in_forms.map(FormAddress::SignIn))
            .map(SiteAddress::Form);
        let feeds = [
            FeedAddress::Home,
            FeedAddress::Tournament { id: tournament },
            FeedAddress::Match { id, after: Some(12) },
        ];
        let together = SiteAddress::Feeds(feeds.to_vec());
        let asset = |path| SiteAddress::Asset(Asset::find_named(path).unwrap(), AssetVersion::Current);
        let others = [
            asset("style.css"),
            asset("lastnim.js"),
            SiteAddress::Favicon,
            SiteAddress::Health,
            SiteAddress::Readiness,
            SiteAddress::Metrics,
            SiteAddress::Record(id),
            together,
        ];
        for address in forms.chain(feeds.map(SiteAddress::Feed)).chain(others) {
            assert_eq!(parse_address(&address.to_string()), Ok(address));
        }
    }

    #[test]
    fn unknown_addresses_are_named_in_the_error() {
        for (address, why) in [
            ("/nothing", "no page has this address"),
            ("/organise.json", "no page has this address"),
            ("/tournaments/x", "tournament id \"x\": expected a UUID"),
            ("/matches/../../etc", "no page has this address"),
            ("/bots/A%20B", "bot name \"A%20B\""),
            ("/docs/x", "no chapter is called \"x\""),
            ("/live", "0 feeds: expected 1 to 32"),
            ("/live?feed=/matches", "feed \"/matches\": expected the address of live updates"),
            ("/live?feed=/live?feed=/events", "feed \"/live?feed=/events\": expected the address"),
        ] {
            let message = parse_address(address).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
        let message = parse_address(&format!("/matches/{ID}?ply=-1")).unwrap_err();
        assert_eq!(message, "ply \"-1\": expected a whole number from 0 to 4294967295");
    }

    fn wanted_page(query: &str) -> Option<SiteAddress> {
        match SiteAddress::parse("/sign-in", query) {
            Ok(SiteAddress::Form(FormAddress::SignIn(SignInAddress::SignIn { to }))) => to.map(|to| *to),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn addresses_invalid_in_a_header_are_rejected() {
        let bots = SiteAddress::Page(PageAddress::Bots { page: "x".into() }, PageFormat::Html);
        assert_eq!(wanted_page("to=%2Fbots%3Fpage%3Dx"), Some(bots));
        for byte in (0..=b' ').chain(0x7f..=0xff) {
            for list in ["bots", "tournaments", "matches"] {
                let query = format!("to=%2F{list}%3Fpage%3D%{byte:02X}");
                assert_eq!(wanted_page(&query), None, "{query}");
                let coded = wanted_page(&format!("to=%2F{list}%3Fpage%3D%25{byte:02X}")).unwrap().to_string();
                assert!(coded.bytes().all(|byte| byte.is_ascii_graphic()), "{coded}");
            }
        }
    }

    #[test]
    fn sign_in_redirects_only_to_this_server() {
        let nested = format!("/sign-in?to={}", "/sign-in?to=".repeat(1_000));
        for to in [
            "",
            "//evil.example",
            "https://evil.example/",
            "/\\evil.example",
            "/%2f/evil.example",
            "tournaments",
            "/sign-in?to=/bots",
            "/sign-out",
            "/nothing",
            "/bots.json",
            &nested,
            "\u{1f980}",
        ] {
            let coded: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
            for to in [to, &coded] {
                assert_eq!(wanted_page(&format!("to={to}")), None, "{to}");
            }
        }
        let bots = SiteAddress::Page(PageAddress::Bots { page: String::new() }, PageFormat::Html);
        assert_eq!(wanted_page("x=/matches&to=/bots"), Some(bots));
        assert_eq!(wanted_page(""), None);
    }

    #[test]
    fn cells_link_to_pages() {
        assert_eq!(cell_link("bot", "ann").as_deref(), Some("/bots/ann"));
        assert_eq!(cell_link("bot", "no bot"), None);
        assert_eq!(cell_link("match", ID).unwrap(), format!("/matches/{ID}"));
        assert_eq!(cell_link("wins", "ann"), None);
    }
}
