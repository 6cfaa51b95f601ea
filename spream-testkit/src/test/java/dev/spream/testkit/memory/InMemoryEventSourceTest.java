package dev.spream.testkit.memory;

import dev.spream.testkit.event.EventSourceFixture;
import dev.spream.testkit.event.PositionedSourceContract;

/** The contract over the source of the store in memory. */
final class InMemoryEventSourceTest extends PositionedSourceContract {
    @Override
    protected EventSourceFixture createFixture() {
        return new InMemoryEventSourceFixture(source -> source);
    }
}
