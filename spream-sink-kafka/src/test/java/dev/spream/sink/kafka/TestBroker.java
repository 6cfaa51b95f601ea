package dev.spream.sink.kafka;

import dev.spream.kafka.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** The broker that the tests of a JVM share, each with topics of its own. It ends with the JVM. */
final class TestBroker {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private TestBroker() {}

    private static final class Shared {
        static final KafkaBroker BROKER = start();

        private static KafkaBroker start() {
            try {
                Path folder = Files.createTempDirectory("kafka");
                return KafkaBroker.start(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static String address() {
        return Shared.BROKER.address();
    }

    /** Returns the topics of the shared broker. */
    static Topics topics() {
        return new Topics(address());
    }

    static String newTopic(int partitions) throws Exception {
        return topics().create("topic-" + TOPICS.incrementAndGet(), partitions);
    }
}
