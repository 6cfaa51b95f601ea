package dev.spream.sink.files;

import static dev.spream.sink.files.FilesChanges.START;

import dev.spream.api.spi.FileFormat;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Workers that read partitions, generation after generation, and commit what they read to one log, while leases are taken
 * over, workers die, and those without a lease continue for a while and commit in the middle of commits of others. One
 * random number generator decides everything.
 */
final class CommitSimulation {
    private static final int LINES = 3; // of partitions, each with its own keys
    private static final int GENERATIONS = 3;
    private static final int CHANGES = 25; // of a partition, about
    private static final int KEYS = 3; // of a line
    private static final int WORKERS = 3;

    private final Random random;
    private final ObjectStore store;
    private final List<Partition> partitions = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private boolean inCommit;
    int overtaken;

    CommitSimulation(long seed, ObjectStore store) throws InterruptedException {
        this.random = new Random(seed);
        this.store = new Racing(store);
        for (int line = 0; line < LINES; line++) {
            createLine(line);
        }
        for (int i = 0; i < WORKERS; i++) {
            workers.add(new Worker());
        }
    }

    private void createLine(int line) {
        Map<Integer, Long> versions = new HashMap<>();
        @Nullable Partition parent = null;
        Instant at = START;
        for (int generation = 0; generation < GENERATIONS; generation++) {
            Partition partition = new Partition("p%d-%d".formatted(line, generation), parent, at);
            for (int i = 0; i < CHANGES; i++) {
                at = at.plusMillis(random.nextInt(3) * 7L); // some share a commit timestamp
                String transaction = "tx-%d-%d".formatted(line, 1_000_000 - generation * 1_000 - i);
                for (int sequence = 0; sequence <= random.nextInt(2); sequence++) {
                    int key = random.nextInt(KEYS);
                    partition.changes.add(FilesChanges.change(
                            at,
                            transaction,
                            "%08d".formatted(sequence),
                            "%d-%d".formatted(line, key),
                            versions.merge(key, 1L, Long::sum)));
                }
            }
            partitions.add(partition);
            parent = partition;
            at = at.plusMillis(1);
        }
    }

    /** Runs until every partition is finished. */
    void run() throws InterruptedException {
        while (!partitions.stream().allMatch(partition -> partition.finished)) {
            Worker worker = workers.get(random.nextInt(WORKERS));
            switch (random.nextInt(20)) {
                case 0 -> worker.claim();
                case 1, 2 -> worker.flush();
                case 3 -> {
                    if (random.nextInt(6) == 0) {
                        worker.die();
                    }
                }
                default -> worker.deliver();
            }
        }
        for (Worker worker : workers) {
            worker.flush(); // of those without a lease as well
        }
    }

    /** Returns what is wrong with the files that count; empty if nothing is. */
    List<String> flaws(ObjectStore written) {
        List<String> flaws = new ArrayList<>();
        Set<RecordIdentity> seen = new HashSet<>();
        Map<String, Long> versions = new HashMap<>();
        for (DataChangeRecord change : FilesChanges.counted(written)) {
            if (!seen.add(change.identity())) {
                flaws.add("twice " + change.identity());
            }
            String key = change.mods().getFirst().keys().string("Id").orElseThrow();
            long version = change.mods().getFirst().newValues().int64("Version").orElseThrow();
            Long before = versions.put(key, version);
            if (version != (before == null ? 1 : before + 1)) {
                flaws.add("version %d of %s after %s".formatted(version, key, before));
            }
        }
        partitions.stream()
                .flatMap(partition -> partition.changes.stream())
                .map(DataChangeRecord::identity)
                .filter(identity -> !seen.contains(identity))
                .forEach(identity -> flaws.add("lost " + identity));
        return flaws;
    }

    private Optional<Instant> lowWatermark() {
        return partitions.stream()
                .filter(partition -> !partition.finished)
                .map(partition -> partition.watermark)
                .min(Comparator.naturalOrder());
    }

    private static final class Partition {
        private final String token;
        private final @Nullable Partition parent;
        private final List<DataChangeRecord> changes = new ArrayList<>();
        private Instant watermark;
        private long epoch;
        private boolean finished;

        Partition(String token, @Nullable Partition parent, Instant start) {
            this.token = token;
            this.parent = parent;
            this.watermark = start;
        }
    }

    /** A lease, and how far its holder has read; it may have been taken over. */
    private static final class Lease {
        private final Partition partition;
        private final long epoch;
        private int next;

