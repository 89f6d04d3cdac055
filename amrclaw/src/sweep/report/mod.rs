//! `report.html`: the sweep as one self-contained page, with what figs 9–12 of Qin, LeVeque & Motley 2018 (arXiv:1808.02638) show:
//! numbers with bars.

mod table;
mod text;

use super::{RunResult, Summary, Sweep};
use std::fmt::Write;
use text::{escape, significant};

/// The page.
pub fn page(sweep: &Sweep, results: &[RunResult], summary: &Summary) -> String {
    let name = escape(&sweep.launch.case.display().to_string());
    let mut body = format!("<h1>Sweep of {name}</h1>\n{}", about(sweep, results));
    body.push_str(&in_short(sweep, summary));
    for device in 0..sweep.plan.devices.len() {
        body.push_str(&table::results(&sweep.plan, summary, device));
        for line in summary.without_error(&sweep.plan, device) {
            let _ = writeln!(body, "<p>{}</p>", escape(&line));
        }
        body.push_str(&table::phases(&sweep.plan, summary, device));
    }
    body.push_str(&table::failures(&sweep.plan, results));
    let _ = write!(
        body,
        "<h2>The case</h2>\n<details><summary>{name}, with the changes that all runs share</summary><pre>{}</pre></details>\n\
         <p class=\"muted\">The paper: X. Qin, R. J. LeVeque and M. R. Motley, Accelerating wave-propagation algorithms with \
         adaptive mesh refinement using the Graphics Processing Unit, 2018, arXiv:1808.02638.</p>\n",
        escape(&sweep.case_text)
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Sweep of {name}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        include_str!("style.css"),
    )
}

/// The runs, the devices and the machine.
fn about(sweep: &Sweep, results: &[RunResult]) -> String {
    let plan = &sweep.plan;
    let vary: Vec<String> = plan.vary.iter().map(|v| format!("{} = {}", v.label(), v.values.join(", "))).collect();
    let vary = if vary.is_empty() { "nothing".to_owned() } else { vary.join("; ") };
    let threads = results.iter().find_map(|result| result.record.as_ref()).map_or(0, |record| record.threads);
    let processor = processor().map_or_else(String::new, |name| format!("{name}, "));
    let missing = plan.runs.len() - results.len();
    let missing = if missing > 0 { format!(", {missing} to come") } else { String::new() };
    format!(
        "<p class=\"muted\">{} runs{missing}; on {}; {} of each, in the order of seed {}. Times are medians.<br>Varied: \
         {}.<br>amrclaw {}, {}{threads} thread{}.</p>\n",
        results.len(),
        escape(&plan.devices.join(", ")),
        plan.repeats,
        sweep.seed,
        escape(&vary),
        env!("CARGO_PKG_VERSION"),
        escape(&processor),
        if threads == 1 { "" } else { "s" },
    )
}

/// The fastest setting of each device, and the ratio of the slowest to it.
fn in_short(sweep: &Sweep, summary: &Summary) -> String {
    let plan = &sweep.plan;
    let mut out = String::new();
    for (number, device) in plan.devices.iter().enumerate() {
        let text = match summary.best(number) {
            Some(best) if plan.settings.len() > 1 => {
                format!(
                    "On <strong>{}</strong> the fastest setting is <strong>{}</strong>: {} s. The slowest, {}, takes {} s: \
                 {} times as long.",
                    escape(device),
                    escape(&plan.describe(best.fastest.setting)),
                    significant(best.fastest.seconds),
                    escape(&plan.describe(best.slowest.setting)),
                    significant(best.slowest.seconds),
                    significant(best.ratio()),
                ) + &summary
                    .refinement_note(plan, number)
                    .map_or_else(String::new, |note| format!(" {}", escape(&note)))
            }
            Some(best) => {
                format!("<strong>{}</strong>: {} s.", escape(device), significant(best.fastest.seconds))
            }
            None => format!("No run has reached its end on <strong>{}</strong>.", escape(device)),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<p class=\"best\">{text}</p>");
    }
    out
}

/// The processor's name, if the system provides it.
fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "))?.1;
    Some(name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::result::tests::sample;
    use super::super::{Launch, Plan};
    use super::*;

    fn page_of(plan: Plan, results: &[RunResult]) -> String {
        let launch =
            Launch { program: vec!["amrclaw".into()], case: "a&b.toml".into(), overrides: vec![], arguments: vec![] };
        let summary = Summary::new(&plan, results);
        let sweep = Sweep {
            plan,
            launch,
            case_text: "[mesh] # <x>".into(),
            gpus: Vec::new(),
            seed: 1,
            reference: None,
            dir: "out".into(),
        };
        page(&sweep, results, &summary)
    }

    /// The page needs no other file and no script, names the fastest setting, shows failures, and escapes the user's text.
    /// Every element that is opened is closed.
    #[test]
    fn the_page_stands_alone() {
        let (plan, results) = sample(|device, setting, _| (device == 0).then_some(1.0 + setting as f64));
        let page = page_of(plan, &results);
        for outside in ["<script", "http", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("the fastest setting is <strong>cutoff = 0.5, interval = 2</strong>: 1.00 s"));
        assert!(page.contains("2.00 times as long") && page.contains("No run has reached its end on <strong>cuda"));
        assert!(
            page.contains("q is NaN on &lt;level&gt; 2") && page.contains("# &lt;x&gt;") && page.contains("a&amp;b")
        );
        for tag in ["table", "tr", "td", "th", "caption", "p", "ul", "li", "section", "div", "i", "h2"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    /// Sweeps of all shapes make a page: none, one and three varied keys, pairs, no results yet.
    #[test]
    fn all_shapes_make_a_page() {
        let plan = |vary: &[&str], zip| {
            let vary = vary.iter().map(|text| text.parse().unwrap()).collect();
            Plan::new(vary, zip, vec!["cpu".into()], 1, 0).unwrap()
        };
        for (vary, zip) in [
            (&[][..], false),
            (&["a.x=1,2"], false),
            (&["a.x=1,2", "b.y=3,4", "c.z=5,6,7"], false),
            (&["a.x=1,2", "b.y=3,4"], true),
        ] {
            let page = page_of(plan(vary, zip), &[]);
            assert_eq!(page.matches("<table>").count(), 2, "{vary:?}");
        }
    }
}
