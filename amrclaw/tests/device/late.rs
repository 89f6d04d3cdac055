//! Emulated devices that execute work only when the host or another device waits for it, or at once, and reuse memory as soon as it is freed:
//! a value that is read before it is written, or overwritten before it is read, becomes NaN.
//!
//! All resident executors of these tests are on them, so that they are compiled for one machine.

use super::emulator::Emulator;
use amrclaw::exec::DeviceUse;
use amrclaw::exec::gpu::device::{Machine, Queue};
use cuda::abi::DeviceStruct;
use cuda::{CudaError, Grid};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

/// An event: its device and its unique number.
type Event = (usize, u64);

/// An operation enqueued on a device.
enum Step {
    Work(Box<dyn FnOnce() + Send>),
    Record(u64),
    Wait(Event),
}

/// The devices of a run.
pub struct Devices(Mutex<State>);

#[derive(Default)]
struct State {
    queues: Vec<VecDeque<Step>>,
    events: u64,
    passed: BTreeSet<u64>,
    /// All memory ever allocated: enqueued work may still use memory that has been freed.
    memory: Vec<Box<[u64]>>,
    /// Addresses of freed memory, by device and size in words.
    spare: HashMap<(usize, usize), Vec<u64>>,
    /// Events exported to other ranks; an event's handle is its index here.
    exported: Vec<LastEvent>,
}

/// The event that was recorded last for one purpose.
type LastEvent = Arc<Mutex<Option<Event>>>;

impl State {
    /// Executes a device's queue up to an event, or to its end.
    fn run_until(&mut self, device: usize, until: Option<u64>) {
        while until.is_none_or(|event| !self.passed.contains(&event)) {
            match self.queues[device].pop_front() {
                Some(Step::Work(work)) => work(),
                Some(Step::Record(event)) => {
                    self.passed.insert(event);
                }
                Some(Step::Wait((other, event))) => self.run_until(other, Some(event)),
                None => return assert!(until.is_none(), "an event that is never recorded"),
            }
        }
    }

    fn record(&mut self, device: usize) -> Event {
        self.events += 1;
        self.queues[device].push_back(Step::Record(self.events));
        (device, self.events)
    }
}

impl State {
    /// Exports an event; returns its handle.
    fn tell(&mut self, event: &LastEvent) -> u64 {
        self.exported.push(event.clone());
        self.exported.len() as u64 - 1
    }
}

