//! Which files a picture may replace: earlier pictures of this program.

use super::PictureError;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// The text in every picture, by its keyword in the PNG standard, that says which program wrote it.
pub(super) const SOFTWARE: (&str, &str) = ("Software", "amrclaw");

/// How an SVG picture begins, which says the same.
pub(super) const SVG_HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" data-software=\"amrclaw\"";

/// True if the file is a picture that this program wrote.
pub fn is_own_picture(path: &Path) -> bool {
    let is_ours = |mut file: File| {
        let mut head = [0; SVG_HEAD.len()];
        if file.read_exact(&mut head).is_ok() && head == *SVG_HEAD.as_bytes() {
            return Some(true);
        }
        file.rewind().ok()?;
        let reader = png::Decoder::new(BufReader::new(file)).read_info().ok()?;
        let mut texts = reader.info().uncompressed_latin1_text.iter();
        Some(texts.any(|text| (text.keyword.as_str(), text.text.as_str()) == SOFTWARE))
    };
    // Opening a pipe would block.
    path.is_file() && File::open(path).ok().and_then(is_ours) == Some(true)
}

/// Checks that a picture may be written as this file.
///
/// # Errors
/// The name has another ending, or such a file exists and is no picture that this program wrote.
pub fn check_picture_file(path: &Path) -> Result<(), PictureError> {
    if !path.extension().is_some_and(|ending| ["png", "svg"].iter().any(|known| ending.eq_ignore_ascii_case(known))) {
        return Err(PictureError::Ending(path.to_owned()));
    }
    // A link counts as a file even if its target is missing.
    if path.symlink_metadata().is_ok() && !is_own_picture(path) {
        return Err(PictureError::Foreign(path.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Figure;
    use super::*;

    /// Pictures may replace pictures of this program, in whatever file they are, and nothing else.
    #[test]
    fn only_own_pictures_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        check_picture_file(&path("new.png")).unwrap();
        for own in ["own.PNG", "own.svg"] {
            Figure::new(2, 2).write(&path(own)).unwrap();
            check_picture_file(&path(own)).unwrap();
        }
        let mut foreign = Vec::new();
        png::Encoder::new(&mut foreign, 1, 1).write_header().unwrap().write_image_data(&[0]).unwrap();
        std::fs::write(path("foreign.png"), foreign).unwrap();
        std::fs::write(path("text.png"), "no picture").unwrap();
        std::fs::create_dir(path("folder.png")).unwrap();
        std::fs::write(path("foreign.svg"), SVG_HEAD.replace("amrclaw", "another")).unwrap();
        for name in ["foreign.png", "foreign.svg", "text.png", "folder.png"] {
            let message = check_picture_file(&path(name)).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains("move it away"), "{message}");
        }
        let message = check_picture_file(&path("case.toml")).unwrap_err().to_string();
        assert!(message.contains("case.toml: pictures end in .png or .svg"), "{message}");
    }
}
