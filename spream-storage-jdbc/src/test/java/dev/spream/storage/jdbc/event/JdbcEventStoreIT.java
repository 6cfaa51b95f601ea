package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.EventStoreContract;
import dev.spream.projection.event.EventStoreFixture;

final class JdbcEventStoreIT extends EventStoreContract {
    @Override
    protected EventStoreFixture createFixture() {
        return new JdbcEventStoreFixture();
    }
}
