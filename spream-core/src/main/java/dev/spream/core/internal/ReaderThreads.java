package dev.spream.core.internal;

/**
 * The threads that read change streams: virtual ones, and platform ones before Java 24. There a virtual thread that waits
 * within {@code synchronized} keeps its carrier, and Google's client waits so for each row: as many partitions as the
 * machine has processors would hold all carriers, and nothing else would run.
 *
 * @see <a href="https://openjdk.org/jeps/491">JEP 491: Synchronize Virtual Threads without Pinning</a>
 */
public final class ReaderThreads {
    private static final int WITHOUT_PINNING = 24;

    private ReaderThreads() {}

    /** Returns the builder of a thread that does not keep the process from ending. */
    public static Thread.Builder builder() {
        return builder(Runtime.version().feature());
    }

    static Thread.Builder builder(int javaVersion) {
        return javaVersion < WITHOUT_PINNING ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
    }
}
