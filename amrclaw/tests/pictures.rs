//! Pictures of frames: what is drawn where, and that the files are PNG.
//!
//! If `AMRCLAW_FRAMES_DIR` is set, the pictures are kept there.

use amrclaw::frames::FrameFormat;
use amrclaw::frames::derived::Vocabulary;
use amrclaw::frames::frame::{Frame, FrameLevel, FramePatch, PatchSource};
use amrclaw::frames::plot::Contours;
use amrclaw::frames::slice::line_from;
use amrclaw::index::{CellBox, Ratio};
use amrclaw::picture::{self, ColourMap, ColourScale, Cut, Image, Outlines, PictureError, PictureOptions, Source};
use std::collections::HashSet;
use std::path::Path;

/// Two levels on [0, 3] × [0, 2]: 30 × 20 cells in two patches, and one refined patch with ratio 4 over the cells
/// [10, 16) × [5, 9). `value` gives each cell's value from its level and centre.
fn two_levels(value: impl Fn(usize, [f64; 2]) -> f64) -> Frame<2> {
    let ratio = Ratio::uniform(4);
    let level = |l: usize, dx: f64, boxes: &[CellBox<2>]| FrameLevel {
        dx: [dx; 2],
        patches: boxes
            .iter()
            .map(|&cells| FramePatch {
                cells,
                q: cells.cells().map(|c| value(l, c.map(|i| (f64::from(i) + 0.5) * dx))).collect(),
                aux: vec![],
            })
            .collect(),
    };
    let coarse = [CellBox::new([0, 0], [13, 20]), CellBox::new([13, 0], [30, 20])];
    let fine = [CellBox::new([10, 5], [16, 9]).fine_from_coarse(ratio)];
    Frame {
        number: 0,
        time: 0.25,
        steps: vec![],
        equations: vec!["pressure".into()],
        aux: vec![],
        lower: [0.0, 0.0],
        upper: [3.0, 2.0],
        cells: [30, 20],
        ratios: vec![ratio],
        mapping: vec![],
        mesh: None,
        levels: vec![level(0, 0.1, &coarse), level(1, 0.025, &fine)],
    }
}

/// Keeps a picture if `AMRCLAW_FRAMES_DIR` is set.
fn keep(name: &str, image: &Image) {
    if let Some(dir) = std::env::var_os("AMRCLAW_FRAMES_DIR") {
        let dir = Path::new(&dir).join("pictures");
        std::fs::create_dir_all(&dir).unwrap();
        image.write_png(&dir.join(name)).unwrap();
    }
}

/// Columns and rows of the pixels of one colour, as ranges.
fn extent_of(image: &Image, wanted: [u8; 3]) -> Option<[std::ops::RangeInclusive<usize>; 2]> {
    let pixels = (0..image.height()).flat_map(|row| (0..image.width()).map(move |column| (column, row)));
    let found: Vec<_> = pixels.filter(|&(column, row)| image.pixel(column, row) == wanted).collect();
    let columns = found.iter().map(|p| p.0);
    let rows = found.iter().map(|p| p.1);
    Some([columns.clone().min()?..=columns.max()?, rows.clone().min()?..=rows.max()?])
}

/// The refined patch covers exactly its own pixels: 6/30 of the width, 4/20 of the height, and y points up.
#[test]
fn each_pixel_shows_the_finest_data() {
    let frame = two_levels(|level, _| if level == 0 { 1.0 } else { 2.0 });
    let options =
        PictureOptions { size: 300, outlines: Outlines::None, range: Some((0.0, 3.0)), ..PictureOptions::default() };
    let image = picture::render(&frame, "pressure", &options).unwrap().image();
    let scale = ColourScale::linear(ColourMap::SEQUENTIAL, 0.0, 3.0);
    let [coarse_columns, coarse_rows] = extent_of(&image, scale.colour(1.0)).unwrap();
    let [columns, rows] = extent_of(&image, scale.colour(2.0)).unwrap();
    let (left, bottom) = (*coarse_columns.start(), *coarse_rows.end());
    assert_eq!((columns.start() - left, columns.end() - left), (100, 159));
    assert_eq!((bottom - rows.end(), bottom - rows.start()), (50, 89));
}

