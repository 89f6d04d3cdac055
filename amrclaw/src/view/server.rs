//! HTTP/1.1 on the loopback interface, one thread for all connections, and few for what reads files.

use super::ViewError;
use super::answers::Runs;
use super::guard::{Guard, HEADERS, new_token};
use super::routes::{Answer, Route};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

/// Most connections at a time; further ones are closed.
const CONNECTIONS: usize = 32;
/// Most bytes of a request's head, and the time in which it must come.
const HEAD_BYTES: usize = 8192;
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The longest that a connection lives, so that one who reads nothing keeps it no longer.
const LIFETIME: Duration = Duration::from_secs(600);
/// Threads that read files.
const READERS: usize = 2;

/// A server of the page and of the runs that it shows.
pub struct Server {
    runtime: Runtime,
    listeners: Vec<TcpListener>,
    shared: Arc<Shared>,
    url: String,
}

struct Shared {
    guard: Guard,
    runs: Runs,
}

impl Server {
    /// Listens on the loopback interface, on `port` or, for 0, on a free one. `dirs`: the folders of the runs; `names`: further names under
    /// which a tunnel or a proxy reaches it.
    ///
    /// # Errors
    /// A folder has no frames; the system's.
    pub fn bind(dirs: &[PathBuf], port: u16, names: &[String]) -> Result<Self, ViewError> {
        let runs = Runs::open(dirs)?;
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(READERS).build()?;
        let (port, listeners) = runtime.block_on(listen(port))?;
        let token = new_token()?;
        // What follows the `#` stays in the browser.
        let url = format!("http://127.0.0.1:{port}/#token={token}");
        let guard = Guard::new(port, names, token);
        Ok(Server { runtime, listeners, shared: Arc::new(Shared { guard, runs }), url })
    }

    /// The page's address, with the token.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves until `is_over` says so.
    pub fn serve(self, is_over: impl Fn() -> bool) {
        let Server { runtime, listeners, shared, .. } = self;
        runtime.block_on(async {
            let places = Arc::new(Semaphore::new(CONNECTIONS));
            for listener in listeners {
                tokio::spawn(accept(listener, shared.clone(), places.clone()));
            }
            while !is_over() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        runtime.shutdown_background();
    }
}

/// Listens on 127.0.0.1 and, where there is one, on the same port of ::1.
async fn listen(port: u16) -> io::Result<(u16, Vec<TcpListener>)> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let port = first.local_addr()?.port();
    let second = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await;
    Ok((port, std::iter::once(first).chain(second.ok()).collect()))
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, places: Arc<Semaphore>) {
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Too many open files: try again later.
            tokio::time::sleep(HEAD_TIME / 100).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        let shared = shared.clone();
        tokio::spawn(async move {
            converse(stream, peer, shared).await;
            drop(place);
        });
    }
}

async fn converse(stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    if !peer.ip().is_loopback() {
        return;
    }
    let service = service_fn(move |request| {
        let shared = shared.clone();
        async move { Ok::<_, Infallible>(respond(request, &shared).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES).max_headers(64);
    // Whoever breaks the protocol or leaves is no error of ours.
    let _ = tokio::time::timeout(LIFETIME, builder.serve_connection(TokioIo::new(stream), service)).await;
}

async fn respond(request: Request<Incoming>, shared: &Arc<Shared>) -> Response<Full<Bytes>> {
    let (head, _) = request.into_parts();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let route = Route::of(target);
    let is_secret = !matches!(route, Ok(Route::Page(_)));
    if let Err(status) = shared.guard.check(&head.method, &head.uri, &head.headers, is_secret) {
        return response(status, "text/plain; charset=utf-8", status.as_str().to_owned().into());
    }
    let answer = match route {
        Ok(route) => {
            let shared = shared.clone();
            // A panic, as of a damaged file, ends this answer only.
            let work = tokio::task::spawn_blocking(move || route.answer(&shared.runs));
            work.await.unwrap_or_else(|_| Err(ViewError::Data("the answer could not be made".to_owned())))
        }
        Err(error) => Err(error),
    };
    let answer = answer.map(|Answer { kind, body }| response(StatusCode::OK, kind, body.into()));
    let mut answer = answer.unwrap_or_else(|error| {
        let status = match error {
            ViewError::NotFound(_) => StatusCode::NOT_FOUND,
            ViewError::Request(_) | ViewError::TooMuch(_) => StatusCode::BAD_REQUEST,
            ViewError::Data(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        response(status, "text/plain; charset=utf-8", error.to_string().into())
    });
    if head.method == Method::HEAD {
        *answer.body_mut() = Full::default();
    }
    answer
}

fn response(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
