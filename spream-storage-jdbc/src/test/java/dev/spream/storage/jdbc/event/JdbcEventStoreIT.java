package dev.spream.storage.jdbc.event;

import dev.spream.testkit.event.EventStoreContract;
import dev.spream.testkit.event.EventStoreFixture;

final class JdbcEventStoreIT extends EventStoreContract {
    @Override
    protected EventStoreFixture createFixture() {
        return new JdbcEventStoreFixture();
    }
}
