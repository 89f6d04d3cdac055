//! Clawpack's own frame files, as AMRClaw writes them.
//!
//! Frame *n*: `fort.tNNNN` (time and counts), `fort.qNNNN` (a header per patch; in the ascii form the values too),
//! `fort.bNNNN` (binary form: all values), `fort.aNNNN` (auxiliary values, if there are any), and once per folder
//! `fort.claw`, the file to open in VisIt. PyClaw and VisClaw open both forms, VisIt the ascii form. `fort.t` comes
//! last, since programs that watch a run wait for it.

use super::atomic::{Durability, write_file};
use super::error::OutputError;
use super::frame::{FieldIndex, Frame, FramePatch, PatchSource};
use crate::index::CellBox;
use crate::text::push_fixed;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text in `fort.q`.
    Ascii,
    /// Little-endian 64-bit numbers in `fort.b`.
    Binary64,
}

/// Axis names in the labels of patch headers.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// In text, values nearer to zero than this are written as zero, as AMRClaw does: their exponents need a third digit,
/// which would shift the columns.
const SMALLEST_IN_TEXT: f64 = 1e-90;

/// Writes one frame, whose values come from `values`; returns the files.
///
/// # Errors
/// Names the file and the cause.
pub fn write<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    dir: &Path,
    encoding: Encoding,
) -> Result<Vec<PathBuf>, OutputError> {
    let name = |kind: char| dir.join(file_name(kind, frame.number));
    let equations: Vec<_> = (0..frame.equations.len()).map(FieldIndex::Equation).collect();
    let aux: Vec<_> = (0..frame.aux.len()).map(FieldIndex::Aux).collect();
    let num_ghost = num_ghost(frame, encoding);
    let mut written = Vec::new();
    let mut file = |path: PathBuf, content: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        write_file(&path, Durability::Program, |out| content(out))?;
        written.push(path);
        Ok::<(), OutputError>(())
    };
    match encoding {
        Encoding::Ascii => {
            file(name('q'), &|out| write_text(out, frame, values, &equations))?;
            if !aux.is_empty() {
                file(name('a'), &|out| write_text(out, frame, values, &aux))?;
            }
            file(dir.join(VISIT_FILE_NAME), &|out| out.write_all(VISIT_FILE.as_bytes()))?;
        }
        Encoding::Binary64 => {
            file(name('q'), &|out| write_headers(out, frame))?;
            file(name('b'), &|out| write_binary(out, frame, values, (&equations, num_ghost)))?;
            if !aux.is_empty() {
                file(name('a'), &|out| write_binary(out, frame, values, (&aux, num_ghost)))?;
            }
        }
    }
    file(name('t'), &|out| out.write_all(time_file(frame, encoding, num_ghost).as_bytes()))?;
    Ok(written)
}

/// Name of the file to open in VisIt.
pub const VISIT_FILE_NAME: &str = "fort.claw";

/// Names of all files that [`write()`] makes of frame `number`; `aux`: it has auxiliary values.
pub fn file_names(number: usize, aux: bool, encoding: Encoding) -> Vec<String> {
    let kinds = match encoding {
        Encoding::Ascii => "qt",
        Encoding::Binary64 => "qbt",
    };
    let mut names: Vec<String> = kinds.chars().map(|kind| file_name(kind, number)).collect();
    names.extend(aux.then(|| file_name('a', number)));
    names.extend((encoding == Encoding::Ascii).then(|| VISIT_FILE_NAME.to_owned()));
    names
}

fn file_name(kind: char, number: usize) -> String {
    format!("fort.{kind}{number:04}")
}

/// Tells VisIt which files belong to the run; the folder is the one that holds this file.
pub const VISIT_FILE: &str = "DIR=.\nTIME_FILES_SCANF=fort.t%04d\nGRID_FILES_SCANF=fort.q%04d\n";

/// Ghost cells stored around each patch: PyClaw's binary reader takes auxiliary values only from files with some.
fn num_ghost<const D: usize>(frame: &Frame<D>, encoding: Encoding) -> i32 {
    i32::from(encoding == Encoding::Binary64 && !frame.aux.is_empty())
}

