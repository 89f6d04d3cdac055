//! The table of the options of a run.
//!
//! The command line, the runs that sweeps and trials start, and Python read [`RUN_OPTIONS`]: a new row is an option of all of
//! them.

use super::options::{self, Device, Precision, RunOptions};
use RunOptionValue::{Number, Numbers, Switch, Word};

/// An option of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunOption {
    /// Name in Python.
    pub name: &'static str,
    /// Name on the command line, without the dashes before it.
    pub long: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// What values it takes, and the field of [`RunOptions`] that holds them.
    pub value: RunOptionValue,
}

/// The values of an option, with the way to read and write its field.
#[derive(Clone, Copy, Debug)]
pub enum RunOptionValue {
    /// A whole number, or none.
    Number {
        /// Its placeholder in the help text.
        unit: &'static str,
        /// The smallest one allowed.
        least: u64,
        /// The default, in words.
        default: &'static str,
        /// Reads the field.
        get: fn(&RunOptions) -> Option<u64>,
        /// Writes the field.
        set: fn(&mut RunOptions, u64),
    },
    /// One of some words.
    Word {
        /// The words, each with its meaning.
        words: &'static [options::Word],
        /// Reads the field: the number of its word.
        get: fn(&RunOptions) -> usize,
        /// Writes the field.
        set: fn(&mut RunOptions, usize),
    },
    /// Whole numbers, separated by commas; a list in Python.
    Numbers {
        /// Their placeholder in the help text.
        unit: &'static str,
        /// The default, in words.
        default: &'static str,
        /// Reads the field.
        get: fn(&RunOptions) -> &[usize],
        /// Writes the field.
        set: fn(&mut RunOptions, Vec<usize>),
    },
    /// `on` or `off`; a boolean in Python.
    Switch {
        /// Reads the field.
        get: fn(&RunOptions) -> bool,
        /// Writes the field.
        set: fn(&mut RunOptions, bool),
    },
}

/// The words of a switch.
const SWITCH: &[options::Word] = &[("on", "Yes"), ("off", "No")];

/// Every option of a run.
pub const RUN_OPTIONS: [RunOption; 10] = [
    RunOption {
        name: "device",
        long: "device",
        help: "Device to run on",
        value: Word { words: &Device::WORDS, get: |o| o.device as usize, set: |o, n| o.device = Device::ALL[n] },
    },
    RunOption {
        name: "devices",
        long: "devices",
        help: "Numbers of the GPUs to run on; they share the patches, with the same result. Implies --device cuda",
        value: Numbers {
            unit: "N,…",
            default: "the first, with --device cuda or cuda-streamed",
            get: |o| &o.devices,
            set: |o, numbers| o.devices = numbers,
        },
    },
    RunOption {
        name: "threads",
        long: "threads",
        help: "Number of threads; the result does not depend on it",
        value: number("N", 1, "all hardware threads", |o| o.threads.map(u64_of), |o, n| o.threads = Some(usize_of(n))),
    },
    RunOption {
        name: "ranks",
        long: "ranks",
        help: "Number of ranks in this process, which share the patches and threads; the result does not depend on it",
        value: number("N", 1, "1", |o| o.ranks.map(u64_of), |o, n| o.ranks = Some(usize_of(n))),
    },
    RunOption {
        name: "comm_timeout",
        long: "comm-timeout",
        help: "Timeout in seconds for a message from another rank, after which that rank is considered lost",
        value: number("SECONDS", 1, "300", |o| o.comm_timeout, |o, n| o.comm_timeout = Some(n)),
    },
    RunOption {
        name: "precision",
        long: "precision",
        help: "Floating-point precision",
        value: Word {
            words: &[("f64", "64 bits"), ("f32", "32 bits")],
            get: |o| o.precision as usize,
            set: |o, n| o.precision = Precision::ALL[n],
        },
    },
    RunOption {
        name: "fmad",
        long: "fmad",
        help: "On a GPU, allow fused multiply-adds; without them, results in f64 are bitwise identical to the CPU's",
        value: Switch { get: |o| !o.no_fused, set: |o, on| o.no_fused = !on },
    },
    RunOption {
        name: "device_memory",
        long: "device-memory",
        help: "Maximum GPU memory to use, in bytes",
        value: number("BYTES", 0, "all free memory", |o| o.device_memory, |o, n| o.device_memory = Some(n)),
    },
    RunOption {
        name: "device_times",
        long: "device-times",
        help: "With --device cuda, measure GPU time per phase for run.json, which slows the run down slightly",
        value: Switch { get: |o| o.device_times, set: |o, on| o.device_times = on },
    },
    RunOption {
        name: "check_solver",
        long: "check-solver",
        help: "Refuse a solver's file that is no Riemann solver, by a few random states of the case, before the first step",
        value: Switch { get: |o| !o.unchecked_solver, set: |o, on| o.unchecked_solver = !on },
    },
];

/// The values of an option that is a number.
const fn number(
    unit: &'static str,
    least: u64,
    default: &'static str,
    get: fn(&RunOptions) -> Option<u64>,
    set: fn(&mut RunOptions, u64),
) -> RunOptionValue {
    Number { unit, least, default, get, set }
}

fn u64_of(number: usize) -> u64 {
    number as u64
}

