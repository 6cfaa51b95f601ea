package dev.spream.sink.files;

import static dev.spream.sink.files.FilesChanges.START;
import static dev.spream.sink.files.FilesChanges.change;
import static dev.spream.sink.files.FilesChanges.delivery;
import static dev.spream.sink.files.FilesChanges.options;
import static dev.spream.sink.files.FilesChanges.owner;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what is committed when, and of the fate of changes after failures. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class FilesSinkTest {
    private static final Delivery DELIVERY = delivery("p", 1);
    private static final long LARGE = 1L << 20;
    private final MemoryStore store = new MemoryStore();

    private FilesSink open(ObjectStore on, long maxSize) throws InterruptedException {
        return FilesSink.open(on, owner("Orders"), options(maxSize), InstantSource.system());
    }

    private FilesSink open() throws InterruptedException {
        return open(store, LARGE);
    }

    @Test
    void changes_count_when_flush_has_returned_and_not_before() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            sink.consume(change(2, "b"), DELIVERY);
            assertThat(FilesReader.of(store).files()).isEmpty();
            sink.flush();
            assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L);
            sink.flush();
            sink.consume(change(3, "a"), DELIVERY);
            sink.flush();
            assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L, 3L);
            assertThat(FilesReader.of(store).entries(0)).hasSize(2);
            assertThat(FilesReader.of(store).entries(1))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.number()).isEqualTo(2));
        }
    }

    @Test
    void a_file_says_what_it_has() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            sink.consume(change(3, "b"), DELIVERY);
            sink.flush();
        }
        assertThat(FilesReader.of(store).files()).singleElement().satisfies(file -> {
            assertThat(file.name())
                    .matches("data/dt=2026-01-01/hour=00/\\d{8}T\\d{6}\\.\\d{3}Z-[-0-9a-f]{13}-1\\.jsonl\\.gz");
            assertThat(file.changes()).isEqualTo(2);
            assertThat(file.rows()).isEqualTo(2);
            assertThat(file.bytes()).isEqualTo(store.get(file.name()).orElseThrow().length);
            assertThat(file.from()).isEqualTo(START.plusSeconds(1));
            assertThat(file.to()).isEqualTo(START.plusSeconds(3));
        });
    }

    @Test
    void periods_have_files_of_their_own_in_order() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(3_600, "a"), delivery("q", 1));
            sink.consume(change(1, "a"), DELIVERY);
            sink.consume(change(3_601, "a"), DELIVERY);
            sink.flush();
        }
        assertThat(FilesReader.of(store).files())
                .extracting(file -> file.name().substring(0, 26))
                .containsExactly("data/dt=2026-01-01/hour=00", "data/dt=2026-01-01/hour=01");
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 3_600L, 3_601L);
    }

    @Test
    void changes_are_committed_ahead_of_a_flush_when_they_have_the_size() throws Exception {
        try (FilesSink sink = open(store, 2_000)) {
            for (long second = 1; second <= 100; second++) {
                sink.consume(change(second, "a"), DELIVERY);
            }
            sink.flush();
        }
        List<FilesReader.Entry> entries = FilesReader.of(store).entries(0);
        assertThat(entries).hasSizeGreaterThan(10);
        assertThat(FilesChanges.versions(store))
                .isEqualTo(LongStream.rangeClosed(1, 100).boxed().toList());
    }

    @Test
    void calls_wait_while_two_sizes_of_changes_are_in_memory() throws Exception {
        Semaphore puts = new Semaphore(0);
        CountDownLatch third = new CountDownLatch(1);
        List<Long> taken = new ArrayList<>();
        try (FilesSink sink = open(new GatedStore(store, puts), 2_000)) {
            Thread consuming = Thread.ofVirtual().start(() -> {
                try {
                    for (long second = 1; second <= 30; second++) {
                        sink.consume(change(second, "a"), DELIVERY);
                        synchronized (taken) {
                            taken.add(second);
                        }
                    }
                    third.countDown();
                } catch (Exception e) { // of a call that the test made wait
                    throw new IllegalStateException(e);
                }
            });
            while (size(taken) < 6 || consuming.getState() != Thread.State.WAITING) { // it waits for a lock, too
                Thread.onSpinWait();
            }
            assertThat(size(taken)).isLessThanOrEqualTo(14);
            puts.release(1_000);
            third.await();
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).hasSize(30);
    }

    private static int size(List<Long> taken) {
        synchronized (taken) {
            return taken.size();
        }
    }

    @Test
    void a_worker_that_takes_over_drops_what_is_counted() throws Exception {
        try (FilesSink first = open();
                FilesSink second = open()) {
            first.consume(change(1, "a"), DELIVERY);
            first.consume(change(2, "a"), DELIVERY);
            first.flush();
            first.consume(change(3, "a"), DELIVERY);
            second.consume(change(2, "a"), delivery("p", 2));
            second.consume(change(3, "a"), delivery("p", 2));
            second.consume(change(4, "a"), delivery("p", 2));
            second.flush();
            first.consume(change(4, "a"), DELIVERY);
            first.consume(change(5, "a"), DELIVERY);
            first.flush(); // it has lost the lease and does not know
            second.consume(change(5, "a"), delivery("p", 2));
            second.consume(change(6, "a"), delivery("p", 2));
            second.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void a_file_without_an_entry_does_not_count() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            sink.flush();
        }
        byte[] content =
                store.get(FilesReader.of(store).files().getFirst().name()).orElseThrow();
        store.put("data/dt=2026-01-01/hour=00/zombie.jsonl.gz", content);
        assertThat(FilesChanges.versions(store)).containsExactly(1L);
    }

    @Test
    void a_restart_continues_from_the_last_checkpoint() throws Exception {
        try (FilesSink sink = open()) {
            for (long second = 1; second <= 130; second++) {
                sink.consume(change(second, "a"), DELIVERY);
                sink.flush();
            }
        }
        assertThat(store.list(FilesLog.CHECKPOINTS))
                .containsExactly("checkpoints/0000000000000000064.json", "checkpoints/0000000000000000128.json");
        store.list(FilesLog.ENTRIES).stream().limit(128).forEach(store::delete);
        try (FilesSink sink = open()) {
            sink.consume(change(129, "a"), delivery("p", 2));
            sink.consume(change(131, "a"), delivery("p", 2));
            sink.flush();
        }
        assertThat(FilesReader.of(store).entries(130))
                .singleElement()
                .satisfies(
                        entry -> assertThat(entry.files().getFirst().changes()).isEqualTo(1));
        assertThat(FilesReader.of(store).entries(0))
                .extracting(FilesReader.Entry::number)
                .containsExactly(129L, 130L, 131L);
    }

    @Test
    void a_log_that_has_lost_its_beginning_is_refused() throws Exception {
        try (FilesSink sink = open()) {
            for (long second = 1; second <= 2; second++) {
                sink.consume(change(second, "a"), DELIVERY);
                sink.flush();
            }
        }
        store.delete(FilesLog.entry(1));
        assertThatThrownBy(this::open)
                .hasMessageContaining("entries were deleted")
                .hasMessageContaining("Restore");
    }

    @Test
    void a_log_with_a_gap_is_refused(@TempDir Path folder) throws Exception {
        LocalStore local = LocalStore.open(folder);
        try (FilesSink sink = open(local, LARGE)) {
            for (long second = 1; second <= 67; second++) {
                sink.consume(change(second, "a"), DELIVERY);
                sink.flush();
            }
        }
        byte[] entry = local.get(FilesLog.entry(65)).orElseThrow();
        local.list(FilesLog.ENTRIES).stream().limit(65).forEach(local::delete);
        assertThatThrownBy(() -> open(local, LARGE))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e -> assertThat(e.retryable()).isFalse())
                .hasMessageContaining("log/0000000000000000065.json is missing from the log in " + folder)
                .hasMessageContaining("continues to log/0000000000000000067.json")
                .hasMessageContaining("Restore the missing entries, or use another prefix or folder");
        assertThat(local.list(FilesLog.ENTRIES)).hasSize(2);
        local.put(FilesLog.entry(65), entry);
        local.put(FilesLog.ENTRIES + "notes.txt", entry);
        open(local, LARGE).close();
    }

    @Test
    void a_reader_is_told_that_the_next_entry_was_deleted() throws Exception {
        try (FilesSink sink = open()) {
            for (long second = 1; second <= 4; second++) {
                sink.consume(change(second, "a"), DELIVERY);
                sink.flush();
            }
        }
        store.delete(FilesLog.entry(3));
        FilesReader reader = FilesReader.of(store);
        assertThat(reader.entries(1)).extracting(FilesReader.Entry::number).containsExactly(2L);
        assertThatThrownBy(() -> reader.entries(2))
                .isInstanceOf(ObjectStoreException.class)
                .hasMessageContaining("log/0000000000000000003.json is missing")
                .hasMessageContaining("continues to log/0000000000000000004.json")
                .hasMessageContaining("continue with a later entry, without its changes");
        assertThat(reader.entries(4)).isEmpty();
    }

    @Test
    void a_reader_that_is_far_behind_deleted_entries_is_told() throws Exception {
        try (FilesSink sink = open()) {
            for (long second = 1; second <= 130; second++) {
                sink.consume(change(second, "a"), DELIVERY);
                sink.flush();
            }
        }
        LongStream.rangeClosed(2, 128).mapToObj(FilesLog::entry).forEach(store::delete);
        assertThatThrownBy(() -> FilesReader.of(store).entries(1))
                .isInstanceOf(ObjectStoreException.class)
                .hasMessageContaining("log/0000000000000000002.json is missing")
                .hasMessageContaining("continues to log/0000000000000000128.json");
    }

    @Test
    void a_reader_at_the_end_does_not_list_the_log() throws Exception {
        List<String> listed = new ArrayList<>();
        ObjectStore watched = new FailingStore(store, false) {
            @Override
            public List<String> list(String prefix) {
                listed.add(prefix);
                return super.list(prefix);
            }
        };
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            sink.flush();
        }
        assertThat(FilesReader.of(watched).entries(1)).isEmpty();
        assertThat(listed).containsExactly(FilesLog.CHECKPOINTS);
    }

    @Test
    void a_log_of_another_subscription_is_refused() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            sink.flush();
        }
        assertThatThrownBy(() -> FilesSink.open(store, owner("Payments"), options(LARGE), InstantSource.system()))
                .hasMessageContaining("the log has the changes of the subscription Orders, and this one is Payments");
    }

    @Test
    void something_else_in_the_place_of_the_log_is_refused() {
        store.put(FilesLog.entry(1), new byte[] {'{', '}'});
        assertThatThrownBy(this::open).hasMessageContaining("is not part of a log of spream");
    }

    @Test
    void a_dead_letter_that_is_replayed_counts_once_although_it_is_old() throws Exception {
        DataChangeRecord letter = change(2, "b");
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            sink.consume(change(9, "a"), delivery("p", 1, Optional.of(START.plusSeconds(8))));
            sink.flush();
            for (int attempt = 1; attempt <= 2; attempt++) {
                sink.consume(letter, Delivery.ofReplay(new PartitionToken("p"), attempt));
                sink.flush();
            }
        }
        try (FilesSink restarted = open()) {
            restarted.consume(letter, Delivery.ofReplay(new PartitionToken("p"), 3));
            restarted.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 9L, 2L);
    }

    @Test
    void a_replayed_letter_that_is_delivered_afterwards_counts_once() throws Exception {
        DataChangeRecord letter = change(12, "b");
        try (FilesSink sink = open()) {
            sink.consume(change(10, "a"), DELIVERY);
            sink.flush();
            sink.consume(letter, Delivery.ofReplay(new PartitionToken("p"), 1));
            sink.flush();
            sink.consume(change(11, "a"), delivery("p", 2));
            sink.consume(letter, delivery("p", 2));
            sink.consume(change(13, "a"), delivery("p", 2));
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(10L, 12L, 11L, 13L);
    }

    @Test
    void rows_of_a_snapshot_have_one_timestamp_and_a_small_position() throws Exception {
        PartitionToken chunk = new PartitionToken("snapshot:Orders:1");
        Delivery rows = new Delivery(chunk, 1, 1, Optional.empty(), Optional.empty());
        try (FilesSink sink = open()) {
            for (int row = 0; row < 100; row++) {
                sink.consume(row(row), rows);
                if (row == 60) {
                    sink.flush();
                }
            }
            sink.flush();
        }
        try (FilesSink other = open()) {
            Delivery again = new Delivery(chunk, 2, 1, Optional.empty(), Optional.empty());
            for (int row = 0; row < 110; row++) {
                other.consume(row(row), again);
            }
            other.flush();
        }
        assertThat(FilesChanges.versions(store))
                .isEqualTo(LongStream.range(0, 110).boxed().toList());
        FilesLog log = new FilesLog(store, owner("Orders"));
        log.open();
        assertThat(log.state().position(chunk.value()).orElseThrow().last())
                .isEqualTo(Map.of("snapshot:Orders", "%016d".formatted(109)));
    }

    private static DataChangeRecord row(int number) {
        String sequence = "%016d".formatted(number);
        return change(START, "snapshot:Orders:" + sequence, sequence, "k" + number, number);
    }

    @Test
    void partitions_behind_the_low_watermark_are_forgotten_and_their_changes_refused() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(1, "a"), delivery("old", 1));
            sink.consume(change(5, "b"), delivery("p", 1, Optional.of(START.plusSeconds(4))));
            sink.flush();
        }
        FilesLog log = new FilesLog(store, owner("Orders"));
        log.open();
        assertThat(log.state().partitions()).isEqualTo(1);
        try (FilesSink sink = open()) {
            assertThatThrownBy(() -> sink.consume(change(1, "a"), delivery("old", 2)))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("it is not written")
                    .hasMessageContaining("use another prefix or folder");
            sink.consume(change(6, "b"), delivery("p", 2));
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 5L, 6L);
    }

    @Test
    void another_order_than_that_of_reading_stops_everything() throws Exception {
        try (FilesSink sink = open()) {
            sink.consume(change(2, "a"), DELIVERY);
            assertThatThrownBy(() -> sink.consume(change(1, "b"), DELIVERY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("set ordering=partition");
            assertThatThrownBy(sink::flush).hasMessageContaining("are not counted, and come again after a restart");
        }
        assertThat(store.list(FilesLog.ENTRIES)).isEmpty();
    }

    @Test
    void a_failure_that_passes_is_retried() throws Exception {
        FailingStore failing = new FailingStore(store, true);
        try (FilesSink sink = open(failing, LARGE)) {
            sink.consume(change(1, "a"), DELIVERY);
            failing.failures = 3;
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L);
    }

    @Test
    void a_failure_that_passes_does_not_stop_the_start_and_another_does() throws Exception {
        for (int failures = 1; failures <= 2; failures++) {
            FailingStore failing = new FailingStore(store, true);
            failing.failures = failures;
            open(failing, LARGE).close();
            assertThat(failing.failures).isZero();
        }
        assertThat(store.list(StoreCheck.CHECKS)).isEmpty();
        FailingStore refusing = new FailingStore(store, false);
        refusing.failures = 2;
        assertThatThrownBy(() -> open(refusing, LARGE)).isInstanceOf(ObjectStoreException.class);
        assertThat(refusing.failures).isOne();
    }

    @Test
    void an_entry_whose_answer_was_lost_is_not_stored_again() throws Exception {
        FailingStore failing = new FailingStore(store, true);
        failing.afterwards = true;
        failing.entriesOnly = true;
        try (FilesSink sink = open(failing, LARGE)) {
            sink.consume(change(1, "a"), DELIVERY);
            failing.failures = 2;
            sink.flush();
            sink.consume(change(2, "a"), DELIVERY);
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L);
        assertThat(store.list(FilesLog.ENTRIES)).hasSize(2);
    }

    @Test
    void after_another_failure_nothing_is_acknowledged_any_more() throws Exception {
        FailingStore failing = new FailingStore(store, false);
        try (FilesSink sink = open(failing, LARGE)) {
            sink.consume(change(1, "a"), DELIVERY);
            failing.failures = 1;
            assertThatThrownBy(sink::flush)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("changes could not be committed to memory")
                    .hasMessageContaining("the disk is on fire");
            assertThatThrownBy(sink::flush).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> sink.consume(change(2, "a"), DELIVERY)).isInstanceOf(IOException.class);
        }
        assertThat(FilesReader.of(store).files()).isEmpty();
    }

    @Test
    void a_store_without_conditional_writes_is_refused() {
        ObjectStore replacing = new FailingStore(store, false) {
            @Override
            public boolean putIfAbsent(String name, byte[] content) {
                store.put(name, content);
                return true;
            }
        };
        assertThatThrownBy(() -> open(replacing, LARGE))
                .hasMessageContaining("an object was replaced")
                .hasMessageContaining("If-None-Match");
        assertThat(store.list("")).isEmpty();
    }

    @Test
    void closing_does_not_wait_for_ever_for_a_store_that_does_not_answer() throws Exception {
        Semaphore puts = new Semaphore(0);
        FilesSink sink = open(new GatedStore(store, puts), LARGE);
        sink.consume(change(1, "a"), DELIVERY);
        Thread flushing =
                Thread.ofVirtual().start(() -> assertThatThrownBy(sink::flush).hasMessageContaining("is closed"));
        while (puts.getQueueLength() == 0) {
            Thread.onSpinWait(); // until the file is to be stored
        }
        sink.close(Duration.ofMillis(50));
        puts.release(10);
        flushing.join();
        try (FilesSink next = open()) {
            next.consume(change(1, "a"), DELIVERY);
            next.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L);
    }

    @Test
    void an_entry_that_is_there_and_not_found_is_waited_for_without_haste() throws Exception {
        HidingStore hiding = new HidingStore(store);
        try (FilesSink sink = open(hiding, LARGE);
                FilesSink other = open()) {
            sink.consume(change(1, "a"), DELIVERY);
            other.consume(change(1, "a"), DELIVERY);
            other.flush();
            hiding.hidden = FilesLog.entry(1);
            hiding.looks.set(5);
            sink.consume(change(2, "a"), DELIVERY);
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L);
        assertThat(hiding.refused).as("entries that were stored in vain").hasValue(1);
    }

    @Test
    void an_entry_that_is_never_found_stops_the_sink_and_says_what_to_mount() throws Exception {
        HidingStore hiding = new HidingStore(store);
        try (FilesSink sink = open(hiding, LARGE);
                FilesSink other = open()) {
            other.consume(change(1, "a"), DELIVERY);
            other.flush();
            hiding.hidden = FilesLog.entry(1);
            hiding.looks.set(Integer.MAX_VALUE);
            sink.consume(change(2, "a"), DELIVERY);
            assertThatThrownBy(sink::flush)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("log/0000000000000000001.json is in memory and is not found there")
                    .hasMessageContaining("Mount NFS with lookupcache=positive");
        }
        assertThat(hiding.refused).hasValue(1);
    }

    /** As a repeated request over NFS does, which finds the file that its first one has made. */
    @Test
    void an_entry_of_this_commit_that_is_found_late_keeps_its_files() throws Exception {
        HidingStore hiding = new HidingStore(store);
        hiding.hidden = FilesLog.entry(1);
        try (FilesSink sink = open(hiding, LARGE)) {
            hiding.looks.set(4);
            hiding.denies = true;
            sink.consume(change(1, "a"), DELIVERY);
            sink.flush();
            hiding.denies = false;
            sink.consume(change(2, "a"), DELIVERY);
            sink.flush();
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L);
    }

    /** Does not find an object for some looks, although it is there. */
    private static final class HidingStore extends FailingStore {
        private volatile String hidden = "";
        private final AtomicInteger looks = new AtomicInteger();
        private volatile boolean denies; // whether it says of an object that it has stored that there was one
        private final AtomicInteger refused = new AtomicInteger(); // entries

        HidingStore(ObjectStore store) {
            super(store, false);
        }

        @Override
        public Optional<byte[]> get(String name) {
            if (name.equals(hidden) && looks.getAndDecrement() > 0) {
                return Optional.empty();
            }
            return super.get(name);
        }

        @Override
        public boolean putIfAbsent(String name, byte[] content) {
            boolean stored = super.putIfAbsent(name, content);
            if (!stored && name.startsWith(FilesLog.ENTRIES)) {
                refused.incrementAndGet();
            }
            return stored && !(denies && name.equals(hidden));
        }
    }

    @Test
    void a_closed_sink_refuses_calls() throws Exception {
        FilesSink sink = open();
        sink.close();
        sink.close();
        assertThatThrownBy(() -> sink.consume(change(1, "a"), DELIVERY)).hasMessageContaining("is closed");
    }

    /** Waits for a permit before an object is stored, but for those that check the store. */
    private static final class GatedStore extends FailingStore {
        private final Semaphore puts;

        GatedStore(ObjectStore store, Semaphore puts) {
            super(store, false);
            this.puts = puts;
        }

        @Override
        public void put(String name, byte[] content) {
            puts.acquireUninterruptibly();
            super.put(name, content);
        }
    }
}
