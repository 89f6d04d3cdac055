//! Who may ask what: only the page that this server has sent, in the browser of who started it.
//!
//! Other pages in that browser reach the loopback interface too. They do not know the token; a `Host` of another name (DNS rebinding), a
//! foreign `Origin` and what the browser calls cross-site are refused before the token is looked at.

use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING,
};
use hyper::{Method, StatusCode, Uri};

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// Most bytes of a request's target.
const LONGEST_TARGET: usize = 4096;

/// What every answer says: the page may load what this server sends alone, no other page may embed or read it, and nothing is kept.
pub const HEADERS: [(HeaderName, &str); 6] = [
    (
        hyper::header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (hyper::header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (hyper::header::REFERRER_POLICY, "no-referrer"),
    (hyper::header::CACHE_CONTROL, "no-store"),
];

/// The rules of one server.
pub struct Guard {
    /// `NAME:PORT` of the loopback interface, and further names without a port.
    hosts: Vec<String>,
    names: Vec<String>,
    token: String,
}

impl Guard {
    /// For a server on this port, under further names, with this token.
    pub fn new(port: u16, names: &[String], token: String) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        Guard { hosts, names: names.iter().map(|name| name.to_ascii_lowercase()).collect(), token }
    }

    /// Whether a request may be answered; `is_secret` if the answer is of the run, so that the token is needed.
    ///
    /// # Errors
    /// The status with which it is refused.
    pub fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap, is_secret: bool) -> Result<(), StatusCode> {
        if method != Method::GET && method != Method::HEAD {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        let has_body = headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0");
        if has_body || headers.contains_key(TRANSFER_ENCODING) {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        if uri.path_and_query().is_some_and(|target| target.as_str().len() > LONGEST_TARGET) {
            return Err(StatusCode::URI_TOO_LONG);
        }
        // A target with a host of its own is meant for a proxy.
        let mut hosts = headers.get_all(HOST).iter();
        let (host, further) = (hosts.next().and_then(text), hosts.next());
        if uri.authority().is_some() || further.is_some() || !host.is_some_and(|host| self.is_own(host)) {
            return Err(StatusCode::FORBIDDEN);
        }
        let is_own_origin = |origin: &HeaderValue| {
            let place =
                text(origin).and_then(|origin| origin.strip_prefix("http://").or(origin.strip_prefix("https://")));
            place.is_some_and(|place| self.is_own(place))
        };
        let site = |site: &HeaderValue| site == "same-origin" || site == "none";
        if !headers.get_all(ORIGIN).iter().all(is_own_origin) || !headers.get_all(SEC_FETCH_SITE).iter().all(site) {
            return Err(StatusCode::FORBIDDEN);
        }
        if is_secret && !headers.get(AUTHORIZATION).and_then(text).is_some_and(|given| self.is_token(given)) {
            return Err(StatusCode::UNAUTHORIZED);
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
        self.hosts.contains(&host) || self.names.iter().any(|own| *own == host || own == name)
    }

    /// Compares in a time that does not depend on how much is right.
    fn is_token(&self, given: &str) -> bool {
        let Some(given) = given.strip_prefix("Bearer ") else { return false };
        let differ = given.bytes().zip(self.token.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
        given.len() == self.token.len() && differ == 0
    }
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

/// 256 random bits as text.
///
/// # Errors
/// The system has none.
pub fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
