package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxSender;
import java.util.List;

/**
 * The fixture by which {@link OutboxSenderContract} knows a sender: the sender itself, and a receiver that does as it is
 * told. It is made for one test and closed after it. Safe for use by many threads.
 */
public interface OutboxSenderFixture extends AutoCloseable {

    /** The behaviour of the receiver. */
    enum Receiver {
        /** It accepts the entry, and answers so. */
        ACCEPTS,
        /** It rejects the entry permanently, and answers so. */
        REFUSES,
        /** It receives the entry, and does not answer during the test. */
        HANGS,
        /** It cannot be reached: nothing gets there. */
        UNREACHABLE
    }

    /** A sender to the receiver; the same instance each time. */
    OutboxSender sender();

    /** What the receiver does from now on; it accepts before it is told. */
    void receiver(Receiver behaviour);

    /** By what name the receiver knows each request that reached it, such as its idempotency key; in the order of arrival. */
    List<String> received();

    /** Ends the sender and the receiver. */
    @Override
    void close();
}
