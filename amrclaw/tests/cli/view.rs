//! `amrclaw view`: who is answered, and with which values. Requests are written to raw sockets, as hostile programs write them.

use super::{example, program, record, run_well};
use amrclaw::frames::frame::FieldIndex;
use amrclaw::frames::read;
use amrclaw::frames::steps::{StepRecord, read as read_steps};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server under test, which ends with it.
struct Viewed {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Viewed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Viewed {
    fn of(folder: &Path, arguments: &[&str]) -> Viewed {
        let mut command = program(folder);
        let mut child = command.args(["view", "out"]).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("no address: {line}"));
        let (port, token) = address.split_once("/#token=").unwrap();
        assert_eq!(token.len(), 64, "256 bits");
        Viewed { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// Sends text; `PORT` and `TOKEN` stand for this server's.
    fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let text = text.replace("PORT", &self.port.to_string()).replace("TOKEN", &self.token);
        // A server that has refused may have closed before the end.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    /// Status, head and body of the answer.
    fn ask(&self, text: &str) -> (u16, String, Vec<u8>) {
        let mut bytes = Vec::new();
        let _ = self.send(text).read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |n| n + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        (status, head, bytes[end..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        let head = "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n\r\n";
        self.ask(&format!("GET {path} HTTP/1.1\r\n{head}"))
    }

    fn json(&self, path: &str) -> serde_json::Value {
        let (status, _, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }
}

fn acoustics(folder: &Path) {
    let sets = ["mesh.cells=[20,20]", "time.end=0.1", "output.times=[0.0,0.1]", "output.png=false"];
    run_well(folder, &example("acoustics_radial"), &sets, &["--output", "out"]);
}

/// Requests of other pages, of other names for this machine, without or with a wrong token, with other methods, bodies, paths and sizes are
/// refused, each with its status; the page alone needs no token.
#[test]
fn only_its_own_page_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    acoustics(folder.path());
    let viewed = Viewed::of(folder.path(), &["--allow-host", "viewer.example"]);
    let (own, token, runs) =
        ("Host: 127.0.0.1:PORT\r\n", "Authorization: Bearer TOKEN\r\n", "GET /api/runs HTTP/1.1\r\n");
    let long = format!("{runs}{own}{token}X: {}\r\n", "x".repeat(9000));
    let long_path = format!("GET /api/{} HTTP/1.1\r\n{own}{token}", "x".repeat(5000));
    let many = format!("{runs}{own}{token}{}", "X: x\r\n".repeat(200));
    let line = |first: &str| format!("{first} HTTP/1.1\r\n{own}{token}");
    let with = |further: &str| format!("{runs}{own}{token}{further}\r\n");
    let table: Vec<(String, &[u16])> = vec![
        (with("Origin: http://127.0.0.1:PORT\r\nSec-Fetch-Site: same-origin"), &[200]),
        (format!("{runs}Host: LOCALHOST:PORT\r\n{token}"), &[200]),
        (format!("{runs}Host: viewer.example\r\n{token}Origin: https://viewer.example\r\n"), &[200]),
        ("GET / HTTP/1.1\r\nHost: [::1]:PORT\r\n".to_owned(), &[200]),
        // Names of this machine that others give it, and none.
        (format!("{runs}Host: evil.example:PORT\r\n{token}"), &[403]),
        (format!("{runs}Host: 127.0.0.1\r\n{token}"), &[403]),
        (format!("{runs}Host: 127.0.0.1:1\r\n{token}"), &[403]),
        (format!("{runs}Host: localhost.evil.example:PORT\r\n{token}"), &[403]),
        (format!("{runs}Host: viewer.example.evil\r\n{token}"), &[403]),
        (format!("{runs}Host: 127.0.0.1:PORT@evil.example\r\n{token}"), &[400, 403]),
        (format!("{runs}{token}"), &[400, 403]),
        (with("Host: evil.example"), &[400, 403]),
        (format!("GET http://evil.example/api/runs HTTP/1.1\r\n{own}{token}"), &[400, 403]),
        (format!("GET /api/runs HTTP/1.0\r\n{token}"), &[400, 403]),
        // Other pages.
        (with("Origin: http://evil.example"), &[403]),
        (with("Origin: null"), &[403]),
        (with("Origin: http://127.0.0.1:1"), &[403]),
        (with("Sec-Fetch-Site: cross-site"), &[403]),
        (with("Sec-Fetch-Site: same-site"), &[403]),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site\r\n".to_owned(), &[403]),
        // Tokens.
        (format!("{runs}{own}"), &[401]),
        (format!("{runs}{own}Authorization: Bearer \r\n"), &[401]),
        (format!("{runs}{own}Authorization: Bearer {}\r\n", "0".repeat(64)), &[401]),
        (format!("{runs}{own}Authorization: Bearer TOKENa\r\n"), &[401]),
        (format!("{runs}{own}Authorization: Basic TOKEN\r\n"), &[401]),
        (format!("{runs}{own}Cookie: token=TOKEN\r\n"), &[401]),
        (format!("GET /api/runs?token=TOKEN HTTP/1.1\r\n{own}"), &[401]),
        (format!("GET /nothing HTTP/1.1\r\n{own}"), &[401]),
        // Methods and bodies.
        (line("POST /api/runs"), &[405]),
        (line("PUT /"), &[405]),
        (line("DELETE /api/0/boxes/0"), &[405]),
        (line("OPTIONS /api/runs"), &[405]),
        (line("TRACE /"), &[405]),
        (line("CONNECT evil.example:80"), &[400, 405]),
        (with("Content-Length: 5"), &[413]),
        (with("Transfer-Encoding: chunked"), &[413]),
        (with("Content-Length: 1\r\nContent-Length: 2"), &[400, 413]),
        // Paths and numbers.
        (line("GET /../../etc/passwd"), &[404]),
        (line("GET /..%2f..%2fetc%2fpasswd"), &[404]),
        (line("GET //etc/passwd"), &[404]),
        (line("GET /api/0/boxes/../../run.json"), &[404]),
        (line("GET /api/0/boxes/%30"), &[404]),
        (line("GET /api/0/boxes/99999999999999999999"), &[404]),
        (line("GET /api/0/boxes/7"), &[404]),
        (line("GET /api/1/boxes/0"), &[404]),
        (line("GET /api/0/gauge/0"), &[404]),
        (line("GET /api/0/tiles/0?field=../run.json"), &[400]),
        (line("GET /api/0/tiles/0?field=pressure&levels=-1"), &[400]),
        (line("GET /api/0/tiles/0?slice=0,1e999"), &[400]),
        (line("GET /api/0/png/0?field=pressure&output=x.png"), &[400]),
        (format!("GET /api/0/tiles/0?field={} HTTP/1.1\r\n{own}{token}", "(".repeat(900)), &[400]),
        // What is no request, and too large.
        ("\0\0\0\0".to_owned(), &[0, 400]),
        ("GET\r\n".to_owned(), &[0, 400]),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n".to_owned(), &[0, 400, 405, 505]),
        (with("Bad Name: x"), &[400]),
        (long, &[431]),
        (many, &[431]),
        (long_path, &[400, 414, 431]),
    ];
    for (request, expected) in &table {
        let (status, head, _) = viewed.ask(&format!("{request}Connection: close\r\n\r\n"));
        assert!(expected.contains(&status), "{status} instead of {expected:?} for\n{request}");
        if status != 0 && status != 400 && status != 431 {
            let head = head.to_ascii_lowercase();
            assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'none'"), "{head}");
            assert!(head.contains("nosniff") && head.contains("cross-origin-resource-policy: same-origin"), "{head}");
            assert!(!head.contains("access-control") && !head.contains("set-cookie"), "{head}");
        }
    }
    let (status, _, page) = viewed.ask("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n");
    assert!(status == 200 && page.is_empty());
    let (_, _, page) = viewed.get("/");
    let page = String::from_utf8(page).unwrap();
    assert!(
        !page.contains("=\"/") && !page.contains("http"),
        "addresses are relative, so that proxies may put a path before them"
    );
    assert!(!page.contains(&viewed.token));
}

/// A hundred and sixty requests, each a good one without its key in which some bytes are changed: none is let in, and the server goes on.
#[test]
fn changed_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    acoustics(folder.path());
    let viewed = Viewed::of(folder.path(), &[]);
    let good = "GET /api/0/tiles/0?field=pressure HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept: */*\r\n";
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for _ in 0..160 {
        let mut bytes = good.as_bytes().to_vec();
        for _ in 0..=next(3) {
            let place = next(bytes.len());
            bytes[place] = b"\0 \t/.%:?&=\r\nAz9~"[next(16)];
        }
        let request = String::from_utf8(bytes).unwrap();
        let (status, ..) = viewed.ask(&format!("{request}Connection: close\r\n\r\n"));
        assert!(status == 0 || status >= 400, "{status} for\n{request:?}");
    }
    assert_eq!(viewed.get("/api/runs").0, 200);
}

/// The server listens on the loopback interface alone.
#[test]
#[cfg(target_os = "linux")]
fn other_machines_cannot_reach_it() {
    let folder = tempfile::tempdir().unwrap();
    acoustics(folder.path());
    let viewed = Viewed::of(folder.path(), &[]);
    let port = format!(":{:04X}", viewed.port);
    let mut found = 0;
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let text = std::fs::read_to_string(table).unwrap_or_default();
        // Local address and port, those of the peer, and 0A where it listens.
        let listening = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        for words in listening.filter(|words| words.len() > 3 && words[1].ends_with(&port) && words[3] == "0A") {
            let own = ["0100007F", "00000000000000000000000001000000"];
            assert!(own.iter().any(|own| words[1].starts_with(own)), "{words:?}");
            found += 1;
        }
    }
    assert!(found >= 1);
}

/// One who sends nothing is cut off, and too many at once are not let in; afterwards all is as before.
#[test]
fn idle_connections_end() {
    let folder = tempfile::tempdir().unwrap();
    acoustics(folder.path());
    let viewed = Viewed::of(folder.path(), &[]);
    let mut idle: Vec<TcpStream> = (0..32).map(|_| viewed.send("GET / HT")).collect();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(viewed.get("/").0, 0, "the 33rd is not let in");
    let start = Instant::now();
    for stream in &mut idle {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    assert!((Duration::from_secs(5)..Duration::from_secs(25)).contains(&start.elapsed()), "{:?}", start.elapsed());
    assert_eq!(viewed.get("/api/runs").0, 200);
}

/// Tiles are the frame's values as `f32`, points its values to the last bit, gauges and steps the run's; a damaged frame is an error with its
/// name, and the others are shown as before.
#[test]
fn values_are_those_of_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    acoustics(folder.path());
    let viewed = Viewed::of(folder.path(), &[]);
    let path = folder.path().join("out/frame_0001.vtkhdf");
    let frame = read::frame::<2>(&path).unwrap();
    let runs = viewed.json("/api/runs");
    assert_eq!(runs["runs"][0]["frames"], serde_json::json!([[0, 0.0], [1, 0.1]]));
    assert_eq!(runs["runs"][0]["record"]["status"], "done");
    assert_eq!(viewed.json("/api/0/boxes/1")["levels"].as_array().unwrap().len(), frame.levels.len());

    let (_, _, bytes) = viewed.get("/api/0/tiles/1?field=pressure%2a2");
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let values = bytes[4 + length..].as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let patches = frame.levels.iter().flat_map(|level| &level.patches);
    let pressure = patches.flat_map(|patch| patch.values(FieldIndex::Equation(0)));
    assert!(values.eq(pressure.map(|value| (2.0 * value) as f32)));

    let (level, k) = (frame.levels.len() - 1, 0);
    let patch = &frame.levels[level].patches[k];
    let centre = frame.geometry(level).centre(patch.cells.lo);
    let found = viewed.json(&format!("/api/0/points/1?field=pressure&numbers={},{},9,9", centre[0], centre[1]));
    let expected = serde_json::json!([patch.values(FieldIndex::Equation(0))[0], level + 1, k, patch.cells.lo]);
    assert_eq!(found, serde_json::json!([expected, null]));
    let steps = viewed.json("/api/0/steps/0");
    assert_eq!(
        steps["records"].as_array().unwrap().len() as u64,
        runs["runs"][0]["record"]["steps"][0].as_u64().unwrap()
    );
    assert!(viewed.get("/api/0/png/1?field=pressure").2.starts_with(b"\x89PNG"));
    assert!(viewed.get("/api/0/svg/1?field=pressure").2.starts_with(b"<svg "));
    let range = viewed.json("/api/0/range/0?field=pressure");
    assert!(range[0].as_f64().unwrap() < range[1].as_f64().unwrap());

    let text = std::fs::read(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    let (status, _, message) = viewed.get("/api/0/boxes/1");
    let message = String::from_utf8_lossy(&message);
    assert!(status == 500 && message.contains("frame_0001.vtkhdf is damaged or truncated"), "{message}");
    assert_eq!((viewed.get("/api/0/boxes/0").0, viewed.get("/api/runs").0), (200, 200));
}

/// A saved page is one file within its budget, that says what it leaves out: levels, then frames; it replaces a page, and no other file.
#[test]
fn a_page_is_saved_within_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    acoustics(folder.path());
    let page = folder.path().join("page.html");
    let save = |arguments: &[&str]| {
        let mut command = program(folder.path());
        let output = command.args(["view", "out", "--save", "page.html"]).args(arguments).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
            std::fs::read_to_string(&page).unwrap_or_default(),
        )
    };
    let (code, said, whole) = save(&[]);
    assert!(code == Some(0) && said.is_empty(), "{said}");
    assert!(whole.contains("id=\"0/tiles/0/2/\"") && whole.contains("id=\"0/boxes/1\""));
    let fixed = whole.len() - whole.lines().filter(|line| line.contains("/tiles/")).map(str::len).sum::<usize>();
    let mut said_of = Vec::new();
    for more in [100_000].into_iter().chain((0..20).map(|k| 500 * k)) {
        let budget = format!("{}", (fixed + more) as f64 / 1e6);
        let (code, said, page) = save(&["--field", "pressure", "--budget", &budget]);
        assert!(code == Some(2) || page.len() <= fixed + more, "{budget}: {}", page.len());
        said_of.push(said);
    }
    assert_eq!(said_of[0], "");
    let (mut levels, mut frames) = (false, false);
    for said in &said_of {
        levels |= said.starts_with("remark: levels above 2 are left out, for");
        frames |= said.starts_with("remark: levels above 1 are left out, and of 2 frames one is kept");
    }
    assert!(levels && frames, "{said_of:?}");
    assert!(save(&["--budget", "0.01"]).1.contains("larger than the budget"));
    assert!(save(&["--field", "speed_of_ligth"]).1.contains("speed_of_ligth"));
    std::fs::write(&page, "<!doctype html>mine").unwrap();
    let (code, said, text) = save(&[]);
    assert!(code == Some(2) && said.contains("no page of amrclaw view") && text.ends_with("mine"), "{said}");
}

/// While a run goes on its folder tells what it is and how far it is: the solver's parameters in `run.json`, with the status "running", and a
/// line for each step of the coarsest level. With `output.live` the page has its present state in the place of the next frame, which is gone at
/// the end. A restart goes on with the lines; none is missing, none there twice.
#[test]
#[cfg(unix)]
fn a_run_can_be_watched() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("out");
    let sets =
        ["time.end=1e9", "output.times=[1e9]", "output.png=false", "mesh.cells=[160,160]", "time.max_steps=400000"];
    let sets = [&sets[..], &["output.live=true"]].concat();
    let mut command = program(folder.path());
    command.arg("run").arg(example("acoustics_radial")).args(sets.iter().flat_map(|set| ["--set", set]));
    let mut child = command.args(["--output", "out", "--quiet"]).spawn().unwrap();
    let lines = || std::fs::read_to_string(dir.join("steps.jsonl")).unwrap_or_default().lines().count();
    let start = Instant::now();
    while lines() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "no step is seen");
        std::thread::sleep(Duration::from_millis(5));
    }
    let running = record(&dir);
    assert_eq!((&running["status"], &running["solver"]["parameters"]["bulk"]), (&"running".into(), &4.0.into()));
    let viewed = Viewed::of(folder.path(), &[]);
    let live = |after: f64| loop {
        let frames = viewed.json("/api/runs")["runs"][0]["frames"].clone();
        match frames[0][1].as_f64() {
            Some(time) if time > after => break (frames, time),
            _ => assert!(start.elapsed() < Duration::from_secs(60), "no state after {after}: {frames}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let (frames, time) = live(0.0);
    assert_eq!(frames, serde_json::json!([[0, time]]));
    assert!(live(time).1 > time);
    assert_eq!(viewed.get("/api/0/tiles/0?field=pressure").0, 200);
    assert!(viewed.json("/api/runs")["runs"][0]["fields"]["names"].as_array().is_some_and(|names| names.len() == 3));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap();
    let stopped = record(&dir);
    assert_eq!(stopped["status"], "interrupted");
    assert!(!dir.join("live.vtkhdf").exists() && viewed.get("/api/0/boxes/0").0 == 404);
    let steps = stopped["steps"][0].as_u64().unwrap();
    let checkpoint = format!("out/checkpoint_{steps:06}.h5");
    let last = steps + 3;
    let most = format!("time.max_steps={last}");
    let sets = [&sets[..4], &[most.as_str()]].concat();
    run_well(folder.path(), &example("acoustics_radial"), &sets, &["--output", "out", "--restart", &checkpoint]);
    let (found, _) = read_steps(&dir.join("steps.jsonl"), 0, u64::MAX).unwrap();
    assert!(found.iter().map(|found| found.step).eq(1..=last), "{} lines for {last} steps", found.len());
    // When the waves have left there is one level.
    assert!(found[0].patches.len() > 1);
    let cells = |found: &StepRecord| found.cells[0] == 25_600 && found.courant <= 1.0;
    assert!(found.iter().all(cells) && found.windows(2).all(|pair| pair[1].time - pair[0].time == pair[1].dt));
}
