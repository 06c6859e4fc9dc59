//! Where a request comes from: which hosts are this machine, which pages are our own.
//!
//! A cookie travels with requests that other sites make, so what a cookie allows is done only for our own pages.
//! Browsers send `Origin` with every WebSocket and with every request that isn't a GET or HEAD, and no page can
//! change or drop it. So a change without `Origin` comes from a program that was given the cookie on purpose, and
//! is allowed, unless `Sec-Fetch-Site`, which pages can't set either, shows that a browser sent it for another
//! site. A WebSocket is held to the letter: no `Origin`, no socket, because it stays open and shows everything.
//! Requests by bearer token need none of this: another site's page doesn't have the token.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a `Host` (with or without port) is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
///
/// Names that only resolve to this machine are not: whoever owns the name could let it resolve elsewhere.
pub fn is_loopback(host: &str) -> bool {
    let Some(name) = without_port(host) else { return false };
    if let Some(inner) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().is_ok_and(|address| address == Ipv6Addr::LOCALHOST);
    }
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// Whether the other end of the connection is this machine, as far as the server in front tells. Nobody else may
/// use a server that only asks for a name, whatever host he writes into his request.
pub fn is_loopback_peer(address: Option<&str>) -> bool {
    use std::net::IpAddr;
    address.is_none_or(|address| {
        address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
    })
}

/// Whether a change may be made without a bearer token, signing in included. `own` is the origin of the
/// request's URL; the others are the headers of those names.
pub fn may_change(own: &str, origin: Option<&str>, sec_fetch_site: Option<&str>) -> bool {
    match origin {
        Some(origin) => is_own(own, origin),
        // `none` is a request that the user began, by a bookmark or the address bar.
        None => matches!(sec_fetch_site, None | Some("same-origin" | "none")),
    }
}

/// Whether a WebSocket may be opened without a bearer token.
pub fn may_open_socket(own: &str, origin: Option<&str>) -> bool {
    origin.is_some_and(|origin| is_own(own, origin))
}

/// Whether this is an origin of the web.
pub fn is_origin(text: &str) -> bool {
    canonical(text).is_some()
}

fn is_own(own: &str, origin: &str) -> bool {
    canonical(origin).is_some_and(|origin| Some(origin) == canonical(own))
}

/// Scheme and host in lower case, without the scheme's own port; `None` for what is no origin (`null` too).
fn canonical(origin: &str) -> Option<String> {
    let origin = origin.to_ascii_lowercase();
    let (scheme, host) = origin.split_once("://")?;
    let port = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    without_port(host)?;
    Some(format!("{scheme}://{}", host.strip_suffix(port).unwrap_or(host)))
}

/// The host's name or address; `None` if it holds anything that doesn't belong into one.
fn without_port(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') {
        host.find(']')?.checked_add(1)?
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, port) = host.split_at_checked(end)?;
    let is_port = |port: &str| (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
    let port_fits = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b".-_[]:".contains(&b);
    (port_fits && !name.is_empty() && name.bytes().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_elsewhere_is_told_by_its_address() {
        for here in [None, Some("127.0.0.1"), Some("::1"), Some("::ffff:127.0.0.1")] {
            assert!(is_loopback_peer(here), "{here:?}");
        }
        for elsewhere in ["192.168.0.7", "::ffff:10.0.0.1", "2001:db8::1", "localhost", ""] {
            assert!(!is_loopback_peer(Some(elsewhere)), "{elsewhere}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost", "LOCALHOST:8787", "127.0.0.1", "127.255.0.9:1", "[::1]", "[::1]:8787"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            ":8787",
            "localhost.evil.com",
            "127.0.0.1.nip.io",
            "evil-localhost",
            "localhost:",
            "localhost:80:80",
            "localhost:8o80",
            "localhost@evil.com",
            "localhost/evil.com",
            "127.1",
            "0127.0.0.1",
            "0x7f.0.0.1",
            "2130706433",
            "0.0.0.0",
            "::1",
            "[::1",
            "[::1]evil",
            "[::ffff:127.0.0.1]",
            "[::2]",
            "localhost.",
            "app.localhost",
            "128.0.0.1",
            "１２７.0.0.1",
            "localhost 127.0.0.1",
            "localhost\0",
            "evil.com:localhost",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn only_our_own_pages_may_use_the_cookie() {
        let own = "https://kioku.example";
        for ours in ["https://kioku.example", "HTTPS://Kioku.Example:443"] {
            assert!(may_change(own, Some(ours), None) && may_open_socket(own, Some(ours)), "{ours}");
        }
        assert!(may_change("http://localhost:8787", Some("http://localhost:8787"), None));
        for other in [
            "null",
            "",
            "http://kioku.example",
            "https://kioku.example:8443",
            "https://kioku.example.evil.com",
            "https://evil.com",
            "https://kioku.example@evil.com",
            "https://kioku.example/",
            "kioku.example",
            "https://",
            "file://",
            "https://ｋioku.example",
            "https://kioku.example, https://evil.com",
        ] {
            assert!(!may_change(own, Some(other), Some("same-origin")), "{other}");
            assert!(!may_open_socket(own, Some(other)), "{other}");
        }
        assert!(!may_change("http://localhost:8787", Some("http://localhost:8788"), None));
        assert!(!may_change("null", Some("null"), None));
    }

    #[test]
    fn without_an_origin_a_program_may_change_things_and_another_sites_page_may_not() {
        let own = "https://kioku.example";
        for site in [None, Some("same-origin"), Some("none")] {
            assert!(may_change(own, None, site), "{site:?}");
        }
        for site in ["same-site", "cross-site", "", "Same-Origin"] {
            assert!(!may_change(own, None, Some(site)), "{site:?}");
        }
        assert!(!may_open_socket(own, None));
    }
}
