//! Films: GIF, HTML pages with a player, and MP4 by ffmpeg.

use super::canvas::Image;
use super::{PictureError, canvas};
use crate::frames::atomic::{Durability, write_file, write_in_places};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A kind of film, by the ending of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmFormat {
    /// GIF with 256 colours a picture.
    Gif,
    /// A page that holds the pictures and a player: no other file, nothing from the network.
    Html,
    /// H.264 in MP4, which ffmpeg makes.
    Mp4,
}

impl FilmFormat {
    /// The format of a film's file.
    ///
    /// # Errors
    /// Another ending; or ffmpeg is needed and not there.
    pub fn of(path: &Path) -> Result<Self, PictureError> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "gif" => Ok(FilmFormat::Gif),
            "html" => Ok(FilmFormat::Html),
            "mp4" if has_ffmpeg() => Ok(FilmFormat::Mp4),
            "mp4" => Err(PictureError::Film(format!(
                "{}: MP4 needs the program ffmpeg, which is not on the PATH: install it, or write a .gif or .html file",
                path.display()
            ))),
            _ => Err(PictureError::Film(format!("{}: films end in .mp4, .gif or .html", path.display()))),
        }
    }
}

fn has_ffmpeg() -> bool {
    let mut ffmpeg = Command::new("ffmpeg");
    let quiet = ffmpeg.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Writes pictures of one size as a film.
///
/// # Errors
/// There are no pictures; the file cannot be written; ffmpeg failed.
pub fn write_film(path: &Path, format: FilmFormat, images: &[Image], fps: u32) -> Result<(), PictureError> {
    let images = same_size(images);
    let first = images.first().ok_or_else(|| PictureError::Film("there are no frames to make a film of".to_owned()))?;
    match format {
        FilmFormat::Gif => write_file(path, Durability::Program, |out| gif(out, &images, fps))?,
        FilmFormat::Html => write_file(path, Durability::Program, |out| page(out, &images, fps))?,
        FilmFormat::Mp4 => write_in_places(path, Durability::Program, |_, file| mp4(file, first, &images, fps))?,
    }
    Ok(())
}

/// Widths of labels differ: all pictures get the largest width and height, both even, as H.264 wants them.
fn same_size(images: &[Image]) -> Vec<Image> {
    let even = |n: usize| n + n % 2;
    let width = even(images.iter().map(Image::width).max().unwrap_or(0));
    let height = even(images.iter().map(Image::height).max().unwrap_or(0));
    let fit = |image: &Image| {
        let mut whole = Image::new(width, height, canvas::PAPER);
        whole.paste(image, 0, 0);
        whole
    };
    images.iter().map(fit).collect()
}

fn gif(out: &mut impl Write, images: &[Image], fps: u32) -> io::Result<()> {
    let size = |n: usize| u16::try_from(n).map_err(|_| io::Error::other("the pictures are too large for a GIF"));
    let Some(first) = images.first() else { return Ok(()) };
    let (width, height) = (size(first.width())?, size(first.height())?);
    let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
    for image in images {
        // The speed of choosing colours: 1 is best, 30 fastest.
        let mut frame = gif::Frame::from_rgb_speed(width, height, image.bytes(), 10);
        frame.delay = (100 / fps.max(1)).max(2) as u16;
        encoder.write_frame(&frame).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The player: pictures are shown in turn, with a button and a slider.
const PLAYER: &str = include_str!("film/player.html");

fn page(out: &mut impl Write, images: &[Image], fps: u32) -> io::Result<()> {
    let mut pictures = Vec::new();
    for image in images {
        pictures.push(format!("\"data:image/png;base64,{}\"", canvas::base64(&image.png()?)));
    }
    let page =
        PLAYER.replace("PICTURES", &pictures.join(",\n")).replace("MILLISECONDS", &(1000 / fps.max(1)).to_string());
    out.write_all(page.as_bytes())
}

/// Lets ffmpeg write a file that exists.
fn mp4(file: &Path, first: &Image, images: &[Image], fps: u32) -> io::Result<()> {
    let failed = |reason: String| io::Error::other(format!("ffmpeg {reason}"));
    let size = format!("{}x{}", first.width(), first.height());
    let rate = fps.max(1).to_string();
    let mut child = Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate, "-i", "-"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"])
        .arg(std::path::absolute(file)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("cannot be started: {e}")))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A broken pipe means that ffmpeg failed; its own message is reported.
        let _ = images.iter().try_for_each(|image| pipe.write_all(image.bytes()));
    }
    let output = child.wait_with_output().map_err(|e| failed(e.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(format!("failed: {}", String::from_utf8_lossy(&output.stderr).trim())))
}
