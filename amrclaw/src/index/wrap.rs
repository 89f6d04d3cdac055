//! Boxes that reach past the sides of the domain.

use super::{CellBox, Repeats};

/// The cells of `domain` that `region` stands for: along a periodic axis the part past one side comes back in at the
/// other, along any other axis it is cut off.
///
/// The pieces are disjoint, whatever the region's size, but where a side is folded; a region longer than a period covers that axis once.
pub fn wrap_into_domain<const D: usize>(
    region: &CellBox<D>,
    domain: &CellBox<D>,
    repeats: impl Into<Repeats<D>>,
) -> Vec<CellBox<D>> {
    let repeats = repeats.into();
    if domain.contains_box(region) {
        return if region.is_empty() { Vec::new() } else { vec![*region] };
    }
    if let Some(axis) = repeats.folded {
        let part = |image: i32| {
            let turn = std::array::from_fn(|d| if d == axis { image } else { 0 });
            let (mut part, size) = (*region, domain.size());
            part.lo[axis] = part.lo[axis].max(image * size[axis]);
            part.hi[axis] = part.hi[axis].min((image + 1) * size[axis]);
            wrap_into_domain(&repeats.shift(turn, size).source_box(&part), domain, repeats.unfolded())
        };
        return [-1, 0, 1].into_iter().flat_map(part).collect();
    }
    let mut pieces = vec![*region];
    for d in 0..D {
        let (first, last) = (domain.lo[d], domain.hi[d]);
        if !repeats.axes[d] {
            for piece in &mut pieces {
                piece.lo[d] = piece.lo[d].max(first);
                piece.hi[d] = piece.hi[d].min(last);
            }
            continue;
        }
        let period = last - first;
        let length = (region.hi[d] - region.lo[d]).min(period);
        let start = if length == period { first } else { first + (region.lo[d] - first).rem_euclid(period) };
        let past = (start + length - last).max(0);
        for k in 0..pieces.len() {
            pieces[k].lo[d] = start;
            pieces[k].hi[d] = start + length - past;
            if past > 0 {
                let mut wrapped = pieces[k];
                wrapped.lo[d] = first;
                wrapped.hi[d] = first + past;
                pieces.push(wrapped);
            }
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}
