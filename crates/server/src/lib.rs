//! The HTTP player: any game manager may use it.
