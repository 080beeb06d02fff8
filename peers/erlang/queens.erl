%% N-queens on immutable lists.  A cell of the list has two words (16 bytes:
%% position, tail); a position is a tuple of three, made once by the board and
%% shared.  All are in the heap of one process, which BEAM's generational copying
%% collector serves, and which grows as the collector sees fit.

-module(queens).
-export([main/0]).

safe({X1, Y1}, {X2, Y2}) ->
    X1 =/= X2 andalso Y1 =/= Y2 andalso X2 - X1 =/= Y2 - Y1 andalso X1 - Y2 =/= X2 - Y1.

search(N, Qs, [], Accu) ->
    case length(Qs) of
        N -> Accu + 1;
        _ -> Accu
    end;
search(N, Qs, [Q | Rest] = Ps, Accu) ->
    Others = search(N, Qs, Rest, Accu),
    search(N, [Q | Qs], [P || P <- Ps, safe(Q, P)], Others).

board(N) ->
    [{X, Y} || X <- lists:seq(0, N - 1), Y <- lists:seq(0, N - 1)].

measure(N) ->
    Start = erlang:monotonic_time(),
    Solutions = search(N, [], board(N), 0),
    End = erlang:monotonic_time(),
    {Solutions, erlang:convert_time_unit(End - Start, native, nanosecond)}.

main() ->
    try [list_to_integer(Argument) || Argument <- init:get_plain_arguments()] of
        [N, Iterations] when N > 0, Iterations > 0 ->
            run(N, Iterations);
        _ ->
            usage()
    catch
        error:badarg -> usage()
    end.

run(N, Iterations) ->
    {Solutions, First} = measure(N),
    io:format("solutions=~b~nns=~b~n", [Solutions, First]),
    [begin
         {Solutions, Time} = measure(N),
         io:format("ns=~b~n", [Time])
     end || _ <- lists:seq(2, Iterations)],
    halt(0).

usage() ->
    io:format(standard_error, "usage: queens N ITERATIONS~n", []),
    halt(2).
