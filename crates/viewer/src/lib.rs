//! Looking at a run, live or later.
//!
//! [`protocol`] says what the page is told and how it is laid out in bytes. [`replay`] puts a whole recording and the
//! page into one file; [`server`] shows a [`session`] while it runs, which [`driver`] keeps going; a
//! [`mirror`] shows what somebody else steps. The page itself is
//! `page/` (TypeScript and three.js), committed as `page/dist/replay.html`; after a change there, `npm ci && npm run
//! build && npm run check && npm test` in that folder.

mod board;
mod driver;
mod http;
pub mod mirror;
pub mod protocol;
pub mod replay;
pub mod server;
pub mod session;
mod websocket;

pub use mirror::Mirror;
pub use replay::{ReplayError, replay_html, write_replay};
pub use server::Server;
pub use session::Session;
