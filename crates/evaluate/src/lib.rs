//! Values of states from knowledge about the game: fuzzy goals, distances, delete relaxation.
