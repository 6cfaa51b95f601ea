package dev.spream.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.JavaCommand;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example application as a process: its changes, its end by a signal, its failure. */
@Timeout(600)
final class ExampleApplicationIT {
    private static final Path EXAMPLE = Path.of("../spream-examples/spring-boot-app");
    private static final String DATABASE = "projects/p/instances/i/databases/shop";
    private static final Pattern ORDER = Pattern.compile("INSERT \\[Mod\\[keys=\\{\"Id\":\"(order-\\d+)\"}.*");
    private static final int ORDERS = 150;
    private static final int TERMINATED = 128 + 15;
    private static final long TIMEOUT_SECONDS = 300; // a start takes seven seconds of a processor's time

    private static SpannerEmulator emulator;

    @TempDir
    private static Path classes;

    private final List<Process> processes = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<String> output = new LinkedBlockingQueue<>(); // the lines that were not looked at

    @BeforeAll
    static void compile() throws IOException {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                Files.readString(EXAMPLE.resolve("src/test/resources/orders.sql"))
                        .split(";\\s*"));
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-parameters", "-cp", classPath(), "-d", classes.toString()));
        try (Stream<Path> files = Files.walk(EXAMPLE.resolve("src/main/java"))) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .map(Path::toString)
                    .forEach(arguments::add);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        Path properties = EXAMPLE.resolve("src/main/resources/application.properties");
        Files.copy(properties, classes.resolve(properties.getFileName()));
    }

    @AfterAll
    static void stop() {
        emulator.close();
    }

    @AfterEach
    void close() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void a_signal_drains_it_and_the_next_run_prints_the_rest_and_ends_when_it_fails_for_good() throws Exception {
        Instant start = Instant.now();
        Map<String, String> variables = Map.of(
                "SPREAM_SUBSCRIPTIONS_ORDERS_START",
                start.toString(),
                "SPREAM_SUBSCRIPTIONS_ORDERS_HEARTBEATINTERVAL",
                "1s",
                "SPREAM_FAILUREACTION",
                "exit");
        Process first = start(variables);
        Set<String> printed = new TreeSet<>();
        List<String> all = new ArrayList<>();
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open()) {
            for (int order = 0; order < ORDERS; order++) {
                write(connection, order);
                if (order == ORDERS / 2) {
                    awaitPrinted(printed, all, ORDERS / 4);
                    first.toHandle().destroy(); // SIGTERM alone: the process would also close the pipe that is read
                }
            }
        }
        assertThat(first.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                .as("it drains in time")
                .isTrue();
        assertThat(first.exitValue()).isEqualTo(TERMINATED);
        assertThat(wholeOutput()).contains("[orders] ended: SHUT_DOWN");

        Process second = start(variables);
        awaitPrinted(printed, all, ORDERS);

        assertThat(printed).hasSize(ORDERS);
        // Drained: only changes at the watermark itself come again.
        assertThat(all).as("printed lines").hasSizeLessThan(ORDERS + 6);

        dropStream();
        assertThat(second.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(wholeOutput())
                .containsPattern("\\[orders] the subscription has failed for good[\\s\\S]*OrdersStream");
    }

    private static void dropStream() throws Exception {
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open()) {
            connection
                    .spanner()
                    .getDatabaseAdminClient()
                    .updateDatabaseDdl("i", "shop", List.of("DROP CHANGE STREAM OrdersStream"), null)
                    .get();
        }
    }

    /** Returns the output of processes that have ended. */
    private String wholeOutput() throws InterruptedException {
        for (Thread reader : readers) {
            reader.join();
        }
        return String.join("\n", lines);
    }

    private void awaitPrinted(Set<String> printed, List<String> all, int number) throws InterruptedException {
        while (printed.size() < number) {
            String line = output.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            assertThat(line).as("a line after %d orders", printed.size()).isNotNull();
            Matcher order = ORDER.matcher(line);
            if (order.matches()) {
                printed.add(order.group(1));
                all.add(order.group(1));
            }
        }
    }

    private static void write(SpannerConnection connection, int order) {
        connection
                .client()
                .write(List.of(Mutation.newInsertBuilder("Orders")
                        .set("Id")
                        .to("order-" + order)
                        .build()));
    }

    private Process start(Map<String, String> variables) throws IOException {
        List<String> command = new ArrayList<>(JavaCommand.of(
                classes + File.pathSeparator + classPath(),
                ExampleApplicationIT.class,
                "-XX:-BytecodeVerificationRemote"));
        command.set(command.size() - 1, "com.example.orders.OrdersApplication");
        command.addAll(List.of("--server.port=0", "--server.address=127.0.0.1"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SPANNER_EMULATOR_HOST", emulator.emulatorHost());
        builder.environment().put("SPREAM_SUBSCRIPTIONS_ORDERS_SOURCE_SPANNER_DATABASE", DATABASE);
        builder.environment().put("SPREAM_SUBSCRIPTIONS_ORDERS_STORAGE", "spanner"); // the tests have another, too
        builder.environment().putAll(variables);
        Process process = builder.start();
        processes.add(process);
        readers.add(Thread.ofPlatform().daemon(true).start(() -> {
            try (BufferedReader reader = process.inputReader()) {
                reader.lines().forEach(this::add);
            } catch (IOException | UncheckedIOException e) {
                add("the output was cut off: " + e);
            }
        }));
        return process;
    }

    private void add(String line) {
        lines.add(line);
        output.add(line);
    }

    /** Without the classes of the tests, which have resources of their own. */
    private static String classPath() {
        return Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .reduce((all, entry) -> all + File.pathSeparator + entry)
                .orElseThrow();
    }
}
