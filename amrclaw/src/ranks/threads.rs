//! Ranks that are threads of one process.

use super::peer_timeout::PeerTimeout;
use super::{CommError, Communicator, Mailbox, Ranks};
use crate::mesh::Rank;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use parking_lot::Mutex;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, scope, yield_now};
use std::time::{Duration, Instant};

/// How long a rank polls for a message before it blocks: to be woken by the system takes longer than most messages.
const POLL_TIME: Duration = Duration::from_micros(200);

/// How often a waiting rank checks whether the run has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A rank that is a thread of this process. Messages are moved, not copied.
pub struct Threads {
    rank: Rank,
    to: Vec<Sender<Vec<u64>>>,
    from: Vec<Receiver<Vec<u64>>>,
    mailbox: Arc<Mailbox>,
    /// Why the run has ended.
    ended: Arc<Mutex<Option<String>>>,
    /// For each rank, whether it is waiting.
    waits: Arc<Vec<AtomicBool>>,
    timeout: Duration,
}

impl Threads {
    /// Creates `size` ranks, each for a thread of its own. `timeout`: the timeout of a rank that waits for another.
    pub fn new(size: usize, timeout: Duration) -> Vec<Self> {
        let ended: Arc<Mutex<Option<String>>> = Arc::default();
        let waits: Arc<Vec<AtomicBool>> = Arc::new((0..size).map(|_| AtomicBool::new(false)).collect());
        let mailbox: Arc<Mailbox> = Arc::default();
        // `channels[a][b]` leads from `a` to `b`.
        let channels: Vec<Vec<_>> = (0..size).map(|_| (0..size).map(|_| unbounded()).collect()).collect();
        let rank = |number: usize| Threads {
            rank: Rank { number, of: size },
            to: channels[number].iter().map(|(sender, _)| sender.clone()).collect(),
            from: channels.iter().map(|to| to[number].1.clone()).collect(),
            mailbox: mailbox.clone(),
            ended: ended.clone(),
            waits: waits.clone(),
            timeout,
        };
        (0..size).map(rank).collect()
    }

    /// Runs `size` ranks: `first` on the calling thread, which is the first rank, and `others` on a new thread for each other rank. A rank
    /// that panics ends the run on all ranks; a panic of the first rank continues in the caller.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn run<T>(
        size: usize,
        timeout: Duration,
        asked: &Arc<AtomicBool>,
        first: impl FnOnce(Ranks) -> T,
        others: impl Fn(Ranks) + Sync,
    ) -> io::Result<T> {
        let ranks = |comm| Ranks::new(Arc::new(comm), asked.clone());
        let mut all = Threads::new(size, timeout).into_iter().map(ranks);
        let here = all.next().expect("there is a first rank");
        let others = &others;
        let outcome = scope(|scope| {
            for ranks in all {
                let name = format!("rank {}", ranks.rank().number);
                let started = Builder::new().name(name).spawn_scoped(scope, || {
                    // The other ranks know of a panic already.
                    let _ = abort_on_panic(ranks, others);
                });
                if let Err(error) = started {
                    here.abort(&format!("no thread for a rank: {error}"));
                    return Err(error);
                }
            }
            Ok(abort_on_panic(here, first))
        });
        Ok(outcome?.unwrap_or_else(|panic| resume_unwind(panic)))
    }

    /// Waits for the next message of a rank, or the end of the run.
    fn next(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let clock = Instant::now();
        while clock.elapsed() < POLL_TIME {
            if let Ok(words) = self.from[from].try_recv() {
                return Ok(words);
            }
            // There may be more ranks than cores.
            yield_now();
        }
        let mut timeout = PeerTimeout::new(self.timeout);
        loop {
            match self.from[from].recv_timeout(CHECK_INTERVAL) {
                Ok(words) => return Ok(words),
                Err(RecvTimeoutError::Timeout) => self.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    self.check()?;
                    return Err(CommError::Ended(format!("rank {from} has left the run")));
                }
            }
            if timeout.is_at_end(|| self.waits[from].load(Ordering::Relaxed)) {
                return Err(self.lost(from));
            }
        }
    }

    /// Reports a rank as lost, unless another rank has already given the reason why the run ends.
    fn lost(&self, rank: usize) -> CommError {
        let found = CommError::Timeout { rank, waiting: self.rank.number, seconds: self.timeout.as_secs() };
        match &mut *self.ended.lock() {
            Some(reason) => CommError::Ended(reason.clone()),
            ended => {
                *ended = Some(found.to_string());
                found
            }
        }
    }

    fn check(&self) -> Result<(), CommError> {
        self.ended.lock().clone().map_or(Ok(()), |reason| Err(CommError::Ended(reason)))
    }
}

