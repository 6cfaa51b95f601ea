package dev.spream.projection.changestream;

import dev.spream.testkit.event.QueueSourceContract;
import dev.spream.testkit.event.QueueSourceFixture;

/** The contract of event sources without positions over a change stream that is told what it holds. */
final class ChangeStreamEventSourceContractTest extends QueueSourceContract {
    @Override
    protected QueueSourceFixture createFixture() {
        return new ChangeStreamEventSourceFixture();
    }
}
