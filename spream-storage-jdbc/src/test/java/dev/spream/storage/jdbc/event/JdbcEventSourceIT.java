package dev.spream.storage.jdbc.event;

import dev.spream.testkit.event.EventSourceFixture;
import dev.spream.testkit.event.PositionedSourceContract;

final class JdbcEventSourceIT extends PositionedSourceContract {
    @Override
    protected EventSourceFixture createFixture() {
        return new JdbcEventSourceFixture();
    }
}
