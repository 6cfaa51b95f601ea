package dev.spream.emulator.internal.stream;

/**
 * The threads of the emulator. They are platform threads: the engine polls while a statement waits for a row that
 * another transaction has inserted, which would keep the carriers of virtual threads from those that it waits for.
 */
public final class EmulatorThreads {
    private EmulatorThreads() {}

    /** Returns the builder of a thread that does not keep the process from ending. */
    public static Thread.Builder builder() {
        return Thread.ofPlatform().daemon();
    }
}
