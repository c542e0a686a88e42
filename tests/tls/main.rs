//! TLS, by the server itself or by a proxy in front of it, with the real binary.

mod certificates;
mod client_certificates;
mod nginx;
mod place;
mod playing;
mod proxy;
mod serving;
mod standby;
mod trust;
