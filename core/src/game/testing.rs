//! Settings for the properties of all layers.

use proptest::prelude::ProptestConfig;

/// The cases of a property where nothing else is said.
const USUAL_CASES: u32 = 256;

/// Returns settings for a property whose cases take long: `usual` cases, and as many times more as `PROPTEST_CASES` asks
/// for more than the usual 256. With `ProptestConfig::with_cases` that variable would change nothing.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    let cases = u64::from(usual) * u64::from(asked.cases) / u64::from(USUAL_CASES);
    ProptestConfig { cases: u32::try_from(cases).unwrap_or(u32::MAX).max(1), ..asked }
}
