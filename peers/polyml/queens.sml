(* N-queens on immutable lists.  A cell of the list is a block of three words
   (24 bytes: length word, position, tail); a position is another of three, made
   once by the board and shared.  Poly/ML's generational collector serves both.
   List.filter of its library is the plain recursion, which allocates no cell but
   those that it returns. *)

fun safe (x1 : int, y1 : int) (x2, y2) =
    x1 <> x2 andalso y1 <> y2 andalso x2 - x1 <> y2 - y1 andalso x1 - y2 <> x2 - y1

fun search n qs [] accu = if length qs = n then accu + 1 else accu
  | search n qs (ps as q :: rest) accu =
    let
        val accu = search n qs rest accu
    in
        search n (q :: qs) (List.filter (safe q) ps) accu
    end

fun board n =
    let
        fun from x y =
            if x = n then []
            else if y = n then from (x + 1) 0
            else (x, y) :: from x (y + 1)
    in
        from 0 0
    end

fun measure n iterations =
    let
        fun once i =
            let
                val start = Time.now ()
                val solutions = search n [] (board n) 0
                val time = Time.- (Time.now (), start)
            in
                if i = 1 then print ("solutions=" ^ Int.toString solutions ^ "\n") else ();
                print ("ns=" ^ LargeInt.toString (Time.toNanoseconds time) ^ "\n")
            end
    in
        List.app once (List.tabulate (iterations, fn i => i + 1))
    end

fun number text =
    case Int.fromString text of
        SOME number => if number > 0 andalso Int.toString number = text then number else 0
      | NONE => 0

fun usage () =
    (TextIO.output (TextIO.stdErr, "usage: queens N ITERATIONS\n");
     Posix.Process.exit 0w2)

fun main () =
    case map number (CommandLine.arguments ()) of
        [0, _] => usage ()
      | [_, 0] => usage ()
      | [n, iterations] => measure n iterations
      | _ => usage ()
