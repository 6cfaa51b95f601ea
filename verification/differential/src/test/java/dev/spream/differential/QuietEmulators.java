package dev.spream.differential;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.util.Optional;

/** Our emulator, and ours over Google's, whose partitions change at a test's word alone. They live as long as the JVM. */
final class QuietEmulators {
    private QuietEmulators() {}

    static SpannerEmulator alone() {
        return Alone.EMULATOR;
    }

    /** Returns our emulator over Google's, if that is available. */
    static Optional<SpannerEmulator> overGoogles() {
        return OverGoogles.EMULATOR;
    }

    static SpannerServer server(SpannerEmulator emulator) {
        return new SpannerServer("our emulator", emulator.emulatorHost());
    }

    private static final class Alone {
        static final SpannerEmulator EMULATOR = SpannerEmulator.start();
    }

    private static final class OverGoogles {
        static final Optional<SpannerEmulator> EMULATOR = SpannerServers.google()
                .map(google ->
                        SpannerEmulator.builder().over(google.emulatorHost()).start());
    }
}
