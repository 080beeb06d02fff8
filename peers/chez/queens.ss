;;; N-queens on immutable lists.  A cell of the list is a pair of two words (16
;;; bytes: position, tail), and so is a position (x . y), made once by the board
;;; and shared.  Chez Scheme's generational copying collector serves both.

(import (chezscheme))

(define (safe? p q)
  (let ([x1 (car p)] [y1 (cdr p)]
        [x2 (car q)] [y2 (cdr q)])
    (and (not (fx= x1 x2))
         (not (fx= y1 y2))
         (not (fx= (fx- x2 x1) (fx- y2 y1)))
         (not (fx= (fx- x1 y2) (fx- x2 y1))))))

(define (filter-safe q ps)
  (cond
    [(null? ps) '()]
    [(safe? q (car ps)) (cons (car ps) (filter-safe q (cdr ps)))]
    [else (filter-safe q (cdr ps))]))

(define (search n qs ps accu)
  (if (null? ps)
      (if (fx= (length qs) n) (fx+ accu 1) accu)
      (let ([q (car ps)]
            [accu (search n qs (cdr ps) accu)])
        (search n (cons q qs) (filter-safe q ps) accu))))

(define (board n)
  (let from ([x 0] [y 0])
    (cond
      [(fx= x n) '()]
      [(fx= y n) (from (fx+ x 1) 0)]
      [else (cons (cons x y) (from x (fx+ y 1)))])))

(define (nanoseconds)
  (let ([time (current-time 'time-monotonic)])
    (+ (* (time-second time) 1000000000) (time-nanosecond time))))

(define (measure n iterations)
  (do ([i 0 (fx+ i 1)]) ((fx= i iterations))
    (let* ([start (nanoseconds)]
           [solutions (search n '() (board n) 0)]
           [ns (- (nanoseconds) start)])
      (when (fx= i 0)
        (printf "solutions=~a\n" solutions))
      (printf "ns=~a\n" ns))))

(define (positive-fixnum? number)
  (and (fixnum? number) (fx> number 0)))

(let ([numbers (map string->number (command-line-arguments))])
  (cond
    [(and (= (length numbers) 2) (for-all positive-fixnum? numbers))
     (apply measure numbers)]
    [else
     (display "usage: queens N ITERATIONS\n" (current-error-port))
     (exit 2)]))
