//! `amrclaw plot`.

use crate::Failure;
use crate::converge::named_formulas;
use amrclaw::frames::slice::Projection;
use amrclaw::picture::{
    ColourMap, Contours, Cut, FilmFormat, FrameChoice, Outlines, PictureError, PictureOptions, Source,
    check_picture_file, draw_film, draw_gauge, write_film,
};
use amrclaw::text::digest;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Args)]
pub struct PlotArguments {
    /// The folder of a run with frames in the format `vtkhdf`.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Number of the frame [default: the last]
    #[arg(long, value_name = "N", conflicts_with = "frames")]
    pub frame: Option<usize>,
    /// Several frames: `all`, or numbers and ranges such as `0,5,10-20`.
    #[arg(long, value_name = "LIST")]
    pub frames: Option<FrameList>,
    /// Equation, auxiliary value, quantity of the solver or formula, such as `sqrt(u^2 + v^2)` or `grad(density)`; may be
    /// given several times [default: the first equation]
    #[arg(long, value_name = "NAME|FORMULA")]
    pub field: Vec<String>,
    /// The picture's file: .png or .svg [default: plot_FRAME_NAME.png in DIR]
    #[arg(long, value_name = "FILE.png|svg", conflicts_with = "film")]
    pub output: Option<PathBuf>,
    /// Put the frames together as a film: a .mp4, .gif or .html file.
    #[arg(long, value_name = "FILE")]
    pub film: Option<PathBuf>,
    /// Pictures a second of a film [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub fps: Option<u32>,
    /// Values of the first and the last colour, such as `0,1.5` [default: those of the data]
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    pub range: Option<Numbers>,
    /// The part to show: from and to along each axis, such as `0,0.5,-1,1`.
    #[arg(long, value_name = "X0,X1,Y0,Y1", allow_hyphen_values = true)]
    pub zoom: Option<Numbers>,
    /// Colours: viridis, cool-warm, magma, inferno, plasma, cividis, turbo, greys, RdBu, PuOr or sinebow, with `_r` from their end to their
    /// beginning [default: viridis, or cool-warm for values of both signs]
    #[arg(long, value_name = "NAME[_r]")]
    pub colours: Option<ColourMap>,
    /// Logarithmic colours.
    #[arg(long)]
    pub log: bool,
    /// A cut such as `z=0.25`, of 3D frames or, as a curve, of 2D ones; may be given several times.
    #[arg(long, value_name = "AXIS=PLACE")]
    pub slice: Vec<Slice>,
    /// Projection of a 3D frame along an axis: `max:z`, `min:x`, `mean:y`, `integral:z`; may be given several times.
    #[arg(long, value_name = "WHAT:AXIS")]
    pub projection: Vec<Projected>,
    /// The values along a line, as a curve over the distance from its beginning: its two ends; may be given several times.
    #[arg(long, value_name = "X0,Y0,X1,Y1", allow_hyphen_values = true)]
    pub line: Vec<Ends>,
    /// The record of a gauge over time, in place of a frame.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["frame", "frames", "film", "slice", "projection", "line", "contours"])]
    pub gauge: Option<String>,
    /// Lines of equal values in maps: how many, or their values.
    #[arg(long, value_name = "N|V1,V2", allow_hyphen_values = true)]
    pub contours: Option<ContourValues>,
    /// A vector field as arrows in maps: its components, fields or formulas, one for each axis of the frame.
    #[arg(long, value_name = "U,V", allow_hyphen_values = true)]
    pub vectors: Option<String>,
    /// The exact solution beside a curve: FIELD=FORMULA in position and t, several separated by semicolons.
    #[arg(long, value_name = "FIELD=FORMULA", conflicts_with = "gauge")]
    pub exact: Vec<String>,
    /// Pixels along the longer side of the plot.
    #[arg(long, value_name = "PIXELS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(50..=8000))]
    pub size: u32,
    /// Leave the outlines of patches out.
    #[arg(long, conflicts_with = "outline_level")]
    pub no_outlines: bool,
    /// Draw the outlines of this level's patches alone; levels count from 1. May be given several times.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub outline_level: Vec<u8>,
}

