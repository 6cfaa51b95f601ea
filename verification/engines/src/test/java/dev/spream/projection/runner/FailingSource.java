package dev.spream.projection.runner;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedRequest;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A source that cannot be opened as long as there is a failure. Safe for use by many threads. */
final class FailingSource implements EventSource {
    private final EventSource source;
    final Optional<RuntimeException> given;
    final Set<Integer> failed = ConcurrentHashMap.newKeySet();
    volatile Optional<RuntimeException> failure;

    FailingSource(EventSource source, RuntimeException failure) {
        this.source = source;
        this.given = Optional.of(failure);
        this.failure = given;
    }

    @Override
    public boolean positioned() {
        return source.positioned();
    }

    @Override
    public EventFeed open(FeedRequest request) {
        failure.ifPresent(thrown -> {
            failed.add(request.segment());
            throw thrown;
        });
        return source.open(request);
    }

    @Override
    public void close() {
        source.close();
    }
}
