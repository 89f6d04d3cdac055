//! The search: one key after the other, from value to neighbouring value, as long as it gets faster.

use super::{ClusterSetting, Setting};

/// A setting counts as faster than another only by more than this fraction: smaller gains are noise.
pub(super) const GAIN: f64 = 0.02;

/// The result of a trial of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Seconds per unit of simulated time; infinite if the run failed.
    pub seconds: f64,
    /// Difference from the finest setting.
    pub error: f64,
    /// Cell updates on all levels.
    pub cells: u64,
}

/// A setting and the result of its trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The setting.
    pub setting: Setting,
    /// The result.
    pub measured: Measured,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// All settings tried, in order, beginning with the start of the search.
    pub tried: Vec<Tried>,
    /// Number of the fastest one whose error is within the limit.
    pub fastest: usize,
}

/// A key of the search with its values, ascending, and functions that read and replace it in a setting.
struct Axis {
    values: Vec<f64>,
    of: fn(&Setting) -> f64,
    with: fn(&Setting, f64) -> Setting,
}

/// Searches from `start`, which has been measured, for the fastest setting whose error is at most `limit`. `ratios`: the
/// refinement ratios, of which patch sizes must be multiples; if empty, only patch sizes vary. At most `most` settings are tried.
///
/// # Errors
/// Those of `measure`.
pub fn search<E>(
    start: Tried,
    limit: f64,
    ratios: &[i32],
    most: usize,
    measure: &mut dyn FnMut(&Setting) -> Result<Measured, E>,
) -> Result<Found, E> {
    let mut found = Found { tried: vec![start], fastest: 0 };
    let axes = axes(&start.setting, ratios);
    loop {
        let before = found.fastest;
        for axis in &axes {
            for up in [true, false] {
                while found.tried.len() < most {
                    let best = found.tried[found.fastest];
                    let Some(next) = axis.neighbour(&best.setting, up) else { break };
                    // A setting already tried was not faster.
                    if found.tried.iter().any(|outcome| outcome.setting == next) {
                        break;
                    }
                    let measured = measure(&next)?;
                    found.tried.push(Tried { setting: next, measured });
                    let is_faster = measured.seconds < (1.0 - GAIN) * best.measured.seconds;
                    // Written so that NaN exceeds the limit.
                    if is_faster && measured.error <= limit {
                        found.fastest = found.tried.len() - 1;
                    } else {
                        break;
                    }
                }
            }
        }
        if found.fastest == before || found.tried.len() >= most {
            return Ok(found);
        }
    }
}

/// The keys in the order of the search, the one with the largest expected gain first.
fn axes(start: &Setting, ratios: &[i32]) -> Vec<Axis> {
    let step = ratios.iter().fold(1, |all, &ratio| least_common_multiple(all, ratio));
    let sizes = [16, 32, 64, 128, 256, 512, 1024, 2048].map(|size| f64::from((size + step - 1) / step * step));
    let patch_size = Axis {
        values: with_start(&sizes, f64::from(start.max_patch_size)),
        of: |s| f64::from(s.max_patch_size),
        with: |s, value| Setting { max_patch_size: value as i32, ..*s },
    };
    if ratios.is_empty() {
        return vec![patch_size];
    }
    let interval = Axis {
        values: with_start(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], start.interval as f64),
        of: |s| s.interval as f64,
        // The buffer is scaled too: it must be as wide as waves travel until the next regrid.
        with: |s, value| {
            let buffer = (f64::from(s.buffer) * value / s.interval as f64).round().max(1.0);
            Setting { interval: value as u64, buffer: buffer as i32, ..*s }
        },
    };
    let cover = match start.cover {
        ClusterSetting::Boxes(cutoff) => Axis {
            values: with_start(&[0.5, 0.6, 0.7, 0.8, 0.9], cutoff),
            of: |s| s.cover.number(),
            with: |s, value| Setting { cover: ClusterSetting::Boxes(value), ..*s },
        },
        ClusterSetting::Tiles(size) => Axis {
            values: with_start(&[2.0, 4.0, 8.0, 16.0, 32.0], f64::from(size)),
            of: |s| s.cover.number(),
            with: |s, value| Setting { cover: ClusterSetting::Tiles(value as i32), ..*s },
        },
    };
    let buffer = Axis {
        values: with_start(&[1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0], f64::from(start.buffer)),
        of: |s| f64::from(s.buffer),
        with: |s, value| Setting { buffer: value as i32, ..*s },
    };
    vec![interval, cover, patch_size, buffer]
}

