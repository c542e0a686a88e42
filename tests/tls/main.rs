//! Clients of a server behind a TLS proxy, with the real binary.

mod certificates;
mod place;
mod playing;
mod proxy;
mod trust;
