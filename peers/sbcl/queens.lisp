;;; N-queens on immutable lists.  A cell of the list is a cons of two words (16
;;; bytes: position, tail), and so is a position (x, y), made once by the board
;;; and shared.  SBCL's generational copying collector serves both.

(declaim (optimize (speed 2) (safety 1)))

(declaim (inline safe))
(defun safe (p q)
  (let ((x1 (car p)) (y1 (cdr p))
        (x2 (car q)) (y2 (cdr q)))
    (declare (fixnum x1 y1 x2 y2))
    (and (/= x1 x2)
         (/= y1 y2)
         (/= (- x2 x1) (- y2 y1))
         (/= (- x1 y2) (- x2 y1)))))

(defun filter-safe (q ps)
  (cond ((null ps) '())
        ((safe q (first ps))
         (cons (first ps) (filter-safe q (rest ps))))
        (t (filter-safe q (rest ps)))))

(defun search-queens (n qs ps accu)
  (declare (fixnum n accu))
  (if (null ps)
      (if (= (length (the list qs)) n) (1+ accu) accu)
      (let ((q (first ps))
            (accu (search-queens n qs (rest ps) accu)))
        (search-queens n (cons q qs) (filter-safe q ps) accu))))

(defun board (n)
  (declare (fixnum n))
  (loop for x below n
        nconc (loop for y below n
                    collect (cons x y))))

;; Linux's number of it, for which SBCL has no name.
(defconstant clock-monotonic 1)

(defun nanoseconds ()
  (multiple-value-bind (seconds nanoseconds)
      (sb-unix::clock-gettime clock-monotonic)
    (+ (* seconds 1000000000) nanoseconds)))

(defun measure (n iterations)
  (declare (fixnum n iterations))
  (dotimes (i iterations)
    (let* ((start (nanoseconds))
           (solutions (search-queens n '() (board n) 0))
           (ns (- (nanoseconds) start)))
      (when (= i 0)
        (format t "solutions=~d~%" solutions))
      (format t "ns=~d~%" ns))))

(defun usage ()
  (format *error-output* "usage: queens N ITERATIONS~%")
  (sb-ext:exit :code 2))

(defun positive-integer (argument)
  (let ((number (ignore-errors (parse-integer argument))))
    (if (and number (plusp number)) number (usage))))

(defun main ()
  (let ((arguments (rest sb-ext:*posix-argv*)))
    (unless (= (length arguments) 2)
      (usage))
    (measure (positive-integer (first arguments))
             (positive-integer (second arguments)))
    (sb-ext:exit)))
