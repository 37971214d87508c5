//! The server: sockets, routes, and how it starts and stops.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;

use crate::app::App;
use crate::config::Config;
use crate::{api, assets, random, visitor};

/// Why the server cannot start.
#[derive(Debug)]
#[non_exhaustive]
pub enum WebError {
    /// The address cannot be used.
    Bind(SocketAddr, std::io::Error),
    /// The database cannot be opened.
    Database(rusqlite::Error),
    /// Serving failed.
    Serve(std::io::Error),
}

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind(address, error) => write!(f, "{address} cannot be used: {error}"),
            Self::Database(error) => write!(f, "the database cannot be opened: {error}"),
            Self::Serve(error) => write!(f, "serving failed: {error}"),
        }
    }
}

impl std::error::Error for WebError {}

/// A server that listens.
pub struct Web {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
}

/// The length of a token that was made.
const TOKEN_LENGTH: usize = 26;

impl Web {
    /// Opens the database and listens.
    pub async fn bind(mut config: Config) -> Result<Self, WebError> {
        let bind = config.bind;
        let listener =
            TcpListener::bind(bind).await.map_err(|error| WebError::Bind(bind, error))?;
        let address = listener.local_addr().map_err(|error| WebError::Bind(bind, error))?;
        config.bind = address;
        let token = match (&config.token, config.is_loopback()) {
            (Some(token), _) => Some(token.clone()),
            (None, true) => None,
            (None, false) => Some(random::name(TOKEN_LENGTH)),
        };
        let app = App::new(config, token).map_err(WebError::Database)?;
        Ok(Self { app, listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser, with the token where one is needed.
    pub fn url(&self) -> String {
        let ip = self.address.ip();
        let host = match ip {
            _ if ip.is_unspecified() => "localhost".to_owned(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
            std::net::IpAddr::V4(ip) => ip.to_string(),
        };
        let token =
            self.app.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        format!("http://{host}:{}/{token}", self.address.port())
    }

    /// Whether visitors need a token.
    pub fn wants_token(&self) -> bool {
        self.app.token.is_some()
    }

    /// The size of the whole page in bytes, as it is sent.
    pub fn page_size() -> usize {
        assets::total_size()
    }

    /// Serves until `stop` is done.
    pub async fn run(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), WebError> {
        let app = self.app.clone();
        tokio::spawn(async move { app.resume().await });
        let service = router(self.app).into_make_service_with_connect_info::<SocketAddr>();
        let serve = axum::serve(self.listener, service);
        // Streams never end by themselves; so nobody waits for open connections.
        tokio::select! {
            result = async { serve.await } => result.map_err(WebError::Serve),
            () = stop => Ok(()),
        }
    }
}

fn router(app: Arc<App>) -> Router {
    Router::new()
        .nest("/api/v1", api::routes())
        .fallback(api::page)
        .layer(CompressionLayer::new())
        .layer(axum::extract::DefaultBodyLimit::max(app.config.limits.body))
        .layer(axum::middleware::from_fn_with_state(app.clone(), visitor::guard))
        .with_state(app)
}
