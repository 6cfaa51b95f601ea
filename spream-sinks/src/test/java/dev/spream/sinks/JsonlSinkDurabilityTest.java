package dev.spream.sinks;

import static dev.spream.sinks.SinkChanges.DELIVERY;
import static dev.spream.sinks.SinkChanges.inserted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.sinks.RecordingDisk.Force;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of forcing files to the disk, and of the state after a failed force. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class JsonlSinkDurabilityTest {
    private static final Rotation EACH_CHANGE = new Rotation(Optional.of(1L), Optional.empty(), Optional.empty());
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final String ASIDE = "changes-20260131T120000.000Z-000001.jsonl";

    @TempDir
    Path folder;

    private final RecordingDisk disk = new RecordingDisk();

    @Test
    void a_flush_forces_all_that_was_appended_and_the_first_one_the_new_file_itself() throws Exception {
        try (JsonlSink sink = open(Rotation.NEVER)) {
            disk.takeForces();
            sink.consume(inserted(1, "1"), DELIVERY);
            sink.consume(inserted(2, "1"), DELIVERY);
            sink.flush();
            Set<String> names = Set.of("changes.jsonl");
            assertThat(disk.takeForces())
                    .containsExactly(
                            new Force("changes.jsonl", Files.size(path()), names), new Force("folder", 0, names));
            sink.consume(inserted(3, "1"), DELIVERY);
            sink.flush();
            assertThat(disk.takeForces()).containsExactly(new Force("changes.jsonl", Files.size(path()), names));
            sink.flush();
            assertThat(disk.takeForces()).as("all is durable").isEmpty();
        }
    }

    @Test
    void closing_forces_what_no_flush_did() throws Exception {
        try (JsonlSink sink = open(Rotation.NEVER)) {
            sink.consume(inserted(1, "1"), DELIVERY);
            disk.takeForces();
        }
        assertThat(disk.takeForces().getFirst().bytes()).isEqualTo(Files.size(path()));
        assertThat(disk.durableNames()).containsExactly("changes.jsonl");
    }

    @Test
    void a_file_is_forced_before_it_is_put_aside_and_the_folder_before_the_flush_returns() throws Exception {
        try (JsonlSink sink = open(EACH_CHANGE)) {
            sink.consume(inserted(1, "1"), DELIVERY);
            sink.flush();
            disk.takeForces();
            sink.consume(inserted(2, "1"), DELIVERY);
            sink.consume(inserted(3, "1"), DELIVERY);
            assertThat(disk.takeForces())
                    .contains(new Force("changes.jsonl", sizeOf(2), Set.of(ASIDE, "changes.jsonl")));
            sink.flush();
            assertThat(disk.takeForces().getFirst().bytes()).isEqualTo(sizeOf(3));
            assertThat(disk.durableNames())
                    .as("the new file, and each that was put aside")
                    .hasSize(3)
                    .containsExactlyInAnyOrderElementsOf(JsonlFiles.names(folder));
        }
    }

    @Test
    void a_rotation_by_a_flush_is_durable_when_that_returns() throws Exception {
        Rotation aged = new Rotation(Optional.empty(), Optional.of(Duration.ofSeconds(1)), Optional.empty());
        Instant[] now = {NOW};
        try (JsonlSink sink = JsonlSink.open(path(), aged, ChangeLines.OF_RECORDS, () -> now[0], disk)) {
            sink.consume(inserted(1, "1"), DELIVERY);
            disk.takeForces();
            now[0] = NOW.plusSeconds(5);
            sink.flush();
            assertThat(disk.takeForces().getFirst())
                    .isEqualTo(new Force("changes.jsonl", sizeOf(1), Set.of("changes.jsonl")));
            assertThat(disk.durableNames())
                    .containsExactlyInAnyOrder("changes-20260131T120005.000Z-000001.jsonl", "changes.jsonl");
        }
    }

    @Test
    void after_a_failed_force_every_call_fails_though_the_disk_has_recovered() throws Exception {
        JsonlSink sink = open(Rotation.NEVER);
        sink.consume(inserted(1, "1"), DELIVERY);
        disk.failNextFile();
        assertThatThrownBy(sink::flush).hasMessageEndingWith("the disk failed once");
        assertBroken(sink);
    }

    @Test
    void after_a_folder_that_could_not_be_forced_every_call_fails() throws Exception {
        JsonlSink sink = open(Rotation.NEVER);
        sink.consume(inserted(1, "1"), DELIVERY);
        disk.failNextFolder();
        assertThatThrownBy(sink::flush).hasMessageEndingWith("the disk failed once");
        assertBroken(sink);
    }

    @Test
    void after_a_rotation_that_could_not_force_every_call_fails_and_nothing_is_put_aside() throws Exception {
        JsonlSink sink = open(EACH_CHANGE);
        sink.consume(inserted(1, "1"), DELIVERY);
        disk.failNextFile();
        assertThatThrownBy(() -> sink.consume(inserted(2, "1"), DELIVERY)).hasMessageEndingWith("the disk failed once");
        assertBroken(sink);
        assertThat(JsonlFiles.names(folder)).containsExactly("changes.jsonl");
    }

    private static void assertBroken(JsonlSink sink) {
        List<ThrowingCallable> calls = new ArrayList<>();
        calls.add(() -> sink.consume(inserted(9, "1"), DELIVERY));
        calls.add(sink::flush);
        calls.add(sink::flush);
        calls.add(() -> sink.consume(inserted(9, "1"), DELIVERY));
        calls.add(sink::close);
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("could not be forced to disk")
                    .hasRootCauseMessage("the disk failed once");
        }
    }

    @Test
    void a_flush_waits_for_another_one_that_forces_the_folder() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Disk slow = new Disk() {
            @Override
            public void force(Path path, FileDescriptor file) throws IOException {
                Disk.REAL.force(path, file);
            }

            @Override
            public void forceFolder(Path path) {
                begun.countDown();
                awaitUninterruptibly(mayEnd);
            }
        };
        try (JsonlSink sink = JsonlSink.open(path(), Rotation.NEVER, ChangeLines.OF_RECORDS, () -> NOW, slow)) {
            FutureTask<?> first = flushing(sink);
            boolean returned;
            try {
                Thread.ofPlatform().start(first);
                assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
                FutureTask<?> second = flushing(sink);
                Thread waiting = Thread.ofPlatform().start(second);
                while (waiting.getState() != Thread.State.WAITING && !second.isDone()) {
                    Thread.onSpinWait();
                }
                returned = second.isDone();
            } finally {
                mayEnd.countDown();
            }
            first.get();
            assertThat(returned).as("before the folder was durable").isFalse();
        }
    }

    private static FutureTask<?> flushing(JsonlSink sink) {
        return new FutureTask<>(() -> {
            sink.flush();
            return "done";
        });
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void appending_forces_the_file_above_the_limit_of_unforced_bytes() throws Exception {
        byte[] lines = new byte[(int) (LineFile.MAX_UNFORCED_BYTES / 2)];
        lines[lines.length - 1] = '\n';
        try (LineFile file = LineFile.open(path(), ChangeLines.OF_RECORDS, () -> NOW, disk)) {
            disk.takeForces();
            file.append(lines);
            file.append(lines);
            assertThat(disk.takeForces()).isEmpty();
            file.append(lines);
            assertThat(disk.takeForces()).extracting(Force::bytes).containsExactly(LineFile.MAX_UNFORCED_BYTES);
            file.append(lines);
            assertThat(disk.takeForces()).isEmpty();
            disk.failNextFile();
            assertThatThrownBy(() -> file.append(lines)).hasMessageEndingWith("the disk failed once");
            assertThatThrownBy(() -> file.append(lines)).hasMessageContaining("could not be forced to disk");
        } catch (IOException expected) {
            assertThat(expected).hasRootCauseMessage("the disk failed once");
        }
    }

    private static long sizeOf(long second) {
        return inserted(second, "1").toJson().length() + 1L;
    }

    private JsonlSink open(Rotation rotation) throws IOException {
        return JsonlSink.open(path(), rotation, ChangeLines.OF_RECORDS, () -> NOW, disk);
    }

    private Path path() {
        return folder.resolve("changes.jsonl");
    }
}
