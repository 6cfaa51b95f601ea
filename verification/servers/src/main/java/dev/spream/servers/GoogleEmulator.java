package dev.spream.servers;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Google's Cloud Spanner emulator as a child process, if it is installed. Its partitions live a second or two, so that
 * a short test has many splits and merges. Its data is lost when it is closed, or when this JVM exits.
 *
 * @see <a href="https://github.com/GoogleCloudPlatform/cloud-spanner-emulator">cloud-spanner-emulator</a>
 */
public final class GoogleEmulator implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
    private static final List<String> FASTEST_CHURN = List.of(
            "--override_change_stream_partition_token_alive_seconds=1",
            "--change_stream_churning_interval=1s",
            "--change_stream_churn_thread_sleep_interval=500ms");
    private static final List<String> SLOW_CHURN = List.of(
            "--override_change_stream_partition_token_alive_seconds=5",
            "--change_stream_churning_interval=5s",
            "--change_stream_churn_thread_sleep_interval=1s");
    private static final List<String> NO_CHURN = List.of("--enable_change_stream_churning=false");

    private final Process process;
    private final String host;
    private final Thread killer;

    private GoogleEmulator(Process process, String host) {
        this.process = process;
        this.host = host;
        this.killer = new Thread(process::destroyForcibly, "kill-google-emulator");
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** Finds the emulator's program: {@code emulator_main} on the PATH, or in the SDK of {@code gcloud} on the PATH. */
    public static Optional<Path> find() {
        return onPath("emulator_main").or(() -> onPath("gcloud").flatMap(GoogleEmulator::inSdkOf));
    }

    private static Optional<Path> onPath(String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Optional<Path> inSdkOf(Path gcloud) {
        try {
            Path folder = gcloud.toRealPath().resolveSibling("cloud_spanner_emulator");
            return Optional.of(folder.resolve("emulator_main")).filter(Files::isExecutable);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the program on a free port of the loopback interface, and waits until it listens. */
    public static GoogleEmulator start(Path program) throws IOException, InterruptedException {
        return start(program, FASTEST_CHURN);
    }

    /** Starts the program as {@link #start(Path)} does, with partitions that live as long as it does. */
    public static GoogleEmulator startWithoutChurn(Path program) throws IOException, InterruptedException {
        return start(program, NO_CHURN);
    }

    /** Starts the program as {@link #start(Path)} does, with partitions that live five seconds or more. */
    public static GoogleEmulator startWithSlowChurn(Path program) throws IOException, InterruptedException {
        return start(program, SLOW_CHURN);
    }

    private static GoogleEmulator start(Path program, List<String> flags) throws IOException, InterruptedException {
        String host = "127.0.0.1:" + freePort();
        List<String> command = new ArrayList<>(List.of(program.toString(), "--host_port", host));
        command.addAll(flags);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        GoogleEmulator emulator = new GoogleEmulator(process, host);
        emulator.awaitListening();
        return emulator;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitListening() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!listens()) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                close();
                throw new IOException("Google's emulator did not start listening at " + host);
            }
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(address(), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private InetSocketAddress address() {
        int colon = host.lastIndexOf(':');
        return new InetSocketAddress(host.substring(0, colon), Integer.parseInt(host.substring(colon + 1)));
    }

    /** Returns its host and port, as in {@code SPANNER_EMULATOR_HOST}. */
    public String host() {
        return host;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // The JVM is exiting, and the hook ends the process.
        }
    }
}
