% N-queens as a search over choice points.  The board is a list of positions
% X-Y; a cell of the list is a compound of three words (24 bytes: functor, head,
% tail) on the global stack, and so is a position, made once by the board and
% shared.  A failure takes back all that was built since the choice point, so
% the memory is a stack; the garbage collector is there but has nothing to do.

:- initialization(main, main).
:- use_module(library(aggregate)).
:- consult(common).

search([], N, Qs) :-
    length(Qs, N).
search([_|Ps], N, Qs) :-
    search(Ps, N, Qs).
search(Ps, N, Qs) :-
    Ps = [Q|_],
    filter(Ps, Q, Left),
    search(Left, N, [Q|Qs]).

solutions(N, Count) :-
    board(N, Board),
    aggregate_all(count, search(Board, N, []), Count).
