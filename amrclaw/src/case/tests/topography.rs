//! `[[topography]]`: files of every kind, and what is wrong with others.

use super::fields::npy;
use super::netcdf::classic;
use super::*;
use crate::mesh::Geometry;
use crate::physics::{CellFunction, CellRow};

const WATER: &str = "\
[solver]
name = \"shallow_water_bathymetry\"
[mesh]
lower = [10.0, -2.0]
upper = [13.0, 2.0]
cells = [3, 4]
[time]
end = 1
[initial]
depth = \"max(0, -bottom)\"
x_momentum = 0
y_momentum = 0
";

/// Numbers of nodes, from (9.5, −2.5) on, 0.5 and 1 apart, and the height at a node: a bilinear one.
const COUNT: [usize; 2] = [9, 6];

fn height(i: usize, j: usize) -> f64 {
    let (x, y) = (9.5 + 0.5 * i as f64, -2.5 + j as f64);
    0.25 * x * y - 0.5 * x - y + 3.0
}

/// The heights row by row from the north.
fn rows(words: impl Fn(f64) -> String, between: &str) -> String {
    let row = |j: usize| (0..COUNT[0]).map(|i| words(height(i, j))).collect::<Vec<_>>().join(between);
    (0..COUNT[1]).rev().map(row).collect::<Vec<_>>().join("\n") + "\n"
}

fn plain(height: f64) -> String {
    height.to_string()
}

const HEADER: &str = "ncols 9\nnrows 6\nxllcenter 9.5\nyllcenter -2.5\ncellsize 0.5 1\nNODATA_value -9999\n";

/// The same heights as netCDF4 1.7 for Python writes them, packed in 16 bits, rows from the north; and as tifffile does, of boxes.
const CLASSIC: &[u8] = include_bytes!("../../../tests/data/heights_classic.nc");
const GEOTIFF: &[u8] = include_bytes!("../../../tests/data/heights_boxes.tif");

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().unwrap())
    }

    /// A case with a file of this content.
    fn load(&self, content: &[u8], more: &str) -> Result<Case, String> {
        let path = self.0.path().join("heights");
        std::fs::write(&path, content).unwrap();
        let set = format!("topography=[{{file=\"{}\"{more}}}]", path.display());
        load(WATER, &[&set]).map_err(|errors| errors.to_string())
    }
}

/// The bottom of all cells of the case, and the depth in them.
fn bottom(case: &Case) -> (Vec<f64>, Vec<f64>) {
    let (aux, initial) = (case.aux_cells::<2>().unwrap(), case.initial_cells::<2>().unwrap());
    let geometry = Geometry::new([10.0, -2.0], [13.0, 2.0], [3, 4]);
    let (mut heights, mut depths) = (Vec::new(), Vec::new());
    for j in 0..4 {
        let row = CellRow { geometry, first: [0, j], len: 3, time: 0.0 };
        let (mut height, mut state) = ([0.0; 3], [0.0; 9]);
        aux.fill_row(&row, &mut height);
        initial.fill_row(&row, &mut state);
        heights.extend(height);
        depths.extend(&state[..3]);
    }
    (heights, depths)
}

