//! Signing in at an OpenID provider: sends the browser there and takes it back.

use std::rc::Rc;

use worker::{Request, Response};

use super::entry;
use super::gate::ISSUER;
use super::outgoing::{self, Outgoing};
use super::subtle::Subtle;
use super::{clock, entry::redirect};
use crate::config::{Auth, Client, Config};
use crate::http::address::Address;
use crate::http::claims::Expected;
use crate::http::identity::Identity;
use crate::http::problem::Problem;
use crate::http::session;
use crate::http::sign_in::{self, Failed, Flow};

/// Sends the browser to the provider.
pub async fn begin(config: &Config, url: &Address<'_>) -> worker::Result<Response> {
    let Auth::Oidc { client, .. } = &config.auth else { return entry::problem(&Problem::not_found()) };
    let now = clock::now();
    let issuer = ISSUER.with(Rc::clone);
    let Some(provider) = issuer.discovery(&config.auth, &Outgoing, now).await else {
        return redirect(Failed::Unreachable.page(), &[]);
    };
    let Some(chance) = clock::chance() else { return entry::problem(&Problem::internal()) };
    let flow = Flow::begin(&chance, url.query, now);
    let Some(cookie) = flow.set_cookie(&config.session_secret, is_secure(url)) else {
        return entry::problem(&Problem::internal());
    };
    let address = flow.address(&provider, client, url.origin);
    redirect(&address, &[cookie])
}

/// Takes the browser back, with a session if everything holds.
pub async fn finish(request: &Request, config: &Config, url: &Address<'_>) -> worker::Result<Response> {
    let Auth::Oidc { issuer, client, .. } = &config.auth else {
        return entry::problem(&Problem::not_found());
    };
    let cookies = request.headers().get("cookie")?.unwrap_or_default();
    let over = sign_in::clear_cookie(is_secure(url));
    let Some(flow) = Flow::read(&config.secrets(), &cookies, clock::now()) else {
        return redirect(Failed::Expired.page(), &[over]);
    };
    let signed_in = match flow.code(url.query, issuer) {
        Ok(code) => redeem(config, issuer, client, &flow, &code, url).await,
        Err(failed) => Err(failed),
    };
    let identity = match signed_in {
        Ok(identity) => identity,
        Err(failed) => return redirect(failed.page(), &[over]),
    };
    match session::sign(&config.session_secret, &identity, clock::now()) {
        Some(value) => redirect(&flow.page, &[over, session::set_cookie(&value, is_secure(url))]),
        // No browser keeps so long an identity.
        None => redirect(Failed::Unusable.page(), &[over]),
    }
}

async fn redeem(
    config: &Config,
    name: &str,
    client: &Client,
    flow: &Flow,
    code: &str,
    url: &Address<'_>,
) -> Result<Identity, Failed> {
    let now = clock::now();
    let issuer = ISSUER.with(Rc::clone);
    let provider = issuer.discovery(&config.auth, &Outgoing, now).await.ok_or(Failed::Unreachable)?;
    let (headers, form) = flow.redeem(code, &provider, client, url.origin);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = outgoing::request(&provider.token_endpoint, &headers, Some(&form)).await;
    let token = answer.as_deref().and_then(sign_in::identity_token).ok_or(Failed::Unusable)?;
    let claims =
        issuer.verify(&config.auth, &token, &Outgoing, &Subtle, now).await.map_err(|_| Failed::Unusable)?;
    let expected = Expected { issuer: name, audience: &client.id, nonce: Some(&flow.nonce) };
    claims.identity(&expected, now).map_err(|_| Failed::Unusable)
}

fn is_secure(url: &Address<'_>) -> bool {
    url.scheme == "https"
}