/// Runs a rank's work; a panic ends the run on all ranks.
fn abort_on_panic<T>(ranks: Ranks, work: impl FnOnce(Ranks) -> T) -> Result<T, Box<dyn Any + Send>> {
    let watched = ranks.clone();
    catch_unwind(AssertUnwindSafe(|| work(ranks))).inspect_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        watched.abort(&format!("rank {} panicked: {}", watched.rank().number, text.unwrap_or("no message")));
    })
}

impl Communicator for Threads {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        self.check()?;
        self.to[to].send(words).map_err(|_| CommError::Ended(format!("rank {to} has left the run")))
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let waits = &self.waits[self.rank.number];
        waits.store(true, Ordering::Relaxed);
        let words = self.next(from)?;
        // After an error it stays set: the rank sends nothing more, and must not be reported as lost before the others know of the error.
        waits.store(false, Ordering::Relaxed);
        Ok(words)
    }

    fn mailbox(&self) -> Option<&Mailbox> {
        Some(&self.mailbox)
    }

    fn abort(&self, reason: &str) {
        self.ended.lock().get_or_insert_with(|| reason.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MessageHeader, MessageKind};
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Runs `work` on each of `size` ranks.
    fn on_ranks<T: Send>(size: usize, timeout: Duration, work: impl Fn(Ranks) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let start = |comm| {
                let ranks = Ranks::new(Arc::new(comm), Arc::new(AtomicBool::new(false)));
                scope.spawn(|| work(ranks))
            };
            let threads: Vec<_> = Threads::new(size, timeout).into_iter().map(start).collect();
            threads.into_iter().map(|thread| thread.join().expect("a rank that does not panic")).collect()
        })
    }

    const SOON: Duration = Duration::from_secs(20);

    /// Every gather gives all ranks the words of every rank, in the order of ranks.
    #[test]
    fn all_hear_all() {
        let told = on_ranks(5, SOON, |ranks| {
            let own = ranks.rank().number as u64;
            (0..20).map(|turn| ranks.gather(&[own * turn]).expect("all are there").concat()).collect::<Vec<_>>()
        });
        for turns in told {
            assert!(turns.iter().zip(0..).all(|(words, turn)| *words == [0, turn, 2 * turn, 3 * turn, 4 * turn]));
        }
    }

    /// A request to stop that one rank gets is known to all ranks after the same gather.
    #[test]
    fn a_wish_to_stop_is_shared() {
        let stopped = on_ranks(3, SOON, |ranks| {
            let before = ranks.stop().load(Ordering::Relaxed);
            if ranks.rank().number == 1 {
                ranks.shared.asked.store(true, Ordering::Relaxed);
            }
            ranks.gather(&[]).expect("all are there");
            (before, ranks.stop().load(Ordering::Relaxed))
        });
        assert_eq!(stopped, [(false, true); 3]);
    }

    /// Messages between two ranks keep their order and their numbers, in both precisions.
    #[test]
    fn messages_keep_their_order() {
        let header = |epoch| MessageHeader { kind: MessageKind::GhostCells, level: 1, epoch };
        on_ranks(2, SOON, |ranks| {
            let other = 1 - ranks.rank().number;
            for epoch in 0..10 {
                let mut message = ranks.message::<f32>(header(epoch), 3);
                message.numbers_mut::<f32>()[16..19].fill(epoch as f32);
                ranks.post(other, message).expect("the other is there");
            }
            for epoch in 0..10 {
                let mut message = ranks.wait::<f32>(other, header(epoch), 3).expect("the other is there");
                assert_eq!(message.numbers_mut::<f32>()[16..19], [epoch as f32; 3]);
                ranks.recycle(message);
            }
            assert_eq!(ranks.traffic().messages, 10);
        });
    }

    /// A message of another mesh or of another length is an error that names both ranks, on all of them.
    #[test]
    fn ranks_that_do_not_agree_are_found_out() {
        let header = |epoch| MessageHeader { kind: MessageKind::Averages, level: 0, epoch };
        for (epoch, numbers) in [(2, 5), (1, 6)] {
            let found = on_ranks(2, SOON, |ranks| {
                if ranks.rank().number == 0 {
                    ranks.post(1, ranks.message::<f64>(header(epoch), numbers)).expect("the other is there");
                    return ranks.wait::<f64>(1, header(1), 5).map(drop).map_err(|e| e.to_string());
                }
                ranks.wait::<f64>(0, header(1), 5).map(drop).map_err(|e| e.to_string())
            });
            let message = found[1].clone().expect_err("not what rank 1 waits for");
            assert!(
                message.contains("rank 0 sends") && message.contains("5 numbers (Averages of level 1, mesh 1)"),
                "{message}"
            );
            assert_eq!(found[0], Err(message));
        }
    }

    /// Ranks; a message of the first is lost.
    struct Lossy(Threads, AtomicU64);

    impl Communicator for Lossy {
        fn rank(&self) -> Rank {
            self.0.rank()
        }

        fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
            if self.1.fetch_add(1, Ordering::Relaxed) == 2 && self.0.rank.number == 0 {
                Ok(())
            } else {
                self.0.post(to, words)
            }
        }

        fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
            self.0.wait(from)
        }

        fn abort(&self, reason: &str) {
            self.0.abort(reason);
        }
    }

    /// If a message is lost, the next one is not taken for it, although both have the same header and length; nor is the next gather's.
    #[test]
    fn a_lost_message_is_detected() {
        let header = MessageHeader { kind: MessageKind::GhostCells, level: 1, epoch: 4 };
        let outcomes = |work: fn(&Ranks, MessageHeader) -> Result<(), CommError>| {
            let ranks = Threads::new(2, SOON).into_iter();
            let ranks = ranks.map(|comm| Ranks::new(Arc::new(Lossy(comm, AtomicU64::new(0))), Arc::default()));
            std::thread::scope(|scope| {
                let threads: Vec<_> = ranks.map(|ranks| scope.spawn(move || work(&ranks, header))).collect();
                threads.into_iter().map(|thread| thread.join().expect("a rank that does not panic")).collect::<Vec<_>>()
            })
        };
        let of_messages = outcomes(|ranks, header| {
            let other = 1 - ranks.rank().number;
            (0..4).try_for_each(|_| ranks.post(other, ranks.message::<f64>(header, 5)))?;
            (0..3).try_for_each(|_| ranks.wait::<f64>(other, header, 5).map(drop))
        });
        let of_gathers = outcomes(|ranks, _| (0..4).try_for_each(|_| ranks.gather(&[7]).map(drop)));
        for (outcomes, [found, expected]) in
            [(of_messages, ["as message 3", "as message 2"]), (of_gathers, ["gather 3", "gather 2"])]
        {
            let told = outcomes[1].clone().expect_err("a message is lost").to_string();
            assert!(told.contains(found) && told.contains(expected) && told.contains("lost"), "{told}");
        }
    }

    /// A panic ends the waits of the other ranks at once, which report its rank and its reason; a panic of the first rank reaches the
    /// caller.
    #[test]
    fn a_panic_ends_all() {
        let clock = Instant::now();
        let wait = |ranks: Ranks| ranks.gather(&[]).map(drop).map_err(|e| e.to_string());
        let told = Threads::run(3, SOON, &Arc::default(), wait, |ranks| match ranks.rank().number {
            1 => panic!("out of luck"),
            _ => drop(wait(ranks)),
        });
        assert_eq!(told.expect("threads"), Err("rank 1 panicked: out of luck".to_owned()));
        let first = || Threads::run(3, SOON, &Arc::default(), |_| panic!("at once"), |ranks| drop(wait(ranks)));
        assert!(catch_unwind(first).is_err());
        assert!(clock.elapsed() < SOON / 2);
    }

    /// A silent rank is reported to all ranks by one that waits for it, not by ranks that wait for other waiting ranks.
    #[test]
    fn a_silent_rank_is_named() {
        for size in [2, 3, 5] {
            let found = on_ranks(size, Duration::from_millis(100), |ranks| match ranks.rank().number {
                1 => {
                    // Not dropped: a rank that hangs is still there.
                    std::thread::sleep(Duration::from_millis(400));
                    Ok(())
                }
                _ => ranks.gather(&[]).map(drop),
            });
            let told = found[0].clone().expect_err("rank 1 does not come").to_string();
            assert!(told.starts_with("rank 1 has sent nothing for 0 s, while rank "), "{told}");
            let others = found.iter().enumerate().filter(|(rank, _)| *rank != 1);
            assert!(others.into_iter().all(|(_, outcome)| outcome.as_ref().is_err_and(|e| e.to_string() == told)));
        }
    }
}
