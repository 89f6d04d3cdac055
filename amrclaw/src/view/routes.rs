//! What may be asked for. Targets of requests become numbers and texts here; none becomes a path.

use super::ViewError;
use super::answers::{Form, Runs};
use super::page;
use super::wish::Wish;

/// An answer.
pub struct Answer {
    /// Its type.
    pub kind: &'static str,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// A request.
#[derive(Debug, PartialEq)]
pub enum Route {
    /// A file of the page, by its place in [`page::FILES`].
    Page(usize),
    /// All about the runs but values.
    Runs,
    /// The colour maps.
    Colours,
    /// Of a run, by its number.
    Of(usize, OfRun),
}

/// What is asked of a run.
#[derive(Debug, PartialEq)]
pub enum OfRun {
    /// The boxes of a frame, by its number.
    Boxes(usize),
    /// A field of a frame in all cells.
    Tiles(usize, Wish),
    /// A field of a frame at points.
    Points(usize, Wish),
    /// Smallest and largest value of a field in all frames.
    Range(Wish),
    /// A picture of a frame as PNG.
    Png(usize, Wish),
    /// The same as SVG.
    Svg(usize, Wish),
    /// The rows of a gauge, by its number.
    Gauge(usize),
    /// Records of steps, from a byte of their file on.
    Steps(u64),
}

impl Route {
    /// The route of a request's path and query.
    ///
    /// # Errors
    /// There is none, or its parameters are wrong.
    pub fn of(target: &str) -> Result<Self, ViewError> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.strip_prefix('/').unwrap_or(path);
        if let Some(file) = page::FILES.iter().position(|file| file.name == path) {
            return Ok(Route::Page(file));
        }
        let nothing = || ViewError::NotFound("there is nothing of this name".to_owned());
        let number = |text: &str| text.parse::<usize>().map_err(|_| nothing());
        let parts: Vec<&str> = path.split('/').collect();
        Ok(match parts[..] {
            ["api", "runs"] => Route::Runs,
            ["api", "colours"] => Route::Colours,
            ["api", run, what, n] => {
                let (n, wish) = (number(n)?, || Wish::of(query));
                let of_run = match what {
                    "boxes" => OfRun::Boxes(n),
                    "tiles" => OfRun::Tiles(n, wish()?),
                    "points" => OfRun::Points(n, wish()?),
                    "range" => OfRun::Range(wish()?),
                    "png" => OfRun::Png(n, wish()?),
                    "svg" => OfRun::Svg(n, wish()?),
                    "gauge" => OfRun::Gauge(n),
                    "steps" => OfRun::Steps(n as u64),
                    _ => return Err(nothing()),
                };
                Route::Of(number(run)?, of_run)
            }
            _ => return Err(nothing()),
        })
    }

    /// The answer.
    ///
    /// # Errors
    /// What is asked for is not there, or cannot be computed.
    pub fn answer(&self, runs: &Runs) -> Result<Answer, ViewError> {
        let json = |value: serde_json::Value| Answer { kind: "application/json", body: value.to_string().into_bytes() };
        Ok(match self {
            Route::Page(file) => {
                let page::PageFile { kind, text, .. } = page::FILES[*file];
                Answer { kind, body: text.as_bytes().to_vec() }
            }
            Route::Runs => json(runs.all()),
            Route::Colours => json(Runs::colours()),
            Route::Of(number, what) => {
                let run = runs.run(*number)?;
                match what {
                    OfRun::Boxes(frame) => json(run.frame(*frame)?.boxes()),
                    OfRun::Tiles(frame, wish) => {
                        let tiles = run.frame(*frame)?.tiles(wish, Form::Floats)?;
                        Answer { kind: "application/octet-stream", body: tiles.bytes }
                    }
                    OfRun::Points(frame, wish) => json(run.frame(*frame)?.points(wish)?),
                    OfRun::Range(wish) => json(run.range(wish)?),
                    OfRun::Png(frame, wish) => {
                        Answer { kind: "image/png", body: run.figure(*frame, wish)?.image().png()? }
                    }
                    OfRun::Svg(frame, wish) => {
                        Answer { kind: "image/svg+xml", body: run.figure(*frame, wish)?.svg()?.into_bytes() }
                    }
                    OfRun::Gauge(number) => json(run.gauge(*number)?),
                    OfRun::Steps(from) => json(run.steps(*from)?),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing but known names and numbers is a route, and a path of a file is none.
    #[test]
    fn only_known_names_are_routes() {
        assert_eq!(Route::of("/").unwrap(), Route::Page(0));
        assert_eq!(Route::of("/api/0/boxes/12").unwrap(), Route::Of(0, OfRun::Boxes(12)));
        let wish = Wish { field: "u + 1/2".into(), slice: Some((2, -0.5)), ..Wish::default() };
        assert_eq!(
            Route::of("/api/1/tiles/3?field=u%20+%201%2F2&slice=2,-0.5").unwrap(),
            Route::Of(1, OfRun::Tiles(3, wish))
        );
        for target in [
            "/../run.json",
            "/api/0/boxes/../1",
            "/api/0/boxes/-1",
            "/api/0/boxes/1e3",
            "//etc/passwd",
            "/api/0/gauge/%2e%2e",
            "/api/0/tiles/0?field=%f",
            "/api/0/tiles/0?range=1,nan",
            "/api/0/tiles/0?slice=3,0",
            "/api/0/tiles/0?path=/etc",
        ] {
            assert!(Route::of(target).is_err(), "{target}");
        }
        assert!(Route::of(&format!("/api/0/tiles/0?field={}", "1".repeat(1001))).is_err());
    }
}
