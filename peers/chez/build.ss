(optimize-level 2)
(compile-program "queens.ss")
