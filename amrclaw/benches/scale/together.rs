//! Clustering by all ranks together, as in runs: each rank is a thread that has the tags under its own patches.

use amrclaw::index::{CellBox, Level};
use amrclaw::mesh::{Hierarchy, Partition, Rank, TagSet};
use amrclaw::ranks::{CommError, Communicator, MessageHeader, MessageKind, Ranks};
use amrclaw::regrid::{ClusterParams, cluster, divide_among_ranks, redistribute_tags};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

/// Largest cost of a rank.
#[derive(Clone, Copy, Default)]
pub struct Together {
    /// CPU time of one thread, without waits.
    pub seconds: f64,
    pub messages: f64,
    pub bytes: f64,
}

/// Communicator of ranks that are threads. They sleep while they wait, since there are many more ranks than cores.
struct Sleepers {
    rank: Rank,
    boxes: Arc<Vec<MailBox>>,
}

/// Messages received by a rank, by sender.
#[derive(Default)]
struct MailBox {
    from: Mutex<HashMap<usize, VecDeque<Vec<u64>>>>,
    came: Condvar,
}

impl Communicator for Sleepers {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn post(&self, to: usize, words: Vec<u64>) -> Result<(), CommError> {
        let there = &self.boxes[to];
        there.from.lock().expect("no rank panics").entry(self.rank.number).or_default().push_back(words);
        there.came.notify_one();
        Ok(())
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        let here = &self.boxes[self.rank.number];
        let mut senders = here.from.lock().expect("no rank panics");
        loop {
            if let Some(words) = senders.get_mut(&from).and_then(VecDeque::pop_front) {
                return Ok(words);
            }
            senders = here.came.wait(senders).expect("no rank panics");
        }
    }

    fn abort(&self, _reason: &str) {}
}

/// Clusters the cells under the finest level; the owners of its patches have the tags at first.
pub fn clustered<const D: usize>(
    hierarchy: &Hierarchy<D>,
    partitions: &[Arc<Partition>],
    ranks: usize,
) -> Result<Together, String> {
    let finest = hierarchy.finest();
    let Some(coarser) = finest.index().checked_sub(1) else { return Ok(Together::default()) };
    let mut own = vec![TagSet::new(hierarchy.domain_box(Level(coarser as u8))); ranks];
    for (cells, &owner) in hierarchy.level(finest).patches().iter().zip(partitions[finest.index()].owners()) {
        own[owner as usize].insert_boxes(&[cells.coarse_from_fine(hierarchy.ratio(Level(coarser as u8)))]);
    }
    let boxes: Arc<Vec<MailBox>> = Arc::new((0..ranks).map(|_| MailBox::default()).collect());
    let work = |number: usize, tags: TagSet<D>| -> Result<Together, String> {
        let comm = Sleepers { rank: Rank { number, of: ranks }, boxes: boxes.clone() };
        let all = Ranks::new(Arc::new(comm), Arc::default());
        let header = MessageHeader { kind: MessageKind::Flags, level: coarser as u8, epoch: 0 };
        // One rank uses one thread.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| e.to_string())?;
        alone.install(|| {
            let before = seconds_of_thread();
            let (mesh, partition) = (hierarchy.level(Level(coarser as u8)), &partitions[coarser]);
            let tags = redistribute_tags(tags, mesh, partition, &all, header).map_err(|e| e.to_string())?;
            let part =
                divide_among_ranks(tags, Some(&ClusterParams::default()), &all, header).map_err(|e| e.to_string())?;
            let found: Vec<CellBox<D>> = cluster(&part, &ClusterParams::default());
            drop(found);
            let traffic = all.traffic();
            Ok(Together {
                seconds: seconds_of_thread() - before,
                messages: traffic.messages as f64,
                bytes: traffic.bytes as f64,
            })
        })
    };
    let work = &work;
    let found: Vec<Result<Together, String>> = std::thread::scope(|scope| {
        let start = |(number, tags)| scope.spawn(move || work(number, tags));
        let threads: Vec<_> = own.into_iter().enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank that does not panic")).collect()
    });
    found.into_iter().try_fold(Together::default(), |most, of_rank| {
        let of_rank = of_rank?;
        Ok(Together {
            seconds: most.seconds.max(of_rank.seconds),
            messages: most.messages.max(of_rank.messages),
            bytes: most.bytes.max(of_rank.bytes),
        })
    })
}

/// This thread's CPU time in seconds.
fn seconds_of_thread() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time, and nothing else.
    let outcome = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(outcome, 0, "every Unix has the clock");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
