//! `lastnim demo --serve` leaves the server of the demo open.

use super::child::Process;
use serde_json::{Deserializer, Value};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Command,
};

fn get(pages: &str, path: &str) -> String {
    let address = pages.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_demos_server_stays_open_until_it_is_interrupted() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    let mut demo = Process::start(command.args(["demo", "--serve", "--json"]));
    let mut documents = Deserializer::from_reader(demo.0.stdout.take().unwrap()).into_iter::<Value>();
    let printed = documents.next().expect("it prints a document").unwrap();
    let (pages, page) = (printed["pages"].as_str().unwrap(), printed["tournament_page"].as_str().unwrap());
    let path = page.strip_prefix(pages).map(|path| format!("/{path}")).unwrap();
    let shown = get(pages, &path);
    assert!(shown.starts_with("HTTP/1.1 200") && shown.contains("finished, 720 of 720"), "{shown}");
    assert!(get(pages, "/organise").contains("Admin token"));
    assert!(printed["admin_token"].as_str().unwrap().starts_with("lastnim_"));
    let interrupted = Command::new("kill").args(["-INT", &demo.0.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert!(demo.0.wait().unwrap().success(), "it ends in good order");
}
