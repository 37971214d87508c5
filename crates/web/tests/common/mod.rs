//! A server on loopback, and a browser of few words.

#![allow(dead_code)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use web::{Config, Web};

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A server that runs until it is dropped.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// The address for a browser.
    pub url: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A setup for tests: any port of loopback, nothing kept.
pub fn config() -> Config {
    Config { bind: "127.0.0.1:0".parse().expect("an address"), ..Config::default() }
}

impl Server {
    /// Starts one.
    pub fn start(config: Config) -> Self {
        let (ready, told) = std::sync::mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                let web = Web::bind(config).await.expect("a free port");
                ready.send((web.address(), web.url())).expect("somebody waits");
                let stop = async {
                    let _ = stopped.await;
                };
                web.run(stop).await.expect("served");
            });
            runtime.shutdown_background();
        });
        let (address, url) = told.recv().expect("the server has started");
        Self { address, url, stop: Some(stop), thread: Some(thread) }
    }

    /// A new visitor.
    pub fn visitor(&self) -> Visitor {
        let mut visitor =
            Visitor { address: self.address, cookies: Vec::new(), headers: Vec::new() };
        visitor.get("/api/v1/status");
        visitor
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A reply.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON, of a request that must have gone well.
    pub fn fine(&self) -> Value {
        assert!(self.status < 300, "{}: {}", self.status, String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// The code of an error.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A browser.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// The server.
    pub address: SocketAddr,
    /// Its cookies.
    pub cookies: Vec<(String, String)>,
    /// What it sends besides.
    pub headers: Vec<(String, String)>,
}

impl Visitor {
    fn head(&self, method: &str, path: &str, body: Option<&[u8]>) -> String {
        let cookies: Vec<String> = self.cookies.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            let _ = write!(head, "host: {}\r\n", self.address);
        }
        head += "connection: close\r\n";
        if !cookies.is_empty() {
            let _ = write!(head, "cookie: {}\r\n", cookies.join("; "));
        }
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if let Some(body) = body {
            let length = body.len();
            let _ = write!(head, "content-type: application/json\r\ncontent-length: {length}\r\n");
        }
        head + "\r\n"
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream
    }

    /// One request.
    pub fn send(&mut self, method: &str, path: &str, body: Option<&[u8]>) -> Reply {
        let mut stream = self.connect();
        let head = self.head(method, path, body);
        stream.write_all(head.as_bytes()).expect("sent");
        // A server that refuses a body may close before it has read it.
        let _ = stream.write_all(body.unwrap_or_default());
        let mut reader = BufReader::new(stream);
        let (status, headers) = read_head(&mut reader);
        let mut body = Vec::new();
        let _ = reader.read_to_end(&mut body);
        if headers.iter().any(|(k, v)| k == "transfer-encoding" && v == "chunked") {
            body = unchunk(&body);
        }
        for (_, value) in headers.iter().filter(|(name, _)| name == "set-cookie") {
            let pair = value.split(';').next().unwrap_or_default();
            if let Some((key, value)) = pair.split_once('=') {
                self.cookies.retain(|(known, _)| known != key);
                self.cookies.push((key.to_owned(), value.to_owned()));
            }
        }
        Reply { status, headers, body }
    }

    /// GET.
    pub fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, None)
    }

    /// POST of JSON.
    pub fn post(&mut self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, Some(body.to_string().as_bytes()))
    }

    /// DELETE.
    pub fn delete(&mut self, path: &str) -> Reply {
        self.send("DELETE", path, None)
    }

    /// A new match.
    pub fn create(&mut self, body: &Value) -> Value {
        self.post("/api/v1/matches", body).fine()
    }

    /// Something in a match.
    pub fn act(&mut self, id: &str, action: &str, body: &Value) -> Reply {
        self.post(&format!("/api/v1/matches/{id}/{action}"), body)
    }

    /// The view of a match.
    pub fn view(&mut self, id: &str) -> Value {
        self.get(&format!("/api/v1/matches/{id}")).fine()
    }

    /// The view as soon as it fulfils a condition.
    pub fn wait_for(&mut self, id: &str, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let view = self.view(id);
            if fits(&view) {
                return view;
            }
            assert!(begin.elapsed() < PATIENCE, "{what} did not come: {view:#}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Opens a stream of events.
    pub fn events(&self, path: &str) -> Events {
        let mut stream = self.connect();
        stream.write_all(self.head("GET", path, None).as_bytes()).expect("sent");
        let mut reader = BufReader::new(stream);
        let (status, _) = read_head(&mut reader);
        assert_eq!(status, 200, "a stream");
        Events { reader, text: String::new() }
    }
}

fn read_head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a status line");
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status in {line:?}"));
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    (status, headers)
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).ok();
        let size = size.and_then(|text| usize::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
        if size == 0 {
            break;
        }
        out.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[(end + 4 + size).min(bytes.len())..];
    }
    out
}

/// A stream of events.
pub struct Events {
    reader: BufReader<TcpStream>,
    text: String,
}

impl Events {
    /// The next event: its name and data. None at the end of the stream.
    pub fn next(&mut self) -> Option<(String, Value)> {
        let begin = Instant::now();
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                let field = |name: &str| {
                    let lines = block.lines().filter_map(|line| line.strip_prefix(name));
                    lines.map(str::trim_start).collect::<Vec<_>>().join("\n")
                };
                let data = field("data:");
                if data.is_empty() {
                    // Signs of life come without end, so that the socket's own limit is not enough.
                    assert!(begin.elapsed() < PATIENCE, "no event in {PATIENCE:?}");
                    continue;
                }
                let value = serde_json::from_str(&data).expect("events are JSON");
                return Some((field("event:"), value));
            }
            // The body comes in chunks: a line with the size, the bytes, an empty line.
            let mut line = String::new();
            if self.reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let size = usize::from_str_radix(line.trim(), 16).ok()?;
            if size == 0 {
                return None;
            }
            let mut chunk = vec![0; size + 2];
            self.reader.read_exact(&mut chunk).ok()?;
            self.text += std::str::from_utf8(&chunk[..size]).expect("UTF-8");
        }
    }

    /// The next event of a kind.
    pub fn wait_for(&mut self, name: &str) -> Value {
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < PATIENCE, "no event {name} in {PATIENCE:?}");
            let (found, data) = self.next().unwrap_or_else(|| panic!("no event {name}"));
            if found == name {
                return data;
            }
        }
    }
}

/// A place for a database that is removed afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new folder.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fluxion-web-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The first legal move of a role.
pub fn first_move(view: &Value, role: usize) -> String {
    let text = view["position"]["legal"][role][0]["move"].as_str();
    text.unwrap_or_else(|| panic!("no move of role {role}: {view:#}")).to_owned()
}
