package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionControl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * All partitions of one stream. The live ones cover the key space without overlap at every instant. They change only
 * within {@link CommitClock#cut}, so that ends and commits have one order.
 */
final class StreamPartitions implements PartitionControl {
    private static final int TOKEN_BYTES = 105;
    private static final int DISTINCT_END = 8;

    private final CommitClock clock;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock, which is taken after the clock's.
    private final Random random;
    private final Map<String, Partition> byToken = new LinkedHashMap<>();
    private final TreeMap<Long, Partition> live = new TreeMap<>();
    private final Set<String> tokenEnds = new HashSet<>();
    private Counts counts = new Counts(0, 0, 0);
    private boolean childrenApart;

    StreamPartitions(CommitClock clock, long seed) {
        this.clock = clock;
        this.random = new Random(seed);
    }

    /** Divides the key space evenly among the stream's first partitions; called once, within a cut. */
    void begin(Instant start, int count) {
        locked(() -> {
            for (int i = 0; i < count; i++) {
                add(new KeyRange(KeyRange.SPACE * i / count, KeyRange.SPACE * (i + 1) / count), start, List.of());
            }
            return count;
        });
    }

    private Partition add(KeyRange range, Instant start, List<String> parents) {
        Partition partition = new Partition(newToken(), range, start, parents);
        byToken.put(partition.token(), partition);
        live.put(range.from(), partition);
        return partition;
    }

    private String newToken() {
        byte[] bytes = new byte[TOKEN_BYTES];
        String token;
        do {
            random.nextBytes(bytes);
            token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        } while (!tokenEnds.add(token.substring(token.length() - DISTINCT_END)));
        return token;
    }

    @Override
    public List<String> split(String token) {
        return cut(at -> splitAt(living(token), at));
    }

    private List<String> splitAt(Partition parent, Instant at) {
        KeyRange range = parent.range();
        long middle = (range.from() + range.to()) >>> 1;
        if (middle == range.from()) {
            throw new IllegalStateException("partition " + parent.token() + " holds one key only and cannot be split");
        }
        List<String> parents = List.of(parent.token());
        Partition left = add(new KeyRange(range.from(), middle), at, parents);
        Partition right = add(new KeyRange(middle, range.to()), at, parents);
        parent.end(at, childRecords(at, List.of(child(left, parents), child(right, parents))));
        counts = new Counts(counts.splits() + 1, counts.merges(), counts.moves());
        return List.of(left.token(), right.token());
    }

    @Override
    public String merge(String tokenA, String tokenB) {
        return cut(at -> mergeAt(living(tokenA), living(tokenB), at));
    }

    private String mergeAt(Partition a, Partition b, Instant at) {
        if (!a.range().touches(b.range())) {
            throw new IllegalArgumentException("partitions " + a.token() + " and " + b.token()
                    + " are not neighbours, their ranges are " + a.range() + " and " + b.range());
        }
        Partition left = a.range().from() < b.range().from() ? a : b;
        Partition right = left == a ? b : a;
        live.remove(right.range().from());
        List<String> parents = List.of(left.token(), right.token());
        Partition merged = add(new KeyRange(left.range().from(), right.range().to()), at, parents);
        List<ChildRecord> records = childRecords(at, List.of(child(merged, parents)));
        left.end(at, records);
        right.end(at, records);
        counts = new Counts(counts.splits(), counts.merges() + 1, counts.moves());
        return merged.token();
    }

    @Override
    public String move(String token) {
        return cut(at -> moveAt(living(token), at));
    }

    private String moveAt(Partition parent, Instant at) {
        List<String> parents = List.of(parent.token());
        Partition moved = add(parent.range(), at, parents);
        parent.end(at, childRecords(at, List.of(child(moved, parents))));
        counts = new Counts(counts.splits(), counts.merges(), counts.moves() + 1);
        return moved.token();
    }

    private Partition living(String token) {
        Partition partition = byToken.get(token);
        if (partition == null) {
            throw new IllegalArgumentException("the stream has no partition " + token);
        }
        partition.end().ifPresent(end -> {
            throw new IllegalStateException("partition " + token + " ended at " + end);
        });
        return partition;
    }

    private static ChildRecord.Child child(Partition partition, List<String> parents) {
        return new ChildRecord.Child(partition.token(), parents);
    }

    @Override
    public void separateChildRecords(boolean always) {
        locked(() -> childrenApart = always);
    }

    /** Returns one record with all children, or several with some of them each: Spanner does both. */
    private List<ChildRecord> childRecords(Instant start, List<ChildRecord.Child> children) {
        List<ChildRecord> records = new ArrayList<>();
        int from = 0;
        for (int to = 1; to <= children.size(); to++) {
            if (to == children.size() || childrenApart || random.nextBoolean()) {
                records.add(new ChildRecord(start, records.size(), children.subList(from, to)));
                from = to;
            }
        }
        return records;
    }

    /** Returns the records of an initial query: the partitions that were alive at that time, without parents. */
    List<ChildRecord> aliveAt(Instant start) {
        return locked(() -> childRecords(
                start,
                byToken.values().stream()
                        .filter(partition -> !partition.start().isAfter(start)
                                && partition.end().map(start::isBefore).orElse(true))
                        .map(partition -> child(partition, List.of()))
                        .toList()));
    }

    Optional<Partition> find(String token) {
        return locked(() -> Optional.ofNullable(byToken.get(token)));
    }

    /** Returns the partition that receives a key's changes now; called within a commit. */
    Partition of(long keyHash) {
        return locked(() -> live.floorEntry(keyHash).getValue());
    }

    void dropBefore(Instant horizon) {
        everyPartition().forEach(partition -> partition.dropBefore(horizon));
    }

    void wake() {
        everyPartition().forEach(partition -> partition.gate().wake());
    }

    void release() {
        everyPartition().forEach(partition -> partition.gate().open());
    }

    private Stream<Partition> everyPartition() {
        return locked(() -> List.copyOf(byToken.values())).stream();
    }

    @Override
    public List<PartitionView> live() {
        return locked(() -> live.values().stream().map(Partition::view).toList());
    }

    @Override
    public List<PartitionView> all() {
        return locked(() -> byToken.values().stream().map(Partition::view).toList());
    }

    @Override
    public Counts counts() {
        return locked(() -> counts);
    }

    private <T> T cut(Function<Instant, T> change) {
        return clock.cut(at -> locked(() -> change.apply(at)));
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
