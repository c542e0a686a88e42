//! Clients that reach a server through a TLS proxy, with the real binary.

mod certificates;
mod place;
mod playing;
mod proxy;
mod trust;