/// The same heights in every kind of file, with every order of rows and columns, give the same means: of a bilinear function its values at
/// centres, but in cells that are cut by the sea level, whose depth at rest is the mean. Tolerance: round-off.
#[test]
fn every_kind_of_file_gives_the_same_ground() {
    let files = Files::new();
    let points = |order: &dyn Fn(usize) -> [usize; 2], word: &dyn Fn(f64) -> String| {
        let point = |n: usize| {
            let [i, j] = order(n);
            [9.5 + 0.5 * i as f64, -2.5 + j as f64, height(i, j)].map(word).join(" ")
        };
        (0..54).map(point).collect::<Vec<_>>().join("\n")
    };
    let from_north_west = |n: usize| [n % 9, 5 - n / 9];
    let columns_first = |n: usize| [n / 6, n % 6];
    let fortran = |x: f64| format!("{x:.15e}").replace('e', "D");
    let lower = HEADER.replace("xllcenter", "XLLCORNER").replace("9.5", "9.25").replace("yllcenter", "yllcorner");
    let geoclaw = "  9   =: mx\n 6 my\n9.5 xlower\n-2.5 ylower\n0.5 dx\n1.0 dy\n-9999 nodata_value\n";
    let bare = "9\n6\n9.5\n-2.5\n0.5 1.0\n-9999\n";
    let values: Vec<f64> = (0..54).map(|n| height(n % 9, n / 9)).collect();
    let netcdf = |upwards: bool| {
        let mut file = hdf5::FileBuilder::new();
        let y: Vec<f64> = (0..6).map(|j| -2.5 + f64::from(j)).collect();
        let rows: Vec<&[f64]> = values.chunks(9).collect();
        let order = |j: usize| if upwards { j } else { 5 - j };
        let x: Vec<f64> = (0..9).map(|i| 9.5 + 0.5 * f64::from(i)).collect();
        let lat: Vec<f64> = (0..6).map(|j| y[order(j)]).collect();
        let z: Vec<f64> = (0..6).flat_map(|j| rows[order(j)].to_vec()).collect();
        file.create_dataset("lon").with_f64_data(&x).with_shape(&[9]);
        file.create_dataset("lat").with_f64_data(&lat).with_shape(&[6]);
        file.create_dataset("z").with_f64_data(&z).with_shape(&[6, 9]);
        file.finish().unwrap()
    };
    let boxes = ", lower=[9.25, -3], upper=[13.75, 3]";
    let along = |first: f64, count: u32, step: f64| (0..count).map(|n| first + step * f64::from(n)).collect::<Vec<_>>();
    let growing = [
        ("z", 6, &[0, 1][..], values.clone()),
        ("lat", 6, &[0], along(-2.5, 6, 1.0)),
        ("lon", 6, &[1], along(9.5, 9, 0.5)),
    ];
    let all: [(Vec<u8>, &str); 18] = [
        ((HEADER.to_owned() + &rows(plain, " ")).into(), ""),
        ((HEADER.to_owned() + &rows(plain, "\n")).into(), ""),
        ((lower.replace("-2.5", "-3") + &rows(plain, " ")).into(), ""),
        ((geoclaw.to_owned() + &rows(fortran, "  ")).into(), ""),
        ((bare.to_owned() + &rows(plain, "\n")).into(), ""),
        ((HEADER.to_owned() + &rows(|z| (-z).to_string(), " ")).into(), ", scale=-1"),
        (points(&from_north_west, &plain).into(), ""),
        (points(&columns_first, &fortran).into(), ""),
        (npy("6, 9", &values), boxes),
        (netcdf(true), ""),
        (netcdf(false), ""),
        (netcdf(true), ", variable=\"z\", lower=[9.25, -3], upper=[13.75, 3]"),
        (CLASSIC.into(), ""),
        (classic(2, &[("lat", 0), ("lon", 9)], 6, &growing), ""),
        (include_bytes!("../../../tests/data/heights_offset64.nc").into(), ""),
        (include_bytes!("../../../tests/data/heights_data64.nc").into(), ""),
        (GEOTIFF.into(), ""),
        (include_bytes!("../../../tests/data/heights_points.tif").into(), ""),
    ];
    let mut first = None;
    for (n, (content, more)) in all.into_iter().enumerate() {
        let case = files.load(&content, more).unwrap_or_else(|errors| panic!("{n}: {errors}"));
        let (heights, depths) = bottom(&case);
        for (k, (found, depth)) in heights.iter().zip(&depths).enumerate() {
            let [x, y] = [10.5 + (k % 3) as f64, -1.5 + (k / 3) as f64];
            let centre = 0.25 * x * y - 0.5 * x - y + 3.0;
            assert_eq!(*depth, (-found).max(0.0), "{n}, cell {k}");
            assert!((found - centre).abs() < if centre.abs() > 2.0 { 1e-13 } else { 0.5 }, "{n}, cell {k}: {found}");
        }
        let first = first.get_or_insert(heights.clone());
        assert!(heights.iter().zip(&*first).all(|(a, b)| (a - b).abs() < 1e-12), "{n}: {heights:?}, {first:?}");
    }
}

