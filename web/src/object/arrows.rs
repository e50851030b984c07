//! Branches as arrows beside the listing: each in a lane of its own, short ones near the code.

use std::collections::BTreeMap;

/// More lanes than these are not drawn beside each other.
const LANES: u32 = 10;

/// From one row to another.
#[derive(Clone, Copy)]
pub struct Arrow {
    from: u32,
    to: u32,
    lane: u32,
}

impl Arrow {
    fn first(&self) -> u32 {
        self.from.min(self.to)
    }

    fn last(&self) -> u32 {
        self.from.max(self.to)
    }
}

/// Gives arrows their lanes; the result is in the order of the first row.
pub fn in_lanes(mut ends: Vec<(u32, u32)>) -> Vec<Arrow> {
    ends.sort_unstable_by_key(|&(from, to)| (from.abs_diff(to), from));
    // The arrows of a lane do not overlap: first row, last row.
    let mut lanes: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); LANES as usize];
    let mut arrows: Vec<Arrow> = ends
        .into_iter()
        .map(|(from, to)| {
            let (first, last) = (from.min(to), from.max(to));
            let is_free =
                |lane: &BTreeMap<u32, u32>| lane.range(..=last).next_back().is_none_or(|(_, end)| *end < first);
            let lane = lanes.iter().position(is_free);
            if let Some(taken) = lane.and_then(|lane| lanes.get_mut(lane)) {
                taken.insert(first, last);
            }
            Arrow { from, to, lane: lane.map_or(LANES, |lane| lane as u32) }
        })
        .collect();
    arrows.sort_unstable_by_key(|arrow| (arrow.first(), arrow.last()));
    arrows
}

/// From, to and lane of each arrow that some rows see; of those that pass by without an end, no more than there are lanes.
pub fn visible(arrows: &[Arrow], first: u32, end: u32) -> Vec<u32> {
    let begun = arrows.partition_point(|arrow| arrow.first() < end);
    let seen = arrows[..begun].iter().filter(|arrow| arrow.last() >= first && arrow.lane < LANES);
    seen.flat_map(|arrow| [arrow.from, arrow.to, arrow.lane]).collect()
}
