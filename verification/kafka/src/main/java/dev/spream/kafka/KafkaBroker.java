package dev.spream.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker in a process of its own, on loopback, with its data in a folder of the caller. It does not create topics
 * by itself. It ends when it is closed, and when this process ends. Confined to one thread.
 */
public final class KafkaBroker implements AutoCloseable {
    private static final String CLIENT = "CLIENT";

    private final Path folder;
    private final Map<String, Integer> ports;
    private @Nullable Process process;

    private KafkaBroker(Path folder, Map<String, Integer> ports) {
        this.folder = folder;
        this.ports = ports;
    }

    /**
     * A listener besides that of {@link #address()}.
     *
     * @param name in capitals
     * @param protocol such as {@code SASL_PLAINTEXT}
     * @param advertised the port that clients are told, such as that of a proxy before it; its own if 0
     */
    public record Listener(String name, String protocol, int advertised) {
        private int advertised(Map<String, Integer> ports) {
            return advertised == 0 ? requireNonNull(ports.get(name)) : advertised;
        }
    }

    /** Starts a broker in an empty folder; returns when it accepts requests. */
    public static KafkaBroker start(Path folder) throws IOException {
        return start(folder, Map.of(), List.of());
    }

    /**
     * Starts a broker.
     *
     * @param settings more settings of the broker, or others than those of this class
     * @param more listeners besides the one without encryption and users, whose address is {@link #address()}
     */
    public static KafkaBroker start(Path folder, Map<String, String> settings, List<Listener> more) throws IOException {
        List<Listener> listeners = new ArrayList<>(List.of(new Listener(CLIENT, "PLAINTEXT", 0)));
        listeners.addAll(more);
        Listener controller = new Listener("CONTROLLER", "PLAINTEXT", 0);
        Map<String, Integer> ports = freePorts(listeners, controller);
        Properties all = new Properties();
        all.putAll(settings(folder, listeners, controller, ports));
        all.putAll(settings);
        try (Writer writer = Files.newBufferedWriter(folder.resolve("server.properties"))) {
            all.store(writer, null);
        }
        KafkaBroker broker = new KafkaBroker(folder, ports);
        broker.start();
        return broker;
    }

    private static Map<String, String> settings(
            Path folder, List<Listener> listeners, Listener controller, Map<String, Integer> ports) {
        String own = "CONTROLLER://127.0.0.1:" + ports.get(controller.name());
        return Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", "1"),
                Map.entry("controller.quorum.voters", "1@127.0.0.1:" + ports.get(controller.name())),
                Map.entry(
                        "listeners",
                        each(
                                        listeners,
                                        listener -> "%s://127.0.0.1:%d"
                                                .formatted(listener.name(), ports.get(listener.name())))
                                + "," + own),
                Map.entry(
                        "advertised.listeners",
                        each(
                                listeners,
                                listener ->
                                        "%s://127.0.0.1:%d".formatted(listener.name(), listener.advertised(ports)))),
                Map.entry(
                        "listener.security.protocol.map",
                        each(listeners, listener -> listener.name() + ":" + listener.protocol())
                                + ",CONTROLLER:PLAINTEXT"),
                Map.entry("inter.broker.listener.name", CLIENT),
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

    private static String each(List<Listener> listeners, Function<Listener, String> text) {
        return listeners.stream().map(text).collect(Collectors.joining(","));
    }

    /** Returns the ports by the names of the listeners, held at the same time, so that they differ. */
    private static Map<String, Integer> freePorts(List<Listener> listeners, Listener controller) throws IOException {
        Map<String, Integer> ports = new HashMap<>();
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (Listener listener :
                    Stream.concat(listeners.stream(), Stream.of(controller)).toList()) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                ports.put(listener.name(), socket.getLocalPort());
            }
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
        return ports;
    }

    /** Returns host and port, the same after a restart. */
    public String address() {
        return "127.0.0.1:" + port(CLIENT);
    }

    /** Returns the port on which a listener accepts connections. */
    public int port(String listener) {
        return requireNonNull(ports.get(listener), listener);
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
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:-BytecodeVerificationRemote",
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
                kill(); // so that it can be started again
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
