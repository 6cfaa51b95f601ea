package dev.spream.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker in a process of its own, on loopback, with its data in a folder of the caller. It does not create topics
 * by itself. It ends when it is closed, and when this process ends. Confined to one thread.
 */
public final class KafkaBroker implements AutoCloseable {
    private final Path folder;
    private final int port;
    private final int proxiedPort;
    private @Nullable Process process;

    private KafkaBroker(Path folder, int port, int proxiedPort) {
        this.folder = folder;
        this.port = port;
        this.proxiedPort = proxiedPort;
    }

    /** Starts a broker in an empty folder; returns when it accepts requests. */
    public static KafkaBroker start(Path folder) throws IOException {
        return start(folder, Map.of());
    }

    /**
     * Starts a broker.
     *
     * @param settings more settings of the broker, or others than those of this class
     */
    public static KafkaBroker start(Path folder, Map<String, String> settings) throws IOException {
        int[] ports = freePorts();
        return start(folder, ports[0], 0, ports[1], settings);
    }

    private static KafkaBroker start(
            Path folder, int port, int proxiedPort, int controllerPort, Map<String, String> settings)
            throws IOException {
        Properties all = new Properties();
        all.putAll(settings(folder, port, controllerPort));
        all.putAll(settings);
        try (Writer writer = Files.newBufferedWriter(folder.resolve("server.properties"))) {
            all.store(writer, null);
        }
        KafkaBroker broker = new KafkaBroker(folder, port, proxiedPort);
        broker.start();
        return broker;
    }

    /** Starts a broker that also has clients behind a proxy, which passes what comes to its port to {@link #proxiedPort}. */
    public static KafkaBroker startBehind(int proxyPort, Path folder) throws IOException {
        int[] ports = freePorts();
        int port = ports[0];
        int controllerPort = ports[1];
        int proxied = ports[2];
        return start(
                folder,
                port,
                proxied,
                controllerPort,
                Map.of(
                        "listeners",
                        "CLIENT://127.0.0.1:%d,PROXIED://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
                                .formatted(port, proxied, controllerPort),
                        "advertised.listeners",
                        "CLIENT://127.0.0.1:%d,PROXIED://127.0.0.1:%d".formatted(port, proxyPort),
                        "listener.security.protocol.map",
                        "CLIENT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"));
    }

    private static Map<String, String> settings(Path folder, int port, int controllerPort) {
        return Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", "1"),
                Map.entry("controller.quorum.voters", "1@127.0.0.1:" + controllerPort),
                Map.entry(
                        "listeners", "CLIENT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controllerPort)),
                Map.entry("listener.security.protocol.map", "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("inter.broker.listener.name", "CLIENT"),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry("log.dirs", folder.resolve("log").toString()),
                Map.entry("auto.create.topics.enable", "false"),
                Map.entry("broker.heartbeat.interval.ms", "200"),
                Map.entry("broker.session.timeout.ms", "4000"), // so long is a killed one not let in again
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("transaction.state.log.num.partitions", "1"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("group.initial.rebalance.delay.ms", "0"));
    }

    /** Returns three ports, held at the same time, so that they differ. */
    private static int[] freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback);
                ServerSocket third = new ServerSocket(0, 1, loopback)) {
            return new int[] {first.getLocalPort(), second.getLocalPort(), third.getLocalPort()};
        }
    }

    /** Returns host and port, the same after a restart. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Returns the port for a proxy. */
    public int proxiedPort() {
        return proxiedPort;
    }

    /** Starts it again, on its data and at its address, after it was killed. */
    public void start() throws IOException {
        if (process != null) {
            throw new IllegalStateException("the broker runs: kill it first");
        }
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx400m",
                        "-cp",
                        classPath(),
                        KafkaProcess.class.getName(),
                        folder.resolve("server.properties").toString())
                .redirectError(Redirect.appendTo(folder.resolve("broker.log").toFile()))
                .start();
        process = started;
        BufferedReader output = started.inputReader(UTF_8);
        for (String line = output.readLine(); !KafkaProcess.READY.equals(line); line = output.readLine()) {
            if (line == null) {
                String log = Files.readString(folder.resolve("broker.log"));
                throw new IOException("the broker did not start:\n" + log.substring(Math.max(0, log.length() - 4000)));
            }
        }
    }

    /** The libraries of this module and its own classes, as the build wrote them down. */
    private static String classPath() throws IOException {
        try (InputStream in = KafkaBroker.class.getResourceAsStream("classpath")) {
            if (in == null) {
                throw new IOException(
                        "the class path of the broker is missing; Maven writes it: mvn -pl verification/kafka compile");
            }
            Path own = Path.of(KafkaBroker.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return new String(in.readAllBytes(), UTF_8).strip() + System.getProperty("path.separator") + own;
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** Ends it at once, as {@code kill -9} does, and waits until it has ended. Harmless if it does not run. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
            process = null;
        }
    }

    /** Stops its process without ending it, as {@code kill -STOP} does: it answers nothing, and its connections stay. */
    public void stop() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** Continues it after {@link #stop}. */
    public void resume() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        if (process == null) {
            throw new IllegalStateException("the broker does not run");
        }
        Process command = new ProcessBuilder(List.of("kill", signal, Long.toString(process.pid())))
                .inheritIO()
                .start();
        if (command.waitFor() != 0) {
            throw new IOException("kill %s failed".formatted(signal));
        }
    }

    @Override
    public void close() {
        kill();
    }
}
