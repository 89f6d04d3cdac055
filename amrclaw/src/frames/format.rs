//! The formats in which frames are written, by the names that case files use.

use super::error::OutputError;
use super::frame::{Frame, PatchSource};
use super::{clawpack, plotfile, vtkhdf};
use crate::text::choices;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::str::FromStr;

choices! {
    /// A format of frame files.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    FrameFormat {
        /// VTKHDF *OverlappingAMR*, one HDF5 file a frame: ParaView, VTK and `amrclaw plot`.
        #[serde(rename = "vtkhdf")]
        VtkHdf = "vtkhdf",
        /// Clawpack's `fort.t` and `fort.q` as text: PyClaw, VisClaw, VisIt.
        ClawpackAscii = "clawpack-ascii",
        /// Clawpack's `fort.t`, `fort.q` and `fort.b` with 64-bit values: PyClaw, VisClaw.
        ClawpackBinary = "clawpack-binary",
        /// AMReX's plotfile folders: yt, VisIt, ParaView.
        Plotfile = "plotfile",
    }
}

impl FrameFormat {
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

    /// Names of all files that [`FrameFormat::write`] makes of frame `number`; `aux`: it has auxiliary values.
    pub fn file_names(self, number: usize, aux: bool) -> Vec<String> {
        match self {
            FrameFormat::VtkHdf => vec![vtkhdf::file_name(number), vtkhdf::SERIES.to_owned()],
            FrameFormat::ClawpackAscii => clawpack::file_names(number, aux, clawpack::Encoding::Ascii),
            FrameFormat::ClawpackBinary => clawpack::file_names(number, aux, clawpack::Encoding::Binary64),
            FrameFormat::Plotfile => vec![plotfile::folder_name(number)],
        }
    }

    /// Writes one frame into the folder `dir`, which must exist, and returns the files or folders written.
    ///
    /// Every file appears under its name only when it is complete.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn write<const D: usize>(self, frame: &Frame<D>, dir: &Path) -> Result<Vec<PathBuf>, OutputError> {
        self.write_from(frame, frame, dir)
    }

    /// As [`FrameFormat::write`], with values from `values`, patch by patch: no level is ever in memory as a whole.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn write_from<const D: usize>(
        self,
        frame: &Frame<D>,
        values: &dyn PatchSource<D>,
        dir: &Path,
    ) -> Result<Vec<PathBuf>, OutputError> {
        let unsupported = |reason| {
            let name = self.file_names(frame.number, false).swap_remove(0);
            OutputError::Unsupported { path: dir.join(name), reason }
        };
        self.supports(&frame.ratios).map_err(unsupported)?;
        match self {
            FrameFormat::VtkHdf => vtkhdf::write(frame, values, dir),
            FrameFormat::ClawpackAscii => clawpack::write(frame, values, dir, clawpack::Encoding::Ascii),
            FrameFormat::ClawpackBinary => clawpack::write(frame, values, dir, clawpack::Encoding::Binary64),
            FrameFormat::Plotfile => plotfile::write(frame, values, dir),
        }
    }
}

/// Name of the picture of frame `number`, or of one of several by its own name.
pub fn picture_name(number: usize, plot: Option<&str>) -> String {
    let plot = plot.map(|name| format!("_{name}")).unwrap_or_default();
    format!("frame_{number:04}{plot}.png")
}

/// The number in the name of a frame's file or folder in any format, or of its picture; `None` for other names.
pub fn frame_number(name: &str) -> Option<usize> {
    let numbered = |(start, end, digits): (&str, &str, usize)| {
        let number = name.strip_prefix(start)?.strip_suffix(end)?;
        let number = if end == ".png" { number.split_once('_').map_or(number, |(number, _)| number) } else { number };
        let fine = number.len() >= digits && number.bytes().all(|b| b.is_ascii_digit());
        if fine { number.parse().ok() } else { None }
    };
    let forts = ["fort.t", "fort.q", "fort.b", "fort.a"].map(|start| (start, "", 4));
    let others = [("frame_", ".vtkhdf", 4), ("frame_", ".png", 4), ("plt", "", 5)];
    others.into_iter().chain(forts).find_map(numbered)
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

    /// The names that are announced are those that are written, and all tell their frame.
    #[test]
    fn names_of_files_are_known_before() {
        for aux in [false, true] {
            let frame = sample(aux);
            for format in FrameFormat::ALL {
                let dir = tempfile::tempdir().unwrap();
                let written = format.write(&frame, dir.path()).unwrap();
                let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
                let mut names: Vec<String> = written.iter().map(name).collect();
                let mut announced = format.file_names(frame.number, aux);
                names.sort();
                announced.sort();
                assert_eq!(announced, names);
                let once = [vtkhdf::SERIES, clawpack::VISIT_FILE_NAME];
                let of_frame = names.iter().filter(|name| !once.contains(&name.as_str()));
                assert!(of_frame.clone().count() >= 1 && of_frame.clone().all(|n| frame_number(n) == Some(12)));
            }
        }
        assert_eq!(frame_number(&picture_name(12345, None)), Some(12345));
        assert_eq!(frame_number(&picture_name(7, Some("a_b.c"))), Some(7));
        for name in [
            "frame_0012.part_0003.h5",
            "frame_12.png",
            "frame_00x1.png",
            "frame_00x1_a.png",
            "plt1234",
            "fort.q",
            "frame_0001.png.txt",
            "gauge_0001.csv",
        ] {
            assert_eq!(frame_number(name), None, "{name}");
        }
    }

    fn sample(aux: bool) -> Frame<1> {
        use crate::frames::frame::{FrameLevel, FramePatch};
        use crate::index::CellBox;
        let values = if aux { vec![2.0] } else { vec![] };
        let patch = FramePatch { cells: CellBox::new([0], [1]), q: vec![1.0], aux: values };
        Frame {
            number: 12,
            time: 0.5,
            steps: vec![3],
            equations: vec!["q".into()],
            aux: if aux { vec!["kappa".into()] } else { vec![] },
            levels: vec![FrameLevel { dx: [1.0], patches: vec![patch] }],
            ..Frame::empty([[0.0], [1.0]], [1])
        }
    }

    /// Two formats that use the same file names exclude each other.
    #[test]
    fn formats_that_share_file_names_clash() {
        use FrameFormat::*;
        assert_eq!(FrameFormat::clash(&[VtkHdf, ClawpackBinary, Plotfile]), None);
        assert_eq!(FrameFormat::clash(&[ClawpackBinary, VtkHdf, ClawpackAscii]), Some([ClawpackAscii, ClawpackBinary]));
    }
}
