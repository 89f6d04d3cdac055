//! The timeout of a rank that waits for another, after which it reports that rank as lost.

use std::time::{Duration, Instant};

/// How long a rank whose timeout has passed leaves it to other ranks to report the lost one.
const GRACE: Duration = Duration::from_secs(5);

/// A rank that has not polled for this long was itself suspended. No interval between two polls counts for more than this.
const SUSPENDED_AFTER: Duration = Duration::from_millis(500);

/// The timeout of one wait for another rank.
pub(super) struct PeerTimeout {
    whole: Duration,
    /// The waiting time after which it has passed.
    end: Duration,
    waited: Duration,
    looked: Instant,
    /// The other rank has answered that it is waiting too.
    has_answered: bool,
}

impl PeerTimeout {
    /// Begins to wait.
    pub fn new(whole: Duration) -> Self {
        PeerTimeout { whole, end: whole, waited: Duration::ZERO, looked: Instant::now(), has_answered: false }
    }

    /// True if the other rank is to be reported as lost; to be called at every poll for its message. `waits`: whether the other rank is
    /// waiting too.
    pub fn is_at_end(&mut self, waits: impl FnOnce() -> bool) -> bool {
        let now = Instant::now();
        let since = now - std::mem::replace(&mut self.looked, now);
        self.waited += since.min(SUSPENDED_AFTER);
        if since >= SUSPENDED_AFTER {
            // Other ranks may have reached their timeouts meanwhile and ended the run: this rank gets time to receive that, up to a
            // limit.
            self.end = self.end.max((self.waited + GRACE).min(2 * self.whole + GRACE));
        }
        if self.waited < self.end {
            return false;
        }
        // A rank that is waiting too is not the lost one: the rank that waits for the lost one reports it.
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

    /// Time in which a rank is suspended does not count as waiting time: its timeout is extended, up to a limit.
    #[test]
    fn standing_still_is_not_waiting() {
        let whole = Duration::from_millis(300);
        let mut timeout = PeerTimeout::new(whole);
        sleep(2 * SUSPENDED_AFTER);
        assert!(!timeout.is_at_end(|| panic!("nobody is asked")));
        assert_eq!((timeout.waited(), timeout.end), (SUSPENDED_AFTER, SUSPENDED_AFTER + GRACE));
        timeout.waited = 4 * whole + GRACE;
        sleep(SUSPENDED_AFTER);
        assert!(timeout.is_at_end(|| false));
    }

    /// A rank that is waiting too is not reported at once: other ranks get time to report the lost one.
    #[test]
    fn the_lost_one_is_named() {
        let mut timeout = PeerTimeout::new(Duration::ZERO);
        assert!(!timeout.is_at_end(|| true));
        assert!(timeout.end >= GRACE);
        assert!(PeerTimeout::new(Duration::ZERO).is_at_end(|| false));
        timeout.waited = timeout.end;
        assert!(timeout.is_at_end(|| panic!("it has answered before")));
    }
}
