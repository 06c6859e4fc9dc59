//! An issuer's keys, fetched when they are needed and kept for a while; tokens checked against them.
//!
//! Invariant: no token can make us fetch more than once a minute, and an issuer that is down is asked again every
//! few seconds at most. Keys that were good an hour ago stay good while the issuer can't be reached, for a day.
//! What is kept here is public and the same for everybody.

use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

use super::claims::Claims;
use super::jwks::{Discovery, Keys, access_issuer, access_keys_url, discovery_url};
use super::jwt::{JwtError, Signatures, Unverified};
use crate::config::Auth;
use crate::time::{DAY, HOUR, MINUTE, Millis, SECOND};

/// How long fetched keys are used without asking again. Access keeps an old key valid for days after a rotation.
const FRESH: i64 = HOUR;
/// How long they are used when asking again fails.
const STALE: i64 = DAY;
/// Unknown keys may be made up to make us fetch, so they do it at most this often.
const UNKNOWN_PAUSE: i64 = MINUTE;
/// An issuer that failed is left alone for so long.
const FAILURE_PAUSE: i64 = 5 * SECOND;
/// Requests that fetch at the same time. One can't wait for another's fetch: the runtime ends it with its request.
const MOST_AT_ONCE: usize = 8;
/// A fetch that began so long ago has ended, though nobody may have been left to note it.
const FETCH_ENDS: i64 = 10 * SECOND;

/// Gets what an issuer publishes.
pub trait Fetch {
    /// The body of a successful answer, within a deadline and a size.
    fn get(&self, url: &str) -> impl Future<Output = Option<Vec<u8>>>;
}

/// Why a token isn't believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distrust {
    Token(JwtError),
    /// The issuer's keys can't be had: nothing is known about the token.
    Unreachable,
}

impl From<JwtError> for Distrust {
    fn from(error: JwtError) -> Self {
        Self::Token(error)
    }
}

/// What an issuer publishes, as far as it was asked.
#[derive(Default)]
pub struct Issuer {
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    name: String,
    discovery: Option<Rc<Discovery>>,
    keys: Option<Rc<Keys>>,
    /// When `keys` came.
    fetched: Option<Millis>,
    /// When the last attempt ended.
    tried: Option<Millis>,
    begun: Vec<Millis>,
}

/// The name that an issuer has in its tokens; `None` where nobody issues any.
pub fn name(auth: &Auth) -> Option<String> {
    match auth {
        Auth::Local => None,
        Auth::Access { team_domain, .. } => Some(access_issuer(team_domain)),
        Auth::Oidc { issuer, .. } => Some(issuer.clone()),
    }
}

impl Issuer {
    /// The claims of a token that this issuer signed. Issuer, audience and dates are for the caller to check.
    pub async fn verify(
        &self,
        auth: &Auth,
        token: &str,
        outside: &impl Fetch,
        signatures: &impl Signatures,
        now: Millis,
    ) -> Result<Claims, Distrust> {
        let token = Unverified::parse(token)?;
        let keys = self.keys(auth, outside, now).await.ok_or(Distrust::Unreachable)?;
        match token.verify(&keys, signatures).await {
            Err(JwtError::UnknownKey) if self.begin(UNKNOWN_PAUSE, now) => {
                let keys = self.fetch(auth, outside, now).await.ok_or(JwtError::UnknownKey)?;
                Ok(token.verify(&keys, signatures).await?)
            }
            verified => Ok(verified?),
        }
    }

    /// Where an OpenID provider wants sign-ins to begin.
    pub async fn discovery(&self, auth: &Auth, outside: &impl Fetch, now: Millis) -> Option<Rc<Discovery>> {
        self.keys(auth, outside, now).await?;
        self.known.borrow().discovery.clone()
    }

    async fn keys(&self, auth: &Auth, outside: &impl Fetch, now: Millis) -> Option<Rc<Keys>> {
        self.forget_others(&name(auth)?);
        let (keys, age) = {
            let known = self.known.borrow();
            (known.keys.clone(), known.fetched.map_or(i64::MAX, |at| now.since(at)))
        };
        if age <= FRESH {
            return keys;
        }
        let renewed =
            if self.begin(FAILURE_PAUSE, now) { self.fetch(auth, outside, now).await } else { None };
        renewed.or(keys.filter(|_| age <= STALE))
    }

