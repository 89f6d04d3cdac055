//! A thread that works on one job at a time while its owner continues.

use crossbeam::channel::{Receiver, Sender, bounded};
use std::io;
use std::thread::{Builder, JoinHandle};

/// Sends jobs to a thread and receives its reports. At most one job is in progress, so that only one needs memory.
pub(super) struct Worker<J, R> {
    jobs: Option<Sender<J>>,
    reports: Receiver<R>,
    thread: Option<JoinHandle<()>>,
    busy: bool,
}

impl<J: Send + 'static, R: Send + 'static> Worker<J, R> {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start(name: &str, mut work: impl FnMut(J) -> R + Send + 'static) -> io::Result<Self> {
        let (jobs, to_do) = bounded::<J>(1);
        let (done, reports) = bounded::<R>(1);
        let thread = Builder::new().name(name.to_owned()).spawn(move || {
            // Ends when the owner drops either of its ends of the channels.
            to_do.iter().map(&mut work).try_for_each(|report| done.send(report)).unwrap_or_default();
        })?;
        Ok(Worker { jobs: Some(jobs), reports, thread: Some(thread), busy: false })
    }

    /// Sends a job. The report of the previous job must have been received.
    pub fn send(&mut self, job: J) {
        assert!(!self.busy, "one job at a time");
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        if !matches!(sent, Some(Ok(()))) {
            self.end();
        }
        self.busy = true;
    }

    /// Whether a job's report has not been received.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// The report of the current job, if it has ended.
    pub fn poll(&mut self) -> Option<R> {
        let report = self.reports.try_recv().ok();
        self.busy &= report.is_none();
        report
    }

    /// Waits for the report of the current job; `None` if there is no job.
    pub fn wait(&mut self) -> Option<R> {
        if !std::mem::take(&mut self.busy) {
            return None;
        }
        let report = self.reports.recv().ok();
        if report.is_none() {
            self.end();
        }
        report
    }

    /// Waits for the thread to end, and resumes its panic if it panicked.
    fn end(&mut self) {
        self.jobs = None;
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

impl<J, R> Drop for Worker<J, R> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the current job has been resumed already, or its result is no longer needed.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owner continues while a job is in progress, and gets its report by polling or waiting.
    #[test]
    fn the_owner_goes_on() {
        let (release, gate) = bounded::<()>(1);
        let mut worker = Worker::start("test", move |n: i32| {
            gate.recv().unwrap();
            2 * n
        })
        .unwrap();
        assert_eq!(worker.wait(), None, "there is nothing to wait for");
        worker.send(21);
        // The job waits for what comes only after it has been sent: `send` has not waited for the job.
        assert_eq!(worker.poll(), None);
        release.send(()).unwrap();
        assert_eq!((worker.wait(), worker.wait()), (Some(42), None));
        release.send(()).unwrap();
        worker.send(4);
        let report = std::iter::repeat_with(|| worker.poll()).flatten().next();
        assert_eq!((report, worker.wait()), (Some(8), None));
    }

    /// A job is finished when its owner is dropped.
    #[test]
    fn nothing_is_left_half_done() {
        let (tell, told) = bounded::<i32>(1);
        let mut worker = Worker::start("test", move |n: i32| tell.send(n).unwrap()).unwrap();
        worker.send(7);
        drop(worker);
        assert_eq!(told.try_recv(), Ok(7));
    }

    /// A panic of the thread is resumed in its owner when it waits.
    #[test]
    #[should_panic(expected = "no good")]
    fn panics_are_handed_on() {
        let mut worker: Worker<i32, i32> = Worker::start("test", |n: i32| panic!("{n} is no good")).unwrap();
        worker.send(3);
        worker.wait();
    }
}
