//! From a credential to the object that it opens.

use super::outgoing::Outgoing;
use super::subtle::Subtle;
use crate::config::{Auth, Config};
use crate::http::caller::{Caller, Presented};
use crate::http::claims::Expected;
use crate::http::identity::{Credential, Identity, LOCAL_ISSUER};
use crate::http::issuer::{self, Distrust, Issuer};
use crate::http::problem::Problem;
use crate::http::{session, token};
use crate::id::OwnerKey;
use crate::time::Millis;

thread_local! {
    /// Public keys, the same for everybody; nothing of any user is kept between requests.
    pub static ISSUER: std::rc::Rc<Issuer> = std::rc::Rc::default();
}

/// Somebody whose credential is good.
pub struct Admitted {
    pub owner: OwnerKey,
    pub caller: Caller,
    /// Whose session should be signed anew.
    pub renew: Option<Identity>,
}

/// Verifies a credential.
pub async fn identify(config: &Config, credential: &Credential, now: Millis) -> Result<Admitted, Problem> {
    let refused = || Problem::unauthenticated(config.auth.sign_in());
    match credential {
        Credential::Session(cookies) => {
            let issuer = issuer::name(&config.auth).unwrap_or_else(|| LOCAL_ISSUER.to_owned());
            // A session of another way of signing in ended when that way did.
            let session = session::verify(&config.secrets(), cookies, now)
                .filter(|session| session.identity.issuer == issuer)
                .ok_or_else(refused)?;
            Ok(Admitted {
                owner: session.identity.owner(),
                caller: Caller {
                    name: session.identity.display.clone(),
                    issued: Some(session.issued),
                    expires: Some(session.expires),
                    token: None,
                },
                renew: session.wants_renewal.then_some(session.identity),
            })
        }
        Credential::Jwt(jwt) => {
            let issuer = ISSUER.with(std::rc::Rc::clone);
            let claims = match issuer.verify(&config.auth, jwt, &Outgoing, &Subtle, now).await {
                Ok(claims) => claims,
                Err(Distrust::Token(_)) => return Err(refused()),
                Err(Distrust::Unreachable) => return Err(Problem::unavailable("The identity provider")),
            };
            let name = issuer::name(&config.auth).ok_or_else(refused)?;
            let audience = match &config.auth {
                Auth::Access { audience, .. } | Auth::Oidc { audience, .. } => audience,
                Auth::Local => return Err(refused()),
            };
            let expected = Expected { issuer: &name, audience, nonce: None };
            let identity = claims.identity(&expected, now).map_err(|_| refused())?;
            Ok(Admitted {
                owner: identity.owner(),
                caller: Caller {
                    name: identity.display,
                    issued: claims.issued(),
                    expires: claims.expires(),
                    token: None,
                },
                renew: None,
            })
        }
        Credential::Token(text) => {
            let token = token::read(&config.secrets(), text).ok_or_else(refused)?;
            Ok(Admitted {
                owner: token.owner,
                caller: Caller {
                    name: String::new(),
                    issued: None,
                    expires: None,
                    token: Some(Presented { id: token.id, hash: token.hash }),
                },
                renew: None,
            })
        }
    }
}