/// If levels are chosen, the patches of these levels and no others are outlined.
#[test]
fn levels_are_outlined_as_chosen() {
    let frame = two_levels(|level, _| if level == 0 { 1.0 } else { 2.0 });
    let drawn = |outlines| {
        let options = PictureOptions { size: 300, outlines, range: Some((0.0, 3.0)), ..PictureOptions::default() };
        picture::render(&frame, "pressure", &options).unwrap().image()
    };
    let bare = drawn(Outlines::None);
    let scale = ColourScale::linear(ColourMap::SEQUENTIAL, 0.0, 3.0);
    let [columns, rows] = extent_of(&bare, scale.colour(1.0)).unwrap();
    let lines = |levels: &[usize]| -> HashSet<(usize, usize)> {
        let image = drawn(Outlines::Levels(levels.to_vec()));
        let pixels = rows.clone().flat_map(|row| columns.clone().map(move |column| (column, row)));
        pixels.filter(|&(x, y)| image.pixel(x, y) != bare.pixel(x, y)).collect()
    };
    let [coarse, fine, both] = [&[0][..], &[1], &[1, 0]].map(lines);
    // The line between the two coarse patches may cross the fine patch.
    let alone = |one: &HashSet<_>, other: &HashSet<_>| one.difference(other).count();
    assert!(lines(&[]).is_empty(), "no level, no lines");
    assert!(alone(&coarse, &fine) > 400 && alone(&fine, &coarse) > 100, "{} and {}", coarse.len(), fine.len());
    assert_eq!(both, coarse.union(&fine).copied().collect());
}

/// A contour of a linear field is a straight line of pixels where the value lies, through both levels.
#[test]
fn contours_lie_where_their_values_are() {
    let frame = two_levels(|_, x| x[0]);
    let drawn = |contours| {
        let options = PictureOptions { size: 300, outlines: Outlines::None, contours, ..PictureOptions::default() };
        picture::render(&frame, "pressure", &options).unwrap().image()
    };
    let (bare, image) = (drawn(None), drawn(Some(Contours::At(vec![1.55]))));
    let pixels = (0..bare.height()).flat_map(|row| (0..bare.width()).map(move |column| (column, row)));
    let changed: Vec<_> = pixels.filter(|&(x, y)| image.pixel(x, y) != bare.pixel(x, y)).collect();
    // The plot's frame hides the first and the last of its 200 rows.
    assert!(changed.len() >= 198 && changed.iter().all(|p| p.0 == changed[0].0), "{} pixels", changed.len());
    let scale = ColourScale::suiting(0.05, 2.95);
    let [columns, _] = extent_of(&bare, scale.colour(0.05)).unwrap();
    assert_eq!(changed[0].0 - columns.start(), 154);
    assert!(drawn(Some(Contours::Number(5))) != bare);
}

/// Land has its colour, a line at its coast, and no part in the range of values.
#[test]
fn land_is_drawn_with_its_coast() {
    let frame = two_levels(|_, x| if x[0] < 1.5 { f64::INFINITY } else { x[0] });
    let options = PictureOptions { size: 300, outlines: Outlines::None, ..PictureOptions::default() };
    let options = PictureOptions { land: Some(String::new()), ..options };
    let image = picture::render(&frame, "pressure", &options).unwrap().image();
    // The smallest value is in the refined patch.
    let scale = ColourScale { has_land: true, ..ColourScale::suiting(1.5125, 2.95) };
    let [land, water] = [f64::INFINITY, 1.55].map(|value| extent_of(&image, scale.colour(value)).unwrap()[0].clone());
    // The last of 150 columns of land is the coast.
    assert_eq!((land.clone().count(), water.start() - land.start()), (149, 150));
}