/// Of several the one of the highest priority counts, then the finest, formulas last; each within its box.
#[test]
fn several_have_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let flat = |name: &str, height: f64, [from, to]: [f64; 2], n: usize| {
        let path = folder.path().join(name);
        let dx = (to - from) / (n - 1) as f64;
        let head = format!("ncols {n}\nnrows {n}\nxlower {from}\nylower -2\ncellsize {dx} {}\n", 4.0 / (n - 1) as f64);
        std::fs::write(&path, head + &format!("{height} ").repeat(n * n)).unwrap();
        format!("file=\"{}\"", path.display())
    };
    let (coarse, fine) = (flat("coarse", -5.0, [10.0, 12.0], 3), flat("fine", -7.0, [11.0, 13.0], 9));
    let found = |coarse_more: &str| {
        let formula = "{formula=\"-1\",upper=[12.5,2]}, {formula=\"-x\"}";
        let set = format!("topography=[{{{coarse}{coarse_more}}}, {formula}, {{{fine},upper=[12,2]}}]");
        bottom(&load(WATER, &[&set]).unwrap()).0[..3].to_vec()
    };
    let close = |a: Vec<f64>, b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
    // The last cell is half covered by the first formula: x from 12.5 to 13 has the mean −12.75.
    assert!(close(found(""), [-5.0, -7.0, 0.5 * (-1.0 - 12.75)]), "{:?}", found(""));
    assert!(close(found(", priority=1"), [-5.0, -5.0, 0.5 * (-1.0 - 12.75)]));
}

/// What is wrong is said before the start, with the file, the line and what to write.
#[test]
fn mistakes_in_topography_are_named() {
    let files = Files::new();
    let good = HEADER.to_owned() + &rows(plain, " ");
    let lines: Vec<&str> = good.lines().collect();
    let points = "10 -2 1\n13 -2 1\n10 2 1\n13 2 1\n";
    for (content, more, message, help) in [
        (good.replace("ncols", "columns"), "", ", line 1: \"columns 9\" is no line of a header", "`ncols`"),
        (good.replace("ncols 9", "ncols 1"), "", ", line 1: `ncols` is 1", "2 or more"),
        (good.replace("cellsize 0.5 1", "cellsize -0.5"), "", ", line 5: `cellsize` is -0.5", "above zero"),
        (
            good.replace("cellsize 0.5 1", "cellsize 50 100").replace("9.5", "950").replace("-2.5", "-250"),
            "",
            "nothing covers x from 10 to 13, y from -2 to 2 of the domain; they cover x from 950 to 1350",
            "units",
        ),
        (
            good.replace("ncols 9", "ncols 6").replace("nrows 6", "nrows 9"),
            "",
            "its lines have 9 heights, but `ncols` is 6",
            "interchange",
        ),
        (
            good.replace("xllcenter 9.5", "xllcenter -2.5").replace("yllcenter -2.5", "yllcenter 9.5"),
            "",
            "nothing covers",
            "units",
        ),
        (lines[..11].join("\n"), "", ", line 11: ends after 45 of 54 heights", "cut short"),
        (good.clone() + "1 2 3\n", "", ", line 13: has more heights than the 54 of its header", "9 times 6"),
        (good.replacen(&plain(height(3, 4)), "1,5", 1), "", ", line 8: \"1,5\" is no height", "numbers"),
        (
            good.replacen(&plain(height(3, 4)), "-9999", 1),
            "",
            "there is no height at 11, 1.5 (the first without one is on line 8)",
            "`missing = HEIGHT`",
        ),
        (
            good.replacen(&plain(height(3, 4)), "9.96921e36", 1),
            "",
            "there is no height at 11, 1.5",
            "`missing = HEIGHT`",
        ),
        (good.clone(), ", upper=[5, 5]", "its box is empty", "`lower`"),
        (good.clone(), ", upper=[12, 2]", "nothing covers x from 12 to 13", "`formula`"),
        (points.replace("13 2 1", "13 2"), "", ", line 4: \"13 2\" is no point", "x y z"),
        (points.replace("10 2 1\n", ""), "", ", line 3: 3 points are no lattice of rows of 2", "complete"),
        (
            "10 -2 1\n13 -2 1\n10 2 1\n12 2 1\n".to_owned(),
            "",
            ", line 4: x is 12, but 13 in a lattice that begins on line 1",
            "equal distances",
        ),
        ("-2 10 1\n-2 13 1\n2 10 1\n2 13 1\n".to_owned(), "", "nothing covers", "x and y are interchanged"),
        (String::new(), "", "is empty", "heights"),
        ("CDF\u{1}".to_owned(), "", "its header is cut short", "nccopy"),
        ("II*\0".to_owned(), "", "heights: ", "give a complete GeoTIFF"),
        ("\u{7f}HDF".to_owned(), "", "is no line of a header", "ncols"),
    ] {
        let errors = files.load(content.as_bytes(), more).expect_err(message);
        assert!(errors.contains(message) && errors.contains(help), "{message}, {help}:\n{errors}");
    }
    let refused = |sets: &[&str]| load(WATER, sets).unwrap_err().to_string();
    assert!(refused(&["topography=[{file=\"none\"}]"]).contains("No such file"));
    assert!(refused(&["topography=[{}]"]).contains("topography.0.file"));
    assert!(refused(&["topography=[{formula=\"-x\",scale=0}]"]).contains("topography.0.scale: must not be 0"));
    let ground = "topography=[{formula=\"-x\"}]";
    assert!(load(WATER, &[ground]).is_ok());
    assert!(refused(&[ground, "aux.bottom=\"x\""]).contains("cannot stand beside `[[topography]]`"));
    assert!(refused(&[ground, "ground.shore=\"centre\""]).contains("write formulas under `[aux]`"));
    assert!(refused(&[ground, "solver={name=\"shallow_water\"}"]).contains("has no auxiliary value `bottom`"));
    assert!(refused(&["topography=[{formula=\"t\"}]"]).contains("depends on time"));
}

