//! Whether the GPUs that a run asks for are there.

use super::{Device, RunOptions};
use cuda::DeviceInfo;

impl RunOptions {
    /// Checks that a run in this process finds its GPUs, without opening them: commands that start many runs do so before the first.
    ///
    /// # Errors
    /// There is no driver or no such GPU, or `ranks` and `devices` do not fit each other.
    pub fn check_devices(&self) -> Result<(), String> {
        let options = self.settled();
        let ranks = options.num_ranks()?;
        if options.device == Device::Cpu {
            return Ok(());
        }
        let numbers: Vec<usize> = if options.devices.is_empty() { (0..ranks).collect() } else { options.devices };
        numbers.into_iter().try_for_each(|number| DeviceInfo::numbered(number).map(drop)).map_err(|e| e.to_string())
    }
}
