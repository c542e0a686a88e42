//! Reads whole numbers in JSON's notation without rounding.

/// The maximum number of digits. 64-bit numbers have up to 20.
const MAX_DIGITS: usize = 30;

/// Reads a whole number such as `12`, `-3` or `1.20e1` exactly. Returns `None` if the text is not a JSON number, if
/// the number is not whole, or if it has more than [`MAX_DIGITS`] digits.
pub(super) fn parse_whole_number(text: &str) -> Option<i128> {
    // This is the fast path for nearly all numbers.
    if (1..=18).contains(&text.len())
        && !text.starts_with('0')
        && text.bytes().all(|byte| byte.is_ascii_digit())
    {
        return text.parse().ok();
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leads_with_zero = whole.len() > 1 && whole.starts_with('0');
    if !are_digits(whole) || leads_with_zero || fraction.is_some_and(|digits| !are_digits(digits)) {
        return None;
    }
    let fraction = fraction.unwrap_or_default().trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    // With enough trailing zeros, a number is whole even if its exponent is negative.
    let significant = digits.trim_end_matches('0');
    let zeros = zeros.checked_add(i64::try_from(digits.len() - significant.len()).ok()?)?;
    let zeros =
        usize::try_from(zeros).ok().filter(|&zeros| zeros.saturating_add(significant.len()) <= MAX_DIGITS)?;
    let number: i128 = format!("{significant}{}", "0".repeat(zeros)).parse().ok()?;
    Some(if negative { -number } else { number })
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix('+').unwrap_or(text).parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_are_read_in_every_notation() {
        for (text, number) in [
            ("0", 0),
            ("-0", 0),
            ("12", 12),
            ("-3", -3),
            ("1.20e1", 12),
            ("1200e-2", 12),
            ("120.00e-1", 12),
            ("1e2", 100),
            ("1E+2", 100),
            ("0.0e-99", 0),
            ("0.5e1", 5),
            ("18446744073709551615", i128::from(u64::MAX)),
            ("1.8446744073709551615e19", i128::from(u64::MAX)),
            ("-9223372036854775808", i128::from(i64::MIN)),
        ] {
            assert_eq!(parse_whole_number(text), Some(number), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_not_whole_are_refused() {
        for text in [
            "",
            "-",
            "+1",
            " 1",
            "1 ",
            "01",
            "-01",
            "1.",
            ".5",
            "1.5",
            "12e-1",
            "1e",
            "1e+-2",
            "0x1",
            "1_000",
            "one",
            "1e99999999999999999999",
            "1e40",
            "1e-9223372036854775808",
            "NaN",
        ] {
            assert_eq!(parse_whole_number(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_read_in_each_notation(number: i64, zeros in 0_usize..4, shift in 0_usize..6) {
            let (digits, sign) = (number.unsigned_abs().to_string(), if number < 0 { "-" } else { "" });
            let (at, zeros) = (digits.len().saturating_sub(shift).max(1), "0".repeat(zeros));
            let (whole, fraction) = digits.split_at(at);
            let scientific = format!("{sign}{whole}.{fraction}0{zeros}e{}", fraction.len());
            let padded = format!("{number}{zeros}e-{}", zeros.len());
            for text in [number.to_string(), scientific, padded] {
                prop_assert_eq!(parse_whole_number(&text), Some(number.into()), "{}", text);
            }
        }
    }
}
