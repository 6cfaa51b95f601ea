package dev.spream.emulator.internal.stream;

/**
 * The threads of the emulator: virtual ones, and platform ones before Java 24. There Google's client in the same process
 * keeps the carriers of the virtual threads that wait for it, and the emulator has to answer nevertheless.
 *
 * @see <a href="https://openjdk.org/jeps/491">JEP 491: Synchronize Virtual Threads without Pinning</a>
 */
public final class EmulatorThreads {
    private static final int WITHOUT_PINNING = 24;

    private EmulatorThreads() {}

    /** Returns the builder of a thread that does not keep the process from ending. */
    public static Thread.Builder builder() {
        return Runtime.version().feature() < WITHOUT_PINNING
                ? Thread.ofPlatform().daemon()
                : Thread.ofVirtual();
    }
}
