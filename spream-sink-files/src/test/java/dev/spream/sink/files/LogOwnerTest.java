package dev.spream.sink.files;

import static dev.spream.sink.files.FilesChanges.START;
import static dev.spream.sink.files.FilesChanges.change;
import static dev.spream.sink.files.FilesChanges.delivery;
import static dev.spream.sink.files.FilesChanges.options;
import static dev.spream.sink.files.FilesChanges.owner;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.StoredSubscription;
import dev.spream.core.StorageException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of subscriptions of one name, with a partition storage each, that share a log. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class LogOwnerTest {
    private static final Instant ONE = Instant.parse("2026-01-01T10:00:00.000001Z");
    private static final Instant OTHER = Instant.parse("2026-01-02T10:00:00.000002Z");
    private static final Delivery DELIVERY = delivery("p", 1);
    private final MemoryStore store = new MemoryStore();

    private FilesSink open(Optional<Instant> createdAt, Optional<Instant> takenOver) throws InterruptedException {
        return open(() -> createdAt, takenOver);
    }

    private FilesSink open(StoredSubscription stored, Optional<Instant> takenOver) throws InterruptedException {
        return FilesSink.open(
                store,
                new LogOwner("Orders", Optional.of(stored), takenOver),
                options(1 << 20),
                InstantSource.system());
    }

    private FilesSink open(Instant createdAt) throws InterruptedException {
        return open(Optional.of(createdAt), Optional.empty());
    }

    private void commit(FilesSink sink, long second) throws Exception {
        sink.consume(change(second, "a"), DELIVERY);
        sink.flush();
    }

    private List<Optional<Instant>> owners() {
        return store.list(FilesLog.ENTRIES).stream()
                .map(name -> LogEntry.read(store.get(name).orElseThrow()).createdAt())
                .toList();
    }

    @Test
    void a_log_of_another_storage_or_of_a_subscription_that_was_begun_anew_is_refused_at_the_start() throws Exception {
        try (FilesSink sink = open(ONE)) {
            commit(sink, 1);
        }
        assertThatThrownBy(() -> open(OTHER))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e -> assertThat(e.retryable()).isFalse())
                .hasMessageContaining("the log in memory has the changes of the subscription Orders that was stored at "
                        + ONE + ", and this one was stored at " + OTHER)
                .hasMessageContaining("Use a prefix or folder of its own")
                .hasMessageContaining("set take-over=" + ONE);
        assertThatThrownBy(() -> open(Optional.empty(), Optional.empty()))
                .hasMessageContaining("and the partition storage of this one has none yet");
        try (FilesSink again = open(ONE)) {
            commit(again, 2);
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L);
    }

    @Test
    void of_two_that_begin_at_once_one_is_refused_at_its_commit_and_loses_nothing() throws Exception {
        try (FilesSink one = open(ONE);
                FilesSink other = open(OTHER)) {
            commit(one, 9);
            other.consume(change(1, "b"), DELIVERY); // the position of the other one's partition covers it
            assertThatThrownBy(other::flush)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("are not counted, and come again after a restart")
                    .hasMessageContaining("stored at " + ONE);
            commit(one, 10);
        }
        assertThat(FilesChanges.versions(store)).containsExactly(9L, 10L);
    }

    @Test
    void a_subscription_that_is_stored_with_its_first_run_is_known_at_its_first_commit() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        StoredSubscription first = () -> asked.incrementAndGet() == 1 ? Optional.empty() : Optional.of(ONE);
        assertThat(first.createdAt()).isEmpty();
        try (FilesSink sink = open(first, Optional.empty())) {
            commit(sink, 1);
            commit(sink, 2);
        }
        assertThat(owners()).containsExactly(Optional.of(ONE), Optional.of(ONE));
        assertThat(asked).as("questions to the storage").hasValue(2);
    }

    @Test
    void a_log_is_taken_over_on_purpose_and_from_the_named_one_alone() throws Exception {
        try (FilesSink sink = open(ONE)) {
            commit(sink, 1);
            assertThatThrownBy(() -> open(Optional.of(OTHER), Optional.of(START)))
                    .hasMessageContaining("set take-over");
            try (FilesSink successor = open(Optional.of(OTHER), Optional.of(ONE))) {
                commit(successor, 1);
                commit(successor, 2);
            }
            sink.consume(change(3, "a"), DELIVERY);
            assertThatThrownBy(sink::flush).hasMessageContaining("stored at " + OTHER);
        }
        try (FilesSink later = open(OTHER)) {
            commit(later, 3);
        }
        assertThat(FilesChanges.versions(store)).containsExactly(1L, 2L, 3L);
        assertThat(owners()).containsExactly(Optional.of(ONE), Optional.of(OTHER), Optional.of(OTHER));
    }

    @Test
    void a_checkpoint_has_the_owner() throws Exception {
        try (FilesSink sink = open(ONE)) {
            for (long second = 1; second <= 64; second++) {
                commit(sink, second);
            }
        }
        store.list(FilesLog.ENTRIES).forEach(store::delete);
        assertThatThrownBy(() -> open(OTHER)).hasMessageContaining("stored at " + ONE);
        open(ONE).close();
    }

    @Test
    void a_log_of_an_earlier_version_is_continued_and_has_an_owner_from_then_on() throws Exception {
        try (FilesSink earlier = FilesSink.open(store, owner("Orders"), options(1 << 20), InstantSource.system())) {
            commit(earlier, 1);
        }
        assertThat(new String(store.get(FilesLog.entry(1)).orElseThrow(), StandardCharsets.UTF_8))
                .doesNotContain("subscriptionCreatedAt");
        try (FilesSink sink = open(ONE)) {
            commit(sink, 2);
        }
        assertThat(owners()).containsExactly(Optional.empty(), Optional.of(ONE));
        assertThatThrownBy(() -> open(OTHER)).hasMessageContaining("stored at " + ONE);
    }

    @Test
    void a_replay_without_a_partition_storage_leaves_the_owner() throws Exception {
        try (FilesSink sink = open(ONE)) {
            commit(sink, 2);
        }
        try (FilesSink replay = FilesSink.open(store, owner("Orders"), options(1 << 20), InstantSource.system())) {
            replay.consume(change(1, "b"), Delivery.ofReplay(new PartitionToken("p"), 1));
            replay.flush();
        }
        assertThat(owners()).containsExactly(Optional.of(ONE), Optional.of(ONE));
    }

    @Test
    void a_partition_storage_that_fails_for_a_while_is_asked_again() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        StoredSubscription failing = () -> {
            if (asked.incrementAndGet() <= 2) {
                throw new StorageException("the database is restarting", true, null);
            }
            return Optional.of(ONE);
        };
        try (FilesSink sink = open(failing, Optional.empty())) {
            commit(sink, 1);
        }
        assertThat(owners()).containsExactly(Optional.of(ONE));
        assertThat(asked).hasValue(3);
    }
}
