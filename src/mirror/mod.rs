//! Mirrors: facts as rows of D1 and vectors of Vectorize.
