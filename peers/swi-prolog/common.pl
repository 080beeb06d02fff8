% What both programs share: the rule of the game, the board, the clock.

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

board(N, Board) :-
    Last is N - 1,
    findall(X-Y, (between(0, Last, X), between(0, Last, Y)), Board).

main :-
    current_prolog_flag(argv, Arguments),
    (   catch(maplist(atom_number, Arguments, [N, Iterations]), _, fail),
        integer(N), N > 0,
        integer(Iterations), Iterations > 0
    ->  forall(between(1, Iterations, I), once(measure(N, I)))
    ;   format(user_error, "usage: queens N ITERATIONS~n", []),
        halt(2)
    ).

measure(N, I) :-
    get_time(Start),
    solutions(N, Count),
    get_time(End),
    (   I =:= 1
    ->  format("solutions=~d~n", [Count])
    ;   true
    ),
    Nanoseconds is round((End - Start) * 1.0e9),
    format("ns=~d~n", [Nanoseconds]).
