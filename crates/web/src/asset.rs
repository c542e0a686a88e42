//! Style sheet, scripts and icon.

/// A file compiled into the program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asset {
    /// The address without the leading slash.
    pub path: &'static str,
    pub content_type: &'static str,
    pub text: &'static str,
}

/// All assets. A page loads the style sheet and `lastnim.js`, which imports the other modules on pages that need them.
static ASSETS: &[Asset] = &[
    icon("icon.svg", include_str!("assets/icon.svg")),
    style_sheet("style.css", concat!(include_str!("assets/style.css"), include_str!("assets/match.css"))),
    module("lastnim.js", include_str!("assets/lastnim.js")),
    module("clock.js", include_str!("assets/clock.js")),
    module("match.js", include_str!("assets/match.js")),
    module("match_board.js", include_str!("assets/match_board.js")),
    module("match_oracle.js", include_str!("assets/match_oracle.js")),
    module("copy.js", include_str!("assets/copy.js")),
    module("puzzles.js", include_str!("assets/puzzles.js")),
    module("oracle.js", include_str!("assets/oracle.js")),
    module("tables.js", include_str!("assets/tables.js")),
    module("play.js", include_str!("assets/play.js")),
    module("live.js", include_str!("assets/live.js")),
];

impl Asset {
    /// Returns the file at an address given without its leading slash.
    pub(super) fn at(path: &str) -> Option<&'static Self> {
        ASSETS.iter().find(|asset| asset.path == path)
    }
}

const fn icon(path: &'static str, text: &'static str) -> Asset {
    Asset { path, content_type: "image/svg+xml", text }
}

const fn style_sheet(path: &'static str, text: &'static str) -> Asset {
    Asset { path, content_type: "text/css; charset=utf-8", text }
}

const fn module(path: &'static str, text: &'static str) -> Asset {
    Asset { path, content_type: "text/javascript; charset=utf-8", text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_small() {
        let modules = ASSETS.iter().filter(|asset| asset.content_type.starts_with("text/javascript"));
        let bytes: usize = modules.map(|module| module.text.len()).sum();
        assert!(bytes <= 60 << 10, "{bytes} bytes: expected at most 60 KiB for all modules together");
    }

    #[test]
    fn the_style_sheet_is_small() {
        let bytes = Asset::at("style.css").unwrap().text.len();
        assert!(bytes <= 45 << 10, "{bytes} bytes: expected at most 45 KiB");
    }

    #[test]
    fn modules_import_existing_files() {
        for asset in ASSETS.iter().filter(|asset| asset.content_type.starts_with("text/javascript")) {
            let imports = asset.text.split("\"./").skip(1).filter_map(|rest| rest.split('"').next());
            for path in imports {
                assert!(Asset::at(path).is_some(), "{} imports {path}", asset.path);
            }
        }
    }
}
