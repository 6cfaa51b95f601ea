package dev.spream.examples.balance;

import dev.spream.servers.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Services as processes of their own, to be killed, stopped and continued. Used by one thread. */
final class BalanceFleet implements AutoCloseable {
    private static final int MAX_STARTS = 5;

    private final Path logs;
    private final Class<?> service;
    private final List<String> arguments;
    private final List<Process> running = new ArrayList<>();
    private int started;

    BalanceFleet(Path logs, Class<?> service, List<String> arguments) throws IOException {
        this.logs = Files.createDirectories(logs);
        this.service = service;
        this.arguments = List.copyOf(arguments);
    }

    /** Starts as many as are missing. */
    void complete(int size) throws IOException {
        while (running.size() < size) {
            start();
        }
    }

    /** Starts one. One whose database fails ends, and another is started. */
    void start() throws IOException {
        for (int attempt = 1; attempt <= MAX_STARTS; attempt++) {
            Process process = launch();
            if (process.inputReader().readLine() != null) {
                running.add(process);
                return;
            }
            process.destroyForcibly();
        }
        throw new AssertionError("%d services did not start, see their logs in %s".formatted(MAX_STARTS, logs));
    }

    private Process launch() throws IOException {
        List<String> command = JavaCommand.of(
                service,
                "-Xmx256m",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(logs.resolve("b%03d.log".formatted(++started)).toFile())
                .start();
    }

    Process any(RandomGenerator random) {
        return running.get(random.nextInt(running.size()));
    }

    /** {@code kill -9}. */
    void kill(Process process) throws InterruptedException {
        running.remove(process);
        process.destroyForcibly();
        process.waitFor();
    }

    void signal(String signal, Process process) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -%s %d failed".formatted(signal, process.pid()));
        }
    }

    /** Fails if one has ended that was not killed. */
    void requireAlive() {
        for (Process process : running) {
            if (!process.isAlive()) {
                throw new AssertionError(
                        "a service ended by itself with %d, see the logs in %s".formatted(process.exitValue(), logs));
            }
        }
    }

    /** SIGTERM for all, and their ends. */
    void terminate() throws InterruptedException {
        requireAlive();
        running.forEach(process -> process.toHandle().destroy());
        for (Process process : running) {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("a service does not end, see the logs in " + logs);
            }
        }
        running.clear();
    }

    @Override
    public void close() {
        running.forEach(Process::destroyForcibly);
    }
}
