//! The style sheet, the scripts and the icon.

use super::picture::render_png;
use super::response::{Freshness, PageResponse, bytes_response};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use std::io::Write as _;
use std::sync::LazyLock;
use tonic::codegen::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use tonic::codegen::http::{HeaderMap, HeaderValue};

/// The width and height of the icon as a PNG.
const ICON_SIZE: u32 = 48;

/// The part before the hash in the name of the folder of all assets.
const FOLDER_PREFIX: &str = "assets/";
/// The number of hexadecimal digits of that hash.
const HASH_DIGITS: usize = 16;

/// The version of the program whose address of an asset is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AssetVersion {
    /// This one.
    Current,
    /// Another one: the page was loaded before an upgrade. It gets the current file.
    Other,
}

/// A file compiled into the program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asset {
    /// Its name in the folder of assets.
    pub path: &'static str,
    pub content_type: &'static str,
    pub text: &'static str,
}

/// All assets. A page loads the style sheet and `lastnim.js`, which imports the other modules on pages that need them.
static ASSETS: &[Asset] = &[
    svg_icon("icon.svg", include_str!("assets/icon.svg")),
    style_sheet(
        "style.css",
        concat!(
            include_str!("assets/style.css"),
            include_str!("assets/match.css"),
            include_str!("assets/tournament.css")
        ),
    ),
    script_module("lastnim.js", include_str!("assets/lastnim.js")),
    script_module("clock.js", include_str!("assets/clock.js")),
    script_module("match.js", include_str!("assets/match.js")),
    script_module("match_board.js", include_str!("assets/match_board.js")),
    script_module("match_oracle.js", include_str!("assets/match_oracle.js")),
    script_module("copy.js", include_str!("assets/copy.js")),
    script_module("puzzles.js", include_str!("assets/puzzles.js")),
    script_module("oracle.js", include_str!("assets/oracle.js")),
    script_module("tables.js", include_str!("assets/tables.js")),
    script_module("play.js", include_str!("assets/play.js")),
    script_module("live.js", include_str!("assets/live.js")),
    script_module("live_stream.js", include_str!("assets/live_stream.js")),
];

/// The folder in the addresses of all assets. Its name is a hash of all assets, so that browsers can cache them
/// forever. Modules import each other from the same folder.
static ASSET_FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in ASSETS {
        hasher.update(asset.path.as_bytes()).update(&[0]).update(asset.text.as_bytes()).update(&[0]);
    }
    format!("{FOLDER_PREFIX}{}", &hasher.finalize().to_hex()[..HASH_DIGITS])
});

/// All assets as gzip, in the same order.
static GZIPPED_ASSETS: LazyLock<Vec<Bytes>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| gzip_compressed(asset.text.as_bytes())).collect());

impl Asset {
    /// Returns the file at an address given without its leading slash, and whether the address is of this version.
    pub(super) fn find_at_address(path: &str) -> Option<(&'static Self, AssetVersion)> {
        let (folder, name) = path.rsplit_once('/')?;
        let version = if folder == *ASSET_FOLDER { AssetVersion::Current } else { AssetVersion::Other };
        let hash = folder.strip_prefix(FOLDER_PREFIX)?;
        let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
        Some((Self::find_named(name).filter(|_| is_hash)?, version))
    }

    pub(super) fn find_named(path: &str) -> Option<&'static Self> {
        ASSETS.iter().find(|asset| asset.path == path)
    }

    /// Returns the file, compressed if the browser accepts that.
    pub(super) fn response(&'static self, version: AssetVersion, headers: &HeaderMap) -> PageResponse {
        let index = ASSETS.iter().position(|asset| asset.path == self.path);
        let compressed = index.filter(|_| accepts_gzip(headers)).map(|index| GZIPPED_ASSETS[index].clone());
        let is_compressed = compressed.is_some();
        let bytes = compressed.unwrap_or(Bytes::from_static(self.text.as_bytes()));
        let freshness = match version {
            AssetVersion::Current => Freshness::Forever,
            AssetVersion::Other => Freshness::Now,
        };
        let mut response = bytes_response(self.content_type, freshness, bytes);
        response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        if is_compressed {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// Returns the address of an asset.
pub(super) fn asset_address(path: &str) -> String {
    format!("/{}/{path}", *ASSET_FOLDER)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|value| value.split(',')).any(|coding| {
        let (coding, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        coding.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

fn gzip_compressed(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail").into()
}

/// Returns the icon as a PNG, for browsers that request `/favicon.ico`.
pub(super) fn favicon_png() -> Bytes {
    static ICON: LazyLock<Bytes> = LazyLock::new(|| {
        render_png(include_str!("assets/icon.svg"), ICON_SIZE, ICON_SIZE).unwrap_or_default().into()
    });
    ICON.clone()
}

const fn svg_icon(path: &'static str, text: &'static str) -> Asset {
    Asset { path, content_type: "image/svg+xml", text }
}

const fn style_sheet(path: &'static str, text: &'static str) -> Asset {
    Asset { path, content_type: "text/css; charset=utf-8", text }
}

const fn script_module(path: &'static str, text: &'static str) -> Asset {
    Asset { path, content_type: "text/javascript; charset=utf-8", text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_script_modules_together_are_small() {
        let modules = ASSETS.iter().filter(|asset| asset.content_type.starts_with("text/javascript"));
        let bytes: usize = modules.map(|module| module.text.len()).sum();
        assert!(bytes <= 60 << 10, "{bytes} bytes: expected at most 60 KiB for all modules together");
    }

    #[test]
    fn the_style_sheet_is_small() {
        let bytes = Asset::find_named("style.css").unwrap().text.len();
        assert!(bytes <= 45 << 10, "{bytes} bytes: expected at most 45 KiB");
    }

    #[test]
    fn compressed_files_are_served_to_browsers_that_accept_them() {
        let asset = Asset::find_named("style.css").unwrap();
        let coding_for = |accepted: &'static str| {
            let headers = [(ACCEPT_ENCODING, HeaderValue::from_static(accepted))].into_iter().collect();
            asset.response(AssetVersion::Current, &headers).headers().get(CONTENT_ENCODING).cloned()
        };
        for accepted in ["gzip", "br;q=1.0, GZIP;q=0.5"] {
            assert_eq!(coding_for(accepted).unwrap(), "gzip", "{accepted}");
        }
        for accepted in ["", "br", "gzip;q=0", "gzip;q=x", "xgzip"] {
            assert_eq!(coding_for(accepted), None, "{accepted}");
        }
        let sizes =
            ASSETS.iter().zip(GZIPPED_ASSETS.iter()).map(|(asset, bytes)| (asset.text.len(), bytes.len()));
        let (whole, compressed) = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        assert!(compressed * 2 < whole, "{compressed} of {whole} bytes");
    }

    #[test]
    fn the_icon_is_a_png() {
        assert!(favicon_png().starts_with(b"\x89PNG"));
    }

    #[test]
    fn modules_import_existing_files() {
        for asset in ASSETS.iter().filter(|asset| asset.content_type.starts_with("text/javascript")) {
            let imports = asset.text.split("\"./").skip(1).filter_map(|rest| rest.split('"').next());
            for path in imports {
                assert!(Asset::find_named(path).is_some(), "{} imports {path}", asset.path);
            }
        }
    }
}
