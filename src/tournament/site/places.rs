//! Which addresses of a server belong to the site of a tournament, and the file of each.

use lastnim_core::game::{BotName, MatchId, TournamentId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The file with the signed manifest.
pub const MANIFEST_FILE: &str = "tournament.manifest";
/// The folder with the records.
pub const RECORDS_FOLDER: &str = "records";

/// The extensions of pages in the formats that a site has.
const PAGE_EXTENSIONS: [&str; 7] = ["html", "json", "csv", "toml", "svg", "png", "atom"];

/// Where an address leads in a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePlace {
    /// The file, relative to the folder of the site.
    pub file: String,
    /// The address from which the file is made.
    pub address: String,
    /// The part of the link after the file, such as `?ply=3`; otherwise empty.
    pub query: String,
}

/// The contents of a site.
#[derive(Debug)]
pub struct SitePlaces {
    pub tournament: TournamentId,
    /// The bots that have a page.
    pub bots: BTreeSet<BotName>,
    /// The matches that have a page.
    pub matches: HashSet<MatchId>,
    /// The numbers of the further pages of the list of matches, by their tokens. The first page has no token.
    list_pages: BTreeMap<String, usize>,
}

impl SitePlaces {
    /// Creates a site with the pages of a tournament, but without bots and matches.
    pub fn new(tournament: TournamentId) -> Self {
        Self { tournament, bots: BTreeSet::new(), matches: HashSet::new(), list_pages: BTreeMap::new() }
    }

    /// Finds the file of an address; `None` if the site does not have it.
    pub fn find(&mut self, address: &str) -> Option<SitePlace> {
        let path = address.strip_prefix('/')?;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let (name, extension) = split_extension(path);
        let place = |file: String, query: &str| {
            let file = format!("{file}.{extension}");
            Some(SitePlace { file, address: address.to_owned(), query: query.to_owned() })
        };
        let segments: Vec<_> = name.split('/').collect();
        let is_tournament = |id: &str| id.parse() == Ok(self.tournament);
        match segments.as_slice() {
            [""] if query.is_empty() => Some(SitePlace {
                address: format!("/tournaments/{}", self.tournament),
                ..place("index".into(), "")?
            }),
            ["tournaments", id] if is_tournament(id) && query.is_empty() => match extension {
                "html" | "json" | "toml" | "svg" | "png" => place("index".to_owned(), ""),
                _ => None,
            },
            ["tournaments", id, "standings"] if is_tournament(id) => {
                let from = query.strip_prefix("from=").filter(|from| from.parse::<u32>().is_ok());
                match (query, from, extension) {
                    ("", _, "html" | "json" | "csv") => place("standings".to_owned(), ""),
                    (_, Some(from), "html" | "json" | "csv") => place(format!("standings-{from}"), ""),
                    _ => None,
                }
            }
            ["tournaments", id, "matches"] if is_tournament(id) => match (query, extension) {
                ("", "html" | "json" | "csv" | "atom") => place("matches".to_owned(), ""),
                (_, "html" | "json" | "csv") => {
                    let token = query.strip_prefix("page=").filter(|token| !token.contains('&'))?;
                    let next = self.list_pages.len() + 2;
                    let number = *self.list_pages.entry(token.to_owned()).or_insert(next);
                    place(format!("matches-{number}"), "")
                }
                _ => None,
            },
            ["matches", id, rest @ ..] => {
                let id = id.parse().ok().filter(|id| self.matches.contains(id))?;
                let (file, address) = (format!("matches/{id}"), format!("/matches/{id}"));
                match (rest, extension) {
                    (["record"], "json") => place(format!("{RECORDS_FOLDER}/{id}"), ""),
                    ([], "json" | "svg") if query.is_empty() => place(file, ""),
                    // The script of the page shows each position, and what happens after another take.
                    ([] | ["what-if"], "html") => {
                        let ply = query.split('&').find(|part| part.starts_with("ply="));
                        let query = ply.map(|ply| format!("?{ply}")).unwrap_or_default();
                        Some(SitePlace { address, ..place(file, &query)? })
                    }
                    _ => None,
                }
            }
            ["bots", name] if query.is_empty() => {
                let name = name.parse::<BotName>().ok().filter(|name| self.bots.contains(name))?;
                matches!(extension, "html" | "json" | "csv").then(|| place(format!("bots/{name}"), ""))?
            }
            ["assets", version, _] if query.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit()) => {
                let file = path.rsplit('/').next().filter(|file| is_asset_name(file))?;
                let (file, address) = (format!("assets/{file}"), address.to_owned());
                Some(SitePlace { file, address, query: String::new() })
            }
            _ => None,
        }
    }
}

