//! How long a rank waits for another before it names it as lost.

use std::time::{Duration, Instant};

/// How long a rank whose patience is at its end leaves it to others to say who is lost.
const GRACE: Duration = Duration::from_secs(5);

/// A rank that has not looked for so long has stood still itself: its process was stopped. No look counts for more.
const STILL: Duration = Duration::from_millis(500);

/// The patience of a rank with another, as long as it waits for it.
pub(super) struct Patience {
    whole: Duration,
    /// When it is at its end, in time waited.
    end: Duration,
    waited: Duration,
    looked: Instant,
    /// The other has answered that it waits itself.
    has_answered: bool,
}

impl Patience {
    /// Begins to wait.
    pub fn new(whole: Duration) -> Self {
        Patience { whole, end: whole, waited: Duration::ZERO, looked: Instant::now(), has_answered: false }
    }

    /// True if the other rank is to be named as lost; to be asked at every look for what it sends. `waits`: tells whether the other waits
    /// itself.
    pub fn is_at_end(&mut self, waits: impl FnOnce() -> bool) -> bool {
        let now = Instant::now();
        let since = now - std::mem::replace(&mut self.looked, now);
        self.waited += since.min(STILL);
        if since >= STILL {
            // The others have waited meanwhile, for this rank perhaps, and may have ended the run: it is given time to hear of that, though
            // not without end.
            self.end = self.end.max((self.waited + GRACE).min(2 * self.whole + GRACE));
        }
        if self.waited < self.end {
            return false;
        }
        // One that waits itself is not the one that is lost: the rank that waits for that one tells.
        if self.has_answered || !waits() {
            return true;
        }
        (self.has_answered, self.end) = (true, self.waited + GRACE);
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

    /// Time in which a rank stands still is not time for which others have sent nothing: it waits longer, though not for ever.
    #[test]
    fn standing_still_is_not_waiting() {
        let whole = Duration::from_millis(300);
        let mut patience = Patience::new(whole);
        sleep(2 * STILL);
        assert!(!patience.is_at_end(|| panic!("nobody is asked")));
        assert_eq!((patience.waited(), patience.end), (STILL, STILL + GRACE));
        patience.waited = 4 * whole + GRACE;
        sleep(STILL);
        assert!(patience.is_at_end(|| false));
    }

    /// One that waits itself is given time in which others may tell who is lost.
    #[test]
    fn the_lost_one_is_named() {
        let mut patience = Patience::new(Duration::ZERO);
        assert!(!patience.is_at_end(|| true));
        assert!(patience.end >= GRACE);
        assert!(Patience::new(Duration::ZERO).is_at_end(|| false));
        patience.waited = patience.end;
        assert!(patience.is_at_end(|| panic!("it has answered before")));
    }
}
