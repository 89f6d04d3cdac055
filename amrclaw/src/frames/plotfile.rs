//! AMReX plotfiles: a folder `pltNNNNN` per frame, opened by yt, VisIt and ParaView.
//!
//! `Header` describes the levels; `Level_l/Cell_H` lists the boxes of a level with each field's extremes, and
//! `Level_l/Cell_D_00000` holds the values: per box a line of text, then 64-bit little-endian numbers, the field
//! slowest and x fastest. Text numbers have 17 digits.

use super::atomic::write_folder;
use super::error::OutputError;
use super::frame::{FieldIndex, Frame, FrameLevel, FramePatch, PatchSource};
use crate::index::CellBox;
use crate::text::digits17;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// AMReX's description of a 64-bit little-endian IEEE number: layout of its bits, then order of its bytes.
const REAL64: &str = "((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))";

/// Writes one frame, whose ratios are the same along all axes and whose values come from `values`; returns the folder.
///
/// # Errors
/// Names the file and the cause.
pub fn write<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    dir: &Path,
) -> Result<Vec<PathBuf>, OutputError> {
    let path = dir.join(folder_name(frame.number));
    let fields: Vec<FieldIndex> = frame.fields().map(|(_, field)| field).collect();
    let content = |folder: &Path| {
        for (l, level) in frame.levels.iter().enumerate() {
            let sub = folder.join(format!("Level_{l}"));
            fs::create_dir(&sub).map_err(OutputError::io("create", &path))?;
            // Errors name the final folder, not the temporary one.
            let written = write_level(&sub, (l, level), values, &fields);
            written.map_err(OutputError::io("write", &path.join(format!("Level_{l}"))))?;
        }
        fs::write(folder.join("Header"), header(frame)).map_err(OutputError::io("write", &path.join("Header")))
    };
    write_folder(&path, content, remove)?;
    Ok(vec![path])
}

/// Name of the folder of frame `number`.
pub fn folder_name(number: usize) -> String {
    format!("plt{number:05}")
}

/// The level folders of a plotfile, and the files that [`write`] makes; `None` if the folder contains anything else.
fn contents(path: &Path) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut levels, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(path).ok()? {
        let entry = entry.ok()?;
        let (name, kind) = (entry.file_name().into_string().ok()?, entry.file_type().ok()?);
        let number = name.strip_prefix("Level_").and_then(|number| number.parse::<u8>().ok());
        match number {
            Some(_) if kind.is_dir() => levels.push(entry.path()),
            None if kind.is_file() && name == "Header" => files.push(entry.path()),
            _ => return None,
        }
    }
    for level in &levels {
        for entry in fs::read_dir(level).ok()? {
            let entry = entry.ok()?;
            let known = ["Cell_H", "Cell_D_00000"].iter().any(|name| entry.file_name() == *name);
            files.push((known && entry.file_type().ok()?.is_file()).then(|| entry.path())?);
        }
    }
    Some((levels, files))
}

/// True if a folder contains nothing but files of a plotfile, which need not be complete.
pub fn is_plain(path: &Path) -> bool {
    contents(path).is_some()
}

/// Removes a plotfile.
///
/// # Errors
/// The operating system's error; or the folder contains other files, and then nothing is removed.
pub fn remove(path: &Path) -> io::Result<()> {
    let more = || io::Error::other("there are other files in it than those of a plotfile");
    let (levels, files) = contents(path).ok_or_else(more)?;
    files.iter().try_for_each(fs::remove_file)?;
    levels.iter().try_for_each(fs::remove_dir)?;
    fs::remove_dir(path)
}

