//! Compiles the protos into tonic services with protox, which does not need protoc.

use prost::Message as _;
use std::{env, error::Error, fs, path::PathBuf};
use tonic_build::manual::{Method, Service};

const PROTOS: [&str; 25] = [
    "lastnim/v1/game.proto",
    "lastnim/v1/audit.proto",
    "lastnim/v1/record.proto",
    "lastnim/v1/arena_service.proto",
    "lastnim/v1/benchmark.proto",
    "lastnim/v1/bot_service.proto",
    "lastnim/v1/bot_version.proto",
    "lastnim/v1/dataset.proto",
    "lastnim/v1/entry_service.proto",
    "lastnim/v1/manifest.proto",
    "lastnim/v1/match_service.proto",
    "lastnim/v1/model_report.proto",
    "lastnim/v1/oracle_bot_audit.proto",
    "lastnim/v1/oracle_declaration.proto",
    "lastnim/v1/oracle_robustness.proto",
    "lastnim/v1/oracle_ruleset.proto",
    "lastnim/v1/oracle_service.proto",
    "lastnim/v1/oracle_tree.proto",
    "lastnim/v1/oracle_variant.proto",
    "lastnim/v1/server_service.proto",
    "lastnim/v1/tables.proto",
    "lastnim/v1/tournament_activity.proto",
    "lastnim/v1/tournament_event.proto",
    "lastnim/v1/tournament_service.proto",
    "lastnim/v1/transcript_service.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=lastnim");
    let descriptors = protox::compile(PROTOS, ["."])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("lastnim.v1.descriptors.bin"), descriptors.encode_to_vec())?;
    // Events are moved several times on their way to the stream: large, rare ones are boxed so that a take stays small.
    let rare = ["match_started", "snapshot", "match_ended", "joined_tournament", "tournament_ended"];
    // tonic provides the APIs of clients and servers only with these features.
    let has_feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    let generator = tonic_prost_build::configure()
        .codec_path("crate::SmallBufferCodec")
        .build_client(has_feature("CLIENT"))
        .build_server(has_feature("SERVER"));
    let boxing = |generator: tonic_prost_build::Builder, event| {
        generator.boxed(format!(".lastnim.v1.PlayResponse.event.{event}"))
    };
    // Messages need their names in order to find their descriptors, which define their JSON.
    let mut names = prost_build::Config::new();
    names.enable_type_names();
    rare.into_iter().fold(generator, boxing).compile_fds_with_config(descriptors, names)?;
    if has_feature("SERVER") {
        generate_play_service();
    }
    Ok(())
}

/// Generates the service of sessions again with the types that sessions use, so that no prost message is created.
fn generate_play_service() {
    let play = Method::builder()
        .name("play")
        .route_name("Play")
        .input_type("crate::IncomingAction")
        .output_type("crate::ServerEvent")
        .codec_path("crate::PlayCodec")
        .client_streaming()
        .server_streaming()
        .build();
    let service = Service::builder().name("ArenaService").package("lastnim.v1").method(play).build();
    tonic_build::manual::Builder::new().build_client(false).compile(&[service]);
}