/// Pictures a second of a film, unless given.
const FPS: u32 = 10;

pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let PlotArguments { dir, frame, frames, field, output, film, .. } = arguments;
    let choice = match (frame, frames) {
        (Some(number), _) => FrameChoice::Numbers(vec![*number]),
        (None, Some(FrameList(choice))) => choice.clone(),
        (None, None) if film.is_some() => FrameChoice::All,
        (None, None) => FrameChoice::Last,
    };
    let several = !matches!(choice, FrameChoice::Last) && frame.is_none();
    if several && output.is_some() {
        let help = "several frames give several pictures: leave --output out, or write --film FILE";
        return Err(Failure::Input(help.to_owned()));
    }
    let film = film.as_ref().map(|path| Ok((path, FilmFormat::of(path)?))).transpose().map_err(failure)?;
    let options = options(arguments)?;
    let source = Source { dir, fields: field };
    if let Some(name) = &arguments.gauge {
        let file = output.clone().unwrap_or_else(|| dir.join(file_name(&format!("gauge_{name}"), field)));
        check_picture_file(&file).map_err(failure)?;
        let figure = draw_gauge(&source, name, &options).map_err(failure)?;
        figure.write(&file).map_err(|error| failure(error.into()))?;
        say!("{}", file.display());
        return Ok(());
    }
    let file = |number: usize| {
        let shown = if several || frame.is_some() { format!("{number:04}") } else { "last".to_owned() };
        output.clone().unwrap_or_else(|| dir.join(file_name(&shown, field)))
    };
    if film.is_none() {
        let frames = source.frames(&choice).map_err(failure)?;
        frames.iter().try_for_each(|(number, _)| check_picture_file(&file(*number))).map_err(failure)?;
        if arguments.fps.is_some() {
            note!("remark: --fps has no effect without --film");
        }
    }
    let mut pictures = Vec::new();
    draw_film(&source, &choice, &options, &mut |number, figure| {
        if film.is_some() {
            pictures.push(figure.image());
            return Ok(());
        }
        let file = file(number);
        figure.write(&file)?;
        say!("{}", file.display());
        Ok(())
    })
    .map_err(failure)?;
    if let Some((path, format)) = film {
        write_film(path, format, &pictures, arguments.fps.unwrap_or(FPS)).map_err(failure)?;
        say!("{}", path.display());
    }
    Ok(())
}

fn options(arguments: &PlotArguments) -> Result<PictureOptions, Failure> {
    let wrong = |option: &str, count: &str| Failure::Input(format!("{option} needs {count}, separated by commas"));
    let range = match arguments.range.as_ref().map(|numbers| &numbers.0[..]) {
        None => None,
        Some(&[low, high]) => Some((low, high)),
        Some(_) => return Err(wrong("--range", "two numbers")),
    };
    let zoom = match arguments.zoom.as_ref().map(|numbers| &numbers.0[..]) {
        None => Vec::new(),
        Some(pairs @ ([_, _] | [_, _, _, _])) => pairs.chunks(2).map(|pair| (pair[0], pair[1])).collect(),
        Some(_) => return Err(wrong("--zoom", "two numbers for each axis of the picture")),
    };
    if let Some((low, high)) = zoom.iter().find(|(low, high)| low >= high) {
        return Err(Failure::Input(format!(
            "--zoom: from {low} to {high} is no extent; write the smaller number first"
        )));
    }
    let outlines = match (arguments.no_outlines, &arguments.outline_level[..]) {
        (true, _) => Outlines::None,
        (false, []) => Outlines::All,
        (false, levels) => Outlines::Levels(levels.iter().map(|&level| usize::from(level) - 1).collect()),
    };
    let slices = arguments.slice.iter().map(|slice| slice.0).chain(arguments.line.iter().map(|line| line.0));
    Ok(PictureOptions {
        size: arguments.size as usize,
        outlines,
        range,
        zoom,
        colours: arguments.colours,
        log: arguments.log,
        contours: arguments.contours.as_ref().map(|values| values.0.clone()),
        vectors: arguments.vectors.as_deref().map_or_else(Vec::new, components),
        exact: named_formulas("--exact", &arguments.exact)?,
        cuts: slices.chain(arguments.projection.iter().map(|projected| projected.0)).collect(),
        ..PictureOptions::default()
    })
}

