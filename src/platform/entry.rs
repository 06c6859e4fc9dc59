//! The Worker: verifies who asks, names their object, hands the request on. It decides nothing else.

use worker::{Context, Env, Headers, Request, Response, console_log, event};

use super::gate::{self, Admitted};
use super::{clock, environment, normalize, oidc, ready};
use crate::config::{Auth, Config, Switch};
use crate::http::address::Address;
use crate::http::caller;
use crate::http::completions;
use crate::http::identity::{Credential, Identity, Shown};
use crate::http::problem::Problem;
use crate::http::route::{Route, RouteError};
use crate::http::{API_HEADERS, STRICT_TRANSPORT, origin, session};
use crate::json;
use crate::session::api;

/// Longest body of a sign-in.
const MAX_SIGN_IN_BYTES: usize = 4096;

#[event(start)]
fn start() {
    console_error_panic_hook::set_once();
    normalize::install();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    match serve(request, &env).await {
        Ok(response) => Ok(response),
        Err(error) => {
            console_log!("{{\"event\":\"request_failed\",\"error\":{:?}}}", error.to_string());
            problem(&Problem::internal())
        }
    }
}

async fn serve(request: Request, env: &Env) -> worker::Result<Response> {
    let url = request.inner().url();
    let Some(url) = Address::parse(&url) else { return problem(&Problem::not_found()) };
    // The library reads a method that it doesn't know as `GET`.
    let method = request.inner().method();
    let route = match Route::parse(&method, url.path) {
        Ok(Route::ChatPage | Route::MemoryPage) => return assets(request, env).await,
        Ok(route) => route,
        // What isn't ours may be a file of the pages.
        Err(RouteError::NotFound) if !is_ours(url.path) => return assets(request, env).await,
        Err(error) => return problem(&Problem::from(error)),
    };
    if route == Route::Health {
        return respond(ok(&serde_json::json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})));
    }
    let is_loopback = origin::is_loopback(url.host);
    if route == Route::Ready {
        return ready::answer(env, is_loopback);
    }
    let config = match environment::config(env) {
        Ok(config) => config,
        Err(unfinished) => {
            let names = unfinished.variables().join(" ");
            console_log!("{{\"event\":\"misconfigured\",\"variables\":{:?}}}", names);
            return problem(&Problem::from(&unfinished));
        }
    };
    let missing = environment::missing_bindings(env, &config);
    if !missing.is_empty() {
        console_log!("{{\"event\":\"misconfigured\",\"variables\":{:?}}}", missing.join(" "));
        return problem(&Problem::misconfigured(&missing));
    }
    let peer = request.headers().get("cf-connecting-ip")?;
    if config.auth == Auth::Local && !(is_loopback && origin::is_loopback_peer(peer.as_deref())) {
        return problem(&Problem::local_only());
    }
    if let Switch::Off { until } = config.switch
        && route != Route::Ready
        && until.is_none_or(|at| at > clock::now())
    {
        return problem(&Problem::switched_off("Kioku", until));
    }
    let mut response = admit(request, env, &config, &route, &url).await?;
    if matches!(route, Route::CompleteChat | Route::ListModels) && response.status_code() >= 400 {
        let body = completions::refusal(&response.text().await?);
        response =
            Response::ok(body)?.with_status(response.status_code()).with_headers(response.headers().clone());
    }
    if !is_loopback {
        let (name, value) = STRICT_TRANSPORT;
        // A WebSocket's headers can't be changed, and need no such rule.
        if response.status_code() != 101 {
            response = with_header(response, name, value)?;
        }
    }
    Ok(response)
}

