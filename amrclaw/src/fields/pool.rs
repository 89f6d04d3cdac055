//! Memory that outlives the arrays in it: after the first regrids nothing is allocated.

use riemann::real::Scalar;

/// Arrays up to this size are not worth telling apart.
const SMALL: usize = 1 << 10;

/// Arrays handed back, for the next that asks.
#[derive(Debug, Default)]
pub struct Pool<R> {
    free: Vec<Vec<R>>,
    /// Numbers held by arrays that are out or free.
    held: usize,
    /// Arrays that had to be made or made larger.
    grown: u64,
}

impl<R: Scalar> Pool<R> {
    /// An empty pool.
    pub fn new() -> Self {
        Pool { free: Vec::new(), held: 0, grown: 0 }
    }

    /// An array of `len` numbers, each of them some finite or non-finite number left by an earlier owner, or zero.
    pub fn take(&mut self, len: usize) -> Vec<R> {
        // A large array is not spent on a small request: the next large one would have to be allocated.
        let fits = |v: &Vec<R>| (len..=2 * len + SMALL).contains(&v.capacity());
        let nearly = |v: &Vec<R>| (len / 2..len).contains(&v.capacity());
        let capacity = |k: &usize| self.free[*k].capacity();
        let fitting = (0..self.free.len()).filter(|&k| fits(&self.free[k])).min_by_key(capacity);
        let growing = || (0..self.free.len()).filter(|&k| nearly(&self.free[k])).max_by_key(capacity);
        let mut array = match fitting.or_else(growing) {
            Some(k) => self.free.swap_remove(k),
            None => Vec::new(),
        };
        if array.capacity() < len {
            // A little more than asked for: the next regrid wants about as much. The old memory goes first.
            self.held -= array.capacity();
            drop(std::mem::take(&mut array));
            array.reserve_exact(len + len / 8);
            self.held += array.capacity();
            self.grown += 1;
        }
        array.resize(len, R::default());
        array
    }

    /// Takes an array back.
    pub fn give(&mut self, array: Vec<R>) {
        if array.capacity() > 0 {
            self.free.push(array);
        }
    }

    /// Counts an array of that capacity no longer: it will not be given back.
    pub fn forget(&mut self, capacity: usize) {
        self.held -= capacity;
    }

    /// Bytes of all arrays that came from here.
    pub fn bytes(&self) -> usize {
        self.held * R::BYTES
    }

    /// How often an array had to be allocated.
    pub fn allocations(&self) -> u64 {
        self.grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest array that is large enough is taken, and asking again for what was given back allocates nothing.
    #[test]
    fn arrays_are_used_again() {
        let mut pool = Pool::<f64>::new();
        let (small, large) = (pool.take(100), pool.take(1000));
        pool.give(large);
        pool.give(small);
        assert!(pool.take(90).capacity() < 1000);
        assert_eq!(pool.take(900).len(), 900);
        assert_eq!(pool.allocations(), 2);
    }
}
