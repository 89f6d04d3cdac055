//! Sends and receives by MPI, and the buffers that must stay until they complete.

use super::library::{ANY, Functions, NO_REQUEST, Status, WORDS, WORLD};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_int, c_void};
use std::thread;
use std::time::Duration;

/// How long a launcher gets to show why a run ends: once it ends the processes, it may discard output that it has not read.
pub const OUTPUT_DELAY: Duration = Duration::from_millis(300);

/// The tag of messages, which are matched by their order.
pub const MESSAGE: c_int = 0;
/// The tags of questions whether a rank is alive and waiting, and of answers.
pub const QUESTION: c_int = 1;
pub const ANSWER: c_int = 2;
/// The tag of messages from a device's memory.
pub const DEVICE_MESSAGE: c_int = 3;
/// The tag by which a rank tells the others that it ends the run and reports why.
pub const END: c_int = 4;
/// The tag of acknowledgements for buffers whose handles were sent.
pub const ACKNOWLEDGEMENT: c_int = 5;

/// MPI and its pending operations, used by one thread at a time.
pub struct State {
    pub functions: Functions,
    /// Requests of pending sends, each with the owner of the memory that MPI reads.
    pub sent: Vec<(usize, Box<dyn Any + Send>)>,
    /// Messages of each rank that are being received while this one works, in their order.
    expected: HashMap<usize, VecDeque<Expected>>,
    /// Objects to keep until MPI is finalized.
    pub kept: Vec<Box<dyn Any + Send>>,
    /// MPI is not called any more.
    pub ended: bool,
    /// MPI was initialized elsewhere in the process, and is finalized there.
    pub is_guest: bool,
}

/// A message that has been announced: its request, and the words into which MPI receives it.
struct Expected {
    request: usize,
    words: Vec<u64>,
}

/// Writes in one piece why the run ends, and gives the launcher time to show it.
pub fn tell(reason: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("error: {reason}\n").as_bytes());
    thread::sleep(OUTPUT_DELAY);
}

/// Ends the run on all ranks: MPI has failed.
fn fail(functions: &Functions, code: c_int) -> ! {
    tell(&format!("MPI has failed: {}", functions.error(code)));
    // SAFETY: MPI may be asked for this at any time.
    unsafe {
        (functions.abort)(WORLD, 1);
        libc::_exit(1)
    }
}

/// Ends the run on all ranks if a function of MPI returns an error.
fn check(functions: &Functions, code: c_int) {
    if code != 0 {
        fail(functions, code);
    }
}

impl State {
    /// `is_guest`: MPI was initialized elsewhere in the process.
    pub fn new(functions: Functions, is_guest: bool) -> Self {
        State { functions, sent: Vec::new(), expected: HashMap::new(), kept: Vec::new(), ended: false, is_guest }
    }

    /// Sends words.
    pub fn send_words(&mut self, to: usize, tag: c_int, words: Vec<u64>) {
        let (address, count) = (words.as_ptr(), words.len());
        // SAFETY: the words stay where they are until the request is done.
        unsafe { self.send(to, tag, (address, count), Box::new(words)) };
    }

    /// Sends words from an address; their number must fit an `int`.
    ///
    /// # Safety
    /// As long as `held` lives, the words stay there and nobody writes them.
    pub unsafe fn send(
        &mut self,
        to: usize,
        tag: c_int,
        (address, count): (*const u64, usize),
        held: Box<dyn Any + Send>,
    ) {
        let mut request = NO_REQUEST;
        let count = c_int::try_from(count).expect("the length of a message has been looked at");
        // SAFETY: the caller's promise; `held` lives until the request is done.
        let code =
            unsafe { (self.functions.send)(address.cast(), count, WORDS, to as c_int, tag, WORLD, &raw mut request) };
        check(&self.functions, code);
        self.sent.push((request, held));
    }

