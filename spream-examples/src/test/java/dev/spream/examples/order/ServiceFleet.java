package dev.spream.examples.order;

import static java.util.Objects.requireNonNull;

import dev.spream.servers.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Order services as processes of their own, to be killed, stopped and continued; each writes a log of its own. Used by one
 * thread, except for {@link #any}.
 */
final class ServiceFleet implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 60;
    private static final int MAX_STARTS = 5;
    private static final Pattern STARTED = Pattern.compile("order service at (http://[^\\s,]+)");

    private final Path logs;
    private final Map<String, String> environment;
    private final Map<String, Service> services = new ConcurrentSkipListMap<>();
    private volatile @Nullable URI last;
    private int started;

    private record Service(Process process, URI uri) {}

    ServiceFleet(Path logs, Map<String, String> environment) throws IOException {
        this.logs = Files.createDirectories(logs);
        this.environment = Map.copyOf(environment);
    }

    /** Starts as many as are missing, and returns when all listen. */
    void complete(int size) throws IOException {
        while (services.size() < size) {
            start();
        }
    }

    /** One whose database fails ends, and another is started. */
    private void start() throws IOException {
        for (int attempt = 1; attempt <= MAX_STARTS; attempt++) {
            String name = "s%03d".formatted(++started);
            Process process = launch(name);
            Optional<URI> uri = awaitStart(process);
            if (uri.isPresent()) {
                last = uri.get();
                services.put(name, new Service(process, uri.get()));
                return;
            }
            process.destroyForcibly();
        }
        throw new AssertionError("%d services did not start, see their logs in %s".formatted(MAX_STARTS, logs));
    }

    private Process launch(String name) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.of(
                OrderService.class,
                "-Xmx256m",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", "")));
        builder.environment().putAll(environment);
        builder.redirectError(logs.resolve(name + ".log").toFile());
        return builder.start();
    }

    private static Optional<URI> awaitStart(Process process) throws IOException {
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher matcher = STARTED.matcher(line);
            if (matcher.find()) {
                return Optional.of(URI.create(matcher.group(1)));
            }
        }
        return Optional.empty();
    }

    /** The address of one that was started and not killed, and may have been stopped; of the last one if all were killed. */
    URI any() {
        List<Service> all = List.copyOf(services.values());
        return all.isEmpty()
                ? requireNonNull(last)
                : all.get(ThreadLocalRandom.current().nextInt(all.size())).uri();
    }

    List<String> names() {
        return List.copyOf(services.keySet());
    }

    /** {@code kill -9}. */
    void kill(String name) throws InterruptedException {
        Process process = service(name).process();
        services.remove(name);
        process.destroyForcibly();
        process.waitFor();
    }

    void stop(String name) throws IOException, InterruptedException {
        signal("STOP", name);
    }

    void resume(String name) throws IOException, InterruptedException {
        signal("CONT", name);
    }

    private void signal(String signal, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill",
                        "-" + signal,
                        Long.toString(service(name).process().pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -%s %s failed".formatted(signal, name));
        }
    }

    private Service service(String name) {
        return Optional.ofNullable(services.get(name)).orElseThrow();
    }

    /** Fails if a service has ended that was not killed. */
    void requireAlive() {
        services.forEach((name, service) -> {
            if (!service.process().isAlive()) {
                throw new AssertionError("service %s ended by itself with %d, see its log in %s"
                        .formatted(name, service.process().exitValue(), logs));
            }
        });
    }

    /** SIGTERM for all, and their ends. */
    void terminate() throws InterruptedException {
        requireAlive();
        services.values().forEach(service -> service.process().toHandle().destroy());
        for (Map.Entry<String, Service> service : services.entrySet()) {
            if (!service.getValue().process().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "service %s does not end, see its log in %s".formatted(service.getKey(), logs));
            }
        }
        services.clear();
    }

    @Override
    public void close() {
        services.values().forEach(service -> service.process().destroyForcibly());
    }
}
