package dev.spream.sinks;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Stores dead letters in a file, one JSON object per line, durable before a change counts as settled; many threads
 * share the cost of forcing the file. The file is append-only: replays, discards and releases are appended as well. The
 * resulting state is in memory, a few hundred bytes for each open letter.
 *
 * <p>A line with {@code "type":"letter"} has {@code reason}, {@code partition}, {@code at}, the change as {@code
 * data_change_record} in the documentation's shape and, unless the change follows a parked one, {@code attempts},
 * {@code first_failure_at}, {@code failed_at}, {@code error_class} and {@code error_message}, and {@code
 * undecodable_row} if the row could not be decoded. The other types are {@code replayed}, {@code discarded}, {@code
 * overtaken} and {@code released}.
 *
 * <p>The file contains data of rows: it is created with permissions for its owner alone, and an existing file keeps its
 * permissions. Only one sink at a time can open it, over all processes, which a lock file with the same name and {@code
 * .lock} ensures. An operator therefore works through the sink of the running subscription, or after it has ended. A
 * file whose last line was cut off by a crash is repaired when it is opened.
 *
 * <p>Safe for use by many threads; interrupting one of them affects no other. The caller that opened it closes it,
 * after the subscription has ended. A call that cannot write fails and leaves nothing in the file; once the file could
 * not be forced, every call fails until it is reopened.
 */
public final class JsonlDeadLetterSink implements DeadLetterStore, AutoCloseable {
    private static final long MAX_CLAIMED_BYTES = 16L << 20;

    private final InstantSource clock;
    private final DeadLetterFile file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition unclaimed = lock.newCondition();
    private final DeadLetterIndex index = new DeadLetterIndex(); // guarded by lock, like the next two
    private final Set<RecordIdentity> claimed = new HashSet<>();
    private final Set<RecordKey> claimedKeys = new HashSet<>();
    private boolean closed;
    private volatile boolean mayBeOvertaken; // whether the index has letters that failed

    JsonlDeadLetterSink(Path path, InstantSource clock) throws IOException {
        this.clock = clock;
        this.file = DeadLetterFile.open(path, (line, place) -> index.apply(DeadLetterJson.read(line), place));
        this.mayBeOvertaken = index.hasFailed();
    }

    /**
     * Opens the file, which is created if absent; its folder must exist.
     *
     * @throws DeadLetterException if a sink has the file open, or a line that is not the last one is damaged
     */
    public static JsonlDeadLetterSink open(Path path) throws IOException {
        return new JsonlDeadLetterSink(path, InstantSource.system());
    }

    @Override
    public void accept(DeadLetter letter) throws IOException {
        Line line = line(new DeadLetterLine.Kept(StoredDeadLetter.of(letter)));
        durably(() -> OptionalLong.of(keep(letter, line)));
    }

    @Override
    public boolean acceptIfParked(DeadLetter letter) throws IOException {
        Line line = line(new DeadLetterLine.Kept(StoredDeadLetter.of(letter)));
        Set<RecordKey> keys = RecordKey.of(letter.change());
        return durably(() -> {
            requireOpen();
            return index.isParked(keys) ? OptionalLong.of(keep(letter, line)) : OptionalLong.empty();
        });
    }

    /**
     * Does the work, and waits until the line that ends at the returned offset is durable; returns whether there is
     * such a line.
     */
    private boolean durably(Work<OptionalLong, IOException> work) throws IOException {
        OptionalLong end = locked(work);
        if (end.isPresent()) {
            file.awaitDurable(end.getAsLong());
        }
        return end.isPresent();
    }

    private <R, X extends Exception> R locked(Work<R, X> work) throws X {
        lock.lock();
        try {
            return work.run();
        } finally {
            lock.unlock();
        }
    }

    private interface Work<R, X extends Exception> {
        R run() throws X;
    }

    /** Writes the letter, unless it is stored already, and returns the offset up to which the file must be durable. */
    private long keep(DeadLetter letter, Line line) throws IOException {
        requireOpen();
        RecordIdentity identity = letter.change().identity();
        boolean kept = index.holds(identity, letter.reason()) && !claimed.contains(identity);
        return kept ? file.end() : write(line);
    }

    @Override
    public Set<RecordKey> parkedKeys() {
        return locked(index::parkedKeys);
    }

    @Override
    public List<Entry> openLetters() {
        return locked(
                () -> index.open().stream().map(DeadLetterIndex.Open::entry).toList());
    }

