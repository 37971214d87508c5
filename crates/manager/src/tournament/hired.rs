//! Players that a tournament starts itself: processes that listen on a port, bound to cores, and stopped at its end.
//!
//! So a contest needs one command, and each player has the cores that its plan gives it. A process that died is started again before the next match. One
//! that takes several seats of a match is started once for each, as most players play one match at a time.

use std::fs::File;
use std::io::Error;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::plan::Entrant;
use crate::remote::Address;

/// How long a player may take to listen.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is asked whether it does.
const PULSE: Duration = Duration::from_millis(50);
/// How long it may take to end when it is told to.
const FAREWELL: Duration = Duration::from_secs(3);

/// A player of a plan with all its processes.
pub(super) struct Hired {
    name: String,
    command: Vec<String>,
    cores: Vec<usize>,
    /// What processes say goes to the end of this file.
    log: PathBuf,
    running: Vec<Running>,
}

struct Running {
    process: Child,
    address: Address,
}

impl Hired {
    /// The player of an entrant with a command, for the tournament of a database.
    pub(super) fn new(entrant: &Entrant, database: &Path) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = entrant.name.chars().map(plain).collect();
        Self {
            name: entrant.name.clone(),
            command: entrant.command.clone(),
            cores: entrant.cores.clone(),
            log: database.with_extension(format!("{name}.log")),
            running: Vec::new(),
        }
    }

    /// Where the processes for so many seats listen; those that do not run are started. In words what went wrong, if anything did.
    pub(super) fn ready(
        &mut self,
        seats: usize,
        cancel: &AtomicBool,
    ) -> Result<Vec<Address>, String> {
        for seat in 0..seats {
            if self.running.get_mut(seat).is_some_and(Running::is_alive) {
                continue;
            }
            let new = self.start(cancel)?;
            match self.running.get_mut(seat) {
                Some(dead) => *dead = new,
                None => self.running.push(new),
            }
        }
        Ok(self.running.iter().take(seats).map(|running| running.address.clone()).collect())
    }

    fn start(&self, cancel: &AtomicBool) -> Result<Running, String> {
        let failed = |what: String| {
            let log = self.log.display();
            format!("{}: `{}` {what}; what it said is in {log}", self.name, self.command.join(" "))
        };
        let broken = |error: Error| failed(format!("cannot be started: {error}"));
        let port = free_port().map_err(broken)?;
        let words = self.words(port).map_err(broken)?;
        let Some((program, arguments)) = words.split_first() else {
            return Err(failed("is empty".to_owned()));
        };
        let log = File::options().create(true).append(true).open(&self.log).map_err(broken)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let process = spawn_on(&self.cores, command).map_err(broken)?;
        let place = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let address = Address::parse(&place.to_string())
            .ok_or_else(|| failed(format!("has no address at {place}")))?;
        let mut running = Running { process, address };
        let begin = Instant::now();
        while TcpStream::connect_timeout(&place, PULSE).is_err() {
            if !running.is_alive() {
                return Err(failed("ended before it listened on its port".to_owned()));
            }
            if begin.elapsed() > PATIENCE {
                let seconds = PATIENCE.as_secs();
                return Err(failed(format!("does not listen on port {port} after {seconds} s")));
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(failed("was interrupted while it started".to_owned()));
            }
            std::thread::sleep(PULSE);
        }
        Ok(running)
    }

    /// The command with what stands for the port and for this program.
    fn words(&self, port: u16) -> Result<Vec<String>, Error> {
        let this = std::env::current_exe()?.to_string_lossy().into_owned();
        let fill =
            |word: &String| word.replace("{port}", &port.to_string()).replace("{fluxion}", &this);
        Ok(self.command.iter().map(fill).collect())
    }
}

/// A port on which nobody listens.
fn free_port() -> Result<u16, Error> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Starts a process that may use these cores alone; all where none are named.
#[cfg(target_os = "linux")]
fn spawn_on(cores: &[usize], mut command: Command) -> Result<Child, Error> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    if cores.is_empty() {
        return command.spawn();
    }
    let mut set = CpuSet::new();
    for core in cores {
        if *core >= CpuSet::MAX_CPU {
            return Err(Error::other(format!("there is no core {core}")));
        }
        set.set(*core);
    }
    // A process has the cores of the thread that starts it from its first moment on.
    let starter = std::thread::spawn(move || {
        sched_setaffinity(None, &set)
            .map_err(|error| Error::other(format!("it cannot be bound to its cores: {error}")))?;
        command.spawn()
    });
    starter.join().unwrap_or_else(|_| Err(Error::other("the thread that starts it panicked")))
}

/// Other systems have no such binding.
#[cfg(not(target_os = "linux"))]
fn spawn_on(cores: &[usize], mut command: Command) -> Result<Child, Error> {
    if cores.is_empty() {
        return command.spawn();
    }
    Err(Error::other("players are bound to cores on Linux only; leave out `cores`"))
}

impl Running {
    fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Asks the process to end.
    fn ask(&self) {
        #[cfg(target_os = "linux")]
        if let Some(id) = rustix::process::Pid::from_raw(self.process.id().cast_signed()) {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
    }
}

/// No process outlives the tournament.
impl Drop for Running {
    fn drop(&mut self) {
        if cfg!(target_os = "linux") && self.is_alive() {
            self.ask();
            let begin = Instant::now();
            while self.is_alive() && begin.elapsed() < FAREWELL {
                std::thread::sleep(PULSE);
            }
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hired(command: &[&str], cores: Vec<usize>) -> Hired {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let entrant = Entrant { name: "a b".to_owned(), command, cores, ..Entrant::default() };
        let name = format!("fluxion-hired-{}.db", std::process::id());
        Hired::new(&entrant, &std::env::temp_dir().join(name))
    }

    #[test]
    fn what_cannot_be_started_is_told() {
        let never = AtomicBool::new(false);
        for (command, cores, told) in [
            (&["/nonexistent/player", "{port}"][..], vec![], "cannot be started"),
            (&["false"], vec![], "ended before it listened"),
            (&["sleep", "60"], vec![1 << 20], "there is no core 1048576"),
        ] {
            let mut hired = hired(command, cores);
            let error = hired.ready(1, &never).expect_err(told);
            assert!(error.contains(told) && error.contains("a-b.log"), "{error}");
            let _ = std::fs::remove_file(&hired.log);
        }
        let mut hired = hired(&["sleep", "60"], vec![]);
        let error = hired.ready(1, &AtomicBool::new(true)).expect_err("interrupted");
        assert!(error.contains("interrupted"), "{error}");
        let _ = std::fs::remove_file(&hired.log);
    }

    #[test]
    fn words_stand_for_the_port_and_this_program() {
        let words = hired(&["{fluxion}", "--port={port}"], vec![]).words(77).expect("a program");
        assert!(Path::new(&words[0]).is_file());
        assert_eq!(words[1], "--port=77");
    }
}
