//! Matches and tournaments between players, with records that survive anything.
