//! The files of the page.

use crate::picture::base64;

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

/// All of them: the page itself, its style, and its modules, each behind those that it imports.
pub const FILES: [PageFile; 11] = [
    PageFile { name: "", kind: "text/html; charset=utf-8", text: include_str!("page/index.html") },
    PageFile { name: "style.css", kind: "text/css; charset=utf-8", text: include_str!("page/style.css") },
    PageFile { name: "scale.js", kind: SCRIPT, text: include_str!("page/scale.js") },
    PageFile { name: "chart.js", kind: SCRIPT, text: include_str!("page/chart.js") },
    PageFile { name: "export.js", kind: SCRIPT, text: include_str!("page/export.js") },
    PageFile { name: "source.js", kind: SCRIPT, text: include_str!("page/source.js") },
    PageFile { name: "map.js", kind: SCRIPT, text: include_str!("page/map.js") },
    PageFile { name: "saved.js", kind: SCRIPT, text: include_str!("page/saved.js") },
    PageFile { name: "difference.js", kind: SCRIPT, text: include_str!("page/difference.js") },
    PageFile { name: "grid.js", kind: SCRIPT, text: include_str!("page/grid.js") },
    PageFile { name: "app.js", kind: SCRIPT, text: include_str!("page/app.js") },
];

/// How every page begins: up to its title.
pub fn beginning() -> &'static str {
    FILES[0].text.split_inclusive("</title>").next().unwrap_or_default()
}

/// What a page may do that comes as one file: nothing but run its own scripts.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
                      style-src 'unsafe-inline'; img-src data: blob:\">";

/// The page in one file: with elements that hold its data, and a picture for browsers that run no scripts.
pub fn alone(elements: &str, picture: &[u8]) -> String {
    let [page, style, modules @ ..] = &FILES;
    let lines = modules.iter().flat_map(|module| module.text.lines()).filter(|line| !line.starts_with("import "));
    let script: Vec<&str> = lines.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect();
    let picture = base64(picture);
    let picture = format!("<noscript><img alt=\"the last frame\" src=\"data:image/png;base64,{picture}\"></noscript>");
    let head = format!("{POLICY}\n<style>\n{}</style>", style.text);
    let html = page.text.replacen("<link rel=\"stylesheet\" href=\"style.css\">", &head, 1);
    let script = format!("{picture}\n{elements}<script type=\"module\">\n{}\n</script>", script.join("\n"));
    html.replacen("<script type=\"module\" src=\"app.js\"></script>", &script, 1)
}

#[cfg(test)]
mod tests {
    use super::{FILES, alone};

    /// The page stays small, and loads nothing from elsewhere.
    #[test]
    fn the_page_is_small_and_alone() {
        assert!(FILES.iter().map(|file| file.text.len()).sum::<usize>() < 200_000);
        for file in &FILES {
            assert!(!file.text.contains("https://") && !file.text.contains("innerHTML"), "{}", file.name);
        }
    }

    /// One file holds all modules, each name once and behind those that use it, and refers to no other file.
    #[test]
    fn the_page_is_one_file() {
        let html = alone("<p>", &[]);
        for absent in ["import ", "export ", "src=\"app", "href=\"style", "</script>\n</script>"] {
            assert!(!html.lines().any(|line| line.starts_with(absent) || line.contains("src=\"app.js")), "{absent}");
        }
        let (mut names, mut modules) = (Vec::new(), Vec::new());
        for file in &FILES[2..] {
            for line in file.text.lines() {
                if let Some((_, module)) = line.strip_prefix("import ").and_then(|line| line.split_once("from \"./")) {
                    assert!(modules.contains(&module.trim_end_matches("\";")), "{}: {line}", file.name);
                }
                let line = line.strip_prefix("export ").unwrap_or(line);
                let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                let named = words
                    .iter()
                    .position(|word| ["function", "const", "let", "class"].contains(word))
                    .filter(|&k| k < 2);
                names.extend(named.filter(|_| !line.starts_with([' ', '/'])).map(|k| words[k + 1]));
            }
            modules.push(file.name);
        }
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
