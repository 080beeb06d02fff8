/**
 * N-queens on immutable lists. A cell of the list is a record with a position
 * and a tail, the empty list is null, and a position is a record of its own,
 * made once by the board and shared. With compressed references, the default
 * of all collectors here but ZGC, each of the two records takes 24 bytes.
 * The collector that serves them is chosen by the command line.
 */
public final class Queens {
    record Position(int x, int y) {}

    record Cell(Position head, Cell tail) {}

    static boolean safe(Position p, Position q) {
        return p.x != q.x && p.y != q.y
            && q.x - p.x != q.y - p.y && p.x - q.y != q.x - p.y;
    }

    static Cell filterSafe(Position q, Cell ps) {
        if (ps == null) {
            return null;
        }
        if (safe(q, ps.head)) {
            return new Cell(ps.head, filterSafe(q, ps.tail));
        }
        return filterSafe(q, ps.tail);
    }

    static int length(Cell list) {
        int length = 0;
        for (Cell cell = list; cell != null; cell = cell.tail) {
            length++;
        }
        return length;
    }

    static int search(int n, Cell qs, Cell ps, int accu) {
        if (ps == null) {
            return length(qs) == n ? accu + 1 : accu;
        }
        Position q = ps.head;
        int without = search(n, qs, ps.tail, accu);
        return search(n, new Cell(q, qs), filterSafe(q, ps), without);
    }

    static Cell board(int n) {
        Cell ps = null;
        for (int x = n - 1; x >= 0; x--) {
            for (int y = n - 1; y >= 0; y--) {
                ps = new Cell(new Position(x, y), ps);
            }
        }
        return ps;
    }

    static int number(String text) {
        int number = Integer.parseInt(text);
        if (number < 1) {
            throw new NumberFormatException();
        }
        return number;
    }

    public static void main(String[] args) {
        int n = 0;
        int iterations = 0;
        try {
            if (args.length == 2) {
                n = number(args[0]);
                iterations = number(args[1]);
            }
        } catch (NumberFormatException e) {
            n = 0;
        }
        if (n == 0) {
            System.err.println("usage: Queens N ITERATIONS");
            System.exit(2);
        }
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            int solutions = search(n, null, board(n), 0);
            long ns = System.nanoTime() - start;
            if (i == 0) {
                System.out.println("solutions=" + solutions);
            }
            System.out.println("ns=" + ns);
        }
    }
}
