% N-queens with an accumulator, without choice points.  The board is a list of
% positions X-Y; a cell of the list is a compound of three words (24 bytes:
% functor, head, tail) on the global stack, and so is a position, made once by
% the board and shared.  Nothing fails back, so the mark-and-compact collector of
% the global stack has to free what the search leaves.

:- initialization(main, main).
:- consult(common).

search([], N, Qs, Accu0, Accu) :-
    (   length(Qs, N)
    ->  Accu is Accu0 + 1
    ;   Accu = Accu0
    ).
search(Ps, N, Qs, Accu0, Accu) :-
    Ps = [Q|Rest],
    search(Rest, N, Qs, Accu0, Accu1),
    filter(Ps, Q, Left),
    search(Left, N, [Q|Qs], Accu1, Accu).

solutions(N, Count) :-
    board(N, Board),
    search(Board, N, [], 0, Count).
