package dev.spream.storage.jdbc.outbox;

/** Concurrent workers and writers over PostgreSQL. */
final class PostgresRacesIT extends OutboxRaces {
    @Override
    OutboxPlace place() {
        return new PostgresOutboxPlace();
    }
}
