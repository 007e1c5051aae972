//! A position as perft walks it: without key, from the mover's side.

use crate::board::{
    Bitboard, Move, MoveList, Position,
    bitboard::Direction,
    count::{Arrivals, JumpSquares, Path},
    movegen::{self, Mover, View},
};

/// A position of which the side to move is known by type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// The pieces of the side to move.
    pub own: Bitboard,
    /// The pieces of the opponent.
    pub enemy: Bitboard,
    /// The kings of both.
    pub kings: Bitboard,
}

impl Node {
    /// The node of a position.
    pub fn of(position: &Position) -> Node {
        let side = position.side();
        Node {
            own: position.pieces(side),
            enemy: position.pieces(side.opponent()),
            kings: position.kings(side) | position.kings(side.opponent()),
        }
    }

    #[inline(always)]
    pub fn view(&self) -> View {
        View {
            men: self.own.without(self.kings),
            kings: self.own & self.kings,
            enemies: self.enemy,
            empty: Bitboard::BOARD.without(self.own | self.enemy),
        }
    }

    /// As if the opponent were to move.
    #[inline(always)]
    pub fn passed(&self) -> Node {
        Node {
            own: self.enemy,
            enemy: self.own,
            kings: self.kings,
        }
    }

    #[inline(always)]
    fn man_to<M: Mover>(&self, from: Bitboard, to: Bitboard) -> Node {
        Node {
            own: self.enemy,
            enemy: self.own ^ from ^ to,
            kings: self.kings | (to & M::PROMOTION),
        }
    }

    #[inline(always)]
    fn man_takes<M: Mover>(&self, from: Bitboard, to: Bitboard, taken: Bitboard) -> Node {
        Node {
            own: self.enemy ^ taken,
            enemy: self.own ^ from ^ to,
            kings: self.kings.without(taken) | (to & M::PROMOTION),
        }
    }

    #[inline(always)]
    fn king_to(&self, from: Bitboard, to: Bitboard) -> Node {
        Node {
            own: self.enemy,
            enemy: self.own ^ from ^ to,
            kings: self.kings ^ from ^ to,
        }
    }

    /// After a capture from the list of the position.
    #[inline(always)]
    pub fn take<M: Mover>(&self, mv: Move) -> Node {
        let taken = mv.changed() & self.enemy;
        let from = Bitboard::of(mv.origin());
        let to = mv.changed() ^ taken ^ from;
        if from.meets(self.kings) {
            let mut node = self.king_to(from, to);
            node.own ^= taken;
            node.kings = node.kings.without(taken);
            node
        } else {
            self.man_takes::<M>(from, to, taken)
        }
    }

    /// Calls `f` with the node after each quiet move.
    #[inline(always)]
    pub fn each_quiet<M: Mover>(&self, view: &View, mut f: impl FnMut(Node)) {
        self.each_step::<M, M::Left>(view, &mut f);
        self.each_step::<M, M::Right>(view, &mut f);
        for king in view.kings {
            for to in movegen::king_targets(king, view.empty).singles() {
                f(self.king_to(Bitboard::of(king), to));
            }
        }
    }

    #[inline(always)]
    fn each_step<M: Mover, D: Direction>(&self, view: &View, f: &mut impl FnMut(Node)) {
        for to in view.steps::<D>().singles() {
            f(self.man_to::<M>(to.step::<D::Opposite>(), to));
        }
    }

    /// Calls `f` with the node after each legal move.
    #[inline(always)]
    pub fn each_child<M: Mover>(&self, list: &mut MoveList, f: impl FnMut(Node)) {
        let view = self.view();
        if view.has_capture() {
            self.each_capture::<M>(&view, list, f);
        } else {
            self.each_quiet::<M>(&view, f);
        }
    }

    /// Calls `f` with the node after each capture.
    #[inline(always)]
    pub fn each_capture<M: Mover>(
        &self,
        view: &View,
        list: &mut MoveList,
        mut f: impl FnMut(Node),
    ) {
        if view.kings.is_empty() {
            let mut visitor = ManCaptures {
                node: self,
                f: &mut f,
                mover: std::marker::PhantomData::<M>,
            };
            if JumpSquares::of(view)
                .visit_longest(view, &mut visitor)
                .is_some()
            {
                return;
            }
        }
        movegen::captures(view, list);
        for mv in &*list {
            f(self.take::<M>(mv));
        }
    }
}

struct ManCaptures<'a, M, F> {
    node: &'a Node,
    f: &'a mut F,
    mover: std::marker::PhantomData<M>,
}

impl<M: Mover, F: FnMut(Node)> Arrivals for ManCaptures<'_, M, F> {
    #[inline(always)]
    fn arrive<P: Path>(&mut self, landings: Bitboard) {
        for to in landings.singles() {
            (self.f)(self.node.man_takes::<M>(P::origin(to), to, P::taken(to)));
        }
    }
}