/// Splits a path into a name and its extension; without a known extension, it is `html`.
fn split_extension(path: &str) -> (&str, &str) {
    let known = path.rsplit_once('.').filter(|(_, extension)| PAGE_EXTENSIONS.contains(extension));
    known.unwrap_or((path, "html"))
}

/// Returns whether a name is that of an asset, and not of a hidden file or of another folder.
pub fn is_asset_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric()) && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";
    const OTHER: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e10";

    fn places() -> SitePlaces {
        let mut places = SitePlaces::new(ID.parse().unwrap());
        places.bots.extend(["ann", "x.json"].map(|name| name.parse().unwrap()));
        places.matches.insert(ID.parse().unwrap());
        places
    }

    #[test]
    fn addresses_of_the_tournament_have_files() {
        let mut places = places();
        for (address, link) in [
            ("/", "index.html".to_owned()),
            ("/tournaments/ID", "index.html".to_owned()),
            ("/tournaments/ID.toml", "index.toml".to_owned()),
            ("/tournaments/ID/standings.csv", "standings.csv".to_owned()),
            ("/tournaments/ID/standings?from=100", "standings-100.html".to_owned()),
            ("/tournaments/ID/matches.atom", "matches.atom".to_owned()),
            ("/tournaments/ID/matches?page=x", "matches-2.html".to_owned()),
            ("/tournaments/ID/matches?page=y", "matches-3.html".to_owned()),
            ("/tournaments/ID/matches.json?page=x", "matches-2.json".to_owned()),
            ("/matches/ID", format!("matches/{ID}.html")),
            ("/matches/ID?ply=3", format!("matches/{ID}.html?ply=3")),
            ("/matches/ID/what-if?ply=3&take=2", format!("matches/{ID}.html?ply=3")),
            ("/matches/ID/record.json", format!("records/{ID}.json")),
            ("/bots/ann", "bots/ann.html".to_owned()),
            ("/bots/x.json.html", "bots/x.json.html".to_owned()),
            ("/bots/x.json.json", "bots/x.json.json".to_owned()),
            ("/assets/0123456789abcdef/style.css", "assets/style.css".to_owned()),
        ] {
            let place = places.find(&address.replace("ID", ID)).unwrap_or_else(|| panic!("{address}"));
            assert_eq!(place.file + &place.query, link, "{address}");
        }
    }

    #[test]
    fn other_addresses_have_no_files() {
        let mut places = places();
        for address in [
            "",
            "//evil.example/",
            "https://evil.example/tournaments/ID",
            "/tournaments",
            "/tournaments/OTHER",
            "/tournaments/OTHER/matches",
            "/tournaments/ID/events",
            "/tournaments/ID/matches?bot=ann",
            "/tournaments/ID/matches?page=x&bot=ann",
            "/tournaments/ID/standings?from=../x",
            "/matches/OTHER",
            "/matches/ID.png",
            "/matches/ID/transcript?seat=0",
            "/matches/../../etc/passwd",
            "/bots/bob",
            "/bots/../ann",
            "/bots/ann/audit",
            "/assets/0123456789abcdef/..",
            "/assets/0123456789abcdef/.hidden",
            "/assets/../style.css",
            "/organise",
            "/sign-in?to=/",
            "/docs",
        ] {
            let address = address.replace("OTHER", OTHER).replace("ID", ID);
            assert_eq!(places.find(&address), None, "{address}");
        }
    }
}
