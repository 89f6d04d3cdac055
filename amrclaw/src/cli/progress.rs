//! Progress of a run: a bar on a terminal, plain lines now and then elsewhere.

use crate::simulation::{Progress, StepLimit};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Units of the bar, which counts in integers.
const MARKS: u64 = 1000;
/// Interval between plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows the progress of a run.
pub struct Display {
    place: Place,
    /// Time of the first report, and the fraction of the run that was done then.
    first: Option<(Instant, f64)>,
}

/// Where progress shows.
enum Place {
    /// Nowhere.
    Quiet,
    /// As a bar.
    Bar(ProgressBar),
    /// As lines; when the last one was written.
    Lines(Instant),
}

impl Display {
    /// Chooses the form by whether standard error is a terminal.
    pub fn new(quiet: bool) -> Self {
        let place = if quiet {
            Place::Quiet
        } else if std::io::stderr().is_terminal() {
            // The message comes last and is cut at the terminal's width: a second line would not be erased at the next step.
            let style = ProgressStyle::with_template("{bar:20} {percent:>3}% [{elapsed}{prefix}] {wide_msg}");
            let bar = ProgressBar::new(MARKS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            Place::Bar(bar)
        } else {
            Place::Lines(Instant::now())
        };
        Display { place, first: None }
    }

    /// Shows the state of the run.
    pub fn show(&mut self, progress: &Progress) {
        let part = part(progress);
        let (begin, done) = *self.first.get_or_insert((Instant::now(), part));
        let left = time_left(begin.elapsed(), part - done, 1.0 - part).map(|left| format!(", {left} left"));
        let left = left.unwrap_or_default();
        match &mut self.place {
            Place::Quiet => {}
            Place::Bar(bar) => {
                bar.set_position((part * MARKS as f64) as u64);
                bar.set_prefix(left);
                bar.set_message(text(progress));
            }
            Place::Lines(last) if last.elapsed() >= LINE_INTERVAL => {
                *last = Instant::now();
                note!("{:3.0} %  {}{left}", 100.0 * part, text(progress));
            }
            Place::Lines(_) => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Place::Bar(bar) = &self.place {
            bar.finish_and_clear();
        }
    }
}

/// The fraction of the run's time span that is done, from 0 to 1.
fn part(progress: &Progress) -> f64 {
    let Progress { start, end, time, .. } = progress;
    if end > start { (time - start) / (end - start) } else { 1.0 }
}

/// Estimated time for the rest of a run at the same speed, as text; `None` while there is no estimate.
fn time_left(elapsed: Duration, done: f64, rest: f64) -> Option<String> {
    if elapsed < Duration::from_secs(1) || done <= 0.0 {
        return None;
    }
    let seconds = elapsed.as_secs_f64() * rest / done;
    Some(match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    })
}

fn text(progress: &Progress) -> String {
    let Progress { time, steps, dt, dt_limit, levels, cells_advanced, wall_seconds, .. } = progress;
    let limit = match dt_limit {
        StepLimit::Courant => "",
        StepLimit::Growth => " (growing)",
        StepLimit::DtMax => " (dt_max)",
    };
    let rate = *cells_advanced as f64 / wall_seconds / 1e6;
    format!("t = {time:.4}, step {steps}, dt = {dt:.2e}{limit}, {levels} levels, {rate:.1} million updates/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fraction goes from 0 to 1 for any start time; a run of zero length is complete. The line says when no Courant number limits
    /// the step.
    #[test]
    fn the_part_counts_from_the_start() {
        let progress = Progress {
            time: 1.5,
            start: 1.0,
            end: 3.0,
            steps: 7,
            dt: 0.1,
            dt_limit: StepLimit::DtMax,
            levels: 2,
            cells_advanced: 0,
            wall_seconds: 1.0,
        };
        assert_eq!(part(&progress), 0.25);
        assert!(text(&progress).contains("dt = 1.00e-1 (dt_max), "), "{}", text(&progress));
        assert_eq!(part(&Progress { end: 1.0, time: 1.0, ..progress }), 1.0);
    }

    /// The estimate is proportional to the time since this process began.
    #[test]
    fn the_time_left_follows_the_rate() {
        let left = |seconds, done, rest| time_left(Duration::from_secs(seconds), done, rest);
        assert_eq!(left(10, 0.25, 0.75).as_deref(), Some("30 s"));
        assert_eq!(left(600, 0.1, 0.5).as_deref(), Some("50 min"));
        assert_eq!(left(3600, 0.1, 0.9).as_deref(), Some("9 h"));
        assert_eq!((left(10, 0.0, 1.0), left(0, 0.5, 0.5)), (None, None));
    }
}
