package dev.spream.core.subscription;

/** The setting for comparisons that is not part of the API. In the engine's package, for access to it. */
public final class ReadAhead {
    private ReadAhead() {}

    /** Lets partitions wait until those that their keys came from are settled, as in separate processes. */
    public static Subscriber.Builder without(Subscriber.Builder subscriber) {
        return subscriber.readsAhead(false);
    }
}
