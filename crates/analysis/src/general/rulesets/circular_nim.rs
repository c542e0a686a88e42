//! Circular Nim.

use crate::general::{Anyone, GameNumbersError, PileSizes, Rules};
use std::fmt;

/// The piles form a circle: take at least one counter, from any piles within a window of adjacent piles (Dufour and
/// Heubach 2013).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CircularNim {
    window: usize,
}

/// Maximum number of piles in a circle.
pub const MAX_CIRCLE_PILES: usize = 16;

impl CircularNim {
    /// Creates the rules for a window, which may contain any number of piles from one to all of them.
    ///
    /// # Errors
    /// If the circle has too many piles, or the window does not fit.
    pub fn parse(window: u64, piles: &PileSizes) -> Result<Self, GameNumbersError> {
        let circle = piles.as_slice().len();
        if circle > MAX_CIRCLE_PILES {
            return Err(GameNumbersError::Circle(circle));
        }
        let fits = |&window: &usize| (1..=circle).contains(&window);
        let window =
            usize::try_from(window).ok().filter(fits).ok_or(GameNumbersError::Window { window, circle })?;
        Ok(Self { window })
    }
}

/// A take from piles in a circle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CircleTake {
    /// By pile: the number of counters taken from it. At least one of these numbers is not 0.
    pub takes: Box<[u32]>,
}

impl Rules for CircularNim {
    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = CircleTake;

    fn moves(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (CircleTake, PileSizes)> {
        WindowTakes { window: self.window, start: 0, taken: vec![0; piles.as_slice().len()].into(), piles }
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        // All rotations and reflections are represented by the smallest of them, in lexicographic order.
        let circle = piles.as_slice();
        let turned = |start: usize| (0..circle.len()).map(move |step| circle[(start + step) % circle.len()]);
        let mirrored = |start: usize| {
            (0..circle.len()).map(move |step| circle[(start + circle.len() - step) % circle.len()])
        };
        let starts = 0..circle.len();
        let turned = starts.clone().map(|start| turned(start).collect::<PileSizes>());
        let mirrored = starts.map(|start| mirrored(start).collect::<PileSizes>());
        turned.chain(mirrored).min().unwrap_or_default()
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}

/// An iterator over all takes, window by window. Each take removes at least one counter from the window's first pile.
/// If the window is the whole circle, there is only one window, and its first pile may stay untouched.
///
/// A take that fits into two windows may occur twice.
struct WindowTakes {
    piles: PileSizes,
    window: usize,
    /// The first pile of the window.
    start: usize,
    /// By pile: the number of counters taken by the most recent take.
    taken: Box<[u32]>,
}

impl WindowTakes {
    /// Advances to the next take within the window, like an odometer; returns whether there was one.
    fn advance(&mut self) -> bool {
        let circle = self.taken.len();
        let is_whole = self.window == circle;
        if !is_whole && self.piles.as_slice()[self.start] == 0 {
            return false;
        }
        for step in 0..self.window {
            let pile = (self.start + step) % circle;
            if self.taken[pile] < self.piles.as_slice()[pile] {
                self.taken[pile] += 1;
                return true;
            }
            self.taken[pile] = u32::from(step == 0 && !is_whole);
        }
        false
    }
}

impl Iterator for WindowTakes {
    type Item = (CircleTake, PileSizes);

    fn next(&mut self) -> Option<Self::Item> {
        let starts = if self.window == self.taken.len() { 1 } else { self.taken.len() };
        while self.start < starts {
            if self.advance() {
                let left = self.piles.as_slice().iter().zip(&self.taken).map(|(size, take)| size - take);
                return Some((CircleTake { takes: self.taken.clone() }, left.collect()));
            }
            self.taken.fill(0);
            self.start += 1;
        }
        None
    }
}

impl fmt::Display for CircleTake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("take")?;
        let mut separator = " ";
        for (pile, take) in self.takes.iter().enumerate().filter(|&(_, &take)| take > 0) {
            write!(f, "{separator}{take} from pile {pile}")?;
            separator = " and ";
        }
        Ok(())
    }
}

impl fmt::Display for CircularNim {
    /// Writes the window: `window 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "window {}", self.window)
    }
}
