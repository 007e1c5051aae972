//! The positions into which a tree is split, taken by one thread after another.
//!
//! Trees are uneven, so there are many more positions than threads. How they
//! are counted is not known here.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::board::{MoveList, Position};

/// A part of the work.
#[derive(Clone, Copy)]
pub(super) struct Task {
    /// Where to begin.
    pub position: Position,
    /// How many plies to count.
    pub depth: u32,
    /// To which sum the count belongs.
    pub group: usize,
}

/// Tasks that threads share.
pub(super) struct Queue {
    tasks: Vec<Task>,
    next: AtomicUsize,
}

impl Queue {
    /// How many tasks are enough: the smallest share of a thread is then well
    /// under a hundredth, even if some are far larger than others.
    const ENOUGH: usize = 4000;

    /// Trees of this depth are not split.
    const SMALLEST_DEPTH: u32 = 4;

    /// Splits `tasks`, all of one depth, ply by ply until they are enough.
    pub fn split(mut tasks: Vec<Task>) -> Queue {
        let mut list = MoveList::new();
        while tasks.len() < Self::ENOUGH
            && tasks.iter().any(|task| task.depth > Self::SMALLEST_DEPTH)
        {
            tasks = tasks
                .iter()
                .flat_map(|task| Self::children(task, &mut list))
                .collect();
        }
        Queue {
            tasks,
            next: AtomicUsize::new(0),
        }
    }

    fn children(task: &Task, list: &mut MoveList) -> Vec<Task> {
        task.position.legal_moves(list);
        let child = |mv| Task {
            position: task.position.play(mv),
            depth: task.depth - 1,
            group: task.group,
        };
        list.into_iter().map(child).collect()
    }

    /// All tasks, done or not.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// How many tasks there are, done or not.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// The next task that nobody has taken.
    pub fn pop(&self) -> Option<&Task> {
        self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed))
    }
}
