// tidy: long because every format is written, and read back where there is a reader.
//! Frames are written in every format, and read back where we have a reader.
//!
//! If `AMRCLAW_FRAMES_DIR` is set, the sample frames are kept there: `python/tests/test_readers.py` opens them with the
//! readers of VTK, yt and PyClaw, and checks boxes and values against the same formulas.

use amrclaw::frames::frame::{Frame, FrameLevel, FramePatch};
use amrclaw::frames::read::FrameReader;
use amrclaw::frames::{Checkpoint, FrameFormat, InputError, OutputError, checkpoint, checkpoint_patches, read, vtkhdf};
use amrclaw::index::{CellBox, Ratio};
use std::fs;
use std::path::{Path, PathBuf};

/// Three levels with ratios 2 and 4, odd sizes, dx, dy and dz all different, several patches on the coarser levels.
fn sample<const D: usize>(number: usize) -> Frame<D> {
    let cells = axes::<i32, D>([13, 9, 5]);
    let lower = axes([-1.0, 0.5, 2.0]);
    let upper = axes([0.3, 1.13, 2.4]);
    let ratios = vec![Ratio::uniform(2), Ratio::uniform(4)];
    let base: [f64; D] = std::array::from_fn(|d| (upper[d] - lower[d]) / f64::from(cells[d]));
    // Refined levels are given by the cells of the coarser level that they cover.
    let boxes: [Vec<CellBox<D>>; 3] = [
        vec![cell_box([0, 0, 0], [6, 9, 5]), cell_box([6, 0, 0], [13, 9, 5])],
        vec![cell_box([3, 2, 1], [8, 5, 3]), cell_box([8, 2, 1], [10, 4, 2])],
        vec![cell_box([8, 5, 3], [13, 8, 5])],
    ];
    let mut refined = 1;
    let mut levels = Vec::new();
    for (l, coarse) in boxes.into_iter().enumerate() {
        let ratio = if l == 0 { Ratio::uniform(1) } else { ratios[l - 1] };
        refined *= ratio.0[0];
        let dx = base.map(|h| h / f64::from(refined));
        let patches = coarse.iter().map(|c| patch(c.fine_from_coarse(ratio), l, lower, dx, number)).collect();
        levels.push(FrameLevel { dx, patches });
    }
    Frame {
        number,
        time: 0.1 * (number as f64 + 1.0),
        steps: vec![3, 6, 24],
        equations: vec!["pressure".into(), "u.x / c".into()],
        aux: vec!["depth".into()],
        lower,
        upper,
        cells,
        ratios,
        mapping: vec![],
        mesh: None,
        levels,
    }
}

/// The first `D` of three entries.
fn axes<T: Copy, const D: usize>(values: [T; 3]) -> [T; D] {
    std::array::from_fn(|d| values[d])
}

fn cell_box<const D: usize>(lo: [i32; 3], hi: [i32; 3]) -> CellBox<D> {
    CellBox::new(axes(lo), axes(hi))
}

/// Values known at each cell's centre; `python/tests/test_readers.py` has the same formulas.
fn patch<const D: usize>(
    cells: CellBox<D>,
    level: usize,
    lower: [f64; D],
    dx: [f64; D],
    number: usize,
) -> FramePatch<D> {
    let centre = |cell: [i32; D]| {
        let x: [f64; D] = std::array::from_fn(|d| lower[d] + (f64::from(cell[d]) + 0.5) * dx[d]);
        (0..3).map(|d| x.get(d).copied().unwrap_or(0.0)).collect::<Vec<_>>()
    };
    let values = |f: &dyn Fn(&[f64]) -> f64| cells.cells().map(|c| f(&centre(c))).collect::<Vec<_>>();
    let shift = (level + 1) as f64 + 10.0 * number as f64;
    let mut q = values(&|x| shift + (3.0 * x[0]).sin() + x[1] * x[1] - x[2]);
    q.extend(values(&|x| -shift * x[0] + 5.0 * x[1] + 7.0 * x[2]));
    FramePatch { cells, q, aux: values(&|x| x[0] - 2.0 * x[1] + x[2] / 3.0) }
}

/// A folder for the files, kept if `AMRCLAW_FRAMES_DIR` is set.
fn folder(name: &str) -> (PathBuf, Option<tempfile::TempDir>) {
    match std::env::var_os("AMRCLAW_FRAMES_DIR") {
        Some(dir) => (Path::new(&dir).join(name), None),
        None => {
            let dir = tempfile::tempdir().unwrap();
            (dir.path().join(name), Some(dir))
        }
    }
}