    /// Frees the buffers of completed sends.
    pub fn free_completed_sends(&mut self) {
        let State { functions, sent, .. } = self;
        sent.retain_mut(|(request, _)| {
            functions.status(request).unwrap_or_else(|code| fail(functions, code)).is_none()
        });
    }

    /// A buffer for the next message of a rank, or of any rank, if MPI has found one.
    pub fn probe_next(&mut self, from: c_int, tag: c_int) -> Option<Vec<u64>> {
        let (mut is_there, mut status, mut count) = (0, Status::default(), 0);
        // SAFETY: all are places for the answers; the status is that of the message which is there.
        unsafe {
            check(&self.functions, (self.functions.probe)(from, tag, WORLD, &raw mut is_there, &raw mut status));
            if is_there != 0 {
                check(&self.functions, (self.functions.count)(&raw const status, WORDS, &raw mut count));
            }
        }
        (is_there != 0).then(|| vec![0_u64; count as usize])
    }

    /// Begins to receive the next message of a rank, of so many words, at an address.
    ///
    /// # Safety
    /// There is room for it, which nobody else uses until the request is done.
    pub unsafe fn begin_receiving(&mut self, from: usize, tag: c_int, (address, count): (*mut c_void, usize)) -> usize {
        let (mut request, count) = (NO_REQUEST, c_int::try_from(count).expect("no message is longer"));
        // SAFETY: the caller's promise.
        let code = unsafe {
            (self.functions.begin_receiving)(address, count, WORDS, from as c_int, tag, WORLD, &raw mut request)
        };
        check(&self.functions, code);
        request
    }

    /// True if the message of a request has been received.
    pub fn is_received(&self, request: &mut usize) -> bool {
        self.functions.status(request).unwrap_or_else(|code| fail(&self.functions, code)).is_some()
    }

    /// Begins to receive the next message of a rank, of `count` words.
    pub fn expect(&mut self, from: usize, count: usize) {
        let mut words = vec![0; count];
        // SAFETY: the words stay where they are, and are kept, until the request is done.
        let request = unsafe { self.begin_receiving(from, MESSAGE, (words.as_mut_ptr().cast(), count)) };
        self.expected.entry(from).or_default().push_back(Expected { request, words });
    }

    /// Number of words of the next message of a rank, if it has been announced.
    pub fn expected_len(&self, from: usize) -> Option<usize> {
        Some(self.expected.get(&from)?.front()?.words.len())
    }

    /// The next message of a rank, which has been announced, once it has arrived. It may be shorter than announced.
    ///
    /// # Errors
    /// It cannot be received, since it is longer than announced.
    pub fn take_expected(&mut self, from: usize) -> Option<Result<Vec<u64>, String>> {
        let messages = self.expected.get_mut(&from)?;
        let status = self.functions.status(&mut messages.front_mut()?.request).transpose()?;
        let Expected { mut words, .. } = messages.pop_front()?;
        let mut count = 0;
        Some(status.map_err(|code| self.functions.error(code)).map(|status| {
            // SAFETY: the status is that of the message, and the count is a place for the answer.
            check(&self.functions, unsafe { (self.functions.count)(&raw const status, WORDS, &raw mut count) });
            words.truncate(count as usize);
            words
        }))
    }

    /// Receives the next short message of a rank with this tag, if it has arrived.
    pub fn receive_short(&mut self, from: c_int, tag: c_int) -> Option<Vec<u64>> {
        let (mut words, mut status) = (self.probe_next(from, tag)?, Status::default());
        let count = words.len() as c_int;
        // SAFETY: the words have room for the message that is there, the next one of this rank.
        let code = unsafe {
            (self.functions.receive)(words.as_mut_ptr().cast(), count, WORDS, from, tag, WORLD, &raw mut status)
        };
        check(&self.functions, code);
        Some(words)
    }

    /// Answers the questions of other ranks: this rank is waiting.
    pub fn answer(&mut self) {
        while let Some(question) = self.receive_short(ANY, QUESTION) {
            self.send_words(question[0] as usize, ANSWER, vec![]);
        }
    }
}
