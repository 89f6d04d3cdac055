//! The files of the page.

/// A file of the page.
pub struct PageFile {
    /// Its path, without a leading slash.
    pub name: &'static str,
    /// Its type.
    pub kind: &'static str,
    /// Its content.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All of them; the first is the page itself.
pub const FILES: [PageFile; 8] = [
    PageFile { name: "", kind: "text/html; charset=utf-8", text: include_str!("page/index.html") },
    PageFile { name: "style.css", kind: "text/css; charset=utf-8", text: include_str!("page/style.css") },
    PageFile { name: "app.js", kind: SCRIPT, text: include_str!("page/app.js") },
    PageFile { name: "source.js", kind: SCRIPT, text: include_str!("page/source.js") },
    PageFile { name: "map.js", kind: SCRIPT, text: include_str!("page/map.js") },
    PageFile { name: "chart.js", kind: SCRIPT, text: include_str!("page/chart.js") },
    PageFile { name: "scale.js", kind: SCRIPT, text: include_str!("page/scale.js") },
    PageFile { name: "export.js", kind: SCRIPT, text: include_str!("page/export.js") },
];

#[cfg(test)]
mod tests {
    use super::FILES;

    /// The page stays small, and loads nothing from elsewhere.
    #[test]
    fn the_page_is_small_and_alone() {
        assert!(FILES.iter().map(|file| file.text.len()).sum::<usize>() < 200_000);
        for file in &FILES {
            assert!(!file.text.contains("https://") && !file.text.contains("innerHTML"), "{}", file.name);
        }
    }
}
