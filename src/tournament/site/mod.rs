//! `lastnim tournament export-site`, which writes the results of a tournament as a static site.
//!
//! `site_export` fetches the pages of a server, as a browser does. `places` says which addresses belong to the site and
//! which files they become, and `markup` changes the links of a page to these files.

mod command;
mod markup;
mod places;
mod site_export;

pub use command::{ExportSiteArgs, export_site};
pub use places::{MANIFEST_FILE, RECORDS_FOLDER};
