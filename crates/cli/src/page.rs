//! `fluxion web`: the page in the browser, and what `fluxion` does without a command.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Args as ClapArgs;
use web::{Config, Limits, Web, WebError};

use crate::exit::{self, Exit, Failure};
use crate::session::Session;

/// `fluxion web`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion                                   the same as `fluxion web`
  fluxion web --port 8000 --no-open
  fluxion web --bind 0.0.0.0                for other machines; the address printed has a token

Matches are kept in a database; --memory keeps nothing. The API is described in docs/api.md.")]
pub struct WebArgs {
    /// The port; the usual one may be taken, then any free one is used unless a port is named here
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// The address to listen on; others than loopback make visitors need a token
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    pub bind: IpAddr,
    /// The token that visitors need; by default one is made where it is needed
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub token: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Where matches are kept
    #[arg(long, value_name = "FILE", conflicts_with = "memory")]
    pub database: Option<PathBuf>,
    /// Keep nothing
    #[arg(long)]
    pub memory: bool,
    /// The folder with the databases of tournaments that can be watched
    #[arg(long, value_name = "FOLDER")]
    pub tournaments: Option<PathBuf>,
    /// Let visitors from other machines give seats to players over HTTP
    #[arg(long)]
    pub remote_players: bool,
    /// How many searches may run at once; as many as there are cores by default
    #[arg(long, value_name = "N")]
    pub searches: Option<usize>,
}

impl Default for WebArgs {
    fn default() -> Self {
        Self {
            port: None,
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            token: None,
            no_open: false,
            database: None,
            memory: false,
            tournaments: None,
            remote_players: false,
            searches: None,
        }
    }
}

/// A token must fit into an address and a cookie.
fn token(text: &str) -> Result<String, String> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if plain && text.len() >= 16 {
        return Ok(text.to_owned());
    }
    Err("expected at least 16 letters, digits, - or _".to_owned())
}

/// Serves until Ctrl-C.
pub fn run(args: &WebArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the system has no threads left")?;
    let flag = session.stop_flag();
    runtime.block_on(serve(args, flag))?;
    // Searches may still be under way; nobody waits for them.
    runtime.shutdown_background();
    Ok(Exit::Fine)
}

async fn serve(args: &WebArgs, flag: Arc<AtomicBool>) -> anyhow::Result<()> {
    let config = config(args)?;
    let database = config.database.clone();
    let web = bind(config, args.port.is_none()).await?;
    let url = web.url();
    let kept = match &database {
        Some(path) => format!("matches are kept in {}", path.display()),
        None => "matches are not kept".to_owned(),
    };
    exit::say(&format!("Fluxion is at {url} ({kept}); Ctrl-C ends it"));
    if web.wants_token() {
        exit::say(
            "visitors need the token in this address; send it only to those who may use this machine",
        );
    }
    if !args.no_open {
        open_browser(&url);
    }
    let stop = async move {
        while !flag.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    web.run(stop).await.map_err(|error| Failure::cannot(error.to_string()))?;
    Ok(())
}

fn config(args: &WebArgs) -> anyhow::Result<Config> {
    let bind = SocketAddr::new(args.bind, args.port.unwrap_or(web::PORT));
    let database = match (&args.database, args.memory) {
        (Some(path), _) => Some(path.clone()),
        (None, true) => None,
        (None, false) => usual_place(),
    };
    if let Some(folder) =
        database.as_deref().and_then(Path::parent).filter(|f| !f.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::cannot(format!("{} cannot be made: {error}", folder.display()))
        })?;
    }
    let mut limits = Limits::default();
    limits.searches = args.searches.unwrap_or(limits.searches).max(1);
    Ok(Config {
        bind,
        token: args.token.clone(),
        database,
        tournaments: args.tournaments.clone(),
        // From loopback everything can be reached that the user can reach anyway.
        remote_players: bind.ip().is_loopback() || args.remote_players,
        limits,
    })
}

/// Where matches are kept.
fn usual_place() -> Option<PathBuf> {
    Some(data_folder()?.join("web.db"))
}

/// Where the data of a user are by the customs of the system; none if there is no home.
pub fn data_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = variable("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("LOCALAPPDATA").map(PathBuf::from))
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/share")))?;
    Some(folder.join("fluxion"))
}

/// Listens; where the usual port is taken and no other was named, on any free one.
async fn bind(config: Config, any_port: bool) -> anyhow::Result<Web> {
    let free = Config { bind: SocketAddr::new(config.bind.ip(), 0), ..config.clone() };
    let failed = |error: WebError| {
        Failure::cannot(error.to_string())
            .hint("another program may use the port; --port takes another one")
    };
    match Web::bind(config).await {
        Err(WebError::Bind(..)) if any_port => Ok(Web::bind(free).await.map_err(failed)?),
        result => Ok(result.map_err(failed)?),
    }
}

/// Opens the page where there is a display; the address was printed anyway.
fn open_browser(url: &str) {
    let display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(target_os = "windows") {
        "explorer"
    } else if display {
        "xdg-open"
    } else {
        return;
    };
    let silent = || Stdio::null();
    let started =
        Command::new(program).arg(url).stdin(silent()).stdout(silent()).stderr(silent()).spawn();
    if let Ok(mut child) = started {
        std::thread::spawn(move || child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_plain() {
        assert!(token("abcdefghij-123456_Z").is_ok());
        assert!(token("short").is_err() && token("with blanks in the middle").is_err());
    }
}
