//! HTTP: routes, identity, problems.
