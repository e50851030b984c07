//! Branches as arrows in lanes beside the listing: arrows that overlap are in different lanes, and short ones are near
//! the code.

use std::collections::BTreeMap;

/// The greatest number of lanes that are drawn beside each other.
const LANES: u32 = 10;

/// The rows at which an arrow begins and ends.
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
    // For each lane, the last row of each arrow by its first row. The arrows of a lane do not overlap.
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

/// The ends and the lane of each arrow that crosses the given rows. Arrows for which no lane was free are left out.
pub fn visible(arrows: &[Arrow], first: u32, end: u32) -> Vec<u32> {
    let begun = arrows.partition_point(|arrow| arrow.first() < end);
    let seen = arrows[..begun].iter().filter(|arrow| arrow.last() >= first && arrow.lane < LANES);
    seen.flat_map(|arrow| [arrow.from, arrow.to, arrow.lane]).collect()
}
