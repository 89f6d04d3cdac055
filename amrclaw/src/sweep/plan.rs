//! The runs of a sweep, and their order.

use super::{SweepError, Vary};
use crate::text::digest;
use std::collections::BTreeSet;

/// Most runs of a sweep: all are planned, and their cases checked, before the first.
const MOST_RUNS: usize = 100_000;

/// For each [`Vary`] the number of its value.
pub type Setting = Vec<usize>;

/// All runs of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What varies.
    pub vary: Vec<Vary>,
    /// Devices, by the names of `--device`.
    pub devices: Vec<String>,
    /// Every combination of values; in the order of the values, the last `vary` fastest.
    pub settings: Vec<Setting>,
    /// How often each setting is run on each device.
    pub repeats: usize,
    /// The runs in the order of execution.
    pub runs: Vec<PlannedRun>,
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRun {
    /// Number of its setting.
    pub setting: usize,
    /// Number of its device.
    pub device: usize,
    /// Which repeat, from 1.
    pub repeat: usize,
    /// Name of its folder within the sweep's; it identifies the run, so that a resumed sweep finds it.
    pub folder: String,
}

impl Plan {
    /// The runs of all combinations of values, or with `zip` of the first values, the second values and so on.
    ///
    /// Every repeat is a round over all devices and settings in a random order from `seed`: whatever drifts during a sweep,
    /// such as the processor's temperature, affects all settings alike.
    ///
    /// # Errors
    /// A key varies twice, or lists have different lengths with `zip`.
    pub fn new(
        vary: Vec<Vary>,
        zip: bool,
        devices: Vec<String>,
        repeats: usize,
        seed: u64,
    ) -> Result<Self, SweepError> {
        check_keys(&vary)?;
        let counts = vary.iter().map(|v| v.values.len());
        let settings = if zip { counts.max().unwrap_or(1) } else { counts.fold(1, usize::saturating_mul) };
        let runs = [devices.len(), repeats].into_iter().fold(settings, usize::saturating_mul);
        if runs > MOST_RUNS {
            let message = format!(
                "the sweep would have {runs} runs, more than {MOST_RUNS}: give fewer values or a smaller --repeat"
            );
            return Err(SweepError::Vary(message));
        }
        let settings = if zip { zipped(&vary)? } else { grid(&vary) };
        let mut plan = Plan { vary, devices, settings, repeats, runs: Vec::new() };
        let mut random = Random(seed);
        for repeat in 1..=repeats {
            let mut round = Vec::new();
            for device in 0..plan.devices.len() {
                for setting in 0..plan.settings.len() {
                    let folder = plan.folder(setting, device, repeat);
                    round.push(PlannedRun { setting, device, repeat, folder });
                }
            }
            random.shuffle(&mut round);
            plan.runs.extend(round);
        }
        Ok(plan)
    }

    /// The overrides of the case for a setting.
    pub fn overrides(&self, setting: usize) -> Vec<String> {
        let pairs = self.vary.iter().zip(&self.settings[setting]);
        pairs.flat_map(|(vary, &value)| vary.overrides(value)).collect()
    }

    /// The values of a setting, one for each [`Vary`].
    pub fn values(&self, setting: usize) -> impl Iterator<Item = &str> {
        self.vary.iter().zip(&self.settings[setting]).map(|(vary, &value)| vary.values[value].as_str())
    }

    /// A setting in words.
    pub fn describe(&self, setting: usize) -> String {
        let pairs = self.vary.iter().zip(self.values(setting));
        let words: Vec<String> = pairs.map(|(vary, value)| format!("{} = {value}", vary.short_label())).collect();
        if words.is_empty() { "the case as it is".to_owned() } else { words.join(", ") }
    }

