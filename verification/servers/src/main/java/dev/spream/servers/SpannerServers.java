package dev.spream.servers;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.Churn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The servers that an integration test runs on: our emulator always, Google's wherever there is one. They start when first
 * asked for, one line says which they are, and they live as long as the JVM.
 */
public final class SpannerServers {
    private SpannerServers() {}

    /** For {@code @MethodSource("dev.spream.servers.SpannerServers#all")}. */
    public static Stream<SpannerServer> all() {
        return Started.SERVERS.stream();
    }

    public static SpannerServer ours() {
        return Started.SERVERS.getFirst();
    }

    /** Google's emulator: the one that {@code SPANNER_EMULATOR_HOST} names, or one found on this machine. */
    public static Optional<SpannerServer> google() {
        return all().filter(server -> server.name().equals(Started.GOOGLE)).findFirst();
    }

    /** Starts the servers once, when the class is initialised. */
    private static final class Started {
        static final String GOOGLE = "Google's emulator";
        static final Duration CHURN = Duration.ofMillis(500);
        static final List<SpannerServer> SERVERS = start();

        private static List<SpannerServer> start() {
            List<SpannerServer> servers = new ArrayList<>();
            List<String> used = new ArrayList<>();
            String ours =
                    SpannerEmulator.builder().churn(Churn.every(CHURN)).start().emulatorHost();
            servers.add(new SpannerServer("our emulator", ours));
            used.add("our emulator at " + ours);
            googleHost(used).ifPresent(host -> servers.add(new SpannerServer(GOOGLE, host)));
            System.out.println("Spanner servers of this run: " + String.join("; ", used));
            return List.copyOf(servers);
        }

        private static Optional<String> googleHost(List<String> used) {
            String configured = System.getenv("SPANNER_EMULATOR_HOST");
            if (configured != null && !configured.isBlank()) {
                used.add("the emulator that SPANNER_EMULATOR_HOST names, " + configured);
                return Optional.of(configured);
            }
            Optional<Path> program = GoogleEmulator.find();
            if (program.isEmpty()) {
                used.add(
                        "Google's emulator was not found (SPANNER_EMULATOR_HOST, emulator_main or gcloud on the PATH)");
                return Optional.empty();
            }
            try {
                String started = GoogleEmulator.start(program.get()).host();
                used.add("Google's emulator, " + program.get() + " at " + started);
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