impl Devices {
    pub fn new(count: usize) -> Arc<Devices> {
        let queues = (0..count).map(|_| VecDeque::new()).collect();
        Arc::new(Devices(Mutex::new(State { queues, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no kernel panics")
    }
}

/// A device that defers its work.
pub struct Late {
    emulator: Emulator,
    devices: Arc<Devices>,
    number: usize,
    /// Executes work when it is enqueued instead of deferring it.
    prompt: bool,
    /// Its kernels can read published memory of other devices in place.
    reaches: bool,
    mark: Mutex<Option<Event>>,
}

/// A device's memory.
pub struct Memory {
    devices: Arc<Devices>,
    device: usize,
    address: u64,
    words: usize,
    /// It belongs to another process.
    imported: bool,
}

/// Memory that others read, and the event behind the last write.
pub struct Shared {
    memory: Memory,
    written: LastEvent,
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.imported {
            return;
        }
        let (address, words) = (self.address, self.words);
        let mut state = self.devices.state();
        // SAFETY: memory stays allocated as long as there are devices.
        let poison = move || unsafe { (address as *mut u64).write_bytes(0xFF, words) };
        state.queues[self.device].push_back(Step::Work(Box::new(poison)));
        state.spare.entry((self.device, words)).or_default().push(address);
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        self.devices.state().run_until(self.number, None);
    }
}

impl Memory {
    fn at(&self, at: usize, bytes: usize) -> u64 {
        assert!(at + bytes <= 8 * self.words, "{bytes} bytes at {at} of {}", 8 * self.words);
        self.address + at as u64
    }
}

impl Late {
    pub fn new(emulator: Emulator, devices: Arc<Devices>, number: usize, prompt: bool) -> Late {
        // Devices with even numbers read in place, the others copy.
        Late { emulator, devices, number, prompt, reaches: number.is_multiple_of(2), mark: Mutex::default() }
    }

    /// A device of its own, which executes work at once.
    pub fn prompt(emulator: Emulator) -> Late {
        Late::new(emulator, Devices::new(1), 0, true)
    }

    fn enqueue(&self, step: Step) {
        let mut state = self.devices.state();
        state.queues[self.number].push_back(step);
        if self.prompt {
            state.run_until(self.number, None);
        }
    }

    fn copy(&self, source: u64, target: u64, bytes: usize) {
        // SAFETY: both ranges lie in memory of devices, which stays allocated.
        let copy = move || unsafe { std::ptr::copy(source as *const u8, target as *mut u8, bytes) };
        self.enqueue(Step::Work(Box::new(copy)));
    }

    fn record(&self) -> Event {
        self.devices.state().record(self.number)
    }

    /// Executes the device's queue up to an event, or to its end, then copies from `source`.
    fn look(&self, source: u64, target: &mut [u8], until: Option<Event>) {
        let mut state = self.devices.state();
        state.run_until(self.number, until.map(|(_, event)| event));
        // SAFETY: the range lies in memory of a device; the lock keeps others from executing work.
        unsafe { target.as_mut_ptr().copy_from_nonoverlapping(source as *const u8, target.len()) };
    }
}

impl Queue for Late {
    type Memory = Memory;

    fn allocate(&self, bytes: usize) -> Result<Memory, CudaError> {
        // Few different sizes, so that freed memory is soon reused.
        let words = bytes.div_ceil(8).next_power_of_two();
        let mut state = self.devices.state();
        let known = state.spare.get_mut(&(self.number, words)).and_then(Vec::pop);
        let address = known.unwrap_or_else(|| {
            state.memory.push(vec![u64::MAX; words].into_boxed_slice());
            state.memory.last_mut().expect("just put there").as_mut_ptr() as u64
        });
        Ok(Memory { devices: self.devices.clone(), device: self.number, address, words, imported: false })
    }

    fn address(memory: &Memory) -> u64 {
        memory.address
    }

    fn upload(&self, source: &[u8], target: &Memory, at: usize) -> Result<(), CudaError> {
        let (source, target) = (source.to_vec(), target.at(at, source.len()));
        // SAFETY: the place lies in the memory.
        let copy = move || unsafe { (target as *mut u8).copy_from_nonoverlapping(source.as_ptr(), source.len()) };
        self.enqueue(Step::Work(Box::new(copy)));
        Ok(())
    }

    fn download(&self, source: &Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        self.look(source.at(at, target.len()), target, None);
        Ok(())
    }

    fn zero(&self, target: &Memory, at: usize, bytes: usize) -> Result<(), CudaError> {
        let target = target.at(at, bytes);
        // SAFETY: the place lies in the memory.
        self.enqueue(Step::Work(Box::new(move || unsafe { (target as *mut u8).write_bytes(0, bytes) })));
        Ok(())
    }

    fn set_parameters(&self, values: &[f64]) -> Result<(), CudaError> {
        self.devices.state().run_until(self.number, None);
        self.emulator.set_parameters(values)
    }

    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError> {
        let (emulator, argument) = (self.emulator.clone(), *argument);
        // SAFETY: the caller's promise; memory stays allocated.
        let run = move || unsafe { emulator.launch(kernel, grid, &argument) }.expect("the host does not fail");
        self.enqueue(Step::Work(Box::new(run)));
        Ok(())
    }
}

impl Machine for Late {
    type Download = (Memory, usize, Event);
    type Shared = Shared;

    fn begin_download(&self, source: &Memory, bytes: usize) -> Result<Self::Download, CudaError> {
        let copy = self.allocate(bytes)?;
        self.copy(source.address, copy.address, bytes);
        Ok((copy, bytes, self.record()))
    }

    fn finish_download<T>(
        &self,
        (copy, bytes, event): Self::Download,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, CudaError> {
        let mut found = vec![0; bytes];
        self.look(copy.address, &mut found, Some(event));
        Ok(look(&found))
    }

    fn mark(&self) -> Result<(), CudaError> {
        *self.mark.lock().expect("nobody panics") = Some(self.record());
        Ok(())
    }

    fn download_marked(&self, source: &Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        let mark = self.mark.lock().expect("nobody panics").expect("marked before");
        self.look(source.at(at, target.len()), target, Some(mark));
        Ok(())
    }

    fn share(&self, bytes: usize) -> Result<Shared, CudaError> {
        Ok(Shared { memory: self.allocate(bytes)?, written: Arc::default() })
    }

    fn shared_memory(shared: &Shared) -> &Memory {
        &shared.memory
    }

    fn publish(&self, shared: &Shared) -> Result<(), CudaError> {
        *shared.written.lock().expect("nobody panics") = Some(self.record());
        Ok(())
    }

    fn begin_reading(&self, source: &Shared) -> Result<bool, CudaError> {
        if !Arc::ptr_eq(&source.memory.devices, &self.devices) {
            // That of another prompt device, written when it was published.
            return Ok(true);
        }
        let written = source.written.lock().expect("nobody panics").expect("published before");
        self.enqueue(Step::Wait(written));
        Ok(self.reaches)
    }

    fn read(
        &self,
        (source, at): (&Shared, usize),
        (target, to): (&Memory, usize),
        bytes: usize,
    ) -> Result<(), CudaError> {
        assert!(!self.reaches, "a copy of what kernels can read");
        self.copy(source.memory.at(at, bytes), target.at(to, bytes), bytes);
        Ok(())
    }

    fn finish(&self, shared: &Shared) -> Result<(), CudaError> {
        let written = *shared.written.lock().expect("nobody panics");
        let mut state = self.devices.state();
        written.into_iter().for_each(|(device, event)| state.run_until(device, Some(event)));
        Ok(())
    }

    fn export(&self, shared: &mut Shared) -> Result<Vec<u64>, CudaError> {
        let Memory { device, address, words, .. } = shared.memory;
        Ok(vec![device as u64, address, words as u64, self.devices.state().tell(&shared.written)])
    }

    fn import(&self, handle: &[u64]) -> Result<Shared, CudaError> {
        let &[device, address, words, written] = handle else { panic!("{} words", handle.len()) };
        let (device, words, devices) = (device as usize, words as usize, self.devices.clone());
        let memory = Memory { devices, device, address, words, imported: true };
        let written = self.devices.state().exported[written as usize].clone();
        Ok(Shared { memory, written })
    }

    fn resident_tiles(&self) -> u32 {
        self.emulator.resident_tiles()
    }

    fn usage(&self) -> DeviceUse {
        DeviceUse::default()
    }
}
