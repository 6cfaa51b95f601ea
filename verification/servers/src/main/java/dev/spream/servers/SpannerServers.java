package dev.spream.servers;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionChurn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The servers of an integration test: spream's emulator, and with {@code -Dmatrix=true}, which the profile {@code
 * proof} sets, also Google's if it is available, and ours over Google's. Each starts on first use, prints one line, and lives as long as the
 * JVM.
 */
public final class SpannerServers {
    private SpannerServers() {}

    /** Returns the servers of this run, for {@code @MethodSource("dev.spream.servers.SpannerServers#all")}. */
    public static Stream<SpannerServer> all() {
        return areAll() ? Stream.concat(found(), overGoogle().stream()) : Stream.of(ours());
    }

    /** Returns our emulator, and Google's if it is available, for short tests of what both have. */
    public static Stream<SpannerServer> found() {
        return Stream.concat(Stream.of(ours()), google().stream());
    }

    /** Returns whether tests run on every available server and dialect, where one would suffice. */
    public static boolean areAll() {
        return Boolean.getBoolean("matrix");
    }

    public static SpannerServer ours() {
        return Ours.SERVER;
    }

    /** Returns Google's emulator: the one that {@code SPANNER_EMULATOR_HOST} names, or one found on this machine. */
    public static Optional<SpannerServer> google() {
        return Google.SERVER;
    }

    /** Returns our emulator over Google's, if that is available. */
    public static Optional<SpannerServer> overGoogle() {
        return OverGoogle.SERVER;
    }

    private static final class OverGoogle {
        static final Optional<SpannerServer> SERVER =
                google().map(google -> new SpannerServer("our emulator over Google's", start(google.emulatorHost())));

        private static String start(String google) {
            String host = SpannerEmulator.builder()
                    .over(google)
                    .churn(PartitionChurn.every(Ours.CHURN))
                    .start()
                    .emulatorHost();
            System.out.println("Spanner server of this run: our emulator over " + google + ", at " + host);
            return host;
        }
    }

    private static final class Ours {
        static final Duration CHURN = Duration.ofMillis(500);
        static final SpannerServer SERVER = start();

        private static SpannerServer start() {
            String host = SpannerEmulator.builder()
                    .churn(PartitionChurn.every(CHURN))
                    .start()
                    .emulatorHost();
            System.out.println("Spanner server of this run: our emulator at " + host);
            return new SpannerServer("our emulator", host);
        }
    }

    private static final class Google {
        static final Optional<SpannerServer> SERVER = host().map(host -> new SpannerServer("Google's emulator", host));

        private static Optional<String> host() {
            String configured = System.getenv("SPANNER_EMULATOR_HOST");
            if (configured != null && !configured.isBlank()) {
                System.out.println(
                        "Spanner server of this run: the emulator that SPANNER_EMULATOR_HOST names, " + configured);
                return Optional.of(configured);
            }
            Optional<Path> program = GoogleEmulator.find();
            if (program.isEmpty()) {
                System.out.println(
                        "Google's emulator was not found (SPANNER_EMULATOR_HOST, emulator_main or gcloud on the PATH)");
                return Optional.empty();
            }
            try {
                String started = GoogleEmulator.start(program.get()).host();
                System.out.println(
                        "Spanner server of this run: Google's emulator, " + program.get() + " at " + started);
                return Optional.of(started);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while Google's emulator was starting", e);
            }
        }
    }
}
