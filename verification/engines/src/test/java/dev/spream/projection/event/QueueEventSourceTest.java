package dev.spream.projection.event;

import dev.spream.testkit.event.QueueEventSourceFixture;
import dev.spream.testkit.event.QueueSourceContract;
import dev.spream.testkit.event.QueueSourceFixture;

/** The contract over the source without positions that tests use. */
final class QueueEventSourceTest extends QueueSourceContract {
    @Override
    protected QueueSourceFixture createFixture() {
        return new QueueEventSourceFixture(source -> source);
    }
}