/// A two-dimensional frame on a mapped mesh; `python/tests/test_readers.py` has the same formulas.
fn mapped_sample() -> Frame<2> {
    Frame { mapping: vec!["X + 0.3 * Y^2".into(), "Y - 0.2 * X".into()], ..sample(0) }
}

/// The same in three dimensions.
fn mapped_sample_in_space() -> Frame<3> {
    Frame { mapping: vec!["X + 0.3 * Y^2".into(), "Y - 0.2 * X".into(), "Z + 0.1 * X * Y".into()], ..sample(0) }
}

/// Writes two frames in every format, and one without auxiliary values in the binary format, which then has no ghost cells.
fn write_samples<const D: usize>() {
    let (dir, _guard) = folder(&format!("{D}d"));
    for format in FrameFormat::ALL {
        let dir = dir.join(format.name());
        fs::create_dir_all(&dir).unwrap();
        for number in 0..2 {
            for path in format.write(&sample::<D>(number), &dir).unwrap() {
                assert!(path.exists(), "{} was reported but not written", path.display());
            }
        }
    }
    let dir = dir.join("clawpack-binary-no-aux");
    fs::create_dir_all(&dir).unwrap();
    let mut frame = sample::<D>(0);
    frame.aux.clear();
    frame.levels.iter_mut().flat_map(|l| &mut l.patches).for_each(|p| p.aux.clear());
    FrameFormat::ClawpackBinary.write(&frame, &dir).unwrap();
}

/// Every format writes 1D, 2D and 3D frames, and leaves no temporary file behind.
#[test]
fn samples_are_written_in_all_dimensions() {
    write_samples::<1>();
    write_samples::<2>();
    write_samples::<3>();
    let (dir, _guard) = folder("mapped");
    fs::create_dir_all(&dir).unwrap();
    FrameFormat::VtkHdf.write(&mapped_sample(), &dir).unwrap();
    let (dir, _guard) = folder("mapped_in_space");
    fs::create_dir_all(&dir).unwrap();
    FrameFormat::VtkHdf.write(&mapped_sample_in_space(), &dir).unwrap();
}

/// A mapped frame is read back with its mapping; one whose formulas are invalid is reported as damaged.
#[test]
fn mapped_frames_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut frame = mapped_sample();
    let path = FrameFormat::VtkHdf.write(&frame, dir.path()).unwrap().remove(0);
    assert_eq!(read::frame::<2>(&path).unwrap(), frame);
    let in_space = mapped_sample_in_space();
    let path = FrameFormat::VtkHdf.write(&in_space, dir.path()).unwrap().remove(0);
    assert_eq!(read::frame::<3>(&path).unwrap(), in_space);
    let header = Checkpoint { frame: frame.clone(), schedule: "{}".into(), case: String::new() };
    let path = dir.path().join("checkpoint_0000.h5");
    write(&path, &header).unwrap();
    assert_eq!(checkpoint_patches::read::<2>(&path).unwrap().frame, frame);
    frame.mapping[1] = "Y +".into();
    write(&path, &Checkpoint { frame, ..header }).unwrap();
    let error = checkpoint_patches::read::<2>(&path).unwrap_err().to_string();
    assert!(error.contains("the mapping"), "{error}");
}

fn round_trip<const D: usize>() {
    let dir = tempfile::tempdir().unwrap();
    let mut frame = sample::<D>(4);
    // Values whose bits are easily lost: negative zero, the smallest number, and a NaN with a payload.
    frame.levels[0].patches[0].q[..3].copy_from_slice(&[
        -0.0,
        f64::from_bits(1),
        f64::from_bits(0x7ff8_0000_0000_1234),
    ]);
    let bits = |f: &Frame<D>| -> Vec<u64> {
        f.levels.iter().flat_map(|l| &l.patches).flat_map(|p| p.q.iter().chain(&p.aux)).map(|v| v.to_bits()).collect()
    };
    let path = FrameFormat::VtkHdf.write(&frame, dir.path()).unwrap().remove(0);
    assert_eq!(read::peek_dimension(&path).unwrap(), D);
    let mut back = read::frame::<D>(&path).unwrap();
    assert_eq!(bits(&back), bits(&frame));
    // NaN differs from itself, so the rest is compared without it.
    frame.levels[0].patches[0].q[2] = 0.0;
    back.levels[0].patches[0].q[2] = 0.0;
    assert_eq!(back, frame);
}

