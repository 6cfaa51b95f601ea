package dev.spream.emulator.internal.stream;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the changes of a stream with mutable key ranges as a careful client does: a partition's changes after an
 * event with move-ins wait until each source has delivered everything before its own move-out to that partition. A
 * later move-out waits for it too, since the keys that moved in may move on without a change in between. Which partition
 * continues is random.
 */
final class MovingKeysReader {
    private final Random random;
    private final Map<String, List<ReadRow>> rows = new LinkedHashMap<>();
    private final Map<String, Integer> positions = new HashMap<>();
    private final Map<String, Set<Move>> waits = new HashMap<>();
    private final Set<Move> settled = new HashSet<>();

    private record Move(Instant at, String source, String target) {}

    /** @param seed decides which partition continues */
    MovingKeysReader(long seed) {
        this.random = new Random(seed);
    }

    /** Adds a partition with all its rows. */
    void add(String token, List<ReadRow> all) {
        rows.put(token, all);
        positions.put(token, 0);
        waits.put(token, new LinkedHashSet<>());
    }

    /** Returns all commit timestamps by key, in an order of delivery. */
    Map<String, List<Instant>> deliverByKey() {
        Map<String, List<Instant>> byKey = new LinkedHashMap<>();
        for (ReadRow.Data change : deliver()) {
            change.keys()
                    .forEach(key -> byKey.computeIfAbsent(key, each -> new ArrayList<>())
                            .add(change.commit()));
        }
        return byKey;
    }

    /** Returns all changes, in an order of delivery. */
    List<ReadRow.Data> deliver() {
        List<ReadRow.Data> delivered = new ArrayList<>();
        List<String> open = new ArrayList<>(rows.keySet());
        int stuck = 0;
        while (!open.isEmpty()) {
            String token = open.get(random.nextInt(open.size()));
            boolean moved = step(token, delivered);
            stuck = moved ? 0 : stuck + 1;
            if (stuck > 100 * rows.size()) {
                throw new AssertionError("all of these wait: " + waits);
            }
            if (position(token) == rows.getOrDefault(token, List.of()).size()) {
                open.remove(token);
            }
        }
        return delivered;
    }

    private boolean step(String token, List<ReadRow.Data> delivered) {
        List<ReadRow> all = rows.getOrDefault(token, List.of());
        if (position(token) == all.size()) {
            return true;
        }
        ReadRow next = all.get(position(token));
        Set<Move> waiting = waits.getOrDefault(token, Set.of());
        waiting.removeIf(settled::contains);
        if (next instanceof ReadRow.Data data) {
            if (!waiting.isEmpty()) {
                return false;
            }
            delivered.add(data);
        }
        if (next instanceof ReadRow.Event event) {
            boolean passesOn = !event.destinations().isEmpty();
            if (passesOn && waiting.stream().anyMatch(wait -> wait.at().isBefore(event.at()))) {
                return false;
            }
            event.sources().forEach(source -> waiting.add(new Move(event.at(), source, token)));
            event.destinations().forEach(target -> settled.add(new Move(event.at(), token, target)));
        }
        positions.merge(token, 1, Integer::sum);
        return true;
    }

    private int position(String token) {
        return positions.getOrDefault(token, 0);
    }

    /** Runs a query of a partition, or the initial one. */
    @FunctionalInterface
    interface Query {
        /** Passes on the rows, and returns whether it ended with OK. */
        boolean run(@Nullable String token, Instant start, Instant end, Consumer<ReadRow> rows)
                throws InterruptedException;
    }

    /** Reads everything from a start to an end, in the past, and returns a reader that has it. */
    static MovingKeysReader read(Query query, Instant start, Instant end, long seed) throws InterruptedException {
        MovingKeysReader reader = new MovingKeysReader(seed);
        Map<String, Instant> found = new LinkedHashMap<>();
        discover(readOne(query, null, start, end), found);
        for (@Nullable String next = first(reader, found); next != null; next = first(reader, found)) {
            List<ReadRow> read = readOne(query, next, found.getOrDefault(next, start), end);
            discover(read, found);
            reader.add(next, read);
        }
        return reader;
    }

    static MovingKeysReader read(StreamRig rig, Instant start, Instant end, long seed) throws InterruptedException {
        Query query = (token, from, to, rows) -> {
            RowCollector asked = rig.ask(StreamRig.query(token, from, to));
            asked.rows().forEach(rows);
            return asked.awaitEnd().isOk();
        };
        return read(query, start, end, seed);
    }

    /** Queries until a query ends with OK, from the last row on, and drops what comes again. */
    private static List<ReadRow> readOne(Query query, @Nullable String token, Instant start, Instant end)
            throws InterruptedException {
        List<ReadRow> rows = new ArrayList<>();
        Instant position = start;
        while (!query.run(token, position, end, row -> addNew(rows, row))) {
            position = rows.isEmpty() || token == null ? start : rows.getLast().time();
        }
        return rows;
    }

    private static void addNew(List<ReadRow> rows, ReadRow row) {
        for (ReadRow last : rows.reversed()) {
            if (row.time().isAfter(last.time())) {
                break;
            }
            if (row.time().isBefore(last.time()) || row.equals(last)) {
                return;
            }
        }
        rows.add(row);
    }

    private static @Nullable String first(MovingKeysReader reader, Map<String, Instant> found) {
        return found.keySet().stream()
                .filter(token -> !reader.rows.containsKey(token))
                .findFirst()
                .orElse(null);
    }

    private static void discover(List<ReadRow> rows, Map<String, Instant> found) {
        StreamRig.children(rows)
                .forEach(start -> start.tokens().forEach(token -> found.putIfAbsent(token, start.start())));
    }
}
