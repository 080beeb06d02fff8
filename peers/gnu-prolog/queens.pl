% N-queens as a search over choice points.  The board is a list of positions
% X-Y; a cell of the list has two words (16 bytes: head, tail) on the global
% stack, and a position has three, made once by the board and shared.  A failure
% takes back all that was built since the choice point; there is no garbage
% collector besides, so the memory is a stack.

:- initialization(main).
:- foreign(nanoseconds(-integer)).

safe(X1-Y1, X2-Y2) :-
    X1 =\= X2,
    Y1 =\= Y2,
    X2 - X1 =\= Y2 - Y1,
    X1 - Y2 =\= X2 - Y1.

filter([], _, []).
filter([P|Ps], Q, Left) :-
    (   safe(Q, P)
    ->  Left = [P|More],
        filter(Ps, Q, More)
    ;   filter(Ps, Q, Left)
    ).

search([], N, Qs) :-
    length(Qs, N).
search([_|Ps], N, Qs) :-
    search(Ps, N, Qs).
search(Ps, N, Qs) :-
    Ps = [Q|_],
    filter(Ps, Q, Left),
    search(Left, N, [Q|Qs]).

board(N, Board) :-
    Last is N - 1,
    findall(X-Y, (between(0, Last, X), between(0, Last, Y)), Board).

solutions(N, _) :-
    g_assign(solutions, 0),
    board(N, Board),
    search(Board, N, []),
    g_inc(solutions),
    fail.
solutions(_, Count) :-
    g_read(solutions, Count).

main :-
    argument_list(Arguments),
    (   Arguments = [A, B],
        natural(A, N),
        natural(B, Iterations)
    ->  measure(N, Iterations)
    ;   format(user_error, "usage: queens N ITERATIONS~n", []),
        halt(2)
    ).

natural(Atom, Number) :-
    catch(number_atom(Number, Atom), _, fail),
    integer(Number),
    Number > 0.

% A failure after each search, so that none leaves anything behind.
measure(N, Iterations) :-
    between(1, Iterations, I),
    nanoseconds(Start),
    solutions(N, Count),
    nanoseconds(End),
    (   I =:= 1
    ->  format("solutions=~d~n", [Count])
    ;   true
    ),
    Nanoseconds is End - Start,
    format("ns=~d~n", [Nanoseconds]),
    fail.
measure(_, _).
