//! The messages of a bot's session and the methods of all services, from the protos.

use lastnim_proto::pb::DESCRIPTORS;
use prost_reflect::{
    DescriptorPool, FieldDescriptor, FileDescriptor, Kind, prost_types::source_code_info::Location,
};
use std::fmt::Write as _;

/// The files whose messages bots send and receive.
const SESSION_FILES: [&str; 2] = ["lastnim/v1/arena_service.proto", "lastnim/v1/game.proto"];

/// Converts an index to the type that descriptor paths use.
fn number(index: usize) -> i32 {
    i32::try_from(index).expect("a proto has few elements")
}

/// Returns the comment of an element, in one line.
fn comment(file: &FileDescriptor, path: &[i32]) -> String {
    let info = file.file_descriptor_proto().source_code_info.as_ref().expect("protos keep their comments");
    let has_path = |location: &&Location| location.path == path;
    let comment = info.location.iter().find(has_path).and_then(|location| location.leading_comments.clone());
    let text = comment.unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn type_name(field: &FieldDescriptor) -> String {
    let name = match field.kind() {
        Kind::Message(message) => format!("[{0}](#{1})", message.name(), message.name().to_lowercase()),
        Kind::Enum(words) => format!("[{0}](#{1})", words.name(), words.name().to_lowercase()),
        kind => format!("{kind:?}").to_lowercase(),
    };
    // A message from another file is described only in the protos.
    let is_here = match field.kind() {
        Kind::Message(message) => SESSION_FILES.contains(&message.parent_file().name()),
        Kind::Enum(words) => SESSION_FILES.contains(&words.parent_file().name()),
        _ => true,
    };
    let name = if is_here { name } else { name.split(['[', ']']).nth(1).unwrap_or_default().to_owned() };
    if field.is_list() { format!("list of {name}") } else { name }
}

/// Returns the methods of all services, and the messages of a session with their fields.
pub(crate) fn messages() -> String {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let mut page = "## Services\n\n| method | what it does |\n|---|---|\n".to_owned();
    for service in pool.services() {
        let file = service.parent_file();
        for method in service.methods() {
            let path = [6, number(service.index()), 2, number(method.index())];
            let said = comment(&file, &path);
            let first = said.split_inclusive(". ").next().unwrap_or_default().trim();
            writeln!(page, "| `{}.{}` | {first} |", service.name(), method.name()).unwrap();
        }
    }
    page += "\n## Messages\n";
    for name in SESSION_FILES {
        let file = pool.get_file_by_name(name).unwrap();
        for (index, message) in file.messages().enumerate() {
            let path = [4, number(index)];
            writeln!(page, "\n### {}\n\n{}\n", message.name(), comment(&file, &path)).unwrap();
            if message.fields().len() == 0 {
                continue;
            }
            page += "| field | type | description |\n|---|---|---|\n";
            let fields = message.descriptor_proto().field.iter().enumerate();
            for (index, field) in fields {
                let said = comment(&file, &[path[0], path[1], 2, number(index)]);
                let field = message.get_field_by_name(field.name()).unwrap();
                writeln!(page, "| `{}` | {} | {said} |", field.name(), type_name(&field)).unwrap();
            }
        }
        for (index, words) in file.enums().enumerate() {
            let path = [5, number(index)];
            writeln!(page, "\n### {}\n\n{}\n", words.name(), comment(&file, &path)).unwrap();
            page += "| value | description |\n|---|---|\n";
            for (index, value) in words.enum_descriptor_proto().value.iter().enumerate() {
                let said = comment(&file, &[path[0], path[1], 2, number(index)]);
                writeln!(page, "| `{}` | {said} |", value.name()).unwrap();
            }
        }
    }
    page
}
