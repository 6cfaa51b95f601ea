package dev.spream.sink.pubsub;

import com.google.protobuf.ByteString;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventJson;
import dev.spream.projection.event.EventSource;
import dev.spream.servers.SubscriberServer;
import dev.spream.testkit.event.QueueSourceFixture;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Two sources over the server in this process, which has a subscription for each of two projections. */
final class PubsubEventSourceFixture implements QueueSourceFixture {
    private final SubscriberServer server;
    private final EventSource source;
    private final EventSource another;

    PubsubEventSourceFixture() throws IOException {
        server = SubscriberServer.start();
        server.create(projection(0));
        server.create(projection(1));
        source = open();
        another = open();
    }

    private EventSource open() throws IOException {
        TestConfig config = TestConfig.of(
                new PubsubEventSourceProvider(), Map.of("project", "demo", "emulator-host", server.host()));
        return PubsubEventSource.open(PubsubEventSourceProvider.options(config, Optional.empty()));
    }

    @Override
    public EventSource source() {
        return source;
    }

    /** Waits a moment for streams of closed feeds to end: the server would send messages to them. */
    @Override
    public EventSource anotherSource() {
        for (int i = 0; i < 50 && server.streams(projection(0)) > 0; i++) {
            LockSupport.parkNanos(10_000_000);
        }
        return another;
    }

    @Override
    public String projection(int number) {
        return "projection-" + number;
    }

    @Override
    public void write(List<EventEnvelope> events) {
        events.forEach(event ->
                server.publish(event.aggregateId(), ByteString.copyFromUtf8(EventJson.write(event)), Map.of()));
    }

    @Override
    public void writeUndecodable() {
        server.publish("other", ByteString.copyFromUtf8("no event"), Map.of("of", "a test"));
    }

    @Override
    public void close() {
        source.close();
        another.close();
        server.close();
    }
}