    fn folder(&self, setting: usize, device: usize, repeat: usize) -> String {
        let mut exact = self.devices[device].clone();
        for (vary, value) in self.vary.iter().zip(self.values(setting)) {
            exact.push_str(&format!("_{}={value}", vary.keys.join("+")));
        }
        let mut name = self.devices[device].clone();
        for (vary, value) in self.vary.iter().zip(self.values(setting)) {
            name.push_str(&format!("_{}={value}", vary.short_label().replace(" = ", "+")));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.=+".contains(c);
        // Values that a file name cannot contain, or that make it too long, are distinguished by a hash. The hash covers the
        // keys' full names too, since two keys may have the same last part.
        let ends_alike = self.vary.iter().map(Vary::short_label).collect::<BTreeSet<_>>().len() < self.vary.len();
        if ends_alike || name.len() > 100 || !name.chars().all(plain) {
            name = name.chars().map(|c| if plain(c) { c } else { '_' }).take(100).collect();
            name.push_str(&format!("_{:08x}", digest(&exact)));
        }
        format!("{name}_{repeat}")
    }
}

fn check_keys(vary: &[Vary]) -> Result<(), SweepError> {
    let mut seen = BTreeSet::new();
    match vary.iter().flat_map(|v| &v.keys).find(|key| !seen.insert(*key)) {
        Some(key) => Err(SweepError::Vary(format!("--vary: {key} varies twice; give all its values in one --vary"))),
        None => Ok(()),
    }
}

fn grid(vary: &[Vary]) -> Vec<Setting> {
    vary.iter().fold(vec![Vec::new()], |settings, v| {
        let extended = |setting: &Setting, value| [setting.as_slice(), &[value]].concat();
        settings.iter().flat_map(|s| (0..v.values.len()).map(move |value| extended(s, value))).collect()
    })
}

fn zipped(vary: &[Vary]) -> Result<Vec<Setting>, SweepError> {
    let length = vary.first().map_or(1, |v| v.values.len());
    if let Some(other) = vary.iter().find(|v| v.values.len() != length) {
        let message = format!(
            "--zip pairs values one by one, but {} has {length} and {} has {}; give as many, or leave --zip out",
            vary[0].label(),
            other.label(),
            other.values.len()
        );
        return Err(SweepError::Vary(message));
    }
    Ok((0..length).map(|i| vec![i; vary.len()]).collect())
}

/// SplitMix64 (Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Fisher and Yates. The remainder's bias is 2⁻⁵⁰ at a thousand runs.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varies(texts: &[&str]) -> Vec<Vary> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn plan(texts: &[&str], zip: bool, seed: u64) -> Plan {
        Plan::new(varies(texts), zip, vec!["cpu".into(), "cuda".into()], 3, seed).unwrap()
    }

    /// A grid has all combinations, each on every device as often as asked, and no folder twice.
    #[test]
    fn grids_are_complete() {
        let plan = plan(&["a.x=1,2,3", "b.y=[1,2],[3,4]"], false, 7);
        assert_eq!(plan.settings.len(), 6);
        assert_eq!(plan.overrides(1), ["a.x=1", "b.y=[3,4]"]);
        let runs: BTreeSet<_> = plan.runs.iter().map(|r| (r.setting, r.device, r.repeat)).collect();
        let folders: BTreeSet<_> = plan.runs.iter().map(|r| &r.folder).collect();
        assert_eq!((plan.runs.len(), runs.len(), folders.len()), (36, 36, 36));
        assert!(folders.iter().all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.=+".contains(c))));
    }

    /// Pairs are taken in order; lists of different length are refused, and so are keys that vary twice.
    #[test]
    fn zips_pair_values() {
        let pairs = plan(&["a.x=1,2", "b.y=3,4"], true, 0);
        assert_eq!(pairs.settings, [[0, 0], [1, 1]]);
        assert_eq!(pairs.overrides(1), ["a.x=2", "b.y=4"]);
        let refused = |texts: &[&str], zip| Plan::new(varies(texts), zip, vec![], 1, 0).unwrap_err().to_string();
        assert!(refused(&["a.x=1,2", "b.y=3"], true).contains("a.x has 2 and b.y has 1"));
        assert!(refused(&["a.x=1,2", "b,a.x=3"], false).contains("a.x varies twice"));
    }

    /// The seed determines the order, repeats have different orders, and every repeat is a round over all settings.
    #[test]
    fn the_order_follows_the_seed() {
        let order = |seed| plan(&["a.x=1,2,3,4,5,6"], false, seed).runs;
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let runs = order(1);
        let round = |n: usize| -> Vec<_> { runs[12 * n..12 * (n + 1)].iter().map(|r| (r.setting, r.device)).collect() };
        assert!((0..3).all(|n| runs[12 * n..12 * (n + 1)].iter().all(|r| r.repeat == n + 1)));
        assert_ne!(round(0), round(1));
        assert_eq!(round(0).into_iter().collect::<BTreeSet<_>>(), round(1).into_iter().collect());
    }

    /// Folder names show their setting; where names cannot, they still differ.
    #[test]
    fn folders_tell_settings_apart() {
        assert_eq!(plan(&["regrid.cutoff=0.5"], false, 0).folder(0, 0, 2), "cpu_cutoff=0.5_2");
        let odd = plan(&["initial.u=x<1,x>1"], false, 0);
        assert_ne!(odd.folder(0, 0, 1), odd.folder(1, 0, 1));
        let alike = plan(&["a.x=1,2", "b.x=1,2"], false, 0);
        assert_ne!(alike.folder(1, 0, 1), alike.folder(2, 0, 1));
    }

    /// Without varied keys a sweep compares devices and repeats.
    #[test]
    fn nothing_need_vary() {
        let plan = plan(&[], false, 0);
        assert_eq!((plan.settings.len(), plan.runs.len()), (1, 6));
        assert_eq!(plan.describe(0), "the case as it is");
    }
}
