//! Searches: anytime, within a deadline, over the machine interface alone.