    @Override
    public List<Entry> newestLetters(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is %d, must be 1 or more".formatted(limit));
        }
        return locked(() -> index.newest(limit));
    }

    @Override
    public Counts counts() {
        return locked(index::counts);
    }

    @Override
    public List<StoredDeadLetter> read(Collection<RecordIdentity> identities) throws IOException {
        return locked(() -> {
            List<StoredDeadLetter> letters = new ArrayList<>();
            for (RecordIdentity identity : new TreeSet<>(identities)) {
                Optional<DeadLetterIndex.Open> letter = index.find(identity);
                if (letter.isPresent()) {
                    letters.add(read(letter.get().place()));
                }
            }
            return letters;
        });
    }

    @Override
    public void delivering(DataChangeRecord change) throws IOException, InterruptedException {
        if (!mayBeOvertaken) {
            return;
        }
        Set<RecordKey> keys = RecordKey.of(change);
        long end;
        lock.lockInterruptibly();
        try {
            while (isClaimed(keys)) {
                unclaimed.await();
            }
            if (!index.isOvertaking(change.identity(), keys)) {
                return;
            }
            end = write(new DeadLetterLine.Overtaken(keys, change.identity(), clock.instant()));
        } finally {
            lock.unlock();
        }
        file.awaitDurable(end);
    }

    private boolean isClaimed(Set<RecordKey> keys) {
        return !Collections.disjoint(claimedKeys, keys);
    }

    @Override
    public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws IOException {
        return locked(() -> {
            Map<RecordIdentity, DeadLetterIndex.Open> found = new LinkedHashMap<>();
            List<Held> held = new ArrayList<>();
            long bytes = 0;
            int considered = 0;
            for (RecordIdentity identity : identities) {
                Optional<DeadLetterIndex.Open> letter = index.find(identity)
                        .filter(open -> evenIfOvertaken || !open.isOvertaken())
                        .filter(open -> !isClaimed(open.keys()) && !open.hasEarlier(found.keySet()));
                if (letter.isPresent()) {
                    DeadLetterFile.Place place = letter.get().place();
                    bytes += place.length();
                    if (considered > 0 && bytes > MAX_CLAIMED_BYTES) {
                        break;
                    }
                    found.put(identity, letter.get());
                    held.add(new Held(read(place), place));
                }
                considered++;
            }
            found.values().forEach(letter -> claimedKeys.addAll(letter.keys()));
            claimed.addAll(found.keySet());
            return new OpenClaim(held, considered);
        });
    }

    private StoredDeadLetter read(DeadLetterFile.Place place) throws IOException {
        if (DeadLetterJson.read(file.read(place)) instanceof DeadLetterLine.Kept(StoredDeadLetter letter)) {
            return letter;
        }
        throw new DeadLetterException("the dead letter file %s was changed by another process at byte %d"
                .formatted(file.path(), place.offset()));
    }

    @Override
    public boolean discard(RecordIdentity identity) throws IOException {
        return durably(() -> index.find(identity).isEmpty() || claimed.contains(identity)
                ? OptionalLong.empty()
                : OptionalLong.of(write(new DeadLetterLine.Discarded(identity, clock.instant()))));
    }

    /**
     * Holds the lock until the line is durable: a change that was delivered because its key is released must not find the
     * key parked after a crash, with its earlier changes to be replayed after it.
     */
    @Override
    public boolean release(Set<RecordKey> keys) throws IOException {
        return locked(() -> {
            if (index.isHeldBack(keys)) {
                return false;
            }
            if (index.isParked(keys)) {
                file.awaitDurable(write(new DeadLetterLine.Released(keys, clock.instant())));
            }
            return true;
        });
    }

    /**
     * Releases those of the keys that are parked and have no open letter that parks them. Holds the lock as {@link
     * #release} does.
     */
    private Set<RecordKey> releaseFree(Set<RecordKey> keys) throws IOException {
        Set<RecordKey> free = keys.stream()
                .filter(key -> index.isParked(Set.of(key)) && !index.isHeldBack(Set.of(key)))
                .collect(Collectors.toSet());
        if (!free.isEmpty()) {
            file.awaitDurable(write(new DeadLetterLine.Released(free, clock.instant())));
        }
        return free;
    }

    private long write(DeadLetterLine line) throws IOException {
        return write(line(line));
    }

    /** Appends the line, and applies it to the index. */
    private long write(Line line) throws IOException {
        requireOpen();
        index.apply(line.meaning(), file.append(line.text()));
        mayBeOvertaken = index.hasFailed();
        return file.end();
    }

    /**
     * Returns the line as it is written, after checking that it can be read again: an unreadable line would make the
     * file unusable.
     */
    private Line line(DeadLetterLine line) throws IOException {
        String text = DeadLetterJson.write(line);
        try {
            return new Line(text, DeadLetterJson.read(text));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "a change cannot be stored in %s, because it could not be read again: %s"
                            .formatted(file.path(), e.getMessage()),
                    e);
        }
    }

    private record Line(String text, DeadLetterLine meaning) {}

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the dead letter sink on %s is closed".formatted(file.path()));
        }
        file.requireUsable();
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                file.close();
            }
        } finally {
            lock.unlock();
        }
    }

    private record Held(StoredDeadLetter letter, DeadLetterFile.Place place) {
        RecordIdentity identity() {
            return letter.change().identity();
        }
    }

    private final class OpenClaim implements Claim {
        private final List<Held> held;
        private final int considered;
        private boolean closed; // guarded by lock

        private OpenClaim(List<Held> held, int considered) {
            this.held = held;
            this.considered = considered;
        }

        @Override
        public List<StoredDeadLetter> letters() {
            return held.stream().map(Held::letter).toList();
        }

        @Override
        public int considered() {
            return considered;
        }

        @Override
        public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) throws IOException {
            Set<RecordIdentity> replayed = new HashSet<>(taken);
            Set<RecordKey> keys = new HashSet<>();
            Set<RecordKey> released;
            long end = 0;
            lock.lock();
            try {
                for (Held one : held) {
                    boolean keptAgain = index.find(one.identity())
                            .filter(open -> open.place().equals(one.place()))
                            .isEmpty();
                    if (replayed.contains(one.identity()) && !keptAgain) {
                        end = write(new DeadLetterLine.Replayed(one.identity(), clock.instant()));
                        keys.addAll(RecordKey.of(one.letter().change()));
                    }
                }
                released = releasing ? releaseFree(keys) : Set.of();
            } finally {
                lock.unlock();
            }
            file.awaitDurable(end);
            return released;
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (!closed) {
                    closed = true;
                    for (Held one : held) {
                        claimed.remove(one.identity());
                        claimedKeys.removeAll(RecordKey.of(one.letter().change()));
                    }
                    unclaimed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
