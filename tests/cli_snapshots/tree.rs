//! `lastnim oracle tree`.

use crate::terminal::assert_all_shown;

#[test]
fn trees_and_graphs_are_drawn() {
    let trees = [
        "lastnim oracle tree --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'",
        "lastnim oracle tree --piles 3,4,5 --players 3 --depth 1",
        "lastnim oracle tree --piles 300,2 --players 2 --depth 1",
        "lastnim oracle tree --piles 0 --players 2",
    ];
    assert_all_shown("tree", "text", &trees);
    let graphs = [
        "lastnim oracle tree --piles 1,2 --players 2 --graph",
        "lastnim oracle tree --piles 3,4,5 --players 3 --graph --depth 1",
    ];
    assert_all_shown("tree", "graph", &graphs);
    let json = [
        "lastnim oracle tree --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --format json",
        "lastnim oracle tree --piles 300,2 --players 2 --depth 1 --format json",
        "lastnim oracle tree --piles 1,2 --players 2 --graph --format json --ending last-mover-wins",
    ];
    assert_all_shown("tree", "json", &json);
    let dot = [
        "lastnim oracle tree --piles 2,2 --players 2 --format dot",
        "lastnim oracle tree --piles 2,2 --players 2 --graph --depth 1 --format dot",
    ];
    assert_all_shown("tree", "dot", &dot);
    let svg = [
        "lastnim oracle tree --piles 1,2 --players 2 --format svg",
        "lastnim oracle tree --piles 1,2 --players 2 --graph --format svg --output graph.svg",
        "cat graph.svg",
    ];
    assert_all_shown("tree", "svg", &svg);
}

#[test]
fn trees_that_cannot_be_drawn_are_named() {
    let lines = [
        "lastnim oracle tree",
        "lastnim oracle tree --piles 3 --players 2 --depth -1",
        "lastnim oracle tree --piles 3 --players 2 --format png",
        "lastnim oracle tree --piles 9,9,9 --players 3",
        "lastnim oracle tree --piles 9,9,9 --players 3 --max-nodes 100",
        "lastnim oracle tree --piles 99,99,99 --players 3 --graph",
        "lastnim oracle tree --piles 300,300 --players 3",
        "lastnim oracle tree --piles 3 --players 2 --output no/such/folder/tree.svg",
    ];
    assert_all_shown("tree", "errors", &lines);
}
