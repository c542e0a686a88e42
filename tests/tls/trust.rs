//! Trusted and untrusted certificates.

use super::{
    certificates::{Authority, self_signed},
    place::{Place, failure, lastnim},
    proxy::Proxy,
};
use lastnim_client::{Error, Options, run};
use rcgen::{BasicConstraints, IsCa};
use std::time::Duration;

#[test]
fn system_authorities_are_trusted_by_default() {
    let place = Place::new("system");
    let list =
        ["bot", "run", "oracle", "--server", &place.behind("localhost"), "--token", "no-token-of-a-bot"];
    // The proxy is trusted; the server behind it refuses the token.
    let output = lastnim(&list).env("SSL_CERT_FILE", place.path("ca.pem")).output().unwrap();
    assert!(failure(&output, 1).contains("token"), "{output:?}");

    let other = Authority::new("another authority");
    place.write("other.pem", other.pem());
    let output = lastnim(&list).env("SSL_CERT_FILE", place.path("other.pem")).output().unwrap();
    assert!(failure(&output, 1).contains("its certificate was rejected"), "{output:?}");
    let output = lastnim(&list)
        .env("SSL_CERT_FILE", place.path("ca.pem"))
        .args(["--ca", &place.path("other.pem")])
        .output()
        .unwrap();
    assert!(failure(&output, 1).contains("its certificate was rejected"), "{output:?}");
}

#[test]
fn trust_errors_are_distinguished() {
    let place = Place::new("trust");
    let list = |server: &str, ca: &str| {
        lastnim(&["tournament", "list", "--server", server, "--ca", &place.path(ca)]).output().unwrap()
    };
    assert!(list(&place.behind("localhost"), "ca.pem").status.success());

    let message = failure(&list(&place.behind("127.0.0.2"), "ca.pem"), 1);
    assert!(
        message.contains("no server answers") || message.contains("its certificate was rejected"),
        "{message}"
    );
    let elsewhere =
        Proxy::start(place.authority.server(&["elsewhere.example"]), place.address.parse().unwrap());
    let message = failure(&list(&format!("https://localhost:{}", elsewhere.port), "ca.pem"), 1);
    assert!(message.contains("its certificate was rejected") && message.contains("--ca FILE"), "{message}");
    let message = failure(&list(&format!("https://{}", place.address), "ca.pem"), 1);
    assert!(message.contains("refused TLS"), "{message}");

    let message = failure(&list(&place.address, "ca.pem"), 2);
    assert!(message.contains("need an https:// address"), "{message}");
    let message = failure(&list(&place.behind("localhost"), "missing.pem"), 2);
    assert!(message.contains("missing.pem: No such file"), "{message}");
    place.write("empty.pem", "no certificate\n");
    let message = failure(&list(&place.behind("localhost"), "empty.pem"), 2);
    assert!(message.contains("empty.pem: there is no certificate in it"), "{message}");
    let half = place.authority.pem().lines().take(3).collect::<Vec<_>>().join("\n");
    place.write("half.pem", &half);
    let message = failure(&list(&place.behind("localhost"), "half.pem"), 2);
    assert!(message.contains("half.pem: not PEM"), "{message}");
}

/// `openssl req -x509` makes the certificate of an authority unless it is told otherwise.
#[test]
fn a_self_signed_certificate_is_trusted_unless_it_belongs_to_an_authority() {
    let place = Place::new("self-signed");
    let list = |is_ca: IsCa| {
        let (server, pem) = self_signed(&["localhost"], is_ca);
        let proxy = Proxy::start(server, place.address.parse().unwrap());
        place.write("server.pem", &pem);
        let address = format!("https://localhost:{}", proxy.port);
        lastnim(&["tournament", "list", "--server", &address, "--ca", &place.path("server.pem")])
            .output()
            .unwrap()
    };
    let output = list(IsCa::ExplicitNoCa);
    assert!(output.status.success(), "{output:?}");
    let message = failure(&list(IsCa::Ca(BasicConstraints::Unconstrained)), 1);
    assert!(message.contains("-addext basicConstraints=critical,CA:FALSE"), "{message}");
}

/// A bot does not keep retrying for two minutes if no attempt can succeed.
#[test]
fn a_bot_fails_at_once_if_it_does_not_trust_the_server() {
    let place = Place::new("at-once");
    let patient = Duration::from_secs(1_000_000);
    let options = Options::new(place.behind("localhost"), "a-token-of-a-bot").give_up_after(patient);
    let bot = lastnim_bots::HouseBot::Greedy.build_bot(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(run(bot, options)).unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");
}
