package dev.spream.sink.pubsub;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Google's Pub/Sub emulator: the one that {@code PUBSUB_EMULATOR_HOST} names, or else the one in the SDK that {@code gcloud}
 * on the PATH belongs to, as a child process that the tests of a JVM share and that is killed when it exits.
 *
 * @see <a href="https://cloud.google.com/pubsub/docs/emulator">Pub/Sub: testing apps locally with the emulator</a>
 */
final class PubsubEmulator {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final String host;

    private PubsubEmulator(String host) {
        this.host = host;
    }

    private static final class Shared {
        static final Optional<PubsubEmulator> EMULATOR;

        static {
            try {
                EMULATOR = find();
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns the one of this JVM; its first call says in one line what it uses, or that there is none. */
    static Optional<PubsubEmulator> shared() {
        return Shared.EMULATOR;
    }

    private static Optional<PubsubEmulator> find() throws IOException, InterruptedException {
        String named = System.getenv("PUBSUB_EMULATOR_HOST");
        if (named != null && !named.isBlank()) {
            System.out.println("Pub/Sub servers of this run: in this process; the emulator that PUBSUB_EMULATOR_HOST"
                    + " names, " + named);
            return Optional.of(new PubsubEmulator(named));
        }
        Optional<Path> jar = gcloud().flatMap(PubsubEmulator::inSdkOf);
        if (jar.isEmpty()) {
            System.out.println("Pub/Sub servers of this run: in this process; Google's emulator was not found"
                    + " (PUBSUB_EMULATOR_HOST, or platform/pubsub-emulator in the SDK of gcloud on the PATH)");
            return Optional.empty();
        }
        PubsubEmulator started = start(jar.get());
        System.out.println("Pub/Sub servers of this run: in this process; Google's emulator, " + jar.get() + " at "
                + started.host);
        return Optional.of(started);
    }

    private static Optional<Path> gcloud() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "gcloud"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Optional<Path> inSdkOf(Path gcloud) {
        try {
            Path folder = gcloud.toRealPath()
                    .resolveSibling("../platform/pubsub-emulator/lib")
                    .normalize();
            if (!Files.isDirectory(folder)) {
                return Optional.empty();
            }
            try (Stream<Path> files = Files.list(folder)) {
                return files.filter(file ->
                                String.valueOf(file.getFileName()).matches("cloud-pubsub-emulator-.*-all\\.jar"))
                        .max(Path::compareTo);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PubsubEmulator start(Path jar) throws IOException, InterruptedException {
        int port = freePort();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        java,
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:-BytecodeVerificationRemote",
                        "-jar",
                        jar.toString(),
                        "--host=127.0.0.1",
                        "--port=" + port)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill-pubsub-emulator"));
        PubsubEmulator emulator = new PubsubEmulator("127.0.0.1:" + port);
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!listens(port)) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() - deadline > 0) {
                process.destroyForcibly();
                throw new IOException("Google's Pub/Sub emulator did not start listening at " + emulator.host);
            }
        }
        return emulator;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    String host() {
        return host;
    }
}
