//! A real Chromium, without a window, spoken to over its debugging pipe. Nothing but the browser is needed: no driver,
//! no client library.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take on a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(120);
const BETWEEN: Duration = Duration::from_millis(60);
/// How often a place is looked at again, and how long afterwards.
const MOST_LOOKS: usize = 40;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// A browser, ended with the value.
pub struct Browser {
    child: Child,
    folder: PathBuf,
    requests: File,
    replies: Receiver<Value>,
    events: VecDeque<Value>,
    number: u64,
}

/// The name of an installed Chromium; none where there is none.
pub fn installed() -> Option<String> {
    let named = std::env::var("FLUXION_CHROMIUM").ok();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let works = |name: &String| {
        let quiet = || (Stdio::null(), Stdio::null());
        let (out, error) = quiet();
        Command::new(name)
            .arg("--version")
            .stdout(out)
            .stderr(error)
            .status()
            .is_ok_and(|s| s.success())
    };
    named.into_iter().chain(names.map(str::to_owned)).find(works)
}

impl Browser {
    /// Starts one with a fresh profile.
    pub fn start(program: &str, folder: &Path) -> Self {
        // A process of the same number may have been killed before it could tidy up.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("a folder for the profile");
        let (to, from) = (folder.join("to"), folder.join("from"));
        for pipe in [&to, &from] {
            let made = Command::new("mkfifo").arg(pipe).status().expect("mkfifo runs");
            assert!(made.success(), "a pipe can be made");
        }
        let flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
                     --disable-component-update --disable-sync --disable-extensions --mute-audio \
                     --disable-dev-shm-usage --force-color-profile=srgb --hide-scrollbars --remote-debugging-pipe";
        let script =
            format!("exec \"$0\" {flags} --user-data-dir=\"$1\" about:blank 3<\"$2\" 4>\"$3\"");
        let child = Command::new("sh")
            .args(["-c", &script, program])
            .args([folder.join("profile"), to.clone(), from.clone()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        // Each end waits for the other, in the order in which the shell opens them.
        let requests = OpenOptions::new().write(true).open(&to).expect("the way to the browser");
        let answers = File::open(&from).expect("the way from the browser");
        let replies = listen(answers);
        Self {
            child,
            folder: folder.to_owned(),
            requests,
            replies,
            events: VecDeque::new(),
            number: 0,
        }
    }

    fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Value, String> {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.requests.write_all(&bytes).expect("the browser listens");
        let until = Instant::now() + PATIENCE;
        loop {
            match self.replies.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(reply) if reply["id"] == self.number => {
                    let error = &reply["error"];
                    return if error.is_null() {
                        Ok(reply["result"].clone())
                    } else {
                        Err(error.to_string())
                    };
                }
                Ok(event) => self.events.push_back(event),
                Err(RecvTimeoutError::Timeout) => panic!("the browser does not answer {method}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the browser is gone"),
            }
        }
    }

    /// A page of a visitor of its own: cookies and storage are not shared with other pages.
    pub fn visitor(&mut self, width: u32, height: u32, theme: &str) -> Page {
        let context =
            self.call(None, "Target.createBrowserContext", &json!({})).expect("a context");
        let wanted = json!({"url": "about:blank", "browserContextId": context["browserContextId"]});
        let target = self.call(None, "Target.createTarget", &wanted).expect("a page");
        let wanted = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call(None, "Target.attachToTarget", &wanted).expect("a session");
        let page = Page { session: session["sessionId"].as_str().expect("a name").to_owned() };
        for part in ["Page.enable", "Runtime.enable", "Log.enable"] {
            page.call(self, part, &json!({}));
        }
        page.look(self, width, height, theme);
        page
    }
}

/// Reads messages, which end with a zero byte.
fn listen(mut answers: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut kept, mut block) = (Vec::new(), vec![0; 1 << 16]);
        while let Ok(count @ 1..) = answers.read(&mut block) {
            kept.extend_from_slice(&block[..count]);
            while let Some(end) = kept.iter().position(|byte| *byte == 0) {
                let rest = kept.split_off(end + 1);
                let message = serde_json::from_slice(&kept[..end]).unwrap_or(Value::Null);
                kept = rest;
                if sender.send(message).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A page of a browser.
pub struct Page {
    session: String,
}

impl Page {
    fn call(&self, browser: &mut Browser, method: &str, params: &Value) -> Value {
        browser
            .call(Some(&self.session), method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Changes the window and the theme.
    pub fn look(&self, browser: &mut Browser, width: u32, height: u32, theme: &str) {
        self.call(
            browser,
            "Emulation.setDeviceMetricsOverride",
            &json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
            }),
        );
        self.call(browser, "Emulation.setEmulatedMedia", &json!({"features": [
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"},
        ]}));
    }

    /// Goes to an address.
    pub fn go(&self, browser: &mut Browser, url: &str) {
        self.call(browser, "Page.navigate", &json!({"url": url}));
        self.until(browser, "document.readyState === 'complete'");
    }

    /// The value of an expression.
    pub fn eval(&self, browser: &mut Browser, expression: &str) -> Result<Value, String> {
        let wanted = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let reply = browser.call(Some(&self.session), "Runtime.evaluate", &wanted)?;
        let wrong = &reply["exceptionDetails"];
        if wrong.is_null() { Ok(reply["result"]["value"].clone()) } else { Err(wrong.to_string()) }
    }

    /// The value of an expression that must have one.
    pub fn value(&self, browser: &mut Browser, expression: &str) -> Value {
        self.eval(browser, expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// The text of the first element of a selector.
    pub fn text(&self, browser: &mut Browser, selector: &str) -> String {
        let expression = format!("document.querySelector({selector:?})?.textContent ?? ''");
        self.value(browser, &expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    pub fn until(&self, browser: &mut Browser, condition: &str) {
        let end = Instant::now() + PATIENCE;
        let asked = format!("Boolean({condition})");
        while self.eval(browser, &asked) != Ok(Value::Bool(true)) {
            if Instant::now() >= end {
                let seen = self.text(browser, "#page");
                let wrong = self.complaints(browser);
                panic!("never true: {condition}\ncomplaints: {wrong:?}\nthe page says: {seen}");
            }
            std::thread::sleep(BETWEEN);
        }
    }

    /// The middle of an element once it is there, in view, and where it stays: what is loaded later moves what is below it, and a click would
    /// miss.
    fn place(&self, browser: &mut Browser, selector: &str) -> (f64, f64) {
        let element = format!("document.querySelector({selector:?})");
        self.until(browser, &format!("{element}?.getBoundingClientRect().width > 0"));
        let expression = format!(
            "(() => {{ const e = {element}; e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const r = e.getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        );
        let mut place = self.value(browser, &expression);
        for _ in 0..MOST_LOOKS {
            std::thread::sleep(BETWEEN_LOOKS);
            let again = self.value(browser, &expression);
            if std::mem::replace(&mut place, again.clone()) == again {
                break;
            }
        }
        (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"))
    }

    fn mouse(&self, browser: &mut Browser, kind: &str, (x, y): (f64, f64), buttons: u32) {
        let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
        self.call(
            browser,
            "Input.dispatchMouseEvent",
            &json!({
                "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1,
            }),
        );
    }

    /// Points with the mouse.
    pub fn hover(&self, browser: &mut Browser, selector: &str) {
        let place = self.place(browser, selector);
        self.mouse(browser, "mouseMoved", place, 0);
    }

    /// Clicks with the mouse.
    pub fn click(&self, browser: &mut Browser, selector: &str) {
        let place = self.place(browser, selector);
        self.mouse(browser, "mouseMoved", place, 0);
        self.mouse(browser, "mousePressed", place, 1);
        self.mouse(browser, "mouseReleased", place, 0);
    }

    /// Drags with the mouse, both ends being in view.
    pub fn drag(&self, browser: &mut Browser, from: &str, to: &str) {
        let start = self.place(browser, from);
        let expression = format!(
            "(() => {{ const r = document.querySelector({to:?}).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        );
        let place = self.value(browser, &expression);
        let end = (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"));
        self.mouse(browser, "mouseMoved", start, 0);
        self.mouse(browser, "mousePressed", start, 1);
        for part in 1..=6 {
            let share = f64::from(part) / 6.0;
            let at = (start.0 + (end.0 - start.0) * share, start.1 + (end.1 - start.1) * share);
            self.mouse(browser, "mouseMoved", at, 1);
        }
        self.mouse(browser, "mouseReleased", end, 0);
    }

    /// Touches with a finger.
    pub fn tap(&self, browser: &mut Browser, selector: &str) {
        let (x, y) = self.place(browser, selector);
        self.call(
            browser,
            "Input.dispatchTouchEvent",
            &json!({"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}),
        );
        self.call(
            browser,
            "Input.dispatchTouchEvent",
            &json!({"type": "touchEnd", "touchPoints": []}),
        );
    }

    /// Presses a key.
    pub fn key(&self, browser: &mut Browser, key: &str) {
        let text = if key == "Enter" { "\r" } else { "" };
        self.call(
            browser,
            "Input.dispatchKeyEvent",
            &json!({"type": "keyDown", "key": key, "code": key, "text": text}),
        );
        self.call(
            browser,
            "Input.dispatchKeyEvent",
            &json!({"type": "keyUp", "key": key, "code": key}),
        );
    }

    /// Puts text where the focus is, in place of what is selected.
    pub fn write(&self, browser: &mut Browser, text: &str) {
        self.call(browser, "Input.insertText", &json!({"text": text}));
    }

    /// A picture of what is in view: PNG, as base64.
    pub fn picture(&self, browser: &mut Browser) -> String {
        let taken = self.call(browser, "Page.captureScreenshot", &json!({"format": "png"}));
        taken["data"].as_str().expect("a picture").to_owned()
    }

    /// A picture of the page from its top, as far as `most` pixels down: PNG, as base64.
    pub fn whole(&self, browser: &mut Browser, width: u32, most: u32) -> String {
        let height = self.value(
            browser,
            "(() => { scrollTo(0, 0); return document.documentElement.scrollHeight; })()",
        );
        let height = height.as_f64().unwrap_or(0.0).min(f64::from(most));
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
        let wanted = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let taken = self.call(browser, "Page.captureScreenshot", &wanted);
        taken["data"].as_str().expect("a picture").to_owned()
    }

    /// What went wrong on the page: exceptions and errors in its log, such as broken rules about content.
    pub fn complaints(&self, browser: &mut Browser) -> Vec<String> {
        // An answer brings all events before it.
        let _ = self.eval(browser, "0");
        let own = browser.events.iter().filter(|event| event["sessionId"] == *self.session);
        let complaint = |event: &Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                Some(event["params"]["exceptionDetails"].to_string())
            }
            Some("Log.entryAdded") if event["params"]["entry"]["level"] == "error" => {
                let entry = &event["params"]["entry"];
                Some(format!("{} {}", entry["text"], entry["url"]))
            }
            Some("Runtime.consoleAPICalled") if event["params"]["type"] == "error" => {
                Some(event["params"]["args"].to_string())
            }
            _ => None,
        };
        own.filter_map(complaint).collect()
    }
}
