//! `amrclaw plot`.

mod values;

use crate::cli::Failure;
use crate::cli::exact::named_formulas;
use crate::frames::{Plot, RunRecord, run_json};
use crate::picture::{
    ColourMap, Cut, FilmFormat, FrameChoice, Outlines, PictureError, PictureOptions, Source, check_picture_file,
    draw_film, draw_gauge, write_film,
};
use crate::text::digest;
use clap::Args;
use std::path::PathBuf;
use values::{ContourValues, Ends, FrameList, Numbers, Projected, Slice, components};

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
    /// A picture that the run's case asks for by `[[plot]]`, changed by what other options say [default: all, without options of
    /// what is drawn]
    #[arg(long, value_name = "NAME", conflicts_with = "gauge")]
    pub plot: Option<String>,
    /// Equation, auxiliary value, quantity of the solver, name of `[define]` or formula, such as `sqrt(u^2 + v^2)` or
    /// `grad(density)`; may be given several times [default: the first equation]
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
    /// Colours: viridis, cool-warm, magma, inferno, plasma, cividis, turbo, greys, RdBu, PuOr or sinebow, with `_r` from their
    /// end to their beginning [default: viridis, or cool-warm for values of both signs]
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
    /// A condition where maps show land in place of values, such as `depth < 0.01`.
    #[arg(long, value_name = "CONDITION")]
    pub land: Option<String>,
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
    let PlotArguments { output, film, .. } = arguments;
    if let Some(name) = &arguments.gauge {
        let options = options(arguments, PictureOptions::default())?;
        return plot_gauge(arguments, name, &options);
    }
    if arguments.fps.is_some() && film.is_none() {
        note!("remark: --fps has no effect without --film");
    }
    let plots = plots(arguments)?;
    if let [_, _, ..] = plots[..]
        && (output.is_some() || film.is_some())
    {
        let names: Vec<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
        return Err(Failure::Input(format!("several pictures: choose one by --plot, of {}", names.join(", "))));
    }
    if plots.is_empty() {
        let options = options(arguments, PictureOptions::default())?;
        return plot_one(arguments, (&arguments.field, &arguments.field), &options);
    }
    for plot in &plots {
        let fields = if arguments.field.is_empty() { &plot.fields } else { &arguments.field };
        let changed = [std::slice::from_ref(&plot.name), &arguments.field].concat();
        let drawn = plot_one(arguments, (fields, &changed), &options(arguments, plot.into())?);
        drawn.map_err(|failure| match failure {
            Failure::Input(message) => Failure::Input(format!("[[plot]] {}: {message}", plot.name)),
            other => other,
        })?;
    }
    Ok(())
}

/// The pictures of the run's case that are asked for; none where options say what is drawn.
fn plots(arguments: &PlotArguments) -> Result<Vec<Plot>, Failure> {
    let PlotArguments { dir, field, slice, projection, line, contours, land, vectors, exact, .. } = arguments;
    let says_what = !(field.is_empty() && slice.is_empty() && projection.is_empty() && line.is_empty())
        || contours.is_some()
        || land.is_some()
        || vectors.is_some()
        || !exact.is_empty();
    let Some(name) = &arguments.plot else {
        // A folder without a record is no mistake here.
        let known = || RunRecord::read(&dir.join(run_json::FILE_NAME)).map(|record| record.plots).unwrap_or_default();
        return Ok(if says_what { Vec::new() } else { known() });
    };
    let record = RunRecord::read(&dir.join(run_json::FILE_NAME)).map_err(|error| Failure::Input(error.to_string()))?;
    let names: Vec<String> = record.plots.iter().map(|plot| plot.name.clone()).collect();
    let found: Vec<Plot> = record.plots.into_iter().filter(|plot| plot.name == *name).collect();
    let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let missing = format!("the run's case has no [[plot]] named {name}: there are {there}");
    if found.is_empty() { Err(Failure::Input(missing)) } else { Ok(found) }
}

/// Draws a gauge's record.
fn plot_gauge(arguments: &PlotArguments, name: &str, options: &PictureOptions) -> Result<(), Failure> {
    let PlotArguments { dir, field, output, .. } = arguments;
    let file = output.clone().unwrap_or_else(|| dir.join(file_name(&format!("gauge_{name}"), field)));
    check_picture_file(&file).map_err(failure)?;
    let figure = draw_gauge(&Source { dir, fields: field }, name, options).map_err(failure)?;
    figure.write(&file).map_err(|error| failure(error.into()))?;
    say!("{}", file.display());
    Ok(())
}

/// Draws one picture of each frame; `names`: after what its files are named.
fn plot_one(
    arguments: &PlotArguments,
    (fields, names): (&[String], &[String]),
    options: &PictureOptions,
) -> Result<(), Failure> {
    let PlotArguments { dir, frame, frames, output, film, .. } = arguments;
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
    let source = Source { dir, fields };
    let file = |number: usize| {
        let shown = if several || frame.is_some() { format!("{number:04}") } else { "last".to_owned() };
        output.clone().unwrap_or_else(|| dir.join(file_name(&shown, names)))
    };
    if film.is_none() {
        let frames = source.frames(&choice).map_err(failure)?;
        frames.iter().try_for_each(|(number, _)| check_picture_file(&file(*number))).map_err(failure)?;
    }
    let mut pictures = Vec::new();
    draw_film(&source, &choice, options, &mut |number, figure| {
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

/// `base` with what the arguments say.
fn options(arguments: &PlotArguments, base: PictureOptions) -> Result<PictureOptions, Failure> {
    let wrong = |option: &str, count: &str| Failure::Input(format!("{option} needs {count}, separated by commas"));
    let range = match arguments.range.as_ref().map(|numbers| &numbers.0[..]) {
        None => base.range,
        Some(&[low, high]) => Some((low, high)),
        Some(_) => return Err(wrong("--range", "two numbers")),
    };
    let zoom = match arguments.zoom.as_ref().map(|numbers| &numbers.0[..]) {
        None => base.zoom,
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
        (false, []) => base.outlines,
        (false, levels) => Outlines::Levels(levels.iter().map(|&level| usize::from(level) - 1).collect()),
    };
    let slices = arguments.slice.iter().map(|slice| slice.0).chain(arguments.line.iter().map(|line| line.0));
    let cuts: Vec<Cut> = slices.chain(arguments.projection.iter().map(|projected| projected.0)).collect();
    Ok(PictureOptions {
        size: arguments.size as usize,
        outlines,
        range,
        zoom,
        colours: arguments.colours.or(base.colours),
        log: arguments.log || base.log,
        contours: arguments.contours.as_ref().map(|values| values.0.clone()).or(base.contours),
        land: arguments.land.clone().or(base.land),
        vectors: arguments.vectors.as_deref().map_or(base.vectors, components),
        exact: named_formulas("--exact", &arguments.exact)?,
        cuts: if cuts.is_empty() { base.cuts } else { cuts },
        ..PictureOptions::default()
    })
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
}
