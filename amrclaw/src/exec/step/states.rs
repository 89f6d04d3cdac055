//! Which of a level's arrays holds which state, and the levels to return to if a step is rejected.

/// The states of a level. Its arrays take turns: one holds the present state, one the state before the last step, one the state to
/// return to if the coarse step is rejected; any two may be the same. Nothing is copied.
#[derive(Clone, Debug)]
pub(in crate::exec) struct States {
    current: usize,
    old: Option<usize>,
    saved: Option<usize>,
    /// Time of the present state.
    pub time: f64,
    /// Time of the state before the last step.
    pub time_old: f64,
    saved_time: f64,
}

impl States {
    /// One state, in array 0.
    pub fn new(time: f64) -> Self {
        States { current: 0, old: None, saved: None, time, time_old: time, saved_time: time }
    }

    /// The array of the present state.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The array of the state before the last step, where it is kept.
    pub fn old(&self) -> Option<usize> {
        self.old
    }

    /// The array that a step writes: not the state to return to, and not the present one unless `in_place`. If none of `arrays` is
    /// free, the index of a new one.
    pub fn next(&self, arrays: usize, in_place: bool) -> usize {
        if in_place && self.saved != Some(self.current) {
            return self.current;
        }
        (0..=arrays).find(|&k| k != self.current && Some(k) != self.saved).unwrap_or(0)
    }

    /// What a step has written to array `next` becomes the present state.
    pub fn advance(&mut self, next: usize, dt: f64) {
        self.old = (next != self.current).then_some(self.current);
        self.current = next;
        self.time_old = self.time;
        self.time += dt;
    }

    /// Remembers the present state.
    pub fn save(&mut self) {
        self.saved = Some(self.current);
        self.saved_time = self.time;
    }

    /// Returns to the state remembered.
    pub fn restore(&mut self) {
        if let Some(saved) = self.saved {
            self.current = saved;
            self.old = None;
            self.time = self.saved_time;
            self.time_old = self.time;
        }
    }

    /// True if there is a state to return to.
    pub fn has_saved(&self) -> bool {
        self.saved.is_some()
    }

    /// True if an array holds neither the present state nor the one to return to.
    pub fn is_spare(&self, array: usize) -> bool {
        array != self.current && Some(array) != self.saved
    }

    /// Marks the spare arrays as freed.
    pub fn forget_spare(&mut self) {
        self.old = self.old.filter(|&k| !self.is_spare(k));
    }

    /// Weight of the present state in the interpolation to `time`, within the level's last step.
    pub fn weight_at(&self, time: f64) -> f64 {
        let known = self.old.is_some() && self.time > self.time_old;
        if known { (time - self.time_old) / (self.time - self.time_old) } else { 1.0 }
    }
}

/// Levels replaced since the states were last saved.
#[derive(Debug)]
pub(in crate::exec) struct Rollback<S> {
    /// By level.
    replaced: Vec<Option<S>>,
    /// Number of levels at that time.
    num_levels: usize,
}

impl<S> Rollback<S> {
    /// No replaced levels, of at most this many levels.
    pub fn new(max_levels: usize) -> Self {
        Rollback { replaced: (0..max_levels).map(|_| None).collect(), num_levels: 0 }
    }

    /// Sets a replaced level aside if it `has_saved` a state and is the first one since: a rejected step may need it again. Otherwise
    /// returns it.
    pub fn put(&mut self, level: usize, store: S, has_saved: bool) -> Option<S> {
        if has_saved && self.replaced[level].is_none() {
            self.replaced[level] = Some(store);
            return None;
        }
        Some(store)
    }

    /// True if the level would be set aside.
    pub fn takes(&self, level: usize, has_saved: bool) -> bool {
        has_saved && self.replaced[level].is_none()
    }

    /// Makes the present levels those to return to; returns the levels set aside before.
    pub fn begin(&mut self, num_levels: usize) -> impl Iterator<Item = S> {
        self.num_levels = num_levels;
        self.replaced.iter_mut().filter_map(Option::take)
    }

    /// Puts the levels set aside back and calls `restore` for those that were not replaced. Returns the levels that are dropped.
    pub fn restore(&mut self, levels: &mut Vec<S>, restore: impl Fn(&mut S)) -> Vec<S> {
        let mut gone = Vec::new();
        for l in 0..self.num_levels {
            match self.replaced[l].take() {
                Some(saved) if l < levels.len() => gone.push(std::mem::replace(&mut levels[l], saved)),
                Some(saved) => levels.push(saved),
                None => restore(&mut levels[l]),
            }
        }
        gone.extend(levels.drain(self.num_levels..));
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over steps, in place or not, the state to return to and the state before the last step stay where they are until they are not
    /// needed; three arrays are enough.
    #[test]
    fn states_keep_their_arrays() {
        let mut states = States::new(0.0);
        let mut arrays = vec![0];
        let step = |states: &mut States, arrays: &mut Vec<i32>, in_place, value| {
            let next = states.next(arrays.len(), in_place);
            if next == arrays.len() {
                arrays.push(0);
            }
            arrays[next] = value;
            states.advance(next, 0.5);
        };
        states.save();
        step(&mut states, &mut arrays, true, 1);
        assert_eq!(arrays, [0, 1], "the state to return to is not written");
        step(&mut states, &mut arrays, false, 2);
        assert_eq!((arrays[states.current()], states.old().map(|k| arrays[k])), (2, Some(1)));
        assert_eq!(states.weight_at(0.75), 0.5);
        step(&mut states, &mut arrays, false, 3);
        assert_eq!((arrays.len(), states.time), (3, 1.5));
        states.restore();
        assert_eq!((arrays[states.current()], states.old(), states.time), (0, None, 0.0));
    }

    /// Levels that were replaced or dropped come back, those that were new go.
    #[test]
    fn replaced_levels_come_back() {
        let mut rollback = Rollback::new(4);
        let mut levels = vec!["0", "1", "2"];
        assert_eq!(rollback.begin(3).count(), 0);
        assert_eq!(rollback.put(2, levels.pop().expect("three"), true), None);
        let replaced = std::mem::replace(&mut levels[1], "1 new");
        assert_eq!(rollback.put(1, replaced, true), None);
        assert_eq!(rollback.put(1, "1 newer", true), Some("1 newer"), "the first one is the one to return to");
        assert_eq!(rollback.restore(&mut levels, |_| ()), ["1 new"]);
        assert_eq!(levels, ["0", "1", "2"]);
    }
}
