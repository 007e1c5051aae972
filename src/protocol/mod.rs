//! Texts that other programs speak.

pub mod engine_process;
