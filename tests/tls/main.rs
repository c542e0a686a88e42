//! Clients of a server behind a TLS proxy, with the real binary.

mod certificates;
mod nginx;
mod place;
mod playing;
mod proxy;
mod trust;