/// Whether a path belongs to the API, so that it is answered by a problem and not by a page.
fn is_ours(path: &str) -> bool {
    ["/api", "/auth", "/v1", "/mcp", "/healthz", "/readyz"]
        .iter()
        .any(|prefix| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

async fn assets(request: Request, env: &Env) -> worker::Result<Response> {
    match env.assets("ASSETS") {
        Ok(assets) => assets.fetch_request(request).await,
        Err(_) => problem(&Problem::not_found()),
    }
}

async fn admit(
    request: Request,
    env: &Env,
    config: &Config,
    route: &Route,
    url: &Address<'_>,
) -> worker::Result<Response> {
    let headers = request.headers().clone();
    let header = |name: &str| headers.get(name).ok().flatten();
    let from_own_page = || {
        let shown = header("origin");
        if route.is_socket() {
            origin::may_open_socket(url.origin, shown.as_deref())
        } else {
            origin::may_change(url.origin, shown.as_deref(), header("sec-fetch-site").as_deref())
        }
    };
    let is_secure = url.scheme == "https";
    let everywhere = *route == Route::SignOut && url.query == "everywhere=true";
    match route {
        Route::SignInLocally | Route::SignOut if !from_own_page() => return problem(&Problem::wrong_origin()),
        Route::SignInLocally => return sign_in(request, config, is_secure).await,
        Route::SignIn => return oidc::begin(config, url).await,
        Route::FinishSignIn => return oidc::finish(&request, config, url).await,
        Route::SignOut if !everywhere => {
            return with_cookie(no_content(), &session::clear_cookie(is_secure));
        }
        _ => {}
    }
    let credential = match Credential::from_headers(&config.auth, &header) {
        Shown::Credential(credential) => credential,
        Shown::Nothing | Shown::Unusable => {
            return problem(&Problem::unauthenticated(config.auth.sign_in()));
        }
    };
    if credential.is_ambient(&header) && route.checks_origin() && !from_own_page() {
        return problem(&Problem::wrong_origin());
    }
    let now = clock::now();
    let admitted = match gate::identify(config, &credential, now).await {
        Ok(admitted) => admitted,
        Err(refused) => return problem(&refused),
    };
    let mut response = forward(request, env, &admitted).await?;
    // An ended session must not come back by being renewed; so it is renewed as of before it was looked at.
    if everywhere && response.status_code() == 204 {
        response = with_header(response, "set-cookie", &session::clear_cookie(is_secure))?;
    } else if let Some(identity) = &admitted.renew
        && ![101, 401].contains(&response.status_code())
        && let Some(value) = session::sign(&config.session_secret, identity, now)
    {
        response = with_header(response, "set-cookie", &session::set_cookie(&value, is_secure))?;
    }
    Ok(response)
}

async fn forward(request: Request, env: &Env, admitted: &Admitted) -> worker::Result<Response> {
    let object = env.durable_object("AGENT")?.get_by_name(admitted.owner.as_str())?;
    let forwarded = request.clone_mut()?;
    let headers = forwarded.headers();
    // The object needs no credential; what it doesn't get it can't leak.
    for name in ["cookie", "authorization", "cf-access-jwt-assertion"] {
        headers.delete(name)?;
    }
    headers.set(caller::HEADER, &admitted.caller.encode())?;
    object.fetch_with_request(forwarded).await
}

#[derive(serde::Deserialize)]
struct SignIn {
    name: String,
}

async fn sign_in(mut request: Request, config: &Config, is_secure: bool) -> worker::Result<Response> {
    if config.auth != Auth::Local {
        return problem(&Problem::not_found());
    }
    let body = request.bytes().await.unwrap_or_default();
    if body.len() > MAX_SIGN_IN_BYTES {
        return problem(&Problem::too_large("The body", MAX_SIGN_IN_BYTES, "bytes"));
    }
    let identity = json::read::<SignIn>(&body).ok().and_then(|body| Identity::local(&body.name));
    let Some(identity) = identity else {
        return problem(&Problem::bad_field("name", "must have 1 to 64 visible characters"));
    };
    match session::sign(&config.session_secret, &identity, clock::now()) {
        Some(value) => {
            let body = serde_json::json!({"user": {"name": identity.display}});
            with_cookie(ok(&body), &session::set_cookie(&value, is_secure))
        }
        None => problem(&Problem::internal()),
    }
}

fn ok(body: &serde_json::Value) -> api::Response {
    api::text(200, "application/json; charset=utf-8", body.to_string())
}

fn no_content() -> api::Response {
    let headers = API_HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    api::Response { status: 204, headers, body: String::new() }
}

fn with_cookie(mut response: api::Response, cookie: &str) -> worker::Result<Response> {
    response.headers.push(("set-cookie", cookie.to_owned()));
    respond(response)
}

/// The response with one header more. Those of an object's answer can't be changed in place.
fn with_header(response: Response, name: &str, value: &str) -> worker::Result<Response> {
    let headers = Headers::new();
    for (name, value) in response.headers() {
        headers.append(&name, &value)?;
    }
    headers.append(name, value)?;
    Ok(response.with_headers(headers))
}

/// Sends the browser to another page.
pub fn redirect(address: &str, cookies: &[String]) -> worker::Result<Response> {
    let mut response = no_content();
    response.status = 303;
    response.headers.push(("location", address.to_owned()));
    response.headers.extend(cookies.iter().map(|cookie| ("set-cookie", cookie.clone())));
    respond(response)
}

pub fn problem(problem: &Problem) -> worker::Result<Response> {
    respond(api::Response {
        status: problem.status(),
        headers: problem.headers(clock::now()),
        body: problem.body(),
    })
}

pub fn respond(response: api::Response) -> worker::Result<Response> {
    let headers = Headers::new();
    for (name, value) in &response.headers {
        headers.append(name, value)?;
    }
    let made = if response.status == 204 { Response::empty()? } else { Response::ok(response.body)? };
    let made = made.with_status(response.status);
    // `Response::ok` brings a content type of its own.
    made.headers().delete("content-type")?;
    Ok(made.with_headers(headers))
}