/// Land whose heights a frame has is lit from the upper left: a ridge along y is bright on its left and dark on its right, by the same part.
#[test]
fn land_has_light_and_shade() {
    let mut frame = two_levels(|_, x| x[0]);
    let heights = two_levels(|_, x| 1.0 - (x[0] - 0.75).abs());
    frame.aux = vec!["bottom".into()];
    for (level, of_heights) in frame.levels.iter_mut().zip(heights.levels) {
        for (patch, heights) in level.patches.iter_mut().zip(of_heights.patches) {
            patch.aux = heights.q;
        }
    }
    let options = PictureOptions { size: 300, outlines: Outlines::None, ..PictureOptions::default() };
    let drawn = |land: &str| {
        let options = PictureOptions { land: Some(land.into()), ..options.clone() };
        let source: (&Frame<2>, &dyn PatchSource<2>) = (&frame, &frame);
        picture::draw_fields(&source, &["pressure".into()], &Vocabulary::default(), &options).unwrap().image()
    };
    let image = drawn("x < 1.5");
    let water = extent_of(&image, ColourScale::suiting(1.5125, 2.95).colour(2.05)).unwrap();
    let row = water[1].start() + 20;
    let red = |columns_before_water: usize| f64::from(image.pixel(water[0].start() - columns_before_water, row)[0]);
    let flat = f64::from(ColourScale { has_land: true, ..ColourScale::suiting(0.0, 1.0) }.colour(f64::INFINITY)[0]);
    // Water at 2.05 begins at x = 2: the ridge is 125 columns before it.
    let (bright, dark) = (red(160), red(90));
    assert!(bright > 1.1 * flat && (bright + dark - 2.0 * flat).abs() <= 1.0, "{bright}, {flat}, {dark}");
}

/// The values along an oblique line are those of the finest cells that it passes through.
#[test]
fn lines_take_the_finest_values() {
    let frame = two_levels(|level, _| level as f64);
    let line = line_from(&frame, &frame, [[0.0, 0.0], [3.0, 2.0]], 300).unwrap();
    let fine: Vec<usize> = (0..300).filter(|&n| line.levels[0].patches[0].q[n] == 1.0).collect();
    // The refined patch is [1, 1.6) × [0.5, 0.9): the line enters it at x = 1 and leaves it at y = 0.9.
    assert_eq!(fine, (100..135).collect::<Vec<_>>());
    assert!((line.upper[0] - 13.0_f64.sqrt()).abs() < 1e-14);
    let cut = Cut::Line { ends: [[0.0; 3], [3.0, 2.0, 0.0]], dimensions: 2 };
    let drawn = |cut| picture::draw(&frame, None, &PictureOptions { cuts: vec![cut], ..PictureOptions::default() });
    assert!(drawn(cut).is_ok());
    let outside = drawn(Cut::Line { ends: [[0.0; 3], [3.0, 2.1, 0.0]], dimensions: 2 }).unwrap_err().to_string();
    assert!(outside.contains("outside the domain, where y is from 0 to 2"), "{outside}");
}

/// Values of both signs get a diverging map, grey at zero; NaN gets a colour of its own.
#[test]
fn colours_follow_the_sign() {
    let frame = two_levels(|level, x| match level {
        0 => x[0] - 1.5,
        _ => f64::NAN,
    });
    let image = picture::render(&frame, "pressure", &PictureOptions::default()).unwrap().image();
    let [columns, _] = extent_of(&image, [255, 0, 255]).unwrap();
    // The refined patch spans 6 of 30 cells of 800 pixels; its outline takes the first of these and the one after them.
    assert_eq!(columns.count(), 160 - 1);
    let scale = ColourScale::suiting(-1.45, 1.45);
    assert_eq!(scale.map, ColourMap::DIVERGING);
    assert!(extent_of(&image, scale.colour(-1.45)).is_some() && extent_of(&image, scale.colour(1.45)).is_some());
}

/// Points of the paths of a figure of this thickness, as its SVG file has them.
fn paths(svg: &str, thickness: &str) -> Vec<Vec<[f64; 2]>> {
    let lines = svg.split("<polyline points=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let wanted = lines.filter(|(_, rest)| rest.contains(&format!("stroke-width=\"{thickness}\"")));
    let point = |pair: &str| -> [f64; 2] {
        let (x, y) = pair.split_once(',').unwrap();
        [x, y].map(|word| word.parse().unwrap())
    };
    wanted.map(|(points, _)| points.split(' ').map(point).collect()).collect()
}