const MOTION: &str =
    "3 mx\n2 my\n2 mt\n10.5 xlower\n-1 ylower\n0 t0\n1.0 dx\n2.0 dy\n4 dt\n0 0 0\n0 0 0\n0 4 8\n0 2 4\n";

/// A case whose bottom is -1, moved by a file of this content.
fn moved(files: &Files, content: &[u8]) -> Result<Case, String> {
    let path = files.0.path().join("motion");
    std::fs::write(&path, content).unwrap();
    let set = format!("bottom_motion=[{{file=\"{}\"}}]", path.display());
    load(WATER, &[&set, "aux.bottom=-1"]).map_err(|errors| errors.to_string())
}

/// The same displacement from a header with rows from the north and from columns moves the bottom, linearly in time, but not the water
/// that is there at first. Tolerance: round-off.
#[test]
fn motions_of_the_bottom_are_read() {
    let files = Files::new();
    let named = MOTION.replacen("3 mx", "3", 1).replace("0 4 8", "0.0D0\n4\n8");
    let columns = |t: i32, z: i32| {
        format!(
            "{t} 10.5 1 0\n{t} 11.5 1 {}\n{t} 12.5 1 {}\n{t} 10.5 -1 0\n{t} 11.5 -1 {}\n{t} 12.5 -1 {}\n",
            2 * z,
            4 * z,
            z,
            2 * z
        )
    };
    for content in [MOTION.to_owned(), named, columns(0, 0) + &columns(4, 2)] {
        let case = moved(&files, content.as_bytes()).unwrap();
        let (aux, initial) = (case.aux_cells::<2>().unwrap(), case.initial_cells::<2>().unwrap());
        assert_eq!(aux.changes_within(), [0.0, 4.0]);
        let geometry = Geometry::new([10.0, -2.0], [13.0, 2.0], [3, 4]);
        // Above y = 0 the mean over y is 3.5 at its largest, and half of the first and the last cell are moved.
        for (time, scale) in [(0.0, 0.0), (3.0, 0.75), (5.0, 1.0)] {
            let row = CellRow { geometry, first: [0, 2], len: 3, time };
            let (mut height, mut state) = ([0.0; 3], [0.0; 9]);
            aux.fill_row(&row, &mut height);
            initial.fill_row(&row, &mut state);
            let wanted = [0.5 * 0.875, 3.5, 0.5 * 6.125].map(|mean| scale * mean - 1.0);
            assert!(height.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-14), "{time}: {height:?}, {wanted:?}");
            assert_eq!(state[..3], [1.0; 3]);
        }
    }
    let (bare, line) = (
        "[mesh]\nlower = [10.0, -2.0]\nupper = [13.0, 2.0]\ncells = [3, 4]",
        "[mesh]\nlower = [10.0]\nupper = [13.0]\ncells = [3]",
    );
    let path = files.0.path().join("line");
    std::fs::write(&path, "0 10 2\n0 12 2\n").unwrap();
    let text = WATER.replace(bare, line).replace("y_momentum = 0\n", "")
        + &format!("[aux]\nbottom = -5\n[[bottom_motion]]\nfile = \"{}\"\n", path.display());
    let mut height = [0.0; 3];
    let row = CellRow { geometry: Geometry::new([10.0], [13.0], [3]), first: [0], len: 3, time: 0.0 };
    load(&text, &[]).unwrap().aux_cells::<1>().unwrap().fill_row(&row, &mut height);
    assert_eq!(height, [-3.0, -3.0, -5.0]);
}

