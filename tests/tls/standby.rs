//! A standby server with TLS.

use super::certificates::Authority;
use lastnim_server::{ServerListener, ServerSocket, ServerTls, TlsFiles, stand_by};
use std::{env, fs, process, sync::Arc};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tokio_rustls::TlsConnector;

const REQUEST: &[u8] = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

#[tokio::test]
async fn a_standby_server_answers_over_tls() {
    let folder = env::temp_dir().join(format!("lastnim-tls-standby-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let authority = Authority::new("an authority of the tests");
    let (certificate, key) = authority.sign(&["localhost"]);
    let files =
        TlsFiles { certificate: folder.join("cert.pem"), key: folder.join("key.pem"), client_ca: None };
    fs::write(&files.certificate, certificate.pem()).unwrap();
    fs::write(&files.key, key.serialize_pem()).unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let listener = ServerListener {
        socket: ServerSocket::Tcp(socket),
        tls: Some(Arc::new(ServerTls::read(files).unwrap())),
    };
    let (_name, holder) = watch::channel(Some("the other server".to_owned()));
    let standing_by = tokio::spawn(stand_by(listener, holder, Vec::new()));

    let connector = TlsConnector::from(authority.client(Some("http/1.1")));
    let stream = TcpStream::connect(address).await.unwrap();
    let mut stream = connector.connect("localhost".try_into().unwrap(), stream).await.unwrap();
    stream.write_all(REQUEST).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("standing by for the other"), "{answer}");

    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(REQUEST).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("connect with https://"), "{answer}");
    standing_by.abort();
    fs::remove_dir_all(&folder).unwrap();
}