/// A frame read back from VTKHDF is bitwise equal, with its names, times and ratios.
#[test]
fn vtkhdf_round_trip() {
    round_trip::<1>();
    round_trip::<2>();
    round_trip::<3>();
}

fn write<const D: usize>(path: &Path, state: &Checkpoint<D>) -> Result<(), OutputError> {
    checkpoint::write(path, (&state.frame, &state.frame), &state.schedule, &state.case)
}

fn checkpoint_round_trip<const D: usize>() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint_0003.h5");
    let state = Checkpoint {
        frame: sample::<D>(3),
        schedule: format!("{{\"dt\": {}}}", 0.1_f64 + 0.2),
        case: "# Überschrift\n[mesh]\ncells = [13]\0\n".into(),
    };
    write(&path, &state).unwrap();
    assert_eq!(checkpoint::peek_dimension(&path).unwrap(), D);
    assert_eq!(checkpoint_patches::read::<D>(&path).unwrap(), state);

    // Every bit pattern is a possible value of a field, NaN and its payload included.
    let mut odd = state;
    let values = &mut odd.frame.levels[1].patches[0].q;
    let patterns = [0x8000_0000_0000_0000, 1, 0x7ff0_0000_0000_0001, 0xfff8_0000_0000_1234, 0x7ff0_0000_0000_0000];
    values[..patterns.len()].copy_from_slice(&patterns.map(f64::from_bits));
    write(&path, &odd).unwrap();
    let back = checkpoint_patches::read::<D>(&path).unwrap();
    let bits: Vec<u64> = back.frame.levels[1].patches[0].q[..patterns.len()].iter().map(|v| v.to_bits()).collect();
    assert_eq!(bits, patterns);
}

/// A checkpoint is read back unchanged: values bit for bit, texts byte for byte.
#[test]
fn checkpoint_round_trips() {
    checkpoint_round_trip::<1>();
    checkpoint_round_trip::<2>();
    checkpoint_round_trip::<3>();
}

/// Wherever a checkpoint is cut off, reading it is an error that names the file, never a panic or a shorter solution.
/// Files of other kinds, versions and dimensions give different errors.
#[test]
fn wrong_checkpoints_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint_0001.h5");
    let state = Checkpoint { frame: sample::<2>(1), schedule: "{}".into(), case: String::new() };
    write(&path, &state).unwrap();
    assert_eq!(checkpoint_patches::read::<2>(&path).unwrap(), state);
    let dimension = checkpoint_patches::read::<3>(&path).unwrap_err();
    assert!(matches!(dimension, InputError::Dimension { found: 2, expected: 3, .. }));

    let bytes = fs::read(&path).unwrap();
    for kept in (0..bytes.len()).step_by(61).chain([bytes.len() - 1]) {
        fs::write(&path, &bytes[..kept]).unwrap();
        let error = checkpoint_patches::read::<2>(&path).err();
        let message = error.unwrap_or_else(|| panic!("{kept} of {} bytes were accepted", bytes.len())).to_string();
        assert!(message.contains("checkpoint_0001.h5"), "{message}");
    }

    let frame = FrameFormat::VtkHdf.write(&sample::<2>(0), dir.path()).unwrap().remove(0);
    let message = checkpoint_patches::read::<2>(&frame).unwrap_err().to_string();
    assert!(message.contains("frame_0000.vtkhdf is not a checkpoint"), "{message}");

    let mut newer = hdf5::FileBuilder::new();
    let mut root = newer.create_group("amrclaw_checkpoint");
    root.set_attr("format_version", hdf5::AttrValue::I64(checkpoint::FORMAT_VERSION + 1));
    newer.add_group(root.finish());
    newer.write(&path).unwrap();
    assert!(matches!(checkpoint::peek_dimension(&path), Err(InputError::Version { .. })));
}