/// The parts of a text between commas that stand in no brackets.
fn components(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Numbers separated by commas.
#[derive(Clone, Debug)]
pub struct Numbers(Vec<f64>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| {
            let value = word.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| format!("`{}` is no number; write numbers separated by commas", word.trim()))
        };
        text.split(',').map(number).collect::<Result<_, _>>().map(Numbers)
    }
}

/// `all`, or numbers and ranges of frames.
#[derive(Clone, Debug)]
pub struct FrameList(FrameChoice);

/// Most frames of one list.
const MAX_FRAMES: usize = 100_000;

impl FromStr for FrameList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(FrameList(FrameChoice::All));
        }
        let wrong = |word: &str| format!("`{word}` is not a frame number; write `all`, or for example `0,5,10-20`");
        let mut numbers = Vec::new();
        for word in text.split(',').map(str::trim) {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let [first, last] = [first, last].map(|n| n.trim().parse::<usize>().map_err(|_| wrong(word)));
            let (first, last) = (first?, last?);
            if last < first || last - first >= MAX_FRAMES {
                return Err(wrong(word));
            }
            numbers.extend(first..=last);
        }
        Ok(FrameList(FrameChoice::Numbers(numbers)))
    }
}

/// The number of an axis.
fn axis(word: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|name| *name == word.trim())
}

/// `z=0.25`.
#[derive(Clone, Debug)]
pub struct Slice(Cut);

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (name, place) = text.split_once('=')?;
            let position = place.trim().parse::<f64>().ok().filter(|place| place.is_finite())?;
            Some(Slice(Cut::At { axis: axis(name)?, position }))
        };
        parse().ok_or_else(|| "write an axis and a place, such as `z=0.25`".to_owned())
    }
}

/// `0,0.5,1,0.5`.
#[derive(Clone, Debug)]
pub struct Ends(Cut);

impl FromStr for Ends {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Numbers(numbers) = text.parse()?;
        let dimensions = numbers.len() / 2;
        if ![4, 6].contains(&numbers.len()) {
            return Err("write the coordinates of both ends, such as `0,0.5,1,0.5`; in 3D six numbers".to_owned());
        }
        let end = |values: &[f64]| std::array::from_fn(|d| values.get(d).copied().unwrap_or(0.0));
        Ok(Ends(Cut::Line { ends: [end(&numbers[..dimensions]), end(&numbers[dimensions..])], dimensions }))
    }
}

/// `12`, or `0.1,0.5`.
#[derive(Clone, Debug)]
pub struct ContourValues(Contours);

/// Most contours of a picture: more hide it.
const MOST_CONTOURS: usize = 200;

impl FromStr for ContourValues {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let contours = match text.trim().parse::<usize>() {
            Ok(count) => Contours::Number(count),
            Err(_) => Contours::At(text.parse::<Numbers>()?.0),
        };
        let count = match &contours {
            Contours::Number(count) => *count,
            Contours::At(values) => values.len(),
        };
        let fits = (1..=MOST_CONTOURS).contains(&count);
        fits.then_some(ContourValues(contours))
            .ok_or_else(|| format!("from 1 to {MOST_CONTOURS} contours can be drawn"))
    }
}

/// `max:z`.
#[derive(Clone, Debug)]
pub struct Projected(Cut);

