//! A minimal browser: keeps cookies and sends forms.

use super::host::Host;
use super::http2::local;
use super::pages::{Answer, send_from};
use std::net::Ipv4Addr;

/// A browser on a server.
pub struct Browser<'h> {
    host: &'h Host,
    /// Its address.
    from: Ipv4Addr,
    /// The cookies by name.
    cookies: Vec<(String, String)>,
    /// Additional headers of each request, as a proxy adds them.
    pub added: String,
}

impl<'h> Browser<'h> {
    /// Opens a browser without cookies.
    pub fn open(host: &'h Host) -> Self {
        Self::open_at(host, 1)
    }

    /// Opens a browser at a loopback address.
    pub fn open_at(host: &'h Host, last: u8) -> Self {
        Self { host, from: local(last), cookies: Vec::new(), added: String::new() }
    }

    /// Returns a stored cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.iter().find(|(kept, _)| kept == name).map(|(_, value)| value.as_str())
    }

    /// Stores a cookie.
    pub fn keep_cookie(&mut self, name: &str, value: &str) {
        self.cookies.retain(|(kept, _)| kept != name);
        self.cookies.push((name.to_owned(), value.to_owned()));
    }

    /// Loads a page.
    pub async fn get(&mut self, path: &str) -> Answer {
        let head = self.head("GET", path);
        self.send(&format!("{head}\r\n")).await
    }

    /// Sends the form of a page with its token.
    pub async fn submit(&mut self, page: &Answer, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = form_token(page);
        let fields: Vec<_> = [("form_token", token)].iter().chain(fields).copied().collect();
        self.post(path, &form_body(&fields)).await
    }

    /// Sends a form from the site itself.
    pub async fn post(&mut self, path: &str, body: &str) -> Answer {
        let origin = format!("Origin: http://{}\r\n", self.host.address);
        self.post_with(path, &origin, body).await
    }

    /// Sends a form with additional headers.
    pub async fn post_with(&mut self, path: &str, headers: &str, body: &str) -> Answer {
        let head = self.head("POST", path);
        let request = format!(
            "{head}{headers}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(&request).await
    }

    fn head(&self, method: &str, path: &str) -> String {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies =
            if cookies.is_empty() { String::new() } else { format!("Cookie: {}\r\n", cookies.join("; ")) };
        let (host, added) = (&self.host.address, &self.added);
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{cookies}{added}")
    }

    async fn send(&mut self, request: &str) -> Answer {
        let answer = send_from(self.from, &self.host.address, request).await;
        for (_, cookie) in answer.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            if cookie.contains("Max-Age=0") {
                self.cookies.retain(|(kept, _)| kept != name);
            } else {
                self.keep_cookie(name, value);
            }
        }
        answer
    }
}

/// Returns the token of the first form on a page.
pub fn form_token(page: &Answer) -> &str {
    let found = page.body.split("name=\"form_token\" value=\"").nth(1);
    found.unwrap_or_else(|| panic!("no form in {}", page.body)).split('"').next().unwrap()
}

/// Encodes fields like browsers.
pub fn form_body(fields: &[(&str, &str)]) -> String {
    let coded = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b' ' => "+".to_owned(),
                _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect()
    };
    let pairs: Vec<_> =
        fields.iter().map(|(name, value)| format!("{}={}", coded(name), coded(value))).collect();
    pairs.join("&")
}
