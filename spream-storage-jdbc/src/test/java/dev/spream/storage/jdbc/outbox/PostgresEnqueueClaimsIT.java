package dev.spream.storage.jdbc.outbox;

/** Claims of entries as they are enqueued, over PostgreSQL. */
final class PostgresEnqueueClaimsIT extends EnqueueClaims {
    @Override
    OutboxPlace place() {
        return new PostgresOutboxPlace();
    }

    @Override
    OutboxPlace another() {
        return new PostgresOutboxPlace();
    }
}
