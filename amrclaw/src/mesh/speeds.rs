//! How fast ranks are beside one another: what each is given to do follows from it.

/// Ranks whose measured speeds differ by less than this factor are taken for equally fast: the rest is noise.
const EQUAL_WITHIN: f64 = 1.1;

/// A speed for each rank of a run, the fastest one's [`Speeds::FASTEST`]. A function of what all ranks have been told: the same on every
/// rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speeds(Vec<u32>);

impl Speeds {
    /// The speed of the fastest ranks.
    pub const FASTEST: u32 = 1000;
    /// No rank is taken for slower: it would never be given anything again that could show otherwise.
    const SLOWEST: u32 = 10;

    /// So many ranks that are equally fast.
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

    /// What a rank may be given if the fastest ones may be given `most`.
    pub(super) fn share(&self, rank: usize, most: u64) -> u64 {
        (u128::from(most) * u128::from(self.0[rank]) / u128::from(Self::FASTEST)) as u64
    }

    /// What the fastest ranks would have in the place of a load of `rank`, which takes as long.
    pub(super) fn as_of_fastest(&self, rank: usize, load: u64) -> u64 {
        (u128::from(load) * u128::from(Self::FASTEST)).div_ceil(u128::from(self.0[rank])) as u64
    }

    /// What the fastest ranks have if a load is shared out so that all take equally long.
    pub(super) fn mean_of_fastest(&self, load: u64) -> u64 {
        let all: u128 = self.0.iter().copied().map(u128::from).sum();
        (u128::from(load) * u128::from(Self::FASTEST)).div_ceil(all) as u64
    }

    /// The speeds that follow from the cells that each rank has advanced, and the seconds that this took. These ones stay as long as they
    /// are right but for noise. A rank that has advanced nothing is as fast beside the others as before.
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
        // Ranks that are nearly as fast as the first of them get the mean of them all.
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

    /// Noise is none; unequal ranks are told apart, those of a kind are equal, and what is known stays until it is wrong.
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
