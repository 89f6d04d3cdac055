//! Monitors: what passed at points.

use super::common::{case, options, start};
use amrclaw::case::{Case, find_built_in};
use amrclaw::simulation::{RunFiles, run};
use std::ops::ControlFlow;
use std::path::Path;

/// A front that moves by one fine cell in each fine step.
const FRONT: &str = r#"
[solver]
name = "advection"
u = 1
v = 0
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 1.0]
cells = [8, 4]
[levels]
max = 2
[regrid.flag]
tolerance = 10
[[regrid.region]]
lower = [0.0, 0.0]
upper = [1.0, 1.0]
levels = [2, 2]
[time]
end = 1.0
dt = 0.125
cfl_max = 1
cfl_desired = 1
[output]
png = false
[initial]
q = "if(x < 0.25, 1, 0)"
"#;

/// The names of a file's columns, its shape and its numbers, point by point.
fn read(path: &Path) -> (String, Vec<f64>) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x02\x00");
    let length = 12 + u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    assert_eq!(length % 64, 0);
    let header = String::from_utf8(bytes[12..length].to_vec()).unwrap();
    let numbers = bytes[length..].chunks(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect();
    (header.trim_end().to_owned(), numbers)
}

/// Largest and smallest values and first times on a lattice and on a line are those of the finest cells, at their own steps or, where there are
/// more steps between looks, at those of the coarsest level within the window: the front is exact up to round-off, as the Courant number
/// is 1, and so are all times, and differences within patches of the front and of a quadratic function.
#[test]
fn monitors_record_what_passes() {
    let values = "max={most=\"q\",late=\"t\"},min={least=\"q + 0 * dx\"},first={arrival=\"q > 0.5\"}";
    let monitors = format!(
        "monitor=[{{name=\"all\",points=[16,2],lower=[0.03125,0.1],upper=[0.96875,0.9],{values}}},
          {{name=\"late\",points=[3],lower=[0.0,0.0],upper=[1.0,1.0],every_steps=2,time=[0.2,0.45],{values}}},
          {{name=\"few\",positions=[[0.5,0.5],[0.9,0.1]],{values}}},
          {{name=\"heights\",points=[16,8],lower=[0.03125,0.0625],upper=[0.96875,0.9375],format=\"netcdf\",max={{height=\"y + 2 * x\"}}}},
          {{name=\"map\",points=[16,8],lower=[0.03125,0.0625],upper=[0.96875,0.9375],format=\"geotiff\",max={{height=\"y + 2 * x\"}}}},
          {{name=\"two\",points=[3,2],lower=[0,0],upper=[1,1],format=\"geotiff\",max={{a=\"q\",b=\"x\"}}}},
          {{name=\"now\",points=[16],lower=[0.03125,0.1],upper=[0.96875,0.1],every_steps=100,now={{q=\"q\",slope=\"dx(q) + dx(dy(x * x * y))\",t=\"t\"}}}}]"
    )
    .replace('\n', "");
    let case = case(FRONT, &[&monitors, "output.times=[0.0,0.25,0.5]"]);
    let folder = tempfile::tempdir().unwrap();
    run(&case, &options(2), &RunFiles::new(folder.path()), &mut |_| ControlFlow::Continue(())).unwrap();
    let (header, numbers) = read(&folder.path().join("monitor_all.npy"));
    let names = ["x", "y", "most", "late", "least", "arrival"].map(|name| format!("('{name}', '<f8')")).join(", ");
    assert_eq!(header, format!("{{'descr': [{names}], 'fortran_order': False, 'shape': (2, 16, ), }}"));
    assert_eq!(numbers.len(), 6 * 32);
    for (k, row) in numbers.chunks(6).enumerate() {
        let cell = k % 16;
        assert_eq!(row[..2], [(cell as f64 + 0.5) / 16.0, [0.1, 0.9][k / 16]]);
        // One cell a look.
        let arrival = if cell < 4 { 0.0 } else { 0.0625 * (cell - 3) as f64 };
        let least = if cell < 4 { 1.0 } else { 0.0 };
        assert!((row[2] - 1.0).abs() < 1e-14 && (row[4] - least).abs() < 1e-14, "{cell}: {row:?}");
        assert_eq!((row[3], row[5]), (1.0, arrival), "{cell}");
    }
    // One look at 0.25, when the front is at 0.5.
    let (header, numbers) = read(&folder.path().join("monitor_late.npy"));
    assert!(header.ends_with("'shape': (3, ), }"));
    let rows: Vec<&[f64]> = numbers.chunks(6).collect();
    assert!(rows[0][2..5] == [1.0, 0.25, 1.0] && rows[0][5] == 0.25 && rows[1][..2] == [0.5, 0.5]);
    assert!(rows[1][2..5] == [0.0, 0.25, 0.0] && rows[1][5].is_nan());
    assert_eq!(read(&folder.path().join("monitor_few.npy")).1.len(), 12);
    // Files of other formats are read as topography, which is bilinear.
    let water = "solver={name=\"shallow_water_bathymetry\"}\nmesh={lower=[0.1,0.2],upper=[0.9,0.8],cells=[8,6]}\ntime={end=1}\n\
        ground={shore=\"mean\"}\ninitial={depth=1,x_momentum=0,y_momentum=0}";
    for (file, variable) in [("monitor_heights.nc", ",variable=\"height\""), ("monitor_map.tif", "")] {
        let file = folder.path().join(file);
        let frame = start(water, &[&format!("topography=[{{file=\"{}\"{variable}}}]", file.display())]).frame();
        for patch in &frame.levels[0].patches {
            for (cell, height) in patch.cells.cells().zip(&patch.aux) {
                let [x, y] = frame.geometry(0).centre(cell);
                assert!((height - y - 2.0 * x).abs() < 1e-14, "{height} at {x}, {y}");
            }
        }
    }
    // Values follow one another, each with the upper row first: of x the cells' middles.
    let bytes = std::fs::read(folder.path().join("monitor_two.tif")).unwrap();
    let numbers: Vec<f64> =
        bytes[8..][..96].chunks(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(numbers[6..], [0.03125, 0.53125, 0.96875, 0.03125, 0.53125, 0.96875]);
    // At each frame, whatever the steps between looks: the front is at 0.25, 0.5 and 0.75.
    for (frame, time) in [0.0, 0.25, 0.5].into_iter().enumerate() {
        let (_, numbers) = read(&folder.path().join(format!("monitor_now_{frame:04}.npy")));
        for row in numbers.chunks(5) {
            let (before, slope) = (row[0] - 0.25 - time, 2.0 * row[0]);
            let slope = if before.abs() < 1.0 / 16.0 { slope - 8.0 } else { slope };
            assert!((row[2] - f64::from(u8::from(before < 0.0))).abs() < 1e-14 && row[4] == time, "{frame}: {row:?}");
            assert!((row[3] - slope).abs() < 1e-11, "differences of cells 1/16 wide: {row:?}");
        }
    }
    let left = |name: &str| folder.path().join(name).exists();
    assert!(!left("monitor_now.npy") && !left("monitor_few_0000.npy"));
}

/// Mistakes are named.
#[test]
fn mistakes_in_monitors_are_named() {
    let with = |monitor: &str| {
        let set = format!("monitor=[{{{monitor}}}]");
        Case::from_str_with(FRONT, "case.toml", &[set], find_built_in).map(|_| ()).unwrap_err().to_string()
    };
    let max = "max={q=\"q\"}";
    let place = "name=\"a\",points=[2,2],lower=[0,0],upper=[1,1]";
    for (monitor, message) in [
        (place.to_owned(), "has nothing to record"),
        (format!("name=\"a\",positions=[],{max}"), "positions: gives no points"),
        (format!("{place},max={{\"a b\"=\"q\"}}"), "cannot name a value"),
        (format!("{place},{max},format=\"geotiff\"").replace("[2,2]", "[2]"), "holds lattices of the plane"),
        (format!("{place},max={{x=\"q\"}}"), "the file has a `x` already"),
        (format!("{place},max={{a=\"q\"}},min={{a=\"q\"}}"), "the file has a `a` already"),
        (format!("{place},max={{a=\"p\"}}"), "monitor.0.max.a"),
        (format!("{place},{max},time=[1]"), "needs two times"),
        (format!("name=\"a/b\",positions=[[0,0]],{max}"), "cannot name a file"),
        (format!("name=\"a\",positions=[[0,2]],{max}"), "is outside the domain: y = 2"),
        (format!("name=\"a\",positions=[[0]],{max}"), "a point has 2 coordinates"),
        (format!("name=\"a\",points=[1,1,1],lower=[0,0],upper=[1,1],{max}"), "gives no points"),
        (format!("name=\"a\",points=[70000,70000],lower=[0,0],upper=[1,1],{max}"), "gives no points"),
        (format!("name=\"a\",points=[2,2],upper=[1,1],{max}"), "monitor.0.lower"),
    ] {
        let errors = with(&monitor);
        assert!(errors.contains(message), "{message}:\n{errors}");
    }
}
