//! Where a request was sent, read from the address that the runtime gives.
//!
//! Deliberate absence: a parser of URLs. The runtime has parsed and normalised this one: scheme and host are in lower
//! case and ASCII, a default port is left out, the path begins with a slash and is percent-encoded.

/// `scheme://host/path?query`, in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// `https://kioku.example:8443`
    pub origin: &'a str,
    pub scheme: &'a str,
    /// With its port, unless that is the scheme's own.
    pub host: &'a str,
    pub path: &'a str,
    /// Empty if there is none.
    pub query: &'a str,
}

impl<'a> Address<'a> {
    /// `None` for what no runtime gives.
    pub fn parse(url: &'a str) -> Option<Self> {
        let url = url.split_once('#').map_or(url, |(url, _)| url);
        let (url, query) = url.split_once('?').unwrap_or((url, ""));
        let (scheme, rest) = url.split_once("://")?;
        let (host, _) = rest.split_once('/').unwrap_or((rest, ""));
        let origin = url.get(..scheme.len() + "://".len() + host.len())?;
        let path = url.get(origin.len()..).filter(|path| !path.is_empty()).unwrap_or("/");
        let is_whole = !scheme.is_empty() && !host.is_empty() && !host.contains('@');
        is_whole.then_some(Self { origin, scheme, host, path, query })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart_where_the_runtime_put_it_together() {
        let read = |url| Address::parse(url).map(|a| (a.origin, a.scheme, a.host, a.path, a.query));
        assert_eq!(
            read("http://localhost:8787/api/chat?thread=main&x=a/b://c"),
            Some(("http://localhost:8787", "http", "localhost:8787", "/api/chat", "thread=main&x=a/b://c"))
        );
        assert_eq!(read("https://[::1]/a%3Fb#c?d"), Some(("https://[::1]", "https", "[::1]", "/a%3Fb", "")));
        assert_eq!(
            read("https://kioku.example?q"),
            Some(("https://kioku.example", "https", "kioku.example", "/", "q"))
        );
        for bad in ["", "/api", "https://", "https:///api", "https://me@kioku.example/", "mailto:x"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