        Lease(Partition partition) {
            this.partition = partition;
            this.epoch = ++partition.epoch;
            while (next < partition.changes.size()
                    && partition.changes.get(next).commitTimestamp().isBefore(partition.watermark)) {
                next++;
            }
        }

        boolean isHeld() {
            return partition.epoch == epoch;
        }

        boolean isAtEnd() {
            return next == partition.changes.size();
        }
    }

    private final class Worker {
        private List<Lease> leases = new ArrayList<>();
        private List<PendingChange> collected = new ArrayList<>();
        private Optional<Instant> low = Optional.empty();
        private Committer committer = opened();

        Worker() throws InterruptedException {}

        private Committer opened() throws InterruptedException {
            Committer opened = new Committer(
                    store,
                    FilesChanges.owner("Orders"),
                    FilesChanges.options(1L << 20),
                    InstantSource.fixed(START.plus(Duration.ofDays(1))));
            opened.open();
            return opened;
        }

        /** Of a partition that may be read; its last owner may not know, and continue. */
        void claim() {
            List<Partition> open = partitions.stream()
                    .filter(partition -> !partition.finished)
                    .filter(partition -> partition.parent == null || partition.parent.finished)
                    .toList();
            if (open.isEmpty()) {
                return;
            }
            Partition partition = open.get(random.nextInt(open.size()));
            boolean isOwned = workers.stream()
                    .flatMap(worker -> worker.leases.stream())
                    .anyMatch(lease -> lease.partition == partition && lease.isHeld());
            if (!isOwned || random.nextInt(4) == 0) {
                leases.add(new Lease(partition));
            }
        }

        void deliver() {
            List<Lease> readable = leases.stream()
                    .filter(lease -> !lease.isAtEnd())
                    .filter(lease -> lease.isHeld() || random.nextInt(4) == 0)
                    .toList();
            if (readable.isEmpty()) {
                return;
            }
            Lease lease = readable.get(random.nextInt(readable.size()));
            DataChangeRecord change = lease.partition.changes.get(lease.next);
            Delivery delivery = FilesChanges.delivery(lease.partition.token, lease.epoch, lowWatermark());
            PendingChange pending = PendingChange.of(change, delivery, format().encode(change, delivery));
            if (lease.isHeld()) {
                committer.requireNew(pending);
            }
            collected.add(pending);
            low = Stream.concat(low.stream(), delivery.lowWatermark().stream()).max(Comparator.naturalOrder());
            lease.next++;
        }

        private FileFormat format() {
            return FilesChanges.options(1).format();
        }

        /** Commits, then stores the watermarks that were taken before; it may die in between. */
        void flush() throws InterruptedException {
            Map<Lease, Instant> watermarks = new HashMap<>();
            leases.stream()
                    .filter(lease -> lease.next > 0)
                    .forEach(lease -> watermarks.put(
                            lease, lease.partition.changes.get(lease.next - 1).commitTimestamp()));
            List<Lease> ended = leases.stream().filter(Lease::isAtEnd).toList();
            committer.commit(collected, low.orElse(null));
            collected = new ArrayList<>();
            if (random.nextInt(10) == 0) {
                die();
                return;
            }
            watermarks.forEach((lease, watermark) -> {
                if (lease.isHeld() && watermark.isAfter(lease.partition.watermark)) {
                    lease.partition.watermark = watermark;
                }
            });
            ended.stream().filter(Lease::isHeld).forEach(lease -> lease.partition.finished = true);
        }

        /** Another process takes its place, with nothing but the store. */
        void die() throws InterruptedException {
            leases = new ArrayList<>();
            collected = new ArrayList<>();
            low = Optional.empty();
            committer = opened();
        }
    }

    /** Lets another worker commit just before an entry is stored. */
    private final class Racing implements ObjectStore {
        private final ObjectStore store;

        Racing(ObjectStore store) {
            this.store = store;
        }

        @Override
        public boolean putIfAbsent(String name, byte[] content) {
            if (name.startsWith(FilesLog.ENTRIES) && !inCommit && random.nextInt(3) == 0) {
                inCommit = true;
                try {
                    Worker other = workers.get(random.nextInt(WORKERS));
                    other.flush();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    inCommit = false;
                }
            }
            boolean stored = store.putIfAbsent(name, content);
            overtaken += stored ? 0 : 1;
            return stored;
        }

        @Override
        public void put(String name, byte[] content) {
            store.put(name, content);
        }

        @Override
        public Optional<byte[]> get(String name) {
            return store.get(name);
        }

        @Override
        public List<String> list(String prefix) {
            return store.list(prefix);
        }

        @Override
        public void delete(String name) {
            store.delete(name);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
