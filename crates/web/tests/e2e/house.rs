//! The server as a process of its own, which can be killed and started again, and what all tests begin with.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use web::{Config, Web};

use crate::browser::{Browser, installed};

/// Tells the test `the_server_process` what to be.
const ROLE: &str = "FLUXION_E2E_SERVER";
/// What to be a player instead.
const PLAYER: &str = "player";

/// Plays with the default player, as `fluxion serve` does.
fn play() {
    let strategy = player::Strategy::parse("fluxion").expect("a strategy");
    let config = server::Config { strategy: Some(strategy), ..server::Config::default() };
    let server = server::Server::bind(config).expect("a free port");
    println!("\nserving {}", server.address().expect("an address").port());
    server.run();
}

/// Runs the server if this process was started to be one.
pub fn serve_if_asked() {
    let Ok(wanted) = std::env::var(ROLE) else { return };
    if wanted == PLAYER {
        return play();
    }
    let mut parts = wanted.splitn(3, ' ');
    let (port, token) = (parts.next().expect("a port"), parts.next().expect("a token"));
    let folder = PathBuf::from(parts.next().expect("a folder"));
    let mut config = Config {
        database: Some(folder.join("matches.db")),
        tournaments: Some(folder.join("tournaments")),
        token: Some(token.to_owned()).filter(|token| !token.is_empty()),
        ..Config::default()
    };
    config.bind.set_port(port.parse().expect("a port"));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let web = Web::bind(config).await.expect("the port is free");
        println!("\nserving {}", web.address().port());
        web.run(std::future::pending()).await.expect("it serves");
    });
}

/// A server with its own database.
pub struct House {
    child: Child,
    port: u16,
    folder: PathBuf,
}

impl House {
    fn open(folder: &Path) -> Self {
        let (child, port) = spawn_house(0, "", folder);
        Self { child, port, folder: folder.to_owned() }
    }

    /// A server that wants a token.
    pub fn guarded(folder: &Path, token: &str) -> Self {
        let (child, port) = spawn_house(0, token, folder);
        Self { child, port, folder: folder.to_owned() }
    }

    /// Where it keeps what it keeps.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The address of a page.
    pub fn url(&self, page: &str) -> String {
        format!("http://127.0.0.1:{}/#/{page}", self.port)
    }

    /// Ends the process without warning.
    pub fn crash(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it is gone");
    }

    /// Starts it again with the same database and address.
    pub fn come_back(&mut self) {
        (self.child, self.port) = spawn_house(self.port, "", &self.folder);
    }
}

/// A player over HTTP, ended with the value.
pub struct Rival {
    child: Child,
    port: u16,
}

impl Rival {
    /// A process that plays.
    pub fn start() -> Self {
        let (child, port) = spawn(PLAYER);
        Self { child, port }
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn_house(port: u16, token: &str, folder: &Path) -> (Child, u16) {
    spawn(&format!("{port} {token} {}", folder.display()))
}

fn spawn(role: &str) -> (Child, u16) {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args(["--exact", "the_server_process", "--nocapture"])
        .env(ROLE, role)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut lines =
        BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let told = lines.find_map(|line| line.strip_prefix("serving ")?.parse().ok());
    // What the process says later must have somewhere to go.
    std::thread::spawn(move || lines.for_each(drop));
    (child, told.expect("the server says where it is"))
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A server and a browser; none where no Chromium is installed, unless `FLUXION_BROWSER` says that it must be.
pub fn open() -> Option<(House, Browser)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Some(program) = installed() else {
        assert!(std::env::var_os("FLUXION_BROWSER").is_none(), "no Chromium is installed");
        println!("skipped: no Chromium is installed");
        return None;
    };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("fluxion-e2e-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    Some((House::open(&folder), Browser::start(&program, &folder.with_extension("browser"))))
}
