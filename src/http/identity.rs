//! Who is asking: the seam between the ways of signing in and the object that holds a memory.
//!
//! Whatever vouches for a user ends as an [`Identity`], and an identity names exactly one object. Nothing from a
//! URL or a body takes part. A credential that is there but wrong is a refusal: it never falls back to the next
//! kind, or a forged token would act with the cookie's rights.

use crate::config::Auth;
use crate::id::OwnerKey;
use crate::text::normalize::nfc;

/// The issuer of identities that need only a name.
pub const LOCAL_ISSUER: &str = "local";

/// How personal access tokens begin, so that they are told from an issuer's tokens and found by secret scanners.
pub const TOKEN_PREFIX: &str = "kioku_pat_";

/// Longest name for local sign-in, in characters.
const MAX_NAME_CHARS: usize = 64;

/// Longest credential looked at, in bytes; honest ones have a few kilobytes at most.
const MAX_CREDENTIAL_BYTES: usize = 16 * 1024;

/// A verified user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    /// The issuer's own name for the user, which never changes.
    pub subject: String,
    /// What the page shows; an address or a name, which may change and decides nothing.
    pub display: String,
}

impl Identity {
    /// A user who signs in with a name alone: 1 to 64 characters after trimming and NFC, none of them invisible.
    pub fn local(name: &str) -> Option<Self> {
        // A name that can't become short enough isn't worth normalizing.
        if name.len() > MAX_NAME_CHARS * 16 {
            return None;
        }
        let name = nfc(name.trim()).into_owned();
        let fits = (1..=MAX_NAME_CHARS).contains(&name.chars().count())
            && !name.chars().any(is_invisible)
            && !name.chars().all(is_joiner);
        fits.then(|| Self { issuer: LOCAL_ISSUER.to_owned(), subject: name.clone(), display: name })
    }

    pub fn owner(&self) -> OwnerKey {
        OwnerKey::of(&self.issuer, &self.subject)
    }
}

/// What a request shows to prove who asks. Nothing about it is verified yet.
#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer kioku_pat_…`.
    Token(String),
    /// A signed token of the configured issuer, from Access or as a bearer token.
    Jwt(String),
    /// The `Cookie` header, to be read by [`super::session::verify`].
    Session(String),
}

/// What the headers show.
#[derive(Clone, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    Credential(Credential),
    /// An `Authorization` that this installation can't accept.
    Unusable,
}

impl Credential {
    /// Takes the first kind that is there: bearer token, Access assertion (header, then cookie), session cookie.
    pub fn from_headers(auth: &Auth, header: &dyn Fn(&str) -> Option<String>) -> Shown {
        if let Some(value) = header("authorization") {
            return match bearer(&value) {
                Some(token) if token.starts_with(TOKEN_PREFIX) => {
                    Shown::Credential(Self::Token(token.to_owned()))
                }
                Some(token) if *auth != Auth::Local => Shown::Credential(Self::Jwt(token.to_owned())),
                _ => Shown::Unusable,
            };
        }
        let cookies = header("cookie").unwrap_or_default();
        if let Auth::Access { .. } = auth {
            let assertion = header("cf-access-jwt-assertion")
                .or_else(|| cookie(&cookies, "CF_Authorization").map(str::to_owned))
                .filter(|jwt| !jwt.is_empty());
            // Access signs every request itself, so a session of ours would only outlive its decision.
            return assertion.map_or(Shown::Nothing, |jwt| Shown::Credential(Self::Jwt(jwt)));
        }
        match cookie(&cookies, super::session::COOKIE) {
            Some(_) => Shown::Credential(Self::Session(cookies)),
            None => Shown::Nothing,
        }
    }

    /// Whether browsers add it by themselves, so that the request's origin has to be checked.
    pub fn is_ambient(&self, header: &dyn Fn(&str) -> Option<String>) -> bool {
        match self {
            Self::Token(_) => false,
            Self::Jwt(_) => header("authorization").is_none(),
            Self::Session(_) => true,
        }
    }
}

/// The value of the only cookie of that name. Two of one name are refused: the second may be another site's,
/// planted from a sibling domain.
pub fn cookie<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let mut found = header
        .split(';')
        .filter_map(|pair| pair.trim_matches([' ', '\t']).split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    let value = found.next()?;
    found.next().is_none().then_some(value)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim();
    let fits = !token.is_empty()
        && token.len() <= MAX_CREDENTIAL_BYTES
        && token.bytes().all(|b| b.is_ascii_graphic());
    (scheme.eq_ignore_ascii_case("bearer") && fits).then_some(token)
}

