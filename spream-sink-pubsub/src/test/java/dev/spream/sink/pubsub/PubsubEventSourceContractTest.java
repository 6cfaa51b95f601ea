package dev.spream.sink.pubsub;

import dev.spream.testkit.event.QueueSourceContract;
import dev.spream.testkit.event.QueueSourceFixture;
import java.io.IOException;

/** The contract of event sources without positions over Pub/Sub, with Google's client and the server in this process. */
final class PubsubEventSourceContractTest extends QueueSourceContract {
    @Override
    protected QueueSourceFixture createFixture() throws IOException {
        return new PubsubEventSourceFixture();
    }
}
