//! A page in the browser that shows a run: `amrclaw view`. Reads a run's folder, and changes nothing there.
//!
//! The server (`server`) answers on the loopback interface alone, and what `guard` lets pass alone. Answers are made of the files of a folder
//! (`answers`) in the forms that `routes` knows. The page is a handful of modules without a build step, embedded in the program (`page`). A
//! saved page holds these and the answers that it needs (`saved`).

mod answers;
mod guard;
mod page;
mod routes;
mod saved;
mod server;
mod wish;

pub use guard::Guard;
pub use saved::{Saved, saved_page};
pub use server::Server;

/// What a request cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// The request is wrong.
    #[error("{0}")]
    Request(String),
    /// The answer would be too large.
    #[error("{0}")]
    TooMuch(String),
    /// A file cannot be read, or a formula not be computed.
    #[error("{0}")]
    Data(String),
}

impl From<crate::frames::InputError> for ViewError {
    fn from(error: crate::frames::InputError) -> Self {
        ViewError::Data(error.to_string())
    }
}

impl From<crate::frames::derived::FormulaError> for ViewError {
    fn from(error: crate::frames::derived::FormulaError) -> Self {
        ViewError::Request(error.to_string())
    }
}

impl From<crate::picture::PictureError> for ViewError {
    fn from(error: crate::picture::PictureError) -> Self {
        ViewError::Request(error.to_string())
    }
}

impl From<std::io::Error> for ViewError {
    fn from(error: std::io::Error) -> Self {
        ViewError::Data(error.to_string())
    }
}