impl Axis {
    /// The setting with the next larger or smaller value of this key, if there is one.
    fn neighbour(&self, setting: &Setting, up: bool) -> Option<Setting> {
        let now = (self.of)(setting);
        let value = match up {
            true => self.values.iter().find(|&&value| value > now),
            false => self.values.iter().rev().find(|&&value| value < now),
        };
        value.map(|&value| (self.with)(setting, value))
    }
}

/// The values and the start value, ascending.
fn with_start(values: &[f64], start: f64) -> Vec<f64> {
    let mut values = [values, &[start]].concat();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn least_common_multiple(a: i32, b: i32) -> i32 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const START: Setting = Setting { interval: 4, buffer: 4, cover: ClusterSetting::Boxes(0.7), max_patch_size: 256 };

    /// A model of cost: each key has a best value, and small patches, narrow buffers and rare regrids cost accuracy.
    fn model(s: &Setting) -> Measured {
        let far = |value: f64, best: f64| (value / best).ln().powi(2);
        let seconds = 1.0
            + far(s.interval as f64, 8.0)
            + 10.0 * far(s.cover.number(), if matches!(s.cover, ClusterSetting::Tiles(_)) { 16.0 } else { 0.8 })
            + far(f64::from(s.max_patch_size), 128.0)
            + 0.05 * f64::from(s.buffer);
        let error = if s.buffer < s.interval as i32 { 1.0 } else { 0.001 };
        Measured { seconds, error, cells: 0 }
    }

    fn found(start: Setting, limit: f64, ratios: &[i32], most: usize) -> (Found, usize) {
        let mut calls = 0;
        let found = search(Tried { setting: start, measured: model(&start) }, limit, ratios, most, &mut |setting| {
            calls += 1;
            Ok::<_, Infallible>(model(setting))
        });
        (found.unwrap(), calls)
    }

    /// The search ends at the best values after few trials, none repeated, and never at a setting whose error is too large,
    /// although a narrower buffer would be faster still.
    #[test]
    fn the_fastest_within_the_limit_is_found() {
        let (found, calls) = found(START, 0.01, &[2, 2], 100);
        let best = found.tried[found.fastest].setting;
        assert_eq!(best, Setting { interval: 8, buffer: 8, cover: ClusterSetting::Boxes(0.8), max_patch_size: 128 });
        assert!(calls < 20, "{calls}");
        let again =
            found.tried.iter().enumerate().find(|(i, a)| found.tried[..*i].iter().any(|b| a.setting == b.setting));
        assert_eq!(again, None);
    }

    /// With tiles their size is searched in place of the cutoff.
    #[test]
    fn tiles_are_searched_by_their_size() {
        let (found, _) = found(Setting { cover: ClusterSetting::Tiles(4), ..START }, 0.01, &[2, 2], 100);
        assert_eq!(found.tried[found.fastest].setting.cover, ClusterSetting::Tiles(16));
        assert!(found.tried.iter().all(|tried| matches!(tried.setting.cover, ClusterSetting::Tiles(_))));
    }

    /// Without a limit that binds, buffers shrink.
    #[test]
    fn the_limit_is_what_keeps_buffers_wide() {
        let (found, _) = found(START, 2.0, &[2, 2], 100);
        assert_eq!(found.tried[found.fastest].setting.buffer, 1);
    }

    /// There are no more trials than allowed; patch sizes are multiples of the ratios; without refinement only they vary.
    #[test]
    fn bounds_are_kept() {
        assert_eq!(found(START, 0.01, &[2], 5).0.tried.len(), 5);
        let odd = Setting { max_patch_size: 252, ..START };
        let (with_ratios, _) = found(odd, 0.01, &[2, 3], 100);
        assert!(with_ratios.tried.iter().all(|outcome| outcome.setting.max_patch_size % 6 == 0));
        let (flat, _) = found(START, 0.0, &[], 100);
        assert!(flat.tried.iter().all(|o| Setting { max_patch_size: 256, ..o.setting } == START));
    }
}