/// SVG files have maps as pixels, and axes, titles, legend and curves as text and paths, whose characters are escaped.
#[test]
fn svg_files_have_text_and_paths() {
    let mut frame = two_levels(|_, x| x[0]);
    frame.equations = vec!["a<b & c".into()];
    let svg = picture::render(&frame, "a<b & c", &PictureOptions::default()).unwrap().svg().unwrap();
    assert_eq!(svg.matches("<image ").count(), 2, "the map and the colour bar");
    for text in [">a&lt;b &amp; c    t = 0.25</text>", ">level 2</text>", ">2.5</text>"] {
        assert!(svg.contains(text), "{text}: {}", svg.replace("base64", "\n"));
    }
    let exact = vec![("h".to_owned(), "h".to_owned())];
    let curve = picture::draw(&line_frame(), None, &PictureOptions { exact, ..PictureOptions::default() }).unwrap();
    let lines = paths(&curve.svg().unwrap(), "1.92");
    // 14 coarse cells and 28 fine ones; the exact solution, here the field itself, lies beneath.
    assert!(lines.len() == 2 && lines[0].len() == 42 && lines[0] == lines[1], "{lines:?}");
    let nested = picture::draw(&solid_frame(), None, &PictureOptions::default()).unwrap().svg().unwrap();
    assert_eq!(nested.matches("<image ").count(), 6, "three cuts in one file");
}

/// Arrows point along the vector, are as long as it, and the longest has a length of its own; each stands for the finest cell at its place.
#[test]
fn arrows_point_along_the_vector() {
    let frame = two_levels(|level, _| if level == 0 { 1.0 } else { 2.0 });
    let drawn = |vectors: &[&str]| {
        let vectors = vectors.iter().map(|name| (*name).to_owned()).collect();
        picture::draw(&frame, None, &PictureOptions { vectors, ..PictureOptions::default() })
    };
    let svg = drawn(&["pressure", "pressure"]).unwrap().svg().unwrap();
    assert!(svg.contains("arrows (pressure, pressure) to 2.82843"));
    let (shafts, text) = (paths(&svg, "1.44"), 16.0);
    let longest = 2.2 * text;
    let lengths: Vec<f64> = shafts
        .iter()
        .filter(|points| points.len() == 2)
        .map(|ends| {
            let [along, down] = [0, 1].map(|d| ends[1][d] - ends[0][d]);
            // Coordinates have two decimals.
            assert!((along + down).abs() < 0.03 && along > 0.0, "{ends:?}");
            along.hypot(down)
        })
        .collect();
    let of = |length: f64| lengths.iter().filter(|found| (**found - length).abs() < 0.03).count();
    // A part of 0.04 of the domain is refined.
    assert_eq!(of(longest) + of(0.5 * longest), lengths.len());
    assert!((5..30).contains(&of(longest)) && lengths.len() > 300, "{} of {}", of(longest), lengths.len());
    let message = drawn(&["pressure"]).unwrap_err().to_string();
    assert!(message.contains("a vector in 2D has 2 components, not 1"), "{message}");
}

/// The legend has the levels whose outlines are seen: of a part beside the refined patch, only the coarse one.
#[test]
fn legends_have_levels_that_are_seen() {
    let frame = two_levels(|_, x| x[0]);
    let svg = |zoom: &[(f64, f64)]| {
        let options = PictureOptions { zoom: zoom.to_vec(), ..PictureOptions::default() };
        picture::draw(&frame, None, &options).unwrap().svg().unwrap()
    };
    assert!(svg(&[]).contains(">level 2</text>"));
    let beside = svg(&[(1.2, 3.0), (1.0, 2.0)]);
    assert!(beside.contains(">level 1</text>") && !beside.contains(">level 2</text>"));
}

