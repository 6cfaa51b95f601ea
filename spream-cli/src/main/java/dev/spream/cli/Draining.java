package dev.spream.cli;

import dev.spream.core.subscription.Subscriber;

/** Ends a subscription from outside: by the limit, by the first signal with a drain, by the second at once. */
final class Draining implements AutoCloseable {
    private final Subscriber subscriber;
    private final StopSignals signals;
    private volatile boolean limited;
    private volatile boolean cutShort;

    private Draining(Subscriber subscriber) {
        this.subscriber = subscriber;
        this.signals = StopSignals.install(this::drain, subscriber::close);
    }

    static Draining of(Subscriber subscriber) {
        return new Draining(subscriber);
    }

    /** Ends the subscription now: the records that the limit allowed are written, and no other may be. */
    void limitReached() {
        limited = true;
        Thread.ofVirtual().name("spream-limit").start(subscriber::close);
    }

    boolean limited() {
        return limited;
    }

    /** Whether a drain ran out of time. */
    boolean cutShort() {
        return cutShort;
    }

    @Override
    public void close() {
        signals.close();
    }

    private void drain() {
        cutShort = !subscriber.shutdown(Tail.DRAIN_TIMEOUT);
    }
}
