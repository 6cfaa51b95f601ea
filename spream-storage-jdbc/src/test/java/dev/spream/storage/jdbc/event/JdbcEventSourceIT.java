package dev.spream.storage.jdbc.event;

import dev.spream.core.event.EventSourceFixture;
import dev.spream.core.event.PositionedSourceContract;

final class JdbcEventSourceIT extends PositionedSourceContract {
    @Override
    protected EventSourceFixture createFixture() {
        return new JdbcEventSourceFixture();
    }
}
