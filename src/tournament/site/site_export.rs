//! Fetches the pages of a tournament from its server, and writes them as files.

use super::{
    command::SiteMatches,
    markup::static_markup,
    places::{MANIFEST_FILE, SitePlace, SitePlaces, is_asset_name},
};
use crate::{
    Failure, fetched_page::FetchedPage, new_folder::AtomicFolder, progress::matches_bar,
    remote::RemoteServer, tournament::manifest::receive_manifest,
};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_proto::{
    json::message_from_json,
    manifest::{ListedRecord, Manifest},
    pb,
};
use std::{
    collections::{BTreeSet, HashSet, VecDeque},
    fs::{self, File},
    io::{BufWriter, Write as _},
};

/// How much a site has.
#[derive(Debug, Clone, Copy, Default)]
pub struct SiteCounts {
    /// The number of files.
    pub files: u64,
    /// The size of all files in bytes.
    pub bytes: u64,
    /// The number of matches that have a page.
    pub matches: u64,
    /// The number of matches that were left out because the server has no record of them.
    pub without_record: u64,
}

/// The export of a site. It holds one page at a time in memory, and the ids of all matches.
pub struct SiteExport<'a> {
    /// The server, which is called without a token unless it requires one.
    remote: RemoteServer,
    folder: &'a AtomicFolder,
    places: SitePlaces,
    which: SiteMatches,
    /// The files that were found but are not written yet.
    queue: VecDeque<SitePlace>,
    /// The names of all files that were queued, which excludes those of matches.
    queued: HashSet<String>,
    counts: SiteCounts,
}

impl<'a> SiteExport<'a> {
    /// Prepares the export of a tournament into an empty folder.
    ///
    /// # Errors
    /// If the server has no pages, or cannot be reached.
    pub async fn new(
        remote: &RemoteServer,
        folder: &'a AtomicFolder,
        id: TournamentId,
        which: SiteMatches,
    ) -> Result<Self, Failure> {
        let public = remote.without_token();
        let page = format!("/tournaments/{id}.json");
        let remote = match public.fetch_page(&page).await? {
            FetchedPage::NeedsToken => remote.clone(),
            FetchedPage::Found(_) | FetchedPage::Missing => public,
        };
        Ok(Self {
            remote,
            folder,
            places: SitePlaces::new(id),
            which,
            queue: VecDeque::new(),
            queued: HashSet::new(),
            counts: SiteCounts::default(),
        })
    }

