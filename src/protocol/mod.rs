//! The languages that clients and servers speak.
//!
//! A protocol turns text into calls of the search and back. It is the only
//! place that writes to stdout while a search is on, and it knows no strategy:
//! what to play is the search's affair.

pub mod dxp;
pub mod engine_process;
pub mod hub;
