//! The port: connections are accepted whatever happens to earlier ones.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tracing::{info, warn};

use crate::clock::Waits;
use crate::config::Config;
use crate::connection;
use crate::desk::{Desk, Status};
use crate::memory;

/// A port with a player behind it.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    desk: Arc<Desk>,
    stopper: Stopper,
}

/// Stops a server from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper(Arc<Notify>);

impl Stopper {
    /// Makes [`Server::run`] come back.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// How long to wait when the system has no socket left.
const BREATH: Duration = Duration::from_millis(50);

impl Server {
    /// Opens the port. On Linux the process does without huge pages from now on, so that the memory of matches that are over
    /// goes back to the system.
    pub fn bind(config: Config) -> io::Result<Self> {
        memory::small_pages();
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let listener = runtime.block_on(TcpListener::bind(config.address))?;
        let desk = Arc::new(Desk::new(config));
        Ok(Self { runtime, listener, desk, stopper: Stopper::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What stops it.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves until it is stopped; all matches are ended then.
    pub fn run(self) {
        let Self { runtime, listener, desk, stopper } = self;
        runtime.block_on(async {
            let accepting = tokio::spawn(accept(listener, desk.clone()));
            let sweeping = tokio::spawn(sweep(desk.clone()));
            let beating = tokio::spawn(beat(desk.clone()));
            stopper.0.notified().await;
            accepting.abort();
            sweeping.abort();
            beating.abort();
        });
        desk.close();
        info!("stopped");
        runtime.shutdown_background();
    }
}

/// Connections that have not sent a whole message, oldest first.
#[derive(Default)]
struct Waiting(VecDeque<(AbortHandle, Arc<AtomicBool>)>);

impl Waiting {
    /// Adds one, and closes the oldest where there are more than `most`.
    fn add(&mut self, task: AbortHandle, whole: Arc<AtomicBool>, most: usize) {
        self.0.retain(|(task, whole)| !task.is_finished() && !whole.load(Ordering::Relaxed));
        self.0.push_back((task, whole));
        while self.0.len() > most.max(1) {
            if let Some((oldest, _)) = self.0.pop_front() {
                oldest.abort();
            }
        }
    }
}

/// Looks now and then for matches that nobody asks about any more.
async fn sweep(desk: Arc<Desk>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        desk.sweep();
    }
}

/// Measures how late this thread gets a core.
async fn beat(desk: Arc<Desk>) {
    loop {
        let due = Instant::now() + Waits::BEAT;
        tokio::time::sleep_until(due.into()).await;
        // Timers are exact to a millisecond.
        desk.waits().note(due.elapsed().saturating_sub(TICK));
    }
}

async fn accept(listener: TcpListener, desk: Arc<Desk>) {
    let mut waiting = Waiting::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let whole = Arc::<AtomicBool>::default();
                let serving =
                    connection::serve(stream, desk.clone(), Instant::now(), whole.clone());
                let task = tokio::spawn(serving).abort_handle();
                waiting.add(task, whole, desk.config().waiting);
            }
            Err(error) => {
                // Out of sockets, or a connection that broke before it was accepted: later ones may be fine.
                warn!(%error, "a connection was not accepted");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// What timers may be late by on an idle machine.
const TICK: Duration = Duration::from_millis(2);
/// How often silent matches are looked for.
const SWEEP: Duration = Duration::from_secs(1);

/// A server in a thread of its own.
pub struct Running {
    address: SocketAddr,
    desk: Arc<Desk>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// Opens the port and serves it in a thread.
pub fn spawn(config: Config) -> io::Result<Running> {
    let server = Server::bind(config)?;
    let (address, stopper, desk) = (server.address()?, server.stopper(), server.desk.clone());
    let thread = std::thread::Builder::new().name("server".to_owned()).spawn(|| server.run())?;
    Ok(Running { address, desk, stopper, thread: Some(thread) })
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How busy it is.
    pub fn status(&self) -> Status {
        self.desk.status()
    }

    /// Stops it and waits for that.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
