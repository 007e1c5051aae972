//! DamExchange (DXP), the protocol of engine matches: two programs, one TCP
//! connection, no referee.
//!
//! Which side listens and which asks for games are independent, so a session
//! does not know how its connection came about. Reading order: [`message`]
//! (bytes to values and back), [`link`] (a stream to messages), [`session`]
//! (the course of games, without sockets, threads or clocks of its own),
//! [`player`] (which joins the three to the search).

mod clock;
pub mod link;
pub mod message;
pub mod player;
pub mod session;
#[cfg(test)]
mod session_tests;

/// The port that DamExchange programs listen on.
pub const DEFAULT_PORT: u16 = 27531;