    /// Whether a fetch may begin, which is then noted: not so soon after another, and not beside too many.
    fn begin(&self, pause: i64, now: Millis) -> bool {
        let mut known = self.known.borrow_mut();
        known.begun.retain(|begun| now.since(*begun) < FETCH_ENDS);
        let may = known.tried.is_none_or(|at| now.since(at) > pause) && known.begun.len() < MOST_AT_ONCE;
        if may {
            known.begun.push(now);
        }
        may
    }

    async fn fetch(&self, auth: &Auth, outside: &impl Fetch, now: Millis) -> Option<Rc<Keys>> {
        let fetched = self.ask(auth, outside).await;
        let mut known = self.known.borrow_mut();
        known.tried = Some(now);
        let (discovery, keys) = fetched?;
        known.fetched = Some(now);
        known.discovery = discovery.map(Rc::new);
        known.keys = Some(Rc::new(keys));
        known.keys.clone()
    }

    async fn ask(&self, auth: &Auth, outside: &impl Fetch) -> Option<(Option<Discovery>, Keys)> {
        let (discovery, url) = match auth {
            Auth::Local => return None,
            Auth::Access { team_domain, .. } => (None, access_keys_url(team_domain)),
            Auth::Oidc { issuer, .. } => {
                let found = Discovery::parse(&outside.get(&discovery_url(issuer)).await?, issuer)?;
                let url = found.jwks_uri.clone();
                (Some(found), url)
            }
        };
        Some((discovery, Keys::parse(&outside.get(&url).await?)?))
    }

