//! Progress of a run: a bar on a terminal, plain lines now and then elsewhere.

use amrclaw::simulation::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Marks of the bar: time is continuous, the bar counts.
const MARKS: u64 = 1000;
/// Between plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Where progress shows.
pub enum Display {
    /// Nowhere.
    Quiet,
    /// As a bar.
    Bar(ProgressBar),
    /// As lines; when the last one was written.
    Lines(Instant),
}

impl Display {
    /// Chooses by what the standard error is.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            return Display::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Display::Lines(Instant::now());
        }
        let style = ProgressStyle::with_template("{bar:40} {percent:>3}% {msg}  [{elapsed}]");
        let bar = ProgressBar::new(MARKS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Display::Bar(bar)
    }

    /// Shows where the run stands.
    pub fn show(&mut self, progress: &Progress) {
        match self {
            Display::Quiet => {}
            Display::Bar(bar) => {
                bar.set_position((part(progress) * MARKS as f64) as u64);
                bar.set_message(text(progress));
            }
            Display::Lines(last) if last.elapsed() >= LINE_INTERVAL => {
                *last = Instant::now();
                note!("{:3.0} %  {}", 100.0 * part(progress), text(progress));
            }
            Display::Lines(_) => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Display::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// The part of the run's time that has passed, from 0 to 1.
fn part(progress: &Progress) -> f64 {
    let Progress { start, end, time, .. } = progress;
    if end > start { (time - start) / (end - start) } else { 1.0 }
}

fn text(progress: &Progress) -> String {
    let Progress { time, steps, dt, levels, cells_advanced, wall_seconds, .. } = progress;
    let rate = *cells_advanced as f64 / wall_seconds / 1e6;
    format!("t = {time:.4}, step {steps}, dt = {dt:.2e}, {levels} levels, {rate:.1} million updates/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part runs from 0 to 1 whatever the start, and a run without extent is over.
    #[test]
    fn the_part_counts_from_the_start() {
        let progress = Progress {
            time: 1.5,
            start: 1.0,
            end: 3.0,
            steps: 7,
            dt: 0.1,
            levels: 2,
            cells_advanced: 0,
            wall_seconds: 1.0,
        };
        assert_eq!(part(&progress), 0.25);
        assert_eq!(part(&Progress { end: 1.0, time: 1.0, ..progress }), 1.0);
    }
}
