//! The formats in which frames are written, by the names that case files use.

use super::error::OutputError;
use super::frame::Frame;
use super::{clawpack, plotfile, vtkhdf};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A format of frame files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameFormat {
    /// VTKHDF *OverlappingAMR*, one HDF5 file a frame: ParaView, VTK and `amrclaw plot`.
    #[serde(rename = "vtkhdf")]
    VtkHdf,
    /// Clawpack's `fort.t` and `fort.q` as text: PyClaw, VisClaw, VisIt.
    ClawpackAscii,
    /// Clawpack's `fort.t`, `fort.q` and `fort.b` with 64-bit values: PyClaw, VisClaw.
    ClawpackBinary,
    /// AMReX's plotfile folders: yt, VisIt, ParaView.
    Plotfile,
}

impl FrameFormat {
    /// All formats.
    pub const ALL: [FrameFormat; 4] =
        [FrameFormat::VtkHdf, FrameFormat::ClawpackAscii, FrameFormat::ClawpackBinary, FrameFormat::Plotfile];

    /// All formats by name.
    pub const NAMES: [(&'static str, FrameFormat); 4] = {
        let mut names = [("", FrameFormat::VtkHdf); 4];
        let mut i = 0;
        while i < names.len() {
            names[i] = (FrameFormat::ALL[i].name(), FrameFormat::ALL[i]);
            i += 1;
        }
        names
    };

    /// The name in case files.
    pub const fn name(self) -> &'static str {
        match self {
            FrameFormat::VtkHdf => "vtkhdf",
            FrameFormat::ClawpackAscii => "clawpack-ascii",
            FrameFormat::ClawpackBinary => "clawpack-binary",
            FrameFormat::Plotfile => "plotfile",
        }
    }

    /// Checks, before the run, that the format can express levels with these ratios, each given per axis.
    ///
    /// # Errors
    /// Says which ratio does not fit.
    pub fn supports(self, ratios: &[impl AsRef<[i32]>]) -> Result<(), String> {
        if matches!(self, FrameFormat::ClawpackAscii | FrameFormat::ClawpackBinary) {
            return Ok(());
        }
        match ratios.iter().position(|r| r.as_ref().windows(2).any(|pair| pair[0] != pair[1])) {
            None => Ok(()),
            Some(level) => Err(format!(
                "format \"{self}\" needs the same refinement ratio along every axis, but level {} is refined by {:?}",
                level + 1,
                ratios[level].as_ref(),
            )),
        }
    }

    /// The formats of a list that use the same file names, so that a folder holds only one of them.
    pub fn clash(formats: &[FrameFormat]) -> Option<[FrameFormat; 2]> {
        let pair = [FrameFormat::ClawpackAscii, FrameFormat::ClawpackBinary];
        pair.iter().all(|format| formats.contains(format)).then_some(pair)
    }

    /// Writes one frame into the folder `dir`, which must exist, and returns the files or folders written.
    ///
    /// Every file appears under its name only when it is complete.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn write<const D: usize>(self, frame: &Frame<D>, dir: &Path) -> Result<Vec<PathBuf>, OutputError> {
        match self {
            FrameFormat::VtkHdf => vtkhdf::write(frame, dir),
            FrameFormat::ClawpackAscii => clawpack::write(frame, dir, clawpack::Encoding::Ascii),
            FrameFormat::ClawpackBinary => clawpack::write(frame, dir, clawpack::Encoding::Binary64),
            FrameFormat::Plotfile => plotfile::write(frame, dir),
        }
    }
}

impl fmt::Display for FrameFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FrameFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        FrameFormat::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| {
            let known = FrameFormat::ALL.map(|f| format!("\"{f}\"")).join(", ");
            format!("unknown output format \"{name}\": write one of {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Ratio;

    /// Case files, messages and serialised records all use one name per format.
    #[test]
    fn names_agree_everywhere() {
        for format in FrameFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(serde_json::to_string(&format).unwrap(), format!("\"{format}\""));
        }
        assert!("hdf".parse::<FrameFormat>().unwrap_err().contains("\"plotfile\""));
    }

    /// Unequal ratios are refused by the formats that store one number per level, with a message that says where.
    #[test]
    fn unequal_ratios_are_refused_where_they_do_not_fit() {
        let equal = [Ratio([2, 2]), Ratio([4, 4])];
        let unequal = [Ratio([2, 2]), Ratio([4, 2])];
        for format in FrameFormat::ALL {
            assert_eq!(format.supports(&equal), Ok(()));
        }
        let refused = FrameFormat::VtkHdf.supports(&unequal).unwrap_err();
        assert!(refused.contains("level 2") && refused.contains("[4, 2]"));
        assert!(FrameFormat::Plotfile.supports(&unequal).is_err());
        assert_eq!(FrameFormat::ClawpackAscii.supports(&unequal), Ok(()));
        assert_eq!(FrameFormat::VtkHdf.supports(&[Ratio([4])]), Ok(()));
    }

    /// Two formats that use the same file names exclude each other.
    #[test]
    fn formats_that_share_file_names_clash() {
        use FrameFormat::*;
        assert_eq!(FrameFormat::clash(&[VtkHdf, ClawpackBinary, Plotfile]), None);
        assert_eq!(FrameFormat::clash(&[ClawpackBinary, VtkHdf, ClawpackAscii]), Some([ClawpackAscii, ClawpackBinary]));
    }
}