impl FromStr for Projected {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (what, name) = text.split_once(':')?;
            let projection = match what.trim() {
                "max" => Projection::Max,
                "min" => Projection::Min,
                "mean" => Projection::Mean,
                "integral" => Projection::Integral,
                _ => return None,
            };
            Some(Projected(Cut::Along { axis: axis(name)?, projection }))
        };
        parse().ok_or_else(|| "write max, min, mean or integral and an axis, such as `max:z`".to_owned())
    }
}

/// What the user asked for is not there, or the picture cannot be written.
fn failure(error: PictureError) -> Failure {
    match error {
        PictureError::Output(_) => Failure::Work(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}

/// Most characters of a picture's name that come from its fields.
const LONGEST_NAME: usize = 60;

/// Name of the picture in the frames' folder, from what it is of and the fields.
fn file_name(of: &str, fields: &[String]) -> PathBuf {
    // A field's name may hold what a file's may not, and formulas are long: what is not shown is distinguished by a hash.
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let exact: String = fields.iter().flat_map(|name| ["_", name]).collect();
    let shown: String = exact.chars().map(plain).take(LONGEST_NAME).collect();
    let hash = if shown == exact { String::new() } else { format!("_{:08x}", digest(&exact)) };
    format!("plot_{of}{shown}{hash}.png").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names cannot lead out of the folder, nor be too long for one; formulas that differ have different names.
    #[test]
    fn pictures_are_named_after_what_they_show() {
        assert_eq!(file_name("0003", &["pressure".into()]), PathBuf::from("plot_0003_pressure.png"));
        let name = |field: &str| file_name("last", &[field.to_owned(), "v".to_owned()]).display().to_string();
        assert!(name("../u").starts_with("plot_last_.._u_v_") && name("../u").ends_with(".png"), "{}", name("../u"));
        assert_ne!(name("u/2"), name("u*2"));
        assert_eq!(name("u_2"), "plot_last_u_2_v.png");
        let long = [1000, 1001].map(|length| name(&"x".repeat(length)));
        assert!(long[0] != long[1] && long[0].len() < 100, "{long:?}");
    }

    /// Lists of frames, cuts and projections as they are written on the command line.
    #[test]
    fn lists_and_cuts_are_read() {
        let frames = |text: &str| text.parse::<FrameList>().map(|list| list.0);
        assert_eq!(frames("all"), Ok(FrameChoice::All));
        assert_eq!(frames("0, 4-6"), Ok(FrameChoice::Numbers(vec![0, 4, 5, 6])));
        assert!(["", "3-1", "a", "0-999999999999"].iter().all(|text| frames(text).is_err()));
        assert_eq!("y=-1.5".parse::<Slice>().unwrap().0, Cut::At { axis: 1, position: -1.5 });
        assert!(["z", "q=1", "z=nan", "=1"].iter().all(|text| text.parse::<Slice>().is_err()));
        let projected = "max:z".parse::<Projected>().unwrap().0;
        assert_eq!(projected, Cut::Along { axis: 2, projection: Projection::Max });
        assert!("most:z".parse::<Projected>().is_err() && "max:w".parse::<Projected>().is_err());
        let line = Cut::Line { ends: [[0.0, -1.0, 0.0], [1.0, 0.5, 0.0]], dimensions: 2 };
        assert_eq!("0,-1,1,0.5".parse::<Ends>().unwrap().0, line);
        assert!("0,1,2".parse::<Ends>().is_err());
        let contours = |text: &str| text.parse::<ContourValues>().map(|values| values.0);
        assert_eq!(contours("12"), Ok(Contours::Number(12)));
        assert_eq!(contours("-1,0.5"), Ok(Contours::At(vec![-1.0, 0.5])));
        assert_eq!(components("u/max(u, v), v"), ["u/max(u, v)", "v"]);
        assert!(["0", "201", "a", ""].iter().all(|text| contours(text).is_err()));
    }
}
