//! Relative speeds of ranks, from which their shares of the work follow.

/// Ranks whose measured speeds differ by less than this factor count as equally fast: such differences are noise.
const EQUAL_WITHIN: f64 = 1.1;

/// The relative speed of each rank of a run; the fastest have [`Speeds::FASTEST`]. Computed from measurements that all ranks share, so that it
/// is the same on every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speeds(Vec<u32>);

impl Speeds {
    /// The speed of the fastest ranks.
    pub const FASTEST: u32 = 1000;
    /// Lower bound: a slower rank would never get work again by which a higher speed could be measured.
    const SLOWEST: u32 = 10;

    /// Equal speeds of `ranks` ranks.
    pub fn equal(ranks: usize) -> Self {
        Speeds(vec![Self::FASTEST; ranks])
    }

    /// Given speeds, of which the largest is [`Speeds::FASTEST`].
    #[cfg(test)]
    pub(crate) fn of(speeds: &[u32]) -> Self {
        assert_eq!(speeds.iter().max(), Some(&Self::FASTEST));
        Speeds(speeds.to_vec())
    }

    /// Number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.0.len()
    }

    /// The largest load of a rank if that of the fastest ranks is `most`.
    pub(super) fn share(&self, rank: usize, most: u64) -> u64 {
        (u128::from(most) * u128::from(self.0[rank]) / u128::from(Self::FASTEST)) as u64
    }

    /// The load that takes the fastest ranks as long as `load` takes `rank`.
    pub(super) fn as_of_fastest(&self, rank: usize, load: u64) -> u64 {
        (u128::from(load) * u128::from(Self::FASTEST)).div_ceil(u128::from(self.0[rank])) as u64
    }

    /// The load of the fastest ranks if a total load is distributed so that all ranks take equally long.
    pub(super) fn mean_of_fastest(&self, load: u64) -> u64 {
        let all: u128 = self.0.iter().copied().map(u128::from).sum();
        (u128::from(load) * u128::from(Self::FASTEST)).div_ceil(all) as u64
    }

    /// New speeds from the number of cells that each rank has advanced and the seconds it took. The present speeds are returned while they
    /// agree up to noise. A rank that has advanced no cells keeps its relative speed.
    pub fn measured(&self, ranks: &[(u64, f64)]) -> Self {
        assert_eq!(ranks.len(), self.0.len(), "one measurement for each rank");
        let rate = |&(cells, seconds): &(u64, f64)| (cells > 0 && seconds > 0.0).then(|| cells as f64 / seconds);
        let rates: Vec<Option<f64>> = ranks.iter().map(rate).collect();
        let beside: Vec<f64> =
            rates.iter().zip(&self.0).filter_map(|(rate, &speed)| Some((*rate)? / f64::from(speed))).collect();
        let [least, most] = [f64::min, f64::max].map(|of| beside.iter().copied().reduce(of).unwrap_or(1.0));
        if most <= EQUAL_WITHIN * least {
            return self.clone();
        }
        let mean = beside.iter().sum::<f64>() / beside.len() as f64;
        let rates: Vec<f64> =
            rates.iter().zip(&self.0).map(|(rate, &speed)| rate.unwrap_or(mean * f64::from(speed))).collect();
        let mut order: Vec<usize> = (0..rates.len()).collect();
        order.sort_by(|&a, &b| rates[b].total_cmp(&rates[a]).then(a.cmp(&b)));
        // Ranks nearly as fast as the first of a group form that group, and get its mean speed.
        let mut speeds = vec![0; rates.len()];
        let (mut rest, mut fastest) = (order.as_slice(), None);
        while let Some(&first) = rest.first() {
            let count = rest.iter().take_while(|&&rank| rates[first] <= EQUAL_WITHIN * rates[rank]).count();
            let (alike, slower) = rest.split_at(count);
            let mean = alike.iter().map(|&rank| rates[rank]).sum::<f64>() / count as f64;
            let part = mean / *fastest.get_or_insert(mean);
            let speed = ((f64::from(Self::FASTEST) * part).round() as u32).max(Self::SLOWEST);
            alike.iter().for_each(|&rank| speeds[rank] = speed);
            rest = slower;
        }
        Speeds(speeds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: &Speeds, rates: &[f64]) -> Speeds {
        let ranks: Vec<(u64, f64)> = rates.iter().map(|rate| (1_000_000, 1e6 / rate)).collect();
        before.measured(&ranks)
    }

    /// Noise does not change speeds; unequal ranks are distinguished, similar ones stay equal, and speeds are kept until they are wrong.
    #[test]
    fn noise_is_no_difference() {
        let equal = Speeds::equal(4);
        assert_eq!(after(&equal, &[1.0, 1.04, 0.97, 1.05]), equal);
        let unequal = after(&equal, &[2.0, 1.0, 2.1, 1.05]);
        assert_eq!(unequal, Speeds::of(&[1000, 500, 1000, 500]));
        assert_eq!(after(&unequal, &[4.2, 2.05, 4.0, 2.0]), unequal);
        assert_eq!(after(&unequal, &[1.0; 4]), equal);
        assert_eq!(after(&equal, &[1.0, 1e-6, 1.0, 1.0]), Speeds::of(&[1000, 10, 1000, 1000]));
    }

    /// A rank that has had nothing to do keeps its place among the others.
    #[test]
    fn what_is_not_measured_stays() {
        let before = Speeds::of(&[1000, 500, 1000]);
        assert_eq!(before.measured(&[(0, 0.0), (50, 1.0), (50, 1.0)]), Speeds::of(&[1000, 667, 667]));
        assert_eq!(before.measured(&[(0, 0.0); 3]), before);
    }
}
