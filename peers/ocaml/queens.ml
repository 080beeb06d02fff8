(* N-queens on immutable lists.  A cell of the list is a block of three words
   (24 bytes: header, position, tail); a position is another of three, made once
   by the board and shared.  OCaml's generational collector serves both: a minor
   heap in which allocation moves a pointer, and copying of what lives from it.

   The filter is written out.  List.filter of OCaml before 5.1 builds its result
   reversed and then reverses it, which allocates every cell twice. *)

external nanoseconds : unit -> (int [@untagged])
  = "queens_nanoseconds_bytecode" "queens_nanoseconds" [@@noalloc]

let safe (x1, y1) (x2, y2) =
  x1 <> x2 && y1 <> y2 && x2 - x1 <> y2 - y1 && x1 - y2 <> x2 - y1

let rec filter_safe q = function
  | [] -> []
  | p :: ps -> if safe q p then p :: filter_safe q ps else filter_safe q ps

let rec search n qs ps accu =
  match ps with
  | [] -> if List.length qs = n then accu + 1 else accu
  | q :: rest ->
    let accu = search n qs rest accu in
    search n (q :: qs) (filter_safe q ps) accu

let board n =
  let rec from x y =
    if x = n then []
    else if y = n then from (x + 1) 0
    else (x, y) :: from x (y + 1)
  in
  from 0 0

let () =
  let usage () = prerr_endline "usage: queens N ITERATIONS"; exit 2 in
  let number i =
    match int_of_string_opt Sys.argv.(i) with
    | Some k when k > 0 -> k
    | _ -> usage ()
  in
  if Array.length Sys.argv <> 3 then usage ();
  let n = number 1 and iterations = number 2 in
  for i = 1 to iterations do
    let start = nanoseconds () in
    let solutions = search n [] (board n) 0 in
    let ns = nanoseconds () - start in
    if i = 1 then Printf.printf "solutions=%d\n" solutions;
    Printf.printf "ns=%d\n" ns
  done
