//! Islands: sets of bots that are connected by chains of common tables.

use super::tables::SeatedTables;

/// Returns the island of every bot. Two bots are on the same island if a chain of tables connects them. Islands are
/// numbered from 0, in the order of their first bots.
pub(super) fn find_islands(tables: &SeatedTables) -> Vec<u32> {
    let mut above: Vec<usize> = (0..tables.bot_count()).collect();
    for table in tables.iter() {
        for &bot in &table[1..] {
            let (one, other) =
                (find_root(&mut above, table[0] as usize), find_root(&mut above, bot as usize));
            // The root of an island is always its first bot, the one with the lowest index.
            above[one.max(other)] = one.min(other);
        }
    }
    let mut islands = Vec::with_capacity(above.len());
    let mut next = 0;
    for bot in 0..above.len() {
        let root = find_root(&mut above, bot);
        islands.push(if root == bot { next } else { islands[root] });
        next += u32::from(root == bot);
    }
    islands
}

fn find_root(above: &mut [usize], mut bot: usize) -> usize {
    while above[bot] != bot {
        above[bot] = above[above[bot]];
        bot = above[bot];
    }
    bot
}
