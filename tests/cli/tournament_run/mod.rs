//! Tournaments played from one file with the real binary: whole runs, stops, crashes, programs that die.

mod folder;
mod organised;
mod programs;
mod refusals;
mod resuming;
mod running;
mod sandbox;
mod servers;
mod silent;
mod site;
mod whole;
