//! A picture as a list of marks, which two back ends draw: as pixels (PNG) and as paths and text (SVG).

use super::canvas::{Align, Area, Colour, Image, PAPER, base64};
use super::font;
use super::origin::SVG_HEAD;
use crate::frames::atomic::{Durability, write_file};
use crate::frames::error::OutputError;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

/// A picture: later marks lie over earlier ones. Lengths are pixels from the upper left corner.
#[derive(Clone, Debug)]
pub struct Figure {
    width: usize,
    height: usize,
    marks: Vec<Mark>,
}

#[derive(Clone, Debug)]
enum Mark {
    Raster(Image, [usize; 2]),
    Part(Figure, [usize; 2]),
    Rectangle(Area, Colour),
    Border(Area, Colour),
    Path { points: Vec<[f64; 2]>, thickness: f64, colour: Colour, clip: Area },
    Text { text: String, position: [f64; 2], align: Align, size: f64, colour: Colour },
}

impl Figure {
    /// An empty sheet.
    pub fn new(width: usize, height: usize) -> Self {
        Figure { width, height, marks: Vec::new() }
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Puts pixels with their upper left corner at a place.
    pub fn raster(&mut self, image: Image, corner: [usize; 2]) {
        self.marks.push(Mark::Raster(image, corner));
    }

    /// Puts a whole figure with its upper left corner at a place.
    pub fn part(&mut self, figure: Figure, corner: [usize; 2]) {
        self.marks.push(Mark::Part(figure, corner));
    }

    /// A filled rectangle.
    pub fn fill(&mut self, area: Area, colour: Colour) {
        self.marks.push(Mark::Rectangle(area, colour));
    }

    /// The outermost pixels of a rectangle.
    pub fn outline(&mut self, area: Area, colour: Colour) {
        self.marks.push(Mark::Border(area, colour));
    }

    /// A line through points, a round dot if they are one point, as far as it lies in `clip`.
    pub fn path(&mut self, points: Vec<[f64; 2]>, thickness: f64, colour: Colour, clip: Area) {
        self.marks.push(Mark::Path { points, thickness, colour, clip });
    }

    /// Text of `size` pixels; `position` is where the middle of its line height lies, placed along x by `align`.
    pub fn text(&mut self, text: &str, position: [f64; 2], align: Align, size: f64, colour: Colour) {
        self.marks.push(Mark::Text { text: text.to_owned(), position, align, size, colour });
    }

    /// The picture as pixels.
    pub fn image(&self) -> Image {
        let mut image = Image::new(self.width, self.height, PAPER);
        for mark in &self.marks {
            match mark {
                Mark::Raster(raster, [left, top]) => image.paste(raster, *left, *top),
                Mark::Part(figure, [left, top]) => image.paste(&figure.image(), *left, *top),
                Mark::Rectangle(area, colour) => image.fill(*area, *colour),
                Mark::Border(area, colour) => image.outline(*area, *colour),
                Mark::Path { points, thickness, colour, clip } => {
                    let ends = points.windows(2).map(|pair| [pair[0], pair[1]]);
                    let dot = points.first().filter(|_| points.len() == 1).map(|point| [*point; 2]);
                    ends.chain(dot).for_each(|[from, to]| image.line(from, to, *thickness, *colour, *clip));
                }
                Mark::Text { text, position, align, size, colour } => {
                    image.text(text, *position, *align, *size, *colour);
                }
            }
        }
        image
    }

    /// The picture as an SVG file: maps are embedded pixels, all else paths and text.
    ///
    /// # Errors
    /// A map is too large for PNG.
    pub fn svg(&self) -> io::Result<String> {
        let Figure { width, height, .. } = self;
        let mut svg = format!("{SVG_HEAD} width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n");
        let background = hex(PAPER);
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>");
        self.write_marks(&mut svg)?;
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    fn write_marks(&self, svg: &mut String) -> io::Result<()> {
        for mark in &self.marks {
            let _ = match mark {
                Mark::Raster(image, [x, y]) => {
                    let (width, height, data) = (image.width(), image.height(), base64(&image.png()?));
                    writeln!(
                        svg,
                        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
                         style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{data}\"/>"
                    )
                }
                Mark::Part(figure, [x, y]) => {
                    let Figure { width, height, .. } = figure;
                    let _ = writeln!(svg, "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">");
                    figure.write_marks(svg)?;
                    writeln!(svg, "</svg>")
                }
                Mark::Rectangle(Area { left, top, width, height }, colour) => {
                    let colour = hex(*colour);
                    writeln!(
                        svg,
                        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>"
                    )
                }
                Mark::Border(area, colour) => {
                    let (x, y, colour) = (area.left as f64 + 0.5, area.top as f64 + 0.5, hex(*colour));
                    let (width, height) = (area.width.saturating_sub(1), area.height.saturating_sub(1));
                    writeln!(
                        svg,
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
                         stroke=\"{colour}\"/>"
                    )
                }
                Mark::Path { points, thickness, colour, clip: Area { left, top, width, height } } => {
                    let mut places: String = points.iter().map(|[x, y]| format!("{x:.2},{y:.2} ")).collect();
                    if points.len() == 1 {
                        places = places.repeat(2);
                    }
                    let (places, colour) = (places.trim_end(), hex(*colour));
                    // An inner picture hides what lies outside of it.
                    writeln!(
                        svg,
                        "<svg x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
                         viewBox=\"{left} {top} {width} {height}\"><polyline points=\"{places}\" fill=\"none\" \
                         stroke=\"{colour}\" stroke-width=\"{thickness:.2}\" stroke-linecap=\"round\" \
                         stroke-linejoin=\"round\"/></svg>"
                    )
                }
                Mark::Text { text, position: [x, y], align, size, colour } => {
                    let anchor = match align {
                        Align::Left => "start",
                        Align::Centre => "middle",
                        Align::Right => "end",
                    };
                    let (y, width, colour) = (y + font::MIDDLE * size, font::width(text, *size), hex(*colour));
                    let text = text.replace('&', "&amp;").replace('<', "&lt;");
                    // With another font than ours the text is as long.
                    writeln!(
                        svg,
                        "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-family=\"DejaVu Sans,Verdana,sans-serif\" \
                         font-size=\"{size:.2}\" textLength=\"{width:.2}\" xml:space=\"preserve\" fill=\"{colour}\">{text}</text>"
                    )
                }
            };
        }
        Ok(())
    }

    /// Writes the picture, as SVG if the file's name ends so, else as PNG.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
            return write_file(path, Durability::Program, |out| out.write_all(self.svg()?.as_bytes()));
        }
        self.image().write_png(path)
    }
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
