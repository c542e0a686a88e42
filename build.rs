//! Compiles the protos with protox (no protoc needed) into tonic services, and their JSON mapping for records.

use prost::Message as _;
use std::{env, error::Error, fs, path::PathBuf};

const PROTOS: [&str; 12] = [
    "lastnim/v1/game.proto",
    "lastnim/v1/audit.proto",
    "lastnim/v1/record.proto",
    "lastnim/v1/arena_service.proto",
    "lastnim/v1/bot_service.proto",
    "lastnim/v1/match_service.proto",
    "lastnim/v1/oracle_bot_audit.proto",
    "lastnim/v1/oracle_declaration.proto",
    "lastnim/v1/oracle_ruleset.proto",
    "lastnim/v1/oracle_service.proto",
    "lastnim/v1/oracle_tree.proto",
    "lastnim/v1/tournament_service.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors = protox::compile(PROTOS, ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let encoded = descriptors.encode_to_vec();
    fs::write(out.join("lastnim.v1.descriptors.bin"), &encoded)?;
    // A message is moved several times on its way to the stream: the large and rare events are boxed, so that a take does
    // not move like a snapshot.
    let rare = ["match_started", "snapshot", "match_ended", "joined_tournament", "tournament_ended"];
    let generator = tonic_prost_build::configure().codec_path("crate::wire::SmallBufferCodec");
    let boxing = |generator: tonic_prost_build::Builder, event| {
        generator.boxed(format!(".lastnim.v1.PlayResponse.event.{event}"))
    };
    rare.into_iter().fold(generator, boxing).compile_fds(descriptors)?;
    pbjson_build::Builder::new()
        .register_descriptors(&encoded)?
        .preserve_proto_field_names()
        .build(&[".lastnim.v1"])?;
    Ok(())
}
