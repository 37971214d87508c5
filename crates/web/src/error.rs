//! What goes wrong, as the API tells it.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// An error with a code that programs know and a message for people.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The status.
    pub status: StatusCode,
    /// The code.
    pub code: &'static str,
    /// What happened.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<&'static str>,
    /// What is wrong with rules.
    pub findings: Option<Value>,
}

/// What handlers give.
pub type Outcome<T> = Result<T, ApiError>;

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), hint: None, findings: None }
    }

    /// The request makes no sense.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The rules cannot be used.
    pub fn rules(message: impl Into<String>, findings: Value) -> Self {
        let error = Self::new(StatusCode::BAD_REQUEST, "bad_rules", message);
        Self { findings: Some(findings), ..error }
    }

    /// A move that is not legal.
    pub fn illegal(action: &str) -> Self {
        let message = format!("{action} is not legal now");
        Self::new(StatusCode::CONFLICT, "illegal_move", message)
    }

    /// The match went on meanwhile.
    pub fn wrong_step(step: usize) -> Self {
        let message = format!("the match is at step {step}");
        Self::new(StatusCode::CONFLICT, "wrong_step", message)
    }

    /// Somebody else's seat or match.
    pub fn not_yours(what: &str) -> Self {
        let message = format!("this {what} is not yours");
        Self::new(StatusCode::FORBIDDEN, "not_your_seat", message)
    }

    /// The match is over, or not that far yet.
    pub fn over(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "over", message)
    }

    /// A request from another site.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// The token is missing or wrong.
    pub fn token() -> Self {
        let message = "this server wants a token";
        let hint = "open the address that the server printed when it was started";
        Self { hint: Some(hint), ..Self::new(StatusCode::UNAUTHORIZED, "token", message) }
    }

    /// Whether the token is missing or wrong.
    pub fn is_token(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// There is no such thing.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", what)
    }

    /// The body is too large.
    pub fn too_large(most: usize) -> Self {
        let message = format!("at most {most} bytes are read");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The visitor has enough already.
    pub fn too_many(message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message)
    }

    /// There is no room or no time now.
    pub fn busy(message: impl Into<String>) -> Self {
        let hint = "try again in a moment";
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message);
        Self { hint: Some(hint), ..error }
    }

    /// A fault of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut error = json!({"code": self.code, "message": self.message, "hint": self.hint});
        if let Some(findings) = self.findings {
            error["findings"] = findings;
        }
        (self.status, axum::Json(json!({ "error": error }))).into_response()
    }
}