fn usize_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A value that an option does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunOptionError {
    /// A word that is not known.
    #[error("{name}: {given:?} is not known; write one of {}", .words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The option.
        name: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        words: &'static [options::Word],
    },
    /// A number that is too small.
    #[error("{name}: must be at least {least}, but is {given}")]
    TooSmall {
        /// The option.
        name: &'static str,
        /// What was given.
        given: u64,
        /// The smallest number allowed.
        least: u64,
    },
    /// The option takes values of another type.
    #[error("{name}: needs {expected}")]
    Type {
        /// The option.
        name: &'static str,
        /// What it takes.
        expected: &'static str,
    },
}

impl RunOption {
    /// The option of that name.
    pub fn named(name: &str) -> Option<&'static RunOption> {
        RUN_OPTIONS.iter().find(|option| option.name == name)
    }

    /// All runs of a sweep have the same value; otherwise each run has its own.
    pub fn is_shared(&self) -> bool {
        self.name != "device"
    }

    /// The words that it takes; none if it takes numbers.
    pub fn words(&self) -> &'static [options::Word] {
        match self.value {
            Number { .. } | Numbers { .. } => &[],
            Word { words, .. } => words,
            Switch { .. } => SWITCH,
        }
    }

    /// The word of the default, if the option takes words.
    pub fn default_word(&self) -> Option<&'static str> {
        let first = match self.value {
            Switch { get, .. } => usize::from(!get(&RunOptions::default())),
            _ => 0,
        };
        self.words().get(first).map(|(word, _)| *word)
    }

    /// Its value as the command line writes it; `None` if that is the default.
    pub fn given(&self, options: &RunOptions) -> Option<String> {
        let text = |options: &RunOptions| match self.value {
            Number { get, .. } => get(options).map(|number| number.to_string()),
            Numbers { get, .. } => {
                let numbers: Vec<String> = get(options).iter().map(usize::to_string).collect();
                (!numbers.is_empty()).then(|| numbers.join(","))
            }
            Word { words, get, .. } => Some(words[get(options)].0.to_owned()),
            Switch { get, .. } => Some(SWITCH[usize::from(!get(options))].0.to_owned()),
        };
        let now = text(options);
        if now == text(&RunOptions::default()) { None } else { now }
    }

    /// Sets it to a number.
    ///
    /// # Errors
    /// It takes none, or not this one.
    pub fn set_number(&self, options: &mut RunOptions, number: u64) -> Result<(), RunOptionError> {
        match self.value {
            Number { least, set, .. } if number >= least => set(options, number),
            Number { least, .. } => {
                return Err(RunOptionError::TooSmall { name: self.name, given: number, least });
            }
            _ => return Err(self.wrong_type()),
        }
        Ok(())
    }

    /// Sets it to a list of numbers.
    ///
    /// # Errors
    /// It takes none.
    pub fn set_numbers(&self, options: &mut RunOptions, numbers: Vec<usize>) -> Result<(), RunOptionError> {
        let Numbers { set, .. } = self.value else { return Err(self.wrong_type()) };
        set(options, numbers);
        Ok(())
    }

    /// Sets it to a word.
    ///
    /// # Errors
    /// It takes none, or not this one.
    pub fn set_word(&self, options: &mut RunOptions, word: &str) -> Result<(), RunOptionError> {
        let words = self.words();
        if words.is_empty() {
            return Err(self.wrong_type());
        }
        let unknown = || RunOptionError::Unknown { name: self.name, given: word.to_owned(), words };
        let number = words.iter().position(|(known, _)| *known == word).ok_or_else(unknown)?;
        match self.value {
            Word { set, .. } => set(options, number),
            Switch { set, .. } => set(options, number == 0),
            Number { .. } | Numbers { .. } => return Err(self.wrong_type()),
        }
        Ok(())
    }

    /// The error for a value of the wrong type.
    pub fn wrong_type(&self) -> RunOptionError {
        let expected = match self.value {
            Number { .. } => "a whole number",
            Numbers { .. } => "a list of whole numbers",
            Word { .. } => "a string",
            Switch { .. } => "true or false",
        };
        RunOptionError::Type { name: self.name, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the table stand in the order of the enums, each option reads what it writes, and defaults are not written.
    #[test]
    fn options_read_what_they_write() {
        assert_eq!(Device::ALL.map(|device| device as usize), [0, 1, 2]);
        assert_eq!(Precision::ALL.map(|precision| precision as usize), [0, 1]);
        for option in &RUN_OPTIONS {
            let mut options = RunOptions::default();
            assert_eq!(option.given(&options), None, "{}", option.name);
            if let Some(word) = option.default_word() {
                option.set_word(&mut options, word).unwrap();
                assert_eq!(option.given(&options), None, "{}: {word}", option.name);
            }
            let is_other = |(word, _): &&options::Word| {
                let mut options = RunOptions::default();
                option.set_word(&mut options, word).unwrap();
                option.given(&options).is_some()
            };
            let text = match option.words().iter().rfind(is_other) {
                Some((word, _)) => {
                    option.set_word(&mut options, word).unwrap();
                    (*word).to_owned()
                }
                None if matches!(option.value, RunOptionValue::Numbers { .. }) => {
                    assert!(option.set_number(&mut options, 3).is_err(), "{}", option.name);
                    option.set_numbers(&mut options, vec![3, 0]).unwrap();
                    "3,0".to_owned()
                }
                None => {
                    option.set_number(&mut options, 3).unwrap();
                    "3".to_owned()
                }
            };
            assert_eq!(option.given(&options), Some(text), "{}", option.name);
            assert!(option.set_word(&mut options, "none").is_err(), "{}", option.name);
            assert_eq!(option.long, option.name.replace('_', "-"));
            assert_eq!(RunOption::named(option.name).map(|found| found.name), Some(option.name));
        }
    }
}
