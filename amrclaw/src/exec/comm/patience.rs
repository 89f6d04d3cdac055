//! How long a rank waits for another before it names it as lost.

use std::time::{Duration, Instant};

/// How long a rank whose patience is at its end leaves it to others to say who is lost.
const GRACE: Duration = Duration::from_secs(5);

/// A rank that has not looked for so long has stood still itself: its process was stopped.
const STILL: Duration = Duration::from_millis(500);

/// The patience of a rank with another, as long as it waits for it.
pub(super) struct Patience {
    whole: Duration,
    /// When it is at its end, in time waited.
    end: Duration,
    waited: Duration,
    looked: Instant,
}

impl Patience {
    /// Begins to wait.
    pub fn new(whole: Duration) -> Self {
        Patience { whole, end: whole, waited: Duration::ZERO, looked: Instant::now() }
    }

    /// True if the other rank is to be named as lost; to be asked at every look for what it sends. `waits`: tells whether the other waits
    /// itself.
    pub fn is_at_end(&mut self, waits: impl FnOnce() -> bool) -> bool {
        let now = Instant::now();
        let since = now - std::mem::replace(&mut self.looked, now);
        if since >= STILL {
            // The others have waited meanwhile, for this rank perhaps, and may have ended the run.
            (self.waited, self.end) = (Duration::ZERO, self.whole + GRACE);
            return false;
        }
        self.waited += since;
        if self.waited < self.end {
            return false;
        }
        // One that waits itself is not the one that is lost: the rank that waits for that one tells.
        if self.end > self.whole || !waits() {
            return true;
        }
        self.end = self.waited + GRACE;
        false
    }

    /// How long it has waited.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    /// Time in which a rank stands still is not time for which others have sent nothing: it waits anew, and longer.
    #[test]
    fn standing_still_is_not_waiting() {
        let mut patience = Patience::new(Duration::from_millis(300));
        sleep(STILL + Duration::from_millis(100));
        assert!(!patience.is_at_end(|| panic!("nobody is asked")));
        assert_eq!((patience.waited(), patience.end), (Duration::ZERO, patience.whole + GRACE));
    }

    /// One that waits itself is given time in which others may tell who is lost.
    #[test]
    fn the_lost_one_is_named() {
        let mut patience = Patience::new(Duration::ZERO);
        assert!(!patience.is_at_end(|| true));
        assert!(patience.end >= GRACE);
        assert!(Patience::new(Duration::ZERO).is_at_end(|| false));
    }
}
