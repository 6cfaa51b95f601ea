package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxSender;
import java.util.List;

/**
 * The fixture with which {@link OutboxSenderContract} tests a sender: the sender and a receiver whose behaviour can be
 * set. It is created for one test and closed after it. Must be safe for use by many threads.
 */
public interface OutboxSenderFixture extends AutoCloseable {

    /** The behaviour of the receiver. */
    enum Receiver {
        /** The receiver accepts the entry and responds with success. */
        ACCEPTS,
        /** The receiver rejects the entry permanently and responds with that. */
        REFUSES,
        /** The receiver gets the entry and does not respond during the test. */
        HANGS,
        /** The receiver cannot be reached. */
        UNREACHABLE
    }

    /** Returns a sender to the receiver; the same instance each time. */
    OutboxSender sender();

    /** Sets the behaviour of the receiver; initially {@link Receiver#ACCEPTS}. */
    void receiver(Receiver behaviour);

    /**
     * Returns the names by which the receiver identifies the requests that reached it, such as their idempotency keys,
     * in the order of arrival.
     */
    List<String> received();

    /** Closes the sender and the receiver. */
    @Override
    void close();
}