    /// A changed configuration begins anew.
    fn forget_others(&self, name: &str) {
        let mut known = self.known.borrow_mut();
        if known.name != name {
            *known = Known { name: name.to_owned(), ..Known::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures::executor::block_on;
    use serde_json::json;

    use super::*;
    use crate::config::Client;
    use crate::encoding;
    use crate::http::jwks::Jwk;

    /// An issuer that publishes `kids`, or is down.
    struct Outside {
        kids: RefCell<Option<Vec<&'static str>>>,
        asked: Cell<u32>,
    }

    impl Outside {
        fn publishing(kids: &[&'static str]) -> Self {
            Self { kids: RefCell::new(Some(kids.to_vec())), asked: Cell::new(0) }
        }

        fn publish(&self, kids: Option<&[&'static str]>) {
            *self.kids.borrow_mut() = kids.map(<[_]>::to_vec);
        }
    }

    impl Fetch for Outside {
        async fn get(&self, url: &str) -> Option<Vec<u8>> {
            self.asked.set(self.asked.get() + 1);
            let kids = self.kids.borrow().clone()?;
            if url == "https://i/.well-known/openid-configuration" {
                return Some(
                    json!({"issuer": "https://i", "jwks_uri": "https://i/keys",
                        "authorization_endpoint": "https://i/auth", "token_endpoint": "https://i/token"})
                    .to_string()
                    .into_bytes(),
                );
            }
            assert!(["https://t.cloudflareaccess.com/cdn-cgi/access/certs", "https://i/keys"].contains(&url));
            let coordinate = encoding::base64url(&[7; 32]);
            let keys: Vec<_> = kids
                .iter()
                .map(|kid| json!({"kid": kid, "kty": "EC", "crv": "P-256", "x": coordinate, "y": coordinate}))
                .collect();
            Some(json!({"keys": keys}).to_string().into_bytes())
        }
    }

    /// A signature is the name of its key.
    struct Names;

    impl Signatures for Names {
        async fn verify(&self, key: &Jwk, _data: &[u8], signature: &[u8]) -> bool {
            key.kid.as_deref().map(str::as_bytes) == Some(signature)
        }
    }

    fn token(kid: &str) -> String {
        let header = encoding::base64url(json!({"alg": "ES256", "kid": kid}).to_string().as_bytes());
        format!("{header}.{}.{}", encoding::base64url(b"{}"), encoding::base64url(kid.as_bytes()))
    }

    fn access() -> Auth {
        Auth::Access { team_domain: "t".to_owned(), audience: "a".to_owned() }
    }

    fn oidc() -> Auth {
        let client = Client { id: "a".to_owned(), secret: None };
        Auth::Oidc { issuer: "https://i".to_owned(), audience: "a".to_owned(), client }
    }

    fn verify(issuer: &Issuer, outside: &Outside, kid: &str, now: i64) -> Result<(), Distrust> {
        block_on(issuer.verify(&access(), &token(kid), outside, &Names, Millis(now))).map(drop)
    }

    const UNKNOWN: Result<(), Distrust> = Err(Distrust::Token(JwtError::UnknownKey));

    #[test]
    fn keys_are_fetched_once_an_hour() {
        let (issuer, outside) = (Issuer::default(), Outside::publishing(&["a"]));
        for now in [0, 1, HOUR] {
            assert_eq!(verify(&issuer, &outside, "a", now), Ok(()));
        }
        assert_eq!(outside.asked.get(), 1);
        assert_eq!(verify(&issuer, &outside, "a", HOUR + 1), Ok(()));
        assert_eq!(outside.asked.get(), 2);
    }

    #[test]
    fn a_rotated_key_is_found_by_one_more_fetch_and_made_up_ones_cause_one_a_minute() {
        let (issuer, outside) = (Issuer::default(), Outside::publishing(&["old"]));
        assert_eq!(verify(&issuer, &outside, "old", 0), Ok(()));
        outside.publish(Some(&["old", "new"]));
        assert_eq!(verify(&issuer, &outside, "new", MINUTE + 1), Ok(()));
        assert_eq!(outside.asked.get(), 2);
        for made_up in 0..100 {
            assert_eq!(verify(&issuer, &outside, "evil", MINUTE + 2 + made_up), UNKNOWN);
        }
        assert_eq!(outside.asked.get(), 2);
        assert_eq!(verify(&issuer, &outside, "evil", 2 * MINUTE + 2), UNKNOWN);
        assert_eq!(outside.asked.get(), 3);
    }

    #[test]
    fn a_removed_key_is_believed_no_longer_than_an_hour() {
        let (issuer, outside) = (Issuer::default(), Outside::publishing(&["old"]));
        assert_eq!(verify(&issuer, &outside, "old", 0), Ok(()));
        outside.publish(Some(&["new"]));
        assert_eq!(verify(&issuer, &outside, "old", HOUR), Ok(()));
        assert_eq!(verify(&issuer, &outside, "old", HOUR + 1), UNKNOWN);
    }

    #[test]
    fn an_issuer_that_is_down_is_left_alone_between_attempts_and_its_keys_last_a_day() {
        let (issuer, outside) = (Issuer::default(), Outside::publishing(&["a"]));
        outside.publish(None);
        for now in [0, 1, FAILURE_PAUSE] {
            assert_eq!(verify(&issuer, &outside, "a", now), Err(Distrust::Unreachable));
        }
        assert_eq!(outside.asked.get(), 1);
        outside.publish(Some(&["a"]));
        let up = FAILURE_PAUSE + 1;
        assert_eq!(verify(&issuer, &outside, "a", up), Ok(()));
        outside.publish(None);
        assert_eq!(verify(&issuer, &outside, "a", up + DAY), Ok(()));
        assert_eq!(verify(&issuer, &outside, "a", up + DAY + 1), Err(Distrust::Unreachable));
    }

    #[test]
    fn an_openid_provider_is_found_by_its_description() {
        let (issuer, outside) = (Issuer::default(), Outside::publishing(&["a"]));
        let verified = block_on(issuer.verify(&oidc(), &token("a"), &outside, &Names, Millis(0)));
        assert!(verified.is_ok());
        let discovery = block_on(issuer.discovery(&oidc(), &outside, Millis(0))).unwrap();
        assert_eq!((discovery.token_endpoint.as_str(), outside.asked.get()), ("https://i/token", 2));
        assert!(verify(&issuer, &outside, "a", 1).is_ok(), "another issuer's keys are asked for anew");
        assert_eq!(outside.asked.get(), 3);
    }
}
