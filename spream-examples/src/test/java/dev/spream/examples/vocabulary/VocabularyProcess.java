package dev.spream.examples.vocabulary;

import dev.spream.servers.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A vocabulary service as a process of its own. Used by one thread. */
final class VocabularyProcess implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 60;
    private static final Pattern STARTED = Pattern.compile("vocabulary at (http://[^\\s,]+)");

    private final Process process;
    private final URI uri;

    private VocabularyProcess(Process process, URI uri) {
        this.process = process;
        this.uri = uri;
    }

    /** Returns when it listens. */
    static VocabularyProcess start(Map<String, String> environment, Path log) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.of(
                VocabularyProgram.class,
                "-Xmx256m",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", "")));
        builder.environment().putAll(environment);
        Process process = builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher matcher = STARTED.matcher(line);
            if (matcher.find()) {
                return new VocabularyProcess(process, URI.create(matcher.group(1)));
            }
        }
        process.destroyForcibly();
        throw new AssertionError("the service did not start, see " + log);
    }

    URI uri() {
        return uri;
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGTERM, and with what it ends. */
    int terminate() throws InterruptedException {
        process.toHandle().destroy();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the service does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
