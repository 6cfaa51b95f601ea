package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.EventSourceFixture;
import dev.spream.projection.event.PositionedSourceContract;

final class JdbcEventSourceIT extends PositionedSourceContract {
    @Override
    protected EventSourceFixture createFixture() {
        return new JdbcEventSourceFixture();
    }
}
