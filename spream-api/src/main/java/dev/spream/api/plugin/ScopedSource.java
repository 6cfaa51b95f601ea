package dev.spream.api.plugin;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A plug-in's source, called in its scope. */
final class ScopedSource implements ChangeStreamSource {
    private final ChangeStreamSource target;
    private final CallScope scope;

    ScopedSource(ChangeStreamSource target, CallScope scope) {
        this.target = target;
        this.scope = scope;
    }

    @Override
    public String streamName() {
        return scope.call(target::streamName);
    }

    @Override
    public PartitionMode partitionMode() {
        return scope.call(target::partitionMode);
    }

    @Override
    public Optional<Duration> retention() {
        return scope.call(target::retention);
    }

    @Override
    public int maxOpenQueries() {
        return scope.call(target::maxOpenQueries);
    }

    @Override
    public Instant serverTime() {
        return scope.call(target::serverTime);
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        return new ScopedCursor(scope.call(() -> target.query(query)), scope);
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }

    /** A stream of a plug-in's source. */
    record ScopedCursor(ChangeStreamCursor target, CallScope scope) implements ChangeStreamCursor {
        @Override
        public Optional<ChangeRecord> next() throws InterruptedException {
            return scope.call(target::next);
        }

        @Override
        public int prefetched() {
            return scope.call(target::prefetched);
        }

        @Override
        public void close() {
            scope.run(target::close);
        }
    }
}
