//! A certificate authority for tests.

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use std::sync::Arc;
use tokio_rustls::rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject as _},
};

/// A certificate authority.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    /// Creates an authority.
    pub fn new(name: &str) -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = parameters.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(parameters, key), pem }
    }

    /// Returns its certificate as PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Returns the configuration of an HTTP/2 server with a certificate for these names.
    pub fn server(&self, names: &[&str]) -> Arc<ServerConfig> {
        let (certificate, key) = self.sign(names);
        server_config(&certificate, &key)
    }

    /// Returns a new certificate for these names, and its key.
    pub fn sign(&self, names: &[&str]) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let certificate = params_for(names).signed_by(&key, &self.issuer).unwrap();
        (certificate, key)
    }
}

impl Authority {
    /// Returns a certificate for these names that expired long ago, and its key.
    pub fn sign_expired(&self, names: &[&str]) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let mut parameters = params_for(names);
        (parameters.not_before, parameters.not_after) =
            (date_time_ymd(2000, 1, 1), date_time_ymd(2001, 1, 1));
        (parameters.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// Returns the configuration of a client that trusts only this authority, for a protocol.
    pub fn client(&self, protocol: Option<&str>) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes()).unwrap()).unwrap();
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocol.into_iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }
}

/// Returns the configuration of a server whose certificate is signed by itself, and that certificate as PEM.
pub fn self_signed(names: &[&str], is_ca: IsCa) -> (Arc<ServerConfig>, String) {
    let key = KeyPair::generate().unwrap();
    let mut parameters = params_for(names);
    parameters.is_ca = is_ca;
    let certificate = parameters.self_signed(&key).unwrap();
    (server_config(&certificate, &key), certificate.pem())
}

fn params_for(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).unwrap()
}

fn server_config(certificate: &Certificate, key: &KeyPair) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let mut config = builder
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Arc::new(config)
}