/// Control characters, and format characters that show nothing: two names that look alike would be two memories.
/// The joiners stay, because Persian names and emoji are written with them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ACCESS: fn() -> Auth = || Auth::Access { team_domain: "t".to_owned(), audience: "a".to_owned() };

    fn shown(auth: &Auth, headers: &[(&str, &str)]) -> Shown {
        Credential::from_headers(auth, &|name| {
            headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_name_is_one_user_however_it_is_typed() {
        assert_eq!(Identity::local(" さくら\u{3000}"), Identity::local("さくら"));
        assert_eq!(Identity::local("か\u{3099}"), Identity::local("が"));
        assert!(Identity::local("👩‍👩‍👧 Ana").is_some() && Identity::local("علی\u{200c}رضا").is_some());
        assert_ne!(Identity::local("Ana").unwrap().owner(), Identity::local("ana").unwrap().owner());
        for bad in [
            "",
            "  ",
            "a\nb",
            "a\u{200b}",
            "\u{200d}",
            "\u{202e}a",
            "a\u{7f}",
            &"犬".repeat(65),
            &"a".repeat(100_000),
        ] {
            assert_eq!(Identity::local(bad), None, "{bad:?}");
        }
        assert!(Identity::local(&"犬".repeat(64)).is_some());
    }

    #[test]
    fn the_bearer_token_comes_first_and_a_wrong_one_is_never_passed_over() {
        let session = ("cookie", "a=b; kioku_session=x.y");
        let token = Shown::Credential(Credential::Token("kioku_pat_abc".to_owned()));
        assert!(shown(&Auth::Local, &[("authorization", "bearer  kioku_pat_abc"), session]) == token);
        for wrong in ["Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer eyJ.e.s", "Bearer 犬", ""] {
            assert!(shown(&Auth::Local, &[("authorization", wrong), session]) == Shown::Unusable, "{wrong}");
        }
        let jwt = Shown::Credential(Credential::Jwt("eyJ.e.s".to_owned()));
        assert!(shown(&ACCESS(), &[("authorization", "Bearer eyJ.e.s")]) == jwt);
    }

    #[test]
    fn access_is_believed_by_its_assertion_alone() {
        let jwt = |text: &str| Shown::Credential(Credential::Jwt(text.to_owned()));
        let cookie = ("cookie", "CF_Authorization=c; kioku_session=x");
        assert!(shown(&ACCESS(), &[("cf-access-jwt-assertion", "h"), cookie]) == jwt("h"));
        assert!(shown(&ACCESS(), &[cookie]) == jwt("c"));
        assert!(shown(&ACCESS(), &[("cookie", "kioku_session=x")]) == Shown::Nothing);
        assert!(shown(&Auth::Local, &[("cf-access-jwt-assertion", "h")]) == Shown::Nothing);
    }

    #[test]
    fn a_cookie_that_is_there_twice_is_not_there() {
        assert_eq!(cookie("a=1; b=2;c=3=4", "c"), Some("3=4"));
        assert_eq!(cookie("a=1; a=2", "a"), None);
        assert_eq!(cookie("aa=1", "a"), None);
        assert_eq!(cookie("a; b", "a"), None);
    }

    #[test]
    fn only_what_browsers_add_by_themselves_is_ambient() {
        let with = |_: &str| Some("Bearer x".to_owned());
        let without = |_: &str| None;
        assert!(!Credential::Token(String::new()).is_ambient(&with));
        assert!(!Credential::Jwt(String::new()).is_ambient(&with));
        assert!(Credential::Jwt(String::new()).is_ambient(&without));
        assert!(Credential::Session(String::new()).is_ambient(&without));
    }

    proptest! {
        #[test]
        fn no_header_panics_and_a_name_is_stable(text in "\\PC{0,80}") {
            let _ = shown(&Auth::Local, &[("authorization", &text), ("cookie", &text)]);
            if let Some(identity) = Identity::local(&text) {
                prop_assert_eq!(Identity::local(&identity.subject), Some(identity.clone()));
            }
        }
    }
}
