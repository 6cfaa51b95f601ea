package dev.spream.examples.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.servers.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.client.cli.CliFrontend;
import org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;

/**
 * The image of the container file in a folder: the files that it copies, and the programs that its commands start, with
 * the libraries of Flink as their class path.
 */
final class FlinkImage implements AutoCloseable {
    private static final Path REPOSITORY = Path.of("../..");
    private static final String HOME = "/opt/flink/";
    private static final int ATTEMPTS = 10;

    /** Options that the configuration in Flink's image has; and what is logged. */
    private static final String[] OPTIONS = {
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.util=ALL-UNNAMED",
        "-Xmx256m",
        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", "")
    };

    private final Path root;
    private final Path home;
    private final List<Process> processes = new ArrayList<>();

    /** Creates the image in an empty folder. */
    FlinkImage(Path root) throws IOException {
        this.root = root;
        this.home = root.resolve(HOME.substring(1));
        for (String line : instructions("COPY")) {
            String[] words = line.split("\\s+");
            assertThat(words).hasSize(3).startsWith("--from=build");
            assertThat(words[1]).startsWith("/src/");
            assertThat(words[2]).startsWith(HOME).endsWith("/");
            Path source = REPOSITORY.resolve(words[1].substring("/src/".length()));
            copy(source, Files.createDirectories(root.resolve(words[2].substring(1))));
        }
        Files.createDirectories(home.resolve("lib"));
        Files.createDirectories(home.resolve("plugins"));
        Files.writeString(Files.createDirectories(home.resolve("conf")).resolve("config.yaml"), configuration());
    }

    /** Copies a file, or the files in a folder. */
    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.isDirectory(source) ? Files.list(source) : Stream.of(source)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
    }

    /** Returns the arguments of each instruction of that name in the last stage of the container file. */
    static List<String> instructions(String name) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("Containerfile"));
        int stage = 0;
        for (int i = 0; i < lines.size(); i++) {
            stage = lines.get(i).startsWith("FROM ") ? i : stage;
        }
        return lines.subList(stage, lines.size()).stream()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1).strip())
                .toList();
    }

    /** What the scripts of Flink compute from the size of a container, and ports that are free. */
    private String configuration() throws IOException {
        return """
                jobmanager.rpc.address: 127.0.0.1
                jobmanager.rpc.port: %d
                blob.server.port: 0
                rest.address: 127.0.0.1
                rest.port: %d
                taskmanager.host: 127.0.0.1
                taskmanager.numberOfTaskSlots: 1
                taskmanager.cpu.cores: 1.0
                taskmanager.memory.framework.heap.size: 64m
                taskmanager.memory.framework.off-heap.size: 64m
                taskmanager.memory.task.heap.size: 128m
                taskmanager.memory.task.off-heap.size: 64m
                taskmanager.memory.network.min: 32m
                taskmanager.memory.network.max: 32m
                taskmanager.memory.managed.size: 0m
                taskmanager.memory.jvm-metaspace.size: 128m
                taskmanager.memory.jvm-overhead.min: 192m
                taskmanager.memory.jvm-overhead.max: 192m
                execution.checkpointing.interval: 500 ms
                execution.checkpointing.dir: %s
                """.formatted(freePort(), freePort(), root.resolve("checkpoints").toUri());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Starts a cluster for that job alone. */
    void startApplication(Class<?> job, List<String> arguments) throws IOException {
        List<String> jobManager = flink(StandaloneApplicationClusterEntryPoint.class);
        jobManager.addAll(List.of("--job-classname", job.getName(), "--host", "127.0.0.1"));
        jobManager.addAll(arguments);
        start(jobManager, "jobmanager");
        start(flink(TaskManagerRunner.class), "taskmanager");
    }

    /** Starts a cluster, and submits the jar of a job with its libraries. */
    void startSession(Path jar, List<String> arguments) throws IOException, InterruptedException {
        start(flink(StandaloneSessionClusterEntrypoint.class), "jobmanager");
        start(flink(TaskManagerRunner.class), "taskmanager");
        List<String> client = JavaCommand.of(flinksLibraries(), CliFrontend.class, OPTIONS);
        client.addAll(List.of("run", "--detached", jar.toAbsolutePath().toString()));
        client.addAll(arguments);
        int attempts = 0;
        while (run(client, "client") != 0) { // the cluster does not answer yet
            assertThat(++attempts)
                    .as("%s%n%s", output("client"), output("jobmanager"))
                    .isLessThan(ATTEMPTS);
        }
    }

    private List<String> flink(Class<?> program) throws IOException {
        List<String> command = JavaCommand.of(flinksLibraries(), program, OPTIONS);
        command.addAll(List.of("--configDir", home.resolve("conf").toString()));
        return command;
    }

    /** Returns the names of the jars that are on the class path of the job. */
    Set<String> jars() throws IOException {
        try (Stream<Path> jars = Files.list(home.resolve("usrlib"))) {
            return jars.map(jar -> String.valueOf(jar.getFileName())).collect(Collectors.toSet());
        }
    }

    /** Returns the class path of the tests but for what the job brings along, and all that is spream's. */
    private String flinksLibraries() throws IOException {
        Set<String> brought = jars();
        return Arrays.stream(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .filter(entry -> !brought.contains(Path.of(entry).getFileName().toString()))
                .filter(entry -> !entry.contains("spream"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void start(List<String> command, String name) throws IOException {
        processes.add(builder(command, name).start());
    }

    private int run(List<String> command, String name) throws IOException, InterruptedException {
        return builder(command, name).start().waitFor();
    }

    private ProcessBuilder builder(List<String> command, String name) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve(name + ".log").toFile());
        builder.environment().put("FLINK_CONF_DIR", home.resolve("conf").toString());
        builder.environment().put("FLINK_LIB_DIR", home.resolve("lib").toString());
        builder.environment().put("FLINK_PLUGINS_DIR", home.resolve("plugins").toString());
        return builder;
    }

    /** Returns what the program of that name has written. */
    String output(String name) throws IOException {
        return Files.readString(home.resolve(name + ".log"));
    }

    boolean isRunning() {
        return processes.stream().allMatch(Process::isAlive);
    }

    @Override
    public void close() {
        processes.forEach(process -> {
            process.destroyForcibly();
            process.onExit().join();
        });
    }
}
