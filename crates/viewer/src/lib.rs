//! Looking at a run: a recording becomes one HTML file that plays anywhere.
//!
//! [`protocol`] says what the page is told and how it is laid out in bytes; [`replay`] puts a whole recording and the
//! page into one file. The page itself is `page/` (TypeScript and three.js), committed as `page/dist/replay.html`;
//! after a change there, `npm ci && npm run build && npm run check && npm test` in that folder.

pub mod protocol;
pub mod replay;

pub use replay::{ReplayError, replay_html, write_replay};
