//! Messages that MPI sends from and receives into given memory: a GPU's, if MPI can access it; in these tests the host's.

use super::launchers::Launcher;
use super::stderr_of;
use amrclaw::ranks::mpi::launch;
use amrclaw::ranks::{Communicator, DeviceMessages, Mpi};
use std::process::Output;
use std::sync::Arc;
use std::time::Duration;

/// Lengths of the messages in words: MPI sends short ones at once, long ones only when the receiver is ready.
const LENGTHS: [usize; 3] = [1, 1000, 1 << 20];

/// Run by each of two processes, which send each other the same numbers; those of the second are larger by a million.
#[test]
#[ignore = "is started by a launcher, twice"]
fn one_of_two() {
    let mpi = Mpi::join(launch().expect("a launcher"), Duration::from_secs(60)).unwrap_or_else(|e| panic!("{e}"));
    let (own, other) = (mpi.rank().number, 1 - mpi.rank().number);
    let numbers_of = |rank: usize| (0..LENGTHS[2] as u64).map(move |k| k + 1_000_000 * rank as u64);
    let numbers: Arc<Vec<u64>> = Arc::new(numbers_of(own).collect());
    for len in LENGTHS {
        // As for any message from a device, its length is sent first.
        mpi.post(other, vec![len as u64]).expect("the other is there");
        // SAFETY: nothing writes the numbers, which the box passed along keeps alive.
        let posted = unsafe { mpi.post_from(other, numbers.as_ptr() as u64, 8 * len, Box::new(numbers.clone())) };
        posted.expect("the other is there");
    }
    for len in LENGTHS {
        assert_eq!(mpi.wait(other), Ok(vec![len as u64]));
        let mut found = vec![0_u64; len + 1];
        // SAFETY: the buffer is large enough, and lives until the message has arrived.
        unsafe { mpi.wait_at(other, found.as_mut_ptr() as u64, 8 * len, Box::new(())) }.expect("the other is there");
        assert!(found.iter().copied().eq(numbers_of(other).take(len).chain([0])), "{len} words");
    }
    // Acknowledgements are not ordered with messages; one has not arrived yet when the ranks leave.
    let peer_access = mpi.peer_access().expect("they may read one another's memory");
    (0..5).for_each(|_| peer_access.acknowledgements().expect(other));
    [2, 3].into_iter().for_each(|count| peer_access.post_acknowledgement(other, count));
    let machine = peer_access.machine_id();
    assert_eq!(mpi.gather(0, &machine), Ok(vec![machine.to_vec(); 2]));
    let first = std::iter::repeat_with(|| peer_access.acknowledgements().next(peer_access, other)).flatten().next();
    assert_eq!(first, Some(2));
    mpi.leave();
    assert_eq!(Arc::strong_count(&numbers), 1, "what has been sent is no longer held");
}

/// Run by each of two processes: messages that are received while a rank works arrive in their order; one may be shorter than announced, and
/// one that was not announced follows. A longer one is an error.
#[test]
#[ignore = "is started by a launcher, twice"]
fn one_of_two_announces() {
    let mpi = Mpi::join(launch().expect("a launcher"), Duration::from_secs(60)).unwrap_or_else(|e| panic!("{e}"));
    let (own, other) = (mpi.rank().number, 1 - mpi.rank().number);
    let message = |rank: usize, len: usize| (0..len as u64).map(|k| k + 1_000_000 * rank as u64).collect::<Vec<_>>();
    LENGTHS.into_iter().chain([10]).for_each(|len| mpi.expect(other, len));
    for len in LENGTHS.into_iter().chain([7, 2000]) {
        mpi.post(other, message(own, len)).expect("the other is there");
    }
    for len in LENGTHS.into_iter().chain([7, 2000]) {
        assert_eq!(mpi.wait(other), Ok(message(other, len)));
    }
    mpi.expect(other, 5);
    mpi.post(other, message(own, 6)).expect("the other is there");
    let error = mpi.wait(other).expect_err("it is longer").to_string();
    assert!(error.contains(&format!("rank {own} expects 5 words")), "{error}");
    mpi.leave();
}

/// Run by each of two processes: the first waits for a message that the second has announced and does not send.
#[test]
#[ignore = "is started by a launcher, twice"]
fn one_of_two_waits() {
    let mpi = Mpi::join(launch().expect("a launcher"), Duration::from_secs(2)).unwrap_or_else(|e| panic!("{e}"));
    if mpi.rank().number == 1 {
        mpi.post(0, vec![1]).expect("the other is there");
        std::thread::sleep(Duration::from_secs(60));
        panic!("nobody has ended the run");
    }
    assert_eq!(mpi.wait(1), Ok(vec![1]));
    let room = Arc::new(vec![0_u64]);
    // SAFETY: nothing else uses the buffer, which the box passed along keeps alive.
    let lost =
        unsafe { mpi.wait_at(1, room.as_ptr() as u64, 8, Box::new(room.clone())) }.expect_err("nothing was sent");
    assert_eq!(Arc::strong_count(&room), 2, "what may still come has room");
    mpi.abort(&lost.to_string());
}

/// Runs one of the tests above on two processes with every launcher, and returns the outputs.
fn outputs_of_two(name: &str) -> impl Iterator<Item = Output> {
    let this = std::env::current_exe().expect("a path");
    let name = format!("memory::{name}");
    Launcher::all().into_iter().map(move |launcher| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = launcher.command(folder.path());
        command.args(["-n", "2"]).arg(&this).args(["--exact", &*name, "--ignored"]);
        command.output().expect("a launcher that starts")
    })
}

/// With every launcher, messages arrive intact, and their memory is released.
#[test]
fn messages_go_from_memory_to_memory() {
    for output in outputs_of_two("one_of_two") {
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{}{told}", stderr_of(&output));
    }
}

/// So do messages that are received while a rank works; with one that is longer than announced, the run does not go on.
#[test]
fn messages_arrive_while_ranks_work() {
    for output in outputs_of_two("one_of_two_announces") {
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{}{told}", stderr_of(&output));
    }
}

/// A rank that hangs between announcing such a message and sending it is named after the timeout, like any other that hangs.
#[test]
fn announced_messages_are_not_waited_for_without_end() {
    for output in outputs_of_two("one_of_two_waits") {
        let told = stderr_of(&output);
        assert!(!output.status.success() && told.contains("rank 1"), "{told}");
        assert!(!told.contains("nobody has ended the run"), "{told}");
    }
}