/// `Cell_D_00000` and `Cell_H` of one level.
fn write_level<const D: usize>(
    folder: &Path,
    (l, level): (usize, &FrameLevel<D>),
    values: &dyn PatchSource<D>,
    fields: &[FieldIndex],
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, File::create(folder.join("Cell_D_00000"))?);
    let mut offsets = Vec::with_capacity(level.patches.len());
    let mut extremes = [String::new(), String::new()];
    let mut position = 0;
    for k in 0..level.patches.len() {
        let patch = values.patch(l, k)?;
        offsets.push(position);
        let line = format!("FAB {REAL64}{} {}\n", box_text(&patch.cells), fields.len());
        out.write_all(line.as_bytes())?;
        for &field in fields {
            for value in patch.values(field) {
                out.write_all(&value.to_le_bytes())?;
            }
        }
        for (text, pick) in extremes.iter_mut().zip([f64::min, f64::max]) {
            for &field in fields {
                *text += &digits17(extreme(&patch, field, pick));
                text.push(',');
            }
            text.push('\n');
        }
        position += line.len() + fields.len() * patch.cells.volume() * size_of::<f64>();
    }
    out.flush()?;
    fs::write(folder.join("Cell_H"), cell_header(level, fields.len(), &offsets, &extremes))
}

/// The text of `Cell_H`.
fn cell_header<const D: usize>(
    level: &FrameLevel<D>,
    num_fields: usize,
    offsets: &[usize],
    extremes: &[String; 2],
) -> String {
    let n = level.patches.len();
    let mut text = format!("1\n1\n{num_fields}\n0\n({n} 0\n");
    for patch in &level.patches {
        text += &format!("{}\n", box_text(&patch.cells));
    }
    text += &format!(")\n{n}\n");
    for offset in offsets {
        text += &format!("FabOnDisk: Cell_D_00000 {offset}\n");
    }
    for lines in extremes {
        text += &format!("\n{n},{num_fields}\n{lines}");
    }
    text
}

/// The smallest or largest value of a field on a patch; NaN only if all values are.
fn extreme<const D: usize>(patch: &FramePatch<D>, field: FieldIndex, pick: fn(f64, f64) -> f64) -> f64 {
    patch.values(field).iter().copied().fold(f64::NAN, pick)
}

/// The text of `Header`.
fn header<const D: usize>(frame: &Frame<D>) -> String {
    let finest = frame.levels.len().saturating_sub(1);
    let names: Vec<String> = frame.fields().map(|(name, _)| name.replace(char::is_whitespace, "_")).collect();
    let mut text = format!("HyperCLaw-V1.1\n{}\n", names.len());
    for name in names {
        text += &name;
        text.push('\n');
    }
    text += &format!("{D}\n{}\n{finest}\n", digits17(frame.time));
    text += &spaced(frame.lower.map(digits17));
    text += &spaced(frame.upper.map(digits17));
    text += &spaced(frame.ratios[..finest].iter().map(|r| r.0[0].to_string()));
    text += &spaced((0..=finest).map(|l| box_text(&frame.domain(l))));
    let steps = |l: usize| frame.steps.get(l).copied().unwrap_or(0);
    text += &spaced((0..=finest).map(|l| steps(l).to_string()));
    for level in &frame.levels {
        text += &spaced(level.dx.map(digits17));
    }
    text += "0\n0\n"; // Cartesian coordinates; no boundary data
    for (l, level) in frame.levels.iter().enumerate() {
        text += &format!("{l} {} {}\n{}\n", level.patches.len(), digits17(frame.time), steps(l));
        for patch in &level.patches {
            let (lower, upper) = (frame.corner(l, patch.cells.lo), frame.corner(l, patch.cells.hi));
            for d in 0..D {
                text += &spaced([lower[d], upper[d]].map(digits17));
            }
        }
        text += &format!("Level_{l}/Cell\n");
    }
    text
}

/// `((lo) (hi) (0))` with the last cells of the box, not one past them; the zeros say "centred in cells".
fn box_text<const D: usize>(cells: &CellBox<D>) -> String {
    let tuple = |i: [i32; D]| i.map(|n| n.to_string()).join(",");
    format!("(({}) ({}) ({}))", tuple(cells.lo), tuple(cells.hi.map(|n| n - 1)), tuple([0; D]))
}

/// One line of items with blanks between them.
fn spaced(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(" ") + "\n"
}