/// Frames of all dimensions, read from a folder, are drawn into PNG files that hold the picture.
#[test]
fn pictures_of_all_dimensions_are_png_files() {
    let dir = tempfile::tempdir().unwrap();
    let wave = |_: usize, x: [f64; 2]| {
        let r = (x[0] - 1.4).hypot(x[1] - 0.8);
        (-20.0 * (r - 0.5).powi(2)).exp() * (9.0 * r).cos()
    };
    let flat = two_levels(wave);
    FrameFormat::VtkHdf.write(&flat, dir.path()).unwrap();
    let image = picture::draw_from_folder(&Source { dir: dir.path(), fields: &[] }, None, &PictureOptions::default())
        .unwrap()
        .image();
    keep("map.png", &image);
    let path = dir.path().join("picture.png");
    image.write_png(&path).unwrap();
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width as usize, info.height as usize), (image.width(), image.height()));
    assert_eq!(pixels[..3], image.pixel(0, 0));
    assert_eq!(pixels[pixels.len() - 3..], image.pixel(image.width() - 1, image.height() - 1));

    keep("curve.png", &picture::draw(&line_frame(), Some("h"), &PictureOptions::default()).unwrap().image());
    keep(
        "cut.png",
        &picture::draw(&solid_frame(), None, &PictureOptions { size: 400, ..PictureOptions::default() })
            .unwrap()
            .image(),
    );
}

/// Two levels on [0, 1]: 21 cells, the middle third refined by 4.
fn line_frame() -> Frame<1> {
    let ratio = Ratio::uniform(4);
    let dx = 1.0 / 21.0;
    let patch = |lo: i32, hi: i32, dx: f64| {
        let cells = CellBox::new([lo], [hi]);
        let q = cells.cells().map(|c| 1.0 + (-200.0 * ((f64::from(c[0]) + 0.5) * dx - 0.5).powi(2)).exp()).collect();
        FramePatch { cells, q, aux: vec![] }
    };
    Frame {
        number: 3,
        time: 1.0 / 3.0,
        steps: vec![],
        equations: vec!["h".into()],
        aux: vec![],
        lower: [0.0],
        upper: [1.0],
        cells: [21],
        ratios: vec![ratio],
        mapping: vec![],
        mesh: None,
        levels: vec![
            FrameLevel { dx: [dx], patches: vec![patch(0, 21, dx)] },
            FrameLevel { dx: [dx / 4.0], patches: vec![patch(28, 40, dx / 4.0), patch(40, 56, dx / 4.0)] },
        ],
    }
}

/// One level on a box ten times as long as wide.
fn solid_frame() -> Frame<3> {
    let cells = CellBox::new([0; 3], [100, 10, 5]);
    let q = cells.cells().map(|c| f64::from(c[0] * (c[1] + 1)) * 1e5).collect();
    Frame {
        number: 3,
        time: 1e-7,
        steps: vec![],
        equations: vec!["density ρ".into()],
        aux: vec![],
        lower: [-5.0, 0.0, 0.0],
        upper: [5.0, 1.0, 1.0],
        cells: [100, 10, 5],
        ratios: vec![],
        mapping: vec![],
        mesh: None,
        levels: vec![FrameLevel { dx: [0.1, 0.1, 0.2], patches: vec![FramePatch { cells, q, aux: vec![] }] }],
    }
}

/// Errors for what cannot be drawn list what can.
#[test]
fn errors_name_what_there_is() {
    let frame = two_levels(|_, _| f64::NAN);
    let options = PictureOptions::default();
    let message = picture::render(&frame, "preßure", &options).unwrap_err().to_string();
    assert!(message.contains("\"preßure\"") && message.contains("the fields are pressure"), "{message}");
    assert!(matches!(picture::render(&frame, "pressure", &options), Err(PictureError::Empty(0))));
    let dir = tempfile::tempdir().unwrap();
    let message =
        picture::draw_from_folder(&Source { dir: dir.path(), fields: &[] }, Some(7), &options).unwrap_err().to_string();
    assert!(message.contains("frame_0007.vtkhdf"), "{message}");
}
