package dev.spream.projection.changestream;

import dev.spream.testkit.event.QueueSourceContract;
import dev.spream.testkit.event.QueueSourceFixture;

/** The contract of event sources without positions over a scripted change stream. */
final class ChangeStreamEventSourceContractTest extends QueueSourceContract {
    @Override
    protected QueueSourceFixture createFixture() {
        return new ChangeStreamEventSourceFixture();
    }
}
