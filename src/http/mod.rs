//! The HTTP edge: routes, queries, identity, problems. Everything here decides about strings it is given; the
//! platform reads requests, checks signatures with the runtime's cryptography and writes responses.

pub mod address;
pub mod caller;
pub mod claims;
pub mod completions;
pub mod distinct;
pub mod identity;
pub mod issuer;
pub mod jwks;
pub mod jwt;
pub mod mcp;
pub mod meter;
pub mod origin;
pub mod problem;
pub mod query;
pub mod ready;
pub mod route;
pub mod session;
pub mod sign_in;
pub mod signed;
pub mod token;

/// Headers of every response of the API, problems included. What is private is never stored by anybody between,
/// never guessed to be another type, never framed.
pub const API_HEADERS: &[(&str, &str)] = &[
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-resource-policy", "same-origin"),
    ("vary", "cookie, authorization, origin"),
];

/// Added outside loopback hosts, where a browser must never come back without TLS; in seconds, two years.
pub const STRICT_TRANSPORT: (&str, &str) = ("strict-transport-security", "max-age=63072000");