/// A checkpoint of two levels with one small patch each.
fn tiny() -> Checkpoint<1> {
    let patch = |cells: CellBox<1>| {
        let q = cells.cells().map(|[i]| 0.1 * f64::from(i)).collect();
        FramePatch { cells, q, aux: vec![1.5; cells.volume()] }
    };
    let level = |dx: f64, cells| FrameLevel { dx: [dx], patches: vec![patch(cells)] };
    let frame = Frame {
        number: 3,
        time: 0.25,
        steps: vec![5, 10],
        equations: vec!["q".into()],
        aux: vec!["kappa".into()],
        lower: [0.0],
        upper: [1.0],
        cells: [4],
        ratios: vec![Ratio([2])],
        mapping: vec!["X^2".into()],
        mesh: None,
        levels: vec![level(0.25, CellBox::new([0], [4])), level(0.125, CellBox::new([2], [6]))],
    };
    Checkpoint { frame, schedule: r#"{"dt": 0.5}"#.into(), case: "[mesh]".into() }
}

/// Whichever bit of a checkpoint is flipped, the file is refused by name, or the bit has no meaning and everything is read back
/// unchanged. A different solution is never read.
#[test]
fn no_flipped_bit_changes_a_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint_000005.h5");
    let state = tiny();
    write(&path, &state).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut refused = 0;
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        match checkpoint_patches::read::<1>(&path) {
            Ok(read) => assert!(read == state, "bit {} of byte {}", bit % 8, bit / 8),
            Err(error) => {
                assert!(error.to_string().contains("checkpoint_000005.h5"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 4 * bytes.len(), "{refused} of {} bits", 8 * bytes.len());
}

/// The same for a frame, of which every fifth bit is tried: what readers do not use may change.
#[test]
fn no_flipped_bit_changes_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let frame = Frame { mapping: vec![], ..tiny().frame };
    let path = FrameFormat::VtkHdf.write(&frame, folder.path()).unwrap().remove(0);
    let bytes = fs::read(&path).unwrap();
    let mut refused = 0;
    for bit in (0..8 * bytes.len()).step_by(5) {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &changed).unwrap();
        match read::frame::<1>(&path) {
            Ok(read) => assert!(read == frame, "bit {} of byte {}", bit % 8, bit / 8),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > bytes.len() / 2, "{refused} of {} bits", 8 * bytes.len() / 5);
}

/// A field of a patch is read without the rest of the file: values come in any order, also of a field beside a damaged one, and the damage
/// is noticed as soon as all patches of that field's level have been read.
#[test]
fn patches_are_read_by_field() {
    let dir = tempfile::tempdir().unwrap();
    let frame = sample::<2>(4);
    let path = FrameFormat::VtkHdf.write(&frame, dir.path()).unwrap().remove(0);
    let fields: Vec<_> = frame.fields().map(|(_, field)| field).collect();
    let reader = FrameReader::<2>::open(&path).unwrap();
    assert_eq!(reader.outline, frame.outline());
    for (l, level) in frame.levels.iter().enumerate().rev() {
        for (k, patch) in level.patches.iter().enumerate().rev() {
            for (m, &field) in fields.iter().enumerate() {
                assert_eq!(reader.values(l, k, m).unwrap(), patch.values(field));
            }
        }
    }
    assert_eq!(reader.frame_with(&[1, 2]).unwrap().levels[1].patches[1].aux, frame.levels[1].patches[1].aux);

    let mut bytes = fs::read(&path).unwrap();
    let damaged = frame.levels[1].patches[0].values(fields[1])[3].to_le_bytes();
    let place = bytes.windows(8).position(|window| *window == damaged).expect("a value of the second field");
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    let reader = FrameReader::<2>::open(&path).unwrap();
    reader.frame_with(&[0, 2]).unwrap();
    reader.values(1, 0, 1).unwrap();
    let message = reader.values(1, 1, 1).unwrap_err().to_string();
    assert!(message.contains("u_x _ c of level 2 has changed since it was written"), "{message}");
}

/// Compressed values are not read, since they could be arbitrarily larger than the file; nor are pipes and devices, which might
/// never end.
#[test]
fn checkpoints_do_not_grow_and_are_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint_000001.h5");
    let mut file = hdf5::FileBuilder::new();
    let mut root = file.create_group("amrclaw_checkpoint");
    root.set_attr("format_version", hdf5::AttrValue::I64(checkpoint::FORMAT_VERSION));
    for (name, value) in [("dimension", 1), ("frame", 0), ("levels", 1)] {
        root.set_attr(name, hdf5::AttrValue::I64(value));
    }
    root.set_attr("time", hdf5::AttrValue::F64(0.0));
    for (name, value) in [("lower", 0.0), ("upper", 1.0)] {
        root.set_attr(name, hdf5::AttrValue::F64Array(vec![value]));
    }
    root.set_attr("cells", hdf5::AttrValue::I32Array(vec![1_000_000]));
    root.set_attr("equations", hdf5::AttrValue::StringArray(vec!["q".into()]));
    let mut level = root.create_group("level_1");
    level.set_attr("dx", hdf5::AttrValue::F64Array(vec![1e-6]));
    level.create_dataset("boxes").with_i32_data(&[0; 1_000_000]).with_chunks(&[1_000_000]).with_deflate(9);
    root.add_group(level.finish());
    file.add_group(root.finish());
    file.write(&path).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 20_000);
    let message = checkpoint_patches::read::<1>(&path).unwrap_err().to_string();
    assert!(message.contains("boxes is chunked or compressed"), "{message}");
    if cfg!(unix) {
        let pipe = dir.path().join("pipe.h5");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero")] {
            let message = checkpoint_patches::read::<1>(path).unwrap_err().to_string();
            assert!(message.contains("it is not a regular file"), "{message}");
            assert!(read::frame::<1>(path).unwrap_err().to_string().contains("it is not a regular file"));
        }
    }
}

