package dev.spream.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Worker processes that are started, killed, stopped and continued; each writes a log of its own. */
public final class WorkerFleet implements AutoCloseable {
    static final int SIZE = Integer.getInteger("fleet.size", 2);

    private static final long TIMEOUT_SECONDS = 60;

    private final Path logs;
    private final Function<String, List<String>> command;
    private final Map<String, Process> workers = new LinkedHashMap<>();
    private int started;

    /** @param command that starts the worker of a name */
    public WorkerFleet(Path logs, Function<String, List<String>> command) throws IOException {
        this.logs = Files.createDirectories(logs);
        this.command = command;
    }

    public String start() throws IOException {
        String name = "w%03d".formatted(++started);
        File log = logs.resolve(name + ".log").toFile();
        workers.put(
                name,
                new ProcessBuilder(command.apply(name))
                        .redirectErrorStream(true)
                        .redirectOutput(log)
                        .start());
        return name;
    }

    /** Returns whether the worker was started, and not killed since. */
    public boolean runs(String name) {
        return workers.containsKey(name);
    }

    /** {@code kill -9}. */
    public void kill(String name) throws InterruptedException {
        Process worker = worker(name);
        workers.remove(name);
        worker.destroyForcibly();
        worker.waitFor();
    }

    void stop(String name) throws IOException, InterruptedException {
        signal("STOP", name);
    }

    void resume(String name) throws IOException, InterruptedException {
        signal("CONT", name);
    }

    private void signal(String signal, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill", "-" + signal, Long.toString(worker(name).pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -%s %s failed".formatted(signal, name));
        }
    }

    private Process worker(String name) {
        return Optional.ofNullable(workers.get(name)).orElseThrow();
    }

    /** Fails if a worker has ended that was not killed. */
    public void requireAlive() {
        workers.forEach((name, worker) -> {
            if (!worker.isAlive()) {
                throw new AssertionError("worker %s ended by itself with %d, see its log in %s"
                        .formatted(name, worker.exitValue(), logs));
            }
        });
    }

    /** SIGTERM for all, and their ends. */
    public void terminate() throws InterruptedException {
        requireAlive();
        workers.values().forEach(worker -> worker.toHandle().destroy());
        for (Map.Entry<String, Process> worker : workers.entrySet()) {
            if (!worker.getValue().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "worker %s does not drain, see its log in %s".formatted(worker.getKey(), logs));
            }
        }
        workers.clear();
    }

    @Override
    public void close() {
        workers.values().forEach(Process::destroyForcibly);
    }
}