/// The text of `fort.t`.
fn time_file<const D: usize>(frame: &Frame<D>, encoding: Encoding, num_ghost: i32) -> String {
    let mut text = String::new();
    push_fixed(&mut text, frame.time);
    let patches: usize = frame.levels.iter().map(|level| level.patches.len()).sum();
    let format = match encoding {
        Encoding::Ascii => "ascii",
        Encoding::Binary64 => "binary64",
    };
    let tab = " ".repeat(17);
    text += &format!(
        "    time\n{:6}{tab}meqn\n{patches:6}{tab}ngrids\n{:6}{tab}naux\n{D:6}{tab}ndim\n{num_ghost:6}{tab}nghost\n\
         {format:<10}             format\n\n",
        frame.equations.len(),
        frame.aux.len(),
    );
    text
}

/// Headers of all patches, coarse to fine: `fort.q` of the binary form.
fn write_headers<const D: usize>(out: &mut dyn Write, frame: &Frame<D>) -> io::Result<()> {
    for (number, level, k) in patches(frame) {
        out.write_all(header(frame, number, level, &frame.levels[level].patches[k]).as_bytes())?;
    }
    Ok(())
}

/// Headers and values of all patches: `fort.q` and `fort.a` of the ascii form. One line per cell; after each row along
/// x a line of two blanks, and in 3D another one after each layer: VisIt computes positions in the file from that.
fn write_text<const D: usize>(
    out: &mut dyn Write,
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    fields: &[FieldIndex],
) -> io::Result<()> {
    let mut line = String::new();
    for (number, level, k) in patches(frame) {
        let patch = values.patch(level, k)?;
        out.write_all(header(frame, number, level, &patch).as_bytes())?;
        let values: Vec<_> = fields.iter().map(|&field| patch.values(field)).collect();
        let size = patch.cells.size();
        let row = size[0] as usize;
        let layer = if D == 3 { row * size[1] as usize } else { usize::MAX };
        for i in 0..patch.cells.volume() {
            line.clear();
            for v in &values {
                push_fixed(&mut line, if v[i].abs() < SMALLEST_IN_TEXT { 0.0 } else { v[i] });
            }
            line.push('\n');
            if (i + 1) % row == 0 {
                line.push_str("  \n");
            }
            if (i + 1) % layer == 0 {
                line.push_str("  \n");
            }
            out.write_all(line.as_bytes())?;
        }
    }
    Ok(())
}

/// Values of all patches, the field fastest, then x, y, z. Ghost cells repeat the nearest cell of the patch.
fn write_binary<const D: usize>(
    out: &mut dyn Write,
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    (fields, num_ghost): (&[FieldIndex], i32),
) -> io::Result<()> {
    for (_, level, k) in patches(frame) {
        let patch = values.patch(level, k)?;
        let values: Vec<_> = fields.iter().map(|&field| patch.values(field)).collect();
        let CellBox { lo, hi } = patch.cells;
        for cell in patch.cells.grow(num_ghost).cells() {
            let i = patch.offset(std::array::from_fn(|d| cell[d].clamp(lo[d], hi[d] - 1)));
            for v in &values {
                out.write_all(&v[i].to_le_bytes())?;
            }
        }
    }
    Ok(())
}

/// All patches with their number from 1, their level and their number on it, coarse to fine.
fn patches<const D: usize>(frame: &Frame<D>) -> impl Iterator<Item = (usize, usize, usize)> {
    let all = frame.levels.iter().enumerate().flat_map(|(level, l)| (0..l.patches.len()).map(move |k| (level, k)));
    all.enumerate().map(|(number, (level, k))| (number + 1, level, k))
}

/// The header of one patch, with the blank line after it.
fn header<const D: usize>(frame: &Frame<D>, number: usize, level: usize, patch: &FramePatch<D>) -> String {
    let tab = " ".repeat(17);
    let mut text = format!("{number:6}{tab}grid_number\n{:6}{tab}AMR_level\n", level + 1);
    for (n, axis) in patch.cells.size().iter().zip(AXES) {
        text += &format!("{n:6}{tab}m{axis}\n");
    }
    for (lower, axis) in frame.corner(level, patch.cells.lo).into_iter().zip(AXES) {
        push_fixed(&mut text, lower);
        text += &format!("    {axis}low\n");
    }
    for (dx, axis) in frame.levels[level].dx.into_iter().zip(AXES) {
        push_fixed(&mut text, dx);
        text += &format!("    d{axis}\n");
    }
    text.push('\n');
    text
}