/// A frame without steps, ratios or auxiliary values (an empty array each) is read back too.
#[test]
fn vtkhdf_round_trip_of_one_level() {
    let dir = tempfile::tempdir().unwrap();
    let mut frame = sample::<2>(0);
    frame.levels.truncate(1);
    frame.ratios.clear();
    frame.steps.clear();
    frame.aux.clear();
    frame.levels[0].patches.iter_mut().for_each(|p| p.aux.clear());
    FrameFormat::VtkHdf.write(&frame, dir.path()).unwrap();
    let frames = read::list_frames(dir.path()).unwrap();
    assert_eq!(frames.len(), 1);
    assert_eq!(read::frame::<2>(&frames[0].1).unwrap(), frame);
}

/// The list of frames grows with the run, and a restart at an earlier frame drops those that will be written again.
#[test]
fn the_series_follows_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let times = || -> Vec<f64> {
        let text = fs::read(dir.path().join(vtkhdf::SERIES)).unwrap();
        let series: serde_json::Value = serde_json::from_slice(&text).unwrap();
        series["files"].as_array().unwrap().iter().map(|f| f["time"].as_f64().unwrap()).collect()
    };
    let mut frame = sample::<1>(0);
    for (number, time) in [(0, 0.0), (1, 0.1), (2, 0.3), (1, 1.0 / 3.0)] {
        (frame.number, frame.time) = (number, time);
        FrameFormat::VtkHdf.write(&frame, dir.path()).unwrap();
    }
    assert_eq!(times(), [0.0, 1.0 / 3.0]);
}

/// The errors that a reader meets say which file is wrong and how.
#[test]
fn unreadable_frames_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = FrameFormat::VtkHdf.write(&sample::<2>(0), dir.path()).unwrap().remove(0);
    let message = read::frame::<3>(&path).unwrap_err().to_string();
    assert!(message.contains("frame_0000.vtkhdf") && message.contains("2D"), "{message}");

    let text = dir.path().join("text.vtkhdf");
    fs::write(&text, "not HDF5").unwrap();
    assert!(matches!(read::frame::<2>(&text), Err(InputError::Kind { .. })));
    assert!(matches!(read::frame::<2>(&dir.path().join("none")), Err(InputError::Io { .. })));

    let bytes = fs::read(&path).unwrap();
    for kept in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        fs::write(&text, &bytes[..kept]).unwrap();
        let error = read::frame::<2>(&text).err();
        let message = error.unwrap_or_else(|| panic!("{kept} of {} bytes were accepted", bytes.len())).to_string();
        assert!(message.contains("text.vtkhdf"), "{message}");
    }
}

/// A failed write names the file; formats that store one ratio per level refuse unequal ones.
#[test]
fn failed_writes_name_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    let mut frame = sample::<2>(0);
    for format in FrameFormat::ALL {
        let message = format.write(&frame, &missing).unwrap_err().to_string();
        assert!(message.contains("missing"), "{message}");
    }
    frame.ratios[1] = Ratio([4, 2]);
    for format in [FrameFormat::VtkHdf, FrameFormat::Plotfile] {
        assert!(matches!(format.write(&frame, dir.path()), Err(OutputError::Unsupported { .. })));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Covered cells are those under a finer patch: the fast marking of whole patches agrees with this definition in every cell.
#[test]
fn covered_cells_agree_with_the_definition() {
    let frame = sample::<3>(0);
    for (l, level) in frame.levels.iter().enumerate() {
        let covering = frame.covering(l);
        for patch in &level.patches {
            let expected: Vec<bool> = patch.cells.cells().map(|c| frame.is_covered(l, c)).collect();
            assert_eq!(covering.of(&patch.cells), expected);
        }
    }
    let covered = frame.covering(0).of(&frame.levels[0].patches[0].cells);
    assert_eq!(covered.iter().filter(|&&c| c).count(), 3 * 3 * 2);
}
