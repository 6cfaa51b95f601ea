package dev.spream.storage.jdbc.event;

import dev.spream.core.event.EventStoreContract;
import dev.spream.core.event.EventStoreFixture;

final class JdbcEventStoreIT extends EventStoreContract {
    @Override
    protected EventStoreFixture createFixture() {
        return new JdbcEventStoreFixture();
    }
}
