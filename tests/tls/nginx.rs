//! The nginx configuration of the documentation, with a real nginx.

use super::place::{Place, lastnim};
use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

const DOCUMENTATION: &str = include_str!("../../docs/how-to/run-a-server.md");

/// An nginx, which ends when this is dropped.
struct Nginx {
    process: Child,
    port: u16,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It may have ended already. SIGTERM also ends its workers.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

impl Nginx {
    /// Starts an nginx in front of the server. Returns `None` if nginx is not installed; if `CI` is set that is a
    /// failure.
    fn start(place: &Place) -> Option<Self> {
        let Some(program) =
            ["/usr/sbin/nginx", "/usr/bin/nginx"].map(Path::new).into_iter().find(|path| path.exists())
        else {
            let missing = "nginx is not installed (Debian: apt-get install nginx)";
            assert!(std::env::var_os("CI").is_none(), "{missing}");
            eprintln!("skipped: {missing}");
            return None;
        };
        let (certificate, key) = place.authority.sign(&["localhost"]);
        place.write("fullchain.pem", &certificate.pem());
        place.write("privkey.pem", &key.serialize_pem());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (_, block) = DOCUMENTATION.split_once("```nginx\n").expect("an example for nginx");
        let (block, _) = block.split_once("```").unwrap();
        let mut server = block.to_owned();
        for (documented, here) in [
            ("listen 443 ssl", format!("listen 127.0.0.1:{port} ssl")),
            ("play.example.org;", "localhost;".to_owned()),
            ("/etc/letsencrypt/live/play.example.org", place.path("")),
            ("127.0.0.1:7600", place.address.clone()),
        ] {
            assert!(server.contains(documented), "{documented:?} is missing:\n{server}");
            server = server.replace(documented, &here);
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {};\n", place.path(kind)))
            .concat();
        place.write(
            "nginx.conf",
            &format!(
                "daemon off;\npid {};\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{server}}}\n",
                place.path("nginx.pid")
            ),
        );
        let mut command = Command::new(program);
        command.args(["-e", "stderr", "-p", &place.path(""), "-c", &place.path("nginx.conf")]);
        let process = command.stdin(Stdio::null()).spawn().unwrap();
        let mut nginx = Self { process, port };
        let until = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert_eq!(nginx.process.try_wait().unwrap(), None, "nginx refuses its configuration");
            assert!(Instant::now() < until, "nginx does not start");
            std::thread::yield_now();
        }
        Some(nginx)
    }

    /// Fetches a page as a browser without HTTP/2 does.
    fn fetch_page(&self, place: &Place, path: &str) -> String {
        let config = place.authority.client(None);
        let connection = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
        let socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut stream = StreamOwned::new(connection, socket);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", self.port)
            .unwrap();
        let mut answer = Vec::new();
        // nginx may close the connection without the end of TLS.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

#[test]
fn bots_and_browsers_work_through_the_documented_nginx() {
    let place = Place::new("nginx");
    let Some(nginx) = Nginx::start(&place) else { return };
    let address = format!("https://localhost:{}", nginx.port);
    let behind = |arguments: &[&str]| {
        let mut command = lastnim(arguments);
        command.args(["--server", &address, "--ca", &place.path("ca.pem")]);
        command
    };
    let printed = |arguments: &[&str]| {
        let output = behind(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let tokens = ["first", "second"].map(|name| printed(&["bot", "register", name]));
    let cup = ["tournament", "create", "--title", "behind nginx", "--seats", "2", "--piles", "3,4,5"];
    let tournament =
        printed(&[&cup[..], &["--clock", "1m", "--declare-within", "1m", "--start-when", "2"]].concat());
    let bots = tokens.map(|token| {
        let mut bot = behind(&["bot", "run", "oracle", "--tournament", &tournament]);
        bot.env("LASTNIM_TOKEN", token).stdout(Stdio::null()).spawn().unwrap()
    });
    for mut bot in bots {
        assert!(bot.wait().unwrap().success());
    }
    let page = nginx.fetch_page(&place, &format!("/tournaments/{tournament}"));
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("<title>behind nginx - lastnim</title>"), "{page}");
}
