package dev.spream.emulator;

import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.internal.stream.ChangeStreams;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for a reader of a database's streams to settle everything that was committed before. */
record DeliveryWait(ChangeStreams streams, InstantSource clock, Supplier<Optional<Instant>> lowWatermark) {
    private static final Duration TICK = Duration.ofMillis(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    void await(Duration limit) throws InterruptedException {
        Instant committed = streams.now();
        long begun = System.nanoTime();
        long requested = begun - HEARTBEAT_NANOS;
        while (lowWatermark.get().filter(time -> time.isAfter(committed)).isEmpty()) {
            long now = System.nanoTime();
            if (now - begun > limit.toNanos()) {
                throw new IllegalStateException(
                        "the reader has settled every change before %s, but not all up to %s, after %d ms; %d queries of change streams are running"
                                .formatted(
                                        lowWatermark
                                                .get()
                                                .map(Instant::toString)
                                                .orElse("its start"),
                                        committed,
                                        limit.toMillis(),
                                        streams.running()));
            }
            if (now - requested >= HEARTBEAT_NANOS) {
                requested = now;
                if (clock instanceof DrivenClock driven) {
                    driven.advance(TICK); // a heartbeat after the last commit needs a later time
                }
                streams.requestHeartbeats();
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
