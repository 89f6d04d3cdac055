//! `amrclaw plot`.

use crate::Failure;
use crate::arguments::PlotArguments;
use amrclaw::io::picture::{PictureError, PictureOptions, draw_from_folder};
use std::path::PathBuf;

pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let PlotArguments { dir, frame, field, output, size, no_outlines } = arguments;
    let options = PictureOptions { size: *size as usize, outlines: !no_outlines, ..PictureOptions::default() };
    let image = draw_from_folder(dir, *frame, field.as_deref(), &options).map_err(failure)?;
    let file = output.clone().unwrap_or_else(|| dir.join(file_name(*frame, field.as_deref())));
    image.write_png(&file).map_err(|e| Failure::Work(e.to_string()))?;
    say!("{}", file.display());
    Ok(())
}

/// What the user asked for is not there, or the picture cannot be written.
fn failure(error: PictureError) -> Failure {
    match error {
        PictureError::Output(_) => Failure::Work(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}

/// Name of the picture in the frames' folder: what was asked for.
fn file_name(frame: Option<usize>, field: Option<&str>) -> PathBuf {
    let frame = frame.map_or_else(|| "last".to_owned(), |number| format!("{number:04}"));
    // A field's name may hold what a file's may not.
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let field = field.map_or_else(String::new, |name| format!("_{}", name.chars().map(plain).collect::<String>()));
    format!("plot_{frame}{field}.png").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names cannot lead out of the folder.
    #[test]
    fn pictures_are_named_after_what_they_show() {
        assert_eq!(file_name(Some(3), Some("pressure")), PathBuf::from("plot_0003_pressure.png"));
        assert_eq!(file_name(None, Some("../u")), PathBuf::from("plot_last_.._u.png"));
    }
}