/// What is wrong with a motion is said before the start, with file, line and what to write; no damaged file ends the program.
#[test]
fn mistakes_in_motions_are_named() {
    let files = Files::new();
    let columns = "0 10 0 0\n0 12 0 0\n0 10 2 0\n0 12 2 0\n";
    for (content, message, help) in [
        (MOTION.replace("mt", "my"), ", line 3: \"2 my\" is no `mt`", "mx, my, mt"),
        (MOTION.replace("4 dt", "-4 dt"), ", line 9: \"-4 dt\" is no `dt`", "each with its number"),
        (MOTION.replace("3 mx", "2.5 mx"), ", line 1: \"2.5 mx\" is no `mx`", "each with its number"),
        ("3 mx\n2 my\n".to_owned(), ", line 2: the header ends before `mt`", "each with its number"),
        (MOTION.replace("0 2 4\n", ""), ", line 12: ends after 9 of 12 displacements", "cut short"),
        (MOTION.to_owned() + "7\n", ", line 14: has more displacements than the 12 of its header", "3 times 2 times 2"),
        (MOTION.replace("0 4 8", "0 4 NaN"), ", line 12: \"NaN\" is no displacement", "numbers"),
        (MOTION.replace("10.5", "1050"), "reaches no part of the domain: it covers x from 1050 to 1052", "units"),
        (
            columns.to_owned() + "1 10 0 0\n1 12 0 0\n1 10 3 0\n1 12 3 0\n",
            ", line 5: the points of the time 1 are others",
            "same points",
        ),
        (columns.replace("0 12 2", "0 13 2"), ", line 4: x is 13, but 12", "equal distances"),
        (columns.to_owned() + &columns.replace("0 1", "-1 1"), ", line 5: the time -1 is before", "ascending"),
        ("0 10 0\n".to_owned(), ", line 1: \"0 10 0\" is no point", "t x y z"),
        (String::new(), "is empty", "displacements"),
    ] {
        let errors = moved(&files, content.as_bytes()).expect_err(message);
        assert!(errors.contains(message) && errors.contains(help), "{message}, {help}:\n{errors}");
    }
    let refused = |sets: &[&str]| load(WATER, sets).unwrap_err().to_string();
    assert!(refused(&["aux.bottom=-1", "bottom_motion=[{file=\"none\"}]"]).contains("No such file"));
    assert!(refused(&["aux.bottom=-1", "bottom_motion=[{}]"]).contains("bottom_motion.0.file"));
    let motion = "bottom_motion=[{file=\"none\"}]";
    assert!(refused(&["aux.bottom=-1", "ground.shore=\"centre\"", motion]).contains("cells that are boxes"));
    assert!(refused(&["solver={name=\"shallow_water\"}", motion]).contains("has no auxiliary value `bottom`"));
    damage(MOTION.as_bytes(), |damaged| moved(&files, damaged));
}

/// Of 200 files that were cut or of which bytes changed none ends the program, those cut short are refused, and what is read is finite.
fn damage(good: &[u8], load: impl Fn(&[u8]) -> Result<Case, String>) {
    let mut state = 12345_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for n in 0..200 {
        let mut damaged = good.to_vec();
        if n % 2 == 0 {
            damaged.truncate(random(good.len() - 10));
            assert!(load(&damaged).is_err(), "{n}");
            continue;
        }
        for _ in 0..1 + random(3) {
            let place = random(damaged.len());
            damaged[place] = b"0123456789eE.-+ \n\0\xffn"[random(20)];
        }
        if let Ok(case) = load(&damaged) {
            assert!(bottom(&case).0.iter().all(|height| height.is_finite()), "{n}");
        }
    }
}

#[test]
fn damaged_topography_is_refused_or_read() {
    let files = Files::new();
    damage((HEADER.to_owned() + &rows(plain, " ")).as_bytes(), |damaged| files.load(damaged, ""));
    damage(CLASSIC, |damaged| files.load(damaged, ", missing=0"));
    damage(GEOTIFF, |damaged| files.load(damaged, ", missing=0"));
}
