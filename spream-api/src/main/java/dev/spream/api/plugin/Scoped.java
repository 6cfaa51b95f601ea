package dev.spream.api.plugin;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.lock.BucketProvisioning;
import dev.spream.lock.LockObserver;
import dev.spream.lock.LockStore;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.search.SearchEngine;

/**
 * Wraps what plug-ins of the folder make: every call of the port runs in the plug-in's scope. What the engine tells apart
 * stays apart: a consumer that takes batches still does, and a dead letter sink that hands letters back as well.
 */
final class Scoped {
    private Scoped() {}

    /** The same product; as it is, if the scope changes nothing. */
    @SuppressWarnings("unchecked") // each wrapper fills the port of what it wraps
    static <T> T product(PluginKind kind, T made, CallScope scope) {
        if (!scope.changesLoader()) {
            return made;
        }
        return (T)
                switch (kind) {
                    case SOURCE -> new ScopedSource((ChangeStreamSource) made, scope);
                    case STORAGE -> new ScopedStorage((PartitionStorage) made, scope);
                    case SINK -> consumer((Consumer) made, scope);
                    case DEAD_LETTERS -> deadLetterSink((DeadLetterSink) made, scope);
                    case LOCKS -> new ScopedLockStore<>((LockStore<?>) made, scope);
                    case OUTBOX -> new ScopedOutboxStore((OutboxStore) made, scope);
                    case SENDER -> new ScopedOutboxSender((OutboxSender) made, scope);
                    case PROJECTIONS -> new ScopedProjectionStore<>((ProjectionStore<?>) made, scope);
                    case EVENTS -> new ScopedEventStore((EventStore) made, scope);
                    case EVENT_SOURCE -> new ScopedEventSource((EventSource) made, scope);
                    case SEARCH -> new ScopedSearchEngine((SearchEngine) made, scope);
                };
    }

    static BucketProvisioning provisioning(BucketProvisioning made, CallScope scope) {
        return scope.changesLoader() ? new ScopedProvisioning(made, scope) : made;
    }

    static LockObserver observer(LockObserver made, CallScope scope) {
        return scope.changesLoader() ? () -> scope.call(made::observe) : made;
    }

    static Outbox<?> outbox(Outbox<?> made, CallScope scope) {
        return scope.changesLoader() ? new ScopedOutbox<>(made, scope) : made;
    }

    static IdempotencyLedger<?> ledger(IdempotencyLedger<?> made, CallScope scope) {
        return scope.changesLoader() ? new ScopedIdempotencyLedger<>(made, scope) : made;
    }

    static OutboxOperations operations(OutboxOperations made, CallScope scope) {
        return scope.changesLoader() ? new ScopedOutboxOperations(made, scope) : made;
    }

    static ProjectionOperations operations(ProjectionOperations made, CallScope scope) {
        return scope.changesLoader() ? new ScopedProjectionOperations(made, scope) : made;
    }

    private static Consumer consumer(Consumer made, CallScope scope) {
        return made instanceof BatchConsumer batches
                ? new ScopedBatchConsumer(batches, scope)
                : new ScopedConsumer(made, scope);
    }

    private static DeadLetterSink deadLetterSink(DeadLetterSink made, CallScope scope) {
        return made instanceof DeadLetterStore store
                ? new ScopedDeadLetterStore(store, scope)
                : new ScopedDeadLetterSink(made, scope);
    }
}
