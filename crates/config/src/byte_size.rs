//! Sizes in bytes as people write them: `64KiB`, `1MiB`.

/// The units and the number of bytes in each, the largest first.
const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Reads a size: a whole number followed by B, KiB, MiB or GiB.
///
/// # Errors
/// Names the invalid text, and gives a valid example.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let parse = || {
        let (number, unit) = text.split_at(text.find(|char: char| !char.is_ascii_digit())?);
        let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
        number.parse::<u64>().ok()?.checked_mul(factor)
    };
    parse().ok_or_else(|| format!("{text:?} is not a size with a unit (B, KiB, MiB, GiB), such as 64KiB"))
}

/// Formats a size so that [`parse_size`] can read it, in the largest unit that divides it.
pub fn size_text(bytes: u64) -> String {
    let fits = |&(_, factor): &(&str, u64)| bytes >= factor && bytes.is_multiple_of(factor);
    let (unit, factor) = UNITS.into_iter().find(fits).unwrap_or(("B", 1));
    format!("{}{unit}", bytes / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes) in
            [("0B", 0), ("65535B", 65_535), ("64KiB", 65_536), ("1MiB", 1 << 20), ("3GiB", 3 << 30)]
        {
            assert_eq!((parse_size(text), size_text(bytes)), (Ok(bytes), text.to_owned()));
        }
        for text in ["", "64", "KiB", "64kB", "1.5MiB", "-1B", "99999999999999GiB"] {
            assert!(parse_size(text).unwrap_err().ends_with("such as 64KiB"), "{text}");
        }
    }
}
