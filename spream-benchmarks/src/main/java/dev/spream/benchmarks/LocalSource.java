package dev.spream.benchmarks;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A stream without a server: what it returns is made here, as fast as it is asked for or at a pace. */
abstract class LocalSource implements ChangeStreamSource {
    private final String name;

    LocalSource(String name) {
        this.name = name;
    }

    @Override
    public final String streamName() {
        return name;
    }

    @Override
    public final PartitionMode partitionMode() {
        return PartitionMode.IMMUTABLE_KEY_RANGE;
    }

    @Override
    public final Optional<Duration> retention() {
        return Optional.empty();
    }

    @Override
    public final Instant serverTime() {
        return Instant.now();
    }

    @Override
    public final int maxOpenQueries() {
        return Integer.MAX_VALUE;
    }

    @Override
    public final void close() {}
}
