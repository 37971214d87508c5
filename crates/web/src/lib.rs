//! The page in the browser and its API (`docs/api.md`).
