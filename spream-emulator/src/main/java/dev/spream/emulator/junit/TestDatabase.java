package dev.spream.emulator.junit;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** The database of one test, empty but for its DDL. Safe for use by many threads. */
public final class TestDatabase {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final SpannerEmulator emulator;
    private final InstantSource clock;
    private final String name;

    TestDatabase(SpannerEmulator emulator, InstantSource clock, String name) {
        this.emulator = emulator;
        this.clock = clock;
        this.name = name;
    }

    /** Returns the full name: {@code projects/test/instances/test/databases/…}. */
    public String name() {
        return name;
    }

    /** Returns the last part of the name. */
    public String id() {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** Returns host and port of the server, for {@code SpannerOptions.Builder.setEmulatorHost}. */
    public String emulatorHost() {
        return emulator.emulatorHost();
    }

    /** Returns the server, which other databases share. */
    public SpannerEmulator emulator() {
        return emulator;
    }

    /**
     * Returns a change stream of this database.
     *
     * @throws io.grpc.StatusRuntimeException NOT_FOUND if there is none of this name
     */
    public TestStream stream(String stream) {
        return new TestStream(emulator.partitions(name, stream), emulator.faults(name, stream));
    }

    /** Records the rows that are committed from now on, to compare them with what was delivered. */
    public CommitLog recordCommits() {
        return emulator.recordCommits(name);
    }

    /**
     * Advances the clock of the server.
     *
     * @throws IllegalStateException if the extension was built without {@link SpannerEmulatorExtension.Builder#clock}
     */
    public void advance(Duration duration) {
        if (!(clock instanceof DrivenClock driven)) {
            throw new IllegalStateException(
                    "the server follows the clock of the machine: build the extension with a driven clock");
        }
        driven.advance(duration);
    }

    /**
     * Waits until a reader has settled everything that was committed so far, at most 20 seconds.
     *
     * @param lowWatermark as in {@link SpannerEmulator#awaitDelivered}: {@code subscriber::lowWatermark}
     * @throws IllegalStateException if it has not
     */
    public void awaitDelivered(Supplier<Optional<Instant>> lowWatermark) throws InterruptedException {
        awaitDelivered(lowWatermark, LIMIT);
    }

    /** Waits as {@link #awaitDelivered(Supplier)} does, with another limit. */
    public void awaitDelivered(Supplier<Optional<Instant>> lowWatermark, Duration limit) throws InterruptedException {
        emulator.awaitDelivered(name, lowWatermark, limit);
    }
}
