//! Players: what to do with the start clock and the play clock.
