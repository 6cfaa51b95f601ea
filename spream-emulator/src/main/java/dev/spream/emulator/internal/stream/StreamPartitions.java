package dev.spream.emulator.internal.stream;

import static java.util.Comparator.comparingLong;

import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.internal.sql.PartitionMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All partitions of one stream. The live ones cover the key space without overlap at every instant. They change only
 * within {@link StreamClock#cut}, so that changes and commits have one order.
 */
final class StreamPartitions implements PartitionControl {
    private static final int TOKEN_BYTES = 105;
    private static final int DISTINCT_END = 8;
    private static final int EXCHANGES = 3;

    private final StreamClock clock;
    private final PartitionMode mode;
    private final RecordEncoder encoder;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock, which is taken after the clock's.
    private final Random random;
    private final Map<String, Partition> byToken = new LinkedHashMap<>();
    private final Set<Partition> live = new LinkedHashSet<>();
    private final TreeMap<Long, Partition> owners = new TreeMap<>(); // by the first key of each range
    private final Set<String> tokenEnds = new HashSet<>();
    private Counts counts = new Counts(0, 0, 0);
    private boolean childrenApart;
    private final List<Runnable> waiting = new ArrayList<>();
    private @Nullable Journal committing; // while changes run within a commit
    private Instant lastCut = Instant.MIN;
    private Instant lastWrite = Instant.MIN;
    private int lastSequences;

    StreamPartitions(StreamClock clock, PartitionMode mode, RecordEncoder encoder, long seed) {
        this.clock = clock;
        this.mode = mode;
        this.encoder = encoder;
        this.random = new Random(seed);
    }

    boolean isMutable() {
        return mode == PartitionMode.MUTABLE_KEY_RANGE;
    }

    /** Divides the key space evenly among the stream's first partitions; called once, within a cut. */
    void begin(Instant start, int count) {
        locked(() -> {
            for (int i = 0; i < count; i++) {
                KeyRange range = new KeyRange(KeyRange.SPACE * i / count, KeyRange.SPACE * (i + 1) / count);
                add(List.of(range), start, List.of());
            }
            return count;
        });
    }

    private Partition add(List<KeyRange> ranges, Instant start, List<String> parents) {
        Partition partition = new Partition(newToken(), start, parents);
        byToken.put(partition.token(), partition);
        live.add(partition);
        partition.contain(ranges);
        ranges.forEach(range -> own(range, partition));
        return partition;
    }

    private void own(KeyRange range, Partition partition) {
        Map.Entry<Long, Partition> behind = owners.floorEntry(range.to());
        owners.subMap(range.from(), range.to()).clear();
        owners.put(range.from(), partition);
        if (behind != null && range.to() < KeyRange.SPACE) {
            owners.put(range.to(), behind.getValue());
        }
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
        return change(journal -> {
            Partition parent = living(token);
            List<String> children = replace(List.of(parent), KeyRanges.halves(parent.ranges()), journal);
            counts = new Counts(counts.splits() + 1, counts.merges(), counts.moves());
            return children;
        });
    }

    @Override
    public String merge(String tokenA, String tokenB) {
        return change(journal -> {
            Partition a = living(tokenA);
            Partition b = living(tokenB);
            checkMerge(a, b);
            boolean inOrder = firstKey(a.ranges()) <= firstKey(b.ranges());
            List<KeyRange> ranges = KeyRanges.union(a.ranges(), b.ranges());
            List<String> children = replace(inOrder ? List.of(a, b) : List.of(b, a), List.of(ranges), journal);
            counts = new Counts(counts.splits(), counts.merges() + 1, counts.moves());
            return children.getFirst();
        });
    }

    private void checkMerge(Partition a, Partition b) {
        if (a == b) {
            throw new IllegalArgumentException("partition " + a.token() + " cannot be merged with itself");
        }
        if (!isMutable() && !a.ranges().getFirst().touches(b.ranges().getFirst())) {
            throw new IllegalArgumentException("partitions " + a.token() + " and " + b.token()
                    + " are not neighbours, their ranges are " + a.ranges() + " and " + b.ranges());
        }
    }

    private static long firstKey(List<KeyRange> ranges) {
        return ranges.isEmpty() ? KeyRange.SPACE : ranges.getFirst().from();
    }

    @Override
    public String move(String token) {
        return change(journal -> {
            Partition parent = living(token);
            List<String> children = replace(List.of(parent), List.of(parent.ranges()), journal);
            counts = new Counts(counts.splits(), counts.merges(), counts.moves() + 1);
            return children.getFirst();
        });
    }

    @Override
    public void moveRange(String source, KeyRange range, String target) {
        changeMutable(journal -> {
            Partition from = living(source);
            Partition to = other(target, from);
            checkContains(from, range);
            journal.move(List.of(range));
            transfer(range, from, to);
            event(from, List.of(), List.of(target), journal);
            event(to, List.of(source), List.of(), journal);
            return target;
        });
    }

    @Override
    public String moveRangeToNew(String source, KeyRange range) {
        return changeMutable(journal -> {
            Partition from = living(source);
            List<String> sources = List.of(source);
            checkContains(from, range);
            journal.move(List.of(range));
            Partition to = add(List.of(), journal.at(), sources);
            transfer(range, from, to);
            startRecords(journal, List.of(new StreamRecord.Child(to.token(), sources)))
                    .forEach(start -> journal.add(from, start));
            event(from, List.of(), List.of(to.token()), journal);
            event(to, sources, List.of(), journal);
            return to.token();
        });
    }

    @Override
    public void swap(String tokenA, KeyRange rangeOfA, String tokenB, KeyRange rangeOfB) {
        changeMutable(journal -> {
            Partition a = living(tokenA);
            Partition b = other(tokenB, a);
            checkContains(a, rangeOfA);
            checkContains(b, rangeOfB);
            journal.move(List.of(rangeOfA, rangeOfB));
            transfer(rangeOfA, a, b);
            transfer(rangeOfB, b, a);
            exchange(a, List.of(tokenB), journal);
            exchange(b, List.of(tokenA), journal);
            return tokenB;
        });
    }

    private void exchange(Partition partition, List<String> other, Journal journal) {
        switch (random.nextInt(EXCHANGES)) {
            case 0 -> event(partition, other, other, journal);
            case 1 -> {
                event(partition, List.of(), other, journal);
                event(partition, other, List.of(), journal);
            }
            default -> {
                event(partition, other, List.of(), journal);
                event(partition, List.of(), other, journal);
            }
        }
    }

    private Partition other(String token, Partition one) {
        Partition other = living(token);
        if (other == one) {
            throw new IllegalArgumentException("partition " + token + " cannot exchange keys with itself");
        }
        return other;
    }

    private void transfer(KeyRange range, Partition source, Partition target) {
        source.contain(KeyRanges.without(source.ranges(), range));
        target.contain(KeyRanges.union(target.ranges(), List.of(range)));
        own(range, target);
    }

    private static void checkContains(Partition partition, KeyRange range) {
        if (!KeyRanges.contain(partition.ranges(), range)) {
            throw new IllegalStateException("partition " + partition.token() + " does not contain all keys of " + range
                    + ", its ranges are " + partition.ranges());
        }
    }

    @Override
    public void end(String token) {
        checkMutable();
        change(journal -> {
            Partition partition = living(token);
            if (!partition.ranges().isEmpty()) {
                throw new IllegalStateException(
                        "partition " + token + " cannot end while it contains " + partition.ranges());
            }
            live.remove(partition);
            end(partition, journal);
            return token;
        });
    }

    private void checkMutable() {
        if (!isMutable()) {
            throw new IllegalStateException(
                    "the stream has partition mode IMMUTABLE_KEY_RANGE; ranges move between live partitions in"
                            + " MUTABLE_KEY_RANGE only");
        }
    }

    /** Makes a move. */
    private <T> T changeMutable(Function<Journal, T> move) {
        checkMutable();
        return change(journal -> {
            T result = move.apply(journal);
            counts = new Counts(counts.splits(), counts.merges(), counts.moves() + 1);
            return result;
        });
    }

    @Override
    public <T> CompletableFuture<T> atNextCommit(Supplier<T> changes) {
        CompletableFuture<T> result = new CompletableFuture<>();
        runAtNextCommit(() -> {
            try {
                result.complete(changes.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Does the same; an exception of the changes would fail the commit. */
    void runAtNextCommit(Runnable changes) {
        checkMutable();
        clock.now(); // later commits are then later than the changes so far
        locked(() -> waiting.add(changes));
    }

    /** Ends the parents, and begins a child for each set of ranges. */
    private List<String> replace(List<Partition> parents, List<List<KeyRange>> ranges, Journal journal) {
        journal.move(parents.stream().flatMap(each -> each.ranges().stream()).toList());
        List<String> parentTokens = parents.stream().map(Partition::token).toList();
        List<Partition> children = ranges.stream()
                .map(each -> add(each, journal.at(), parentTokens))
                .toList();
        List<String> childTokens = children.stream().map(Partition::token).toList();
        List<StreamRecord.Start> starts = startRecords(
                journal,
                children.stream()
                        .map(child -> new StreamRecord.Child(child.token(), parentTokens))
                        .toList());
        parents.forEach(live::remove);
        if (!isMutable()) {
            parents.forEach(parent -> journal.end(parent, starts));
            return childTokens;
        }
        // As in Spanner, only the first parent names the children.
        starts.forEach(start -> journal.add(parents.getFirst(), start));
        for (Partition parent : parents) {
            event(parent, List.of(), childTokens, journal);
            end(parent, journal);
        }
        children.forEach(child -> event(child, parentTokens, List.of(), journal));
        return childTokens;
    }

    private static void event(Partition partition, List<String> sources, List<String> destinations, Journal journal) {
        journal.add(
                partition,
                new StreamRecord.Event(journal.at(), journal.nextSequence(), partition.token(), sources, destinations));
    }

    private static void end(Partition partition, Journal journal) {
        journal.end(partition, List.of(new StreamRecord.End(journal.at(), journal.nextSequence(), partition.token())));
    }

    private Partition living(String token) {
        Partition partition = byToken.get(token);
        if (partition == null) {
            throw new IllegalArgumentException("the stream has no partition " + token);
        }
        if (!live.contains(partition)) {
            throw new IllegalStateException("partition " + token + " has ended");
        }
        return partition;
    }

    @Override
    public void separateChildRecords(boolean always) {
        locked(() -> childrenApart = always);
    }

    /** Returns one record with all children, or several with some of them each: Spanner does both. */
    private List<StreamRecord.Start> startRecords(Journal journal, List<StreamRecord.Child> children) {
        List<StreamRecord.Start> records = new ArrayList<>();
        int from = 0;
        for (int to = 1; to <= children.size(); to++) {
            if (to == children.size() || childrenApart || random.nextBoolean()) {
                records.add(new StreamRecord.Start(journal.at(), journal.nextSequence(), children.subList(from, to)));
                from = to;
            }
        }
        return records;
    }

    /** Returns the records of an initial query: the partitions that were alive at that time, without parents. */
    List<StreamRecord.Start> aliveAt(Instant start) {
        return locked(() -> startRecords(
                new Journal(start, 0, encoder),
                byToken.values().stream()
                        .filter(partition -> partition.isAliveAt(start))
                        .map(partition -> new StreamRecord.Child(partition.token(), List.of()))
                        .toList()));
    }

    Optional<Partition> find(String token) {
        return locked(() -> Optional.ofNullable(byToken.get(token)));
    }

    /** Returns the partition that receives a key's changes now; called within a commit. */
    Partition of(long keyHash) {
        return locked(() -> owners.floorEntry(keyHash).getValue());
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
        return locked(() -> live.stream()
                .map(Partition::view)
                .sorted(comparingLong(view -> firstKey(view.ranges())))
                .toList());
    }

    @Override
    public List<PartitionView> all() {
        return locked(() -> byToken.values().stream().map(Partition::view).toList());
    }

    @Override
    public Counts counts() {
        return locked(() -> counts);
    }

    private <T> T change(Function<Journal, T> change) {
        Journal ofCommit = lock.isHeldByCurrentThread() ? committing : null;
        if (ofCommit != null) {
            return change.apply(ofCommit);
        }
        return clock.cut(at -> locked(() -> {
            Journal journal = journal(at);
            T result = change.apply(journal);
            lastCut = at;
            publish(journal);
            return result;
        }));
    }

    /** Adds the records of a transaction; called within its commit. */
    void commit(Instant at, Consumer<Journal> records) {
        locked(() -> {
            Journal journal = journal(at);
            records.accept(journal);
            publish(journal);
            return at;
        });
    }

    /** Returns whether changes of partitions wait for a commit. */
    boolean awaitsCommit() {
        return locked(() -> !waiting.isEmpty());
    }

    /** Returns how many of a transaction's changes come before {@link #runWaiting}. */
    int changesBeforeWaiting(int changes) {
        boolean all = waiting.isEmpty() || changes == 1;
        return all ? changes : 1 + random.nextInt(changes - 1);
    }

    /**
     * Makes the changes of partitions that wait for a commit; called within {@link #commit}. At the timestamp of another
     * change, they keep waiting, so that no key moves twice there.
     */
    void runWaiting(Journal journal) {
        if (journal.at().equals(lastCut)) {
            return;
        }
        List<Runnable> due = List.copyOf(waiting);
        waiting.clear();
        committing = journal;
        due.forEach(Runnable::run);
        committing = null;
    }

    /**
     * Returns a journal for that timestamp. With mutable key ranges, sequences continue over all transactions and
     * changes at a timestamp.
     */
    private Journal journal(Instant at) {
        boolean continues = isMutable() && at.equals(lastWrite);
        return new Journal(at, continues ? lastSequences : 0, encoder);
    }

    private void publish(Journal journal) {
        journal.publish();
        lastWrite = journal.at();
        lastSequences = journal.sequences();
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