    /// Writes all files.
    ///
    /// # Errors
    /// If the tournament is not over, a page cannot be fetched, or a file cannot be written.
    pub async fn write_site(mut self) -> Result<SiteCounts, Failure> {
        let manifest = self.write_manifest().await?;
        self.find_bots(&manifest).await?;
        let pages = self.write_records(&manifest).await?;
        let id = self.places.tournament;
        for address in [
            format!("/tournaments/{id}"),
            format!("/tournaments/{id}.json"),
            format!("/tournaments/{id}.toml"),
            format!("/tournaments/{id}.svg"),
            format!("/tournaments/{id}.png"),
            format!("/tournaments/{id}/standings"),
            format!("/tournaments/{id}/matches"),
        ] {
            self.find_link(&address, "", false);
        }
        self.write_queue().await?;
        let bar = matches_bar(Some(pages.len() as u64));
        for id in pages {
            for address in [format!("/matches/{id}"), format!("/matches/{id}.svg")] {
                if let Some(place) = self.places.find(&address) {
                    self.write_page(place).await?;
                }
            }
            self.counts.matches += 1;
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.write_queue().await?;
        Ok(self.counts)
    }

    /// Fetches, verifies and writes the manifest.
    async fn write_manifest(&mut self) -> Result<Manifest, Failure> {
        let path = self.folder.file_path(MANIFEST_FILE)?;
        let failure = |error| Failure::runtime(error, path.display());
        let mut file = BufWriter::new(File::create(&path).map_err(failure)?);
        let id = self.places.tournament;
        let (manifest, _) = receive_manifest(&self.remote, &id.to_string(), &mut file, failure).await?;
        file.flush().map_err(failure)?;
        self.counts.files += 1;
        self.counts.bytes += fs::metadata(&path).map_err(failure)?.len();
        if manifest.is_interim() {
            return Err(Failure::input(format!(
                "tournament {id} is {}: a site shows final results, so wait for the end: lastnim tournament watch {id}",
                manifest.state
            )));
        }
        Ok(manifest)
    }

    /// Finds the bots that have a page.
    async fn find_bots(&mut self, manifest: &Manifest) -> Result<(), Failure> {
        let bots: BTreeSet<_> = manifest.standings.iter().filter_map(|line| line.bot.parse().ok()).collect();
        for bot in bots {
            if let FetchedPage::Found(_) = self.remote.fetch_page(&format!("/bots/{bot}.json")).await? {
                self.places.bots.insert(bot);
            }
        }
        Ok(())
    }

    /// Writes the record of each match, and returns the matches that get a page, whose JSON is written as well. If no
    /// match gets a page, nothing is written.
    async fn write_records(&mut self, manifest: &Manifest) -> Result<Vec<MatchId>, Failure> {
        let mut pages = Vec::new();
        if self.which == SiteMatches::None {
            return Ok(pages);
        }
        let bar = matches_bar(Some(manifest.matches.len() as u64));
        for listed in &manifest.matches {
            bar.inc(1);
            let id = listed.id;
            let record = match listed.record {
                ListedRecord::Unrecorded => FetchedPage::Missing,
                _ => self.remote.fetch_page(&format!("/matches/{id}/record.json")).await?,
            };
            let shown = self.remote.fetch_page(&format!("/matches/{id}.json")).await?;
            let (FetchedPage::Found(record), FetchedPage::Found(shown)) = (record, shown) else {
                self.counts.without_record += 1;
                continue;
            };
            self.places.matches.insert(id);
            let place = self.places.find(&format!("/matches/{id}/record.json"));
            self.write_file(place, &record)?;
            if self.which == SiteMatches::Decisive && !is_decided_by_errors(&shown) {
                self.places.matches.remove(&id);
                continue;
            }
            let place = self.places.find(&format!("/matches/{id}.json"));
            self.write_file(place, &shown)?;
            pages.push(id);
        }
        bar.finish_and_clear();
        Ok(pages)
    }

    /// Writes the files that were found, and those to which they link.
    async fn write_queue(&mut self) -> Result<(), Failure> {
        while let Some(place) = self.queue.pop_front() {
            self.write_page(place).await?;
        }
        Ok(())
    }

    /// Fetches a page and writes it, with links to the files of the site.
    async fn write_page(&mut self, place: SitePlace) -> Result<(), Failure> {
        let FetchedPage::Found(page) = self.remote.fetch_page(&place.address).await? else {
            return Err(Failure::Runtime(anyhow::anyhow!(
                "the server at {} has no page at {}",
                self.remote.name(),
                place.address
            )));
        };
        let bytes = match place.file.rsplit('.').next() {
            Some("html" | "atom") => {
                let text = String::from_utf8_lossy(&page);
                // Without the script that steps through a match, only one position can be shown.
                let has_steps = text.contains("id=\"stepped\"");
                static_markup(&text, |address| self.find_link(address, &place.file, has_steps)).into_bytes()
            }
            Some("js") => {
                self.find_modules(&place.address, &String::from_utf8_lossy(&page));
                page
            }
            _ => page,
        };
        self.write_file(Some(place), &bytes)
    }

    fn write_file(&mut self, place: Option<SitePlace>, bytes: &[u8]) -> Result<(), Failure> {
        let Some(place) = place else { return Ok(()) };
        let path = self.folder.file_path(&place.file)?;
        fs::write(&path, bytes).map_err(|error| Failure::runtime(error, path.display()))?;
        self.counts.files += 1;
        self.counts.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Returns the link from a file to an address; `None` if the site has no file for it, or if it leads to another
    /// position in a page without steps. Queues the file of the address unless it belongs to a match.
    fn find_link(&mut self, address: &str, from: &str, has_steps: bool) -> Option<String> {
        // A news feed has the public address of its server.
        let path = if from.rsplit('.').next() == Some("atom") {
            ["/tournaments/", "/matches/"].iter().find_map(|part| Some(&address[address.find(part)?..]))?
        } else {
            address
        };
        let place = self.places.find(path)?;
        if !place.query.is_empty() && place.file == from && !has_steps {
            return None;
        }
        let up = "../".repeat(from.matches('/').count());
        let link = format!("{up}{}{}", place.file, place.query);
        let is_of_match = place.file.starts_with("matches/") || place.file.starts_with("records/");
        if !is_of_match && self.queued.insert(place.file.clone()) {
            self.queue.push_back(place);
        }
        Some(link)
    }

    /// Queues the modules that a module imports, which are in the same folder.
    fn find_modules(&mut self, address: &str, text: &str) {
        let Some((folder, _)) = address.rsplit_once('/') else { return };
        let names = text.split("\"./").skip(1).filter_map(|rest| rest.split('"').next());
        for name in names.filter(|name| is_asset_name(name)) {
            self.find_link(&format!("{folder}/{name}"), "", false);
        }
    }
}

/// Returns whether optimal play would have made another seat win.
fn is_decided_by_errors(shown: &[u8]) -> bool {
    let json = serde_json::from_slice(shown).unwrap_or_default();
    let parsed = message_from_json::<pb::GetMatchResponse>(&json);
    parsed.ok().and_then(|shown| shown.audit).is_some_and(|audit| audit.winner != audit.predicted_winner)
}
