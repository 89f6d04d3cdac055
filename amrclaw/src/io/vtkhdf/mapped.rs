//! The cells of a mapped mesh as VTK's unstructured grid: quadrangles where they lie, the finest at each place.

use crate::io::frame::Frame;
use crate::mesh::Mapping;
use hdf5::{AttrValue, GroupBuilder};

/// VTK's number for quadrangles: `VTK_QUAD`.
const QUADRANGLE: u8 = 9;

/// Points, cells and values of all fields, each in the data set that `names` has for it. Patches that share corners have each their own.
pub fn build<const D: usize>(root: &mut GroupBuilder, frame: &Frame<D>, mapping: &Mapping<D>, names: &[String]) {
    let (mut points, mut connectivity) = (Vec::new(), Vec::<i64>::new());
    let mut values = vec![Vec::new(); names.len()];
    for (l, level) in frame.levels.iter().enumerate() {
        for patch in &level.patches {
            let first = (points.len() / 3) as i64;
            points
                .extend(mapping.corners(&patch.cells, level.dx).iter().flat_map(|corner| [corner[0], corner[1], 0.0]));
            let columns = patch.cells.size()[0] as usize;
            let covered = frame.covered(l, patch);
            let visible: Vec<usize> = (0..covered.len()).filter(|&k| !covered[k]).collect();
            for &k in &visible {
                let corner = first + (k + k / columns) as i64;
                let above = corner + columns as i64 + 1;
                connectivity.extend([corner, corner + 1, above + 1, above]);
            }
            for (values, (_, field)) in values.iter_mut().zip(frame.fields()) {
                let of_patch = patch.values(field);
                values.extend(visible.iter().map(|&k| of_patch[k]));
            }
        }
    }
    let cells = connectivity.len() / 4;
    root.set_attr("Type", AttrValue::AsciiString("UnstructuredGrid".into()));
    let counts = [("Points", points.len() / 3), ("Cells", cells), ("ConnectivityIds", connectivity.len())];
    for (what, count) in counts {
        root.create_dataset(&format!("NumberOf{what}")).with_i64_data(&[count as i64]);
    }
    root.create_dataset("Points").with_f64_data(&points).with_shape(&[points.len() as u64 / 3, 3]);
    root.create_dataset("Connectivity").with_i64_data(&connectivity);
    let offsets: Vec<i64> = (0..=cells as i64).map(|cell| 4 * cell).collect();
    root.create_dataset("Offsets").with_i64_data(&offsets);
    root.create_dataset("Types").with_u8_data(&vec![QUADRANGLE; cells]);
    let mut data = root.create_group("CellData");
    for (name, values) in names.iter().zip(&values) {
        data.create_dataset(name).with_f64_data(values);
    }
    root.add_group(data.finish());
}
