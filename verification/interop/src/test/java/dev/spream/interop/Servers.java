package dev.spream.interop;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.servers.GoogleEmulator;
import dev.spream.servers.SpannerServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Our emulator, and where there is one Google's, and ours over it, with partitions that live long enough for Beam, which needs seconds to find
 * and start one. They live as long as the JVM.
 */
final class Servers {
    private static final Duration CHURN = Duration.ofSeconds(1);

    /** As {@link GoogleEmulator#startWithSlowChurn}: Google's emulator takes the transactions of Beam's table one at a time. */
    private static final Duration CHURN_OVER_GOOGLE = Duration.ofSeconds(5);

    private Servers() {}

    static Stream<SpannerServer> all() {
        return Started.SERVERS.stream();
    }

    /** Returns those whose partitions are ours. */
    static Stream<SpannerServer> ours() {
        return all().filter(server -> server.name().startsWith("our "));
    }

    /** Starts the servers once, when the class is initialised. */
    private static final class Started {
        static final List<SpannerServer> SERVERS = start();

        private static List<SpannerServer> start() {
            List<SpannerServer> servers = new ArrayList<>();
            servers.add(new SpannerServer(
                    "our emulator",
                    SpannerEmulator.builder()
                            .churn(PartitionChurn.every(CHURN))
                            .start()
                            .emulatorHost()));
            google().ifPresent(host -> {
                servers.add(new SpannerServer("Google's emulator", host));
                servers.add(new SpannerServer(
                        "our emulator over Google's",
                        SpannerEmulator.builder()
                                .over(host)
                                .churn(PartitionChurn.every(CHURN_OVER_GOOGLE))
                                .start()
                                .emulatorHost()));
            });
            System.out.println("Spanner servers of this run: "
                    + servers.stream().map(SpannerServer::name).toList()
                    + (servers.size() > 1 ? "" : "; Google's emulator was not found"));
            return List.copyOf(servers);
        }

        private static Optional<String> google() {
            return Optional.ofNullable(System.getenv("SPANNER_EMULATOR_HOST"))
                    .filter(host -> !host.isBlank())
                    .or(() -> GoogleEmulator.find().map(Started::start));
        }

        private static String start(Path program) {
            try {
                return GoogleEmulator.startWithSlowChurn(program).host();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while Google's emulator was starting", e);
            }
        }
    }
}
