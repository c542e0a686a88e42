//! The version that a bot reports in the metadata of a call.

use super::status::parse_field;
use lastnim_core::game::{BotVersion, ConfigHash};
use tonic::Status;
use tonic::metadata::MetadataMap;

/// The metadata key of the version label.
const LABEL_KEY: &str = "bot-version";
/// The metadata key of the configuration hash.
const CONFIG_HASH_KEY: &str = "bot-config-hash-bin";

/// Parses the version of a bot.
///
/// # Errors
/// If a value is invalid or given more than once; the error names it.
pub(super) fn read_bot_version(metadata: &MetadataMap) -> Result<BotVersion, Status> {
    let label = single_value(LABEL_KEY, metadata.get_all(LABEL_KEY).iter())?;
    let label = label.map(|given| {
        let given = String::from_utf8_lossy(given.as_bytes());
        parse_field(LABEL_KEY, given.parse())
    });
    let config_hash = single_value(CONFIG_HASH_KEY, metadata.get_all_bin(CONFIG_HASH_KEY).iter())?;
    let config_hash = config_hash.map(|given| {
        let bytes = given.to_bytes().map_err(|_| {
            let given = String::from_utf8_lossy(given.as_encoded_bytes());
            format!("{given:?}: expected {} bytes in base64", ConfigHash::BYTES)
        });
        parse_field(
            CONFIG_HASH_KEY,
            bytes.and_then(|bytes| ConfigHash::try_from(&bytes[..]).map_err(|error| error.to_string())),
        )
    });
    Ok(BotVersion { label: label.transpose()?, config_hash: config_hash.transpose()? })
}

/// Returns a metadata value that may be given at most once.
fn single_value<T>(name: &'static str, mut values: impl Iterator<Item = T>) -> Result<Option<T>, Status> {
    let first = values.next();
    match values.count() {
        0 => Ok(first),
        more => parse_field(
            name,
            Err(format!("given {} times: give it once, because a session has only one version", more + 1)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::metadata::{BinaryMetadataValue, MetadataValue};

    fn refusal_message(metadata: &MetadataMap) -> String {
        read_bot_version(metadata).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_version_may_be_full_partial_or_missing() {
        let mut metadata = MetadataMap::new();
        assert_eq!(read_bot_version(&metadata).unwrap(), BotVersion::default());
        metadata.insert_bin(CONFIG_HASH_KEY, BinaryMetadataValue::from_bytes(&[7; 32]));
        let hash = Some(ConfigHash::from_bytes([7; 32]));
        assert_eq!(read_bot_version(&metadata).unwrap(), BotVersion { label: None, config_hash: hash });
        metadata.insert(LABEL_KEY, "1.4".parse().unwrap());
        let parsed = read_bot_version(&metadata).unwrap();
        assert_eq!((parsed.label.unwrap().as_str(), parsed.config_hash), ("1.4", hash));
    }

    #[test]
    fn errors_name_the_key_and_the_invalid_value() {
        let mut metadata = MetadataMap::new();
        for (bad, named) in [("", "\"\""), ("a b", "\"a b\""), (&"x".repeat(65), &"x".repeat(65))] {
            metadata.insert(LABEL_KEY, bad.parse().unwrap());
            let refused = refusal_message(&metadata);
            assert!(refused.contains("bot-version") && refused.contains(named), "{refused}");
            assert!(refused.contains("1 to 64 visible ASCII characters"), "{refused}");
        }
        metadata.insert(LABEL_KEY, MetadataValue::try_from(b"na\xefve".as_slice()).unwrap());
        assert!(refusal_message(&metadata).contains("bot-version"));
        metadata.insert(LABEL_KEY, "1".parse().unwrap());
        metadata.append(LABEL_KEY, "2".parse().unwrap());
        assert!(
            refusal_message(&metadata).contains("bot-version: given 2 times"),
            "{}",
            refusal_message(&metadata)
        );
        metadata.remove(LABEL_KEY);
        metadata.insert_bin(CONFIG_HASH_KEY, BinaryMetadataValue::from_bytes(&[7; 31]));
        assert!(
            refusal_message(&metadata).contains("a config hash of 31 bytes: expected 32"),
            "{}",
            refusal_message(&metadata)
        );
    }
}
