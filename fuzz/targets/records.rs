//! Records and manifests as JSON: valid ones read back the same.

use lastnim_proto::{
    manifest::ManifestReader,
    record::verify_record,
    record_file::{RecordForm, layout_difference, read_record},
};

/// Reads an input as a record and as a manifest.
pub fn check(input: &[u8]) {
    let mut manifest = ManifestReader::default();
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        manifest.read_line(line);
    }
    let _ = manifest.finish();
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(given) = read_record(text) else { return };
    let Ok(sealed) = verify_record(&given) else { return };
    let (record, seal) = (sealed.record(), sealed.seal());
    // Matches that are not over have no audit.
    let _ = record.audit();
    let _ = layout_difference(text, record, seal);
    for form in RecordForm::JSON {
        let written = form.write(record, seal);
        assert_eq!(layout_difference(&written, record, seal), None, "{form:?}");
        let parsed = read_record(&written).unwrap_or_else(|error| panic!("{form:?}: {error}: {written}"));
        let again = verify_record(&parsed).unwrap_or_else(|flaw| panic!("{form:?}: {flaw}: {written}"));
        assert_eq!(again.seal(), seal, "{form:?}");
        // Secret rows are not written.
        if record.state().is_all_public() {
            assert_eq!(again.record(), record, "{form:?}");
        }
    }
}
