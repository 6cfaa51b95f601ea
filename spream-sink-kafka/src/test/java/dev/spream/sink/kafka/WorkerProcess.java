package dev.spream.sink.kafka;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.SpreamException;
import dev.spream.servers.JavaCommand;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/** A subscription in a process of its own, to be killed. Confined to one thread. */
final class WorkerProcess implements AutoCloseable {
    private static final int STARTS = 5;

    private final Process process;

    private WorkerProcess(Process process) {
        this.process = process;
    }

    static WorkerProcess start(Path config, Path log) throws IOException {
        List<String> command = JavaCommand.of(
                WorkerProcess.class,
                "-Xmx256m",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"));
        command.add(config.toString());
        return new WorkerProcess(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log.toFile()))
                .start());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it at once, as {@code kill -9} does. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    /** @param arguments the file of the configuration */
    public static void main(String... arguments) {
        SpreamConfig config = SpreamConfig.load(Path.of(arguments[0]));
        for (int start = 1; !run(config, start < STARTS); start++) {}
    }

    /** Returns false if a server did not answer at the start, as on a machine with much other work. */
    private static boolean run(SpreamConfig config, boolean mayFail) {
        try (Spream spream = Spream.create(config)) {
            spream.run();
            return true;
        } catch (SpreamException e) {
            if (mayFail && String.valueOf(e.getMessage()).contains("could not be opened")) {
                return false;
            }
            throw e;
        }
    }
}
