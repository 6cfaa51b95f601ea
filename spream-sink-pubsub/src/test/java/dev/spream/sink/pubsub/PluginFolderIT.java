package dev.spream.sink.pubsub;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The folder that the build leaves for {@code plugins/}, in a host that has nothing of this module. */
@Timeout(120)
final class PluginFolderIT {
    private static final Path PLUGINS = Path.of(requireNonNull(System.getProperty("plugins.folder")));

    @Test
    void the_folder_has_what_the_sink_needs_and_nothing_that_it_shares_with_its_host() throws IOException {
        try (Stream<Path> jars = Files.list(PLUGINS.resolve("pubsub"))) {
            assertThat(jars.map(jar -> String.valueOf(jar.getFileName())))
                    .allMatch(name -> name.endsWith(".jar"))
                    .anyMatch(name -> name.startsWith("spream-sink-pubsub-"))
                    .anyMatch(name -> name.startsWith("google-cloud-pubsub-"))
                    .noneMatch(name -> name.matches(
                            "(spream-(core|lock|outbox|projection|api)|slf4j|logback|jspecify|junit|assertj).*"));
        }
    }

    @Test
    void dropped_into_the_folder_it_publishes() throws IOException {
        List<DataChangeRecord> committed = IntStream.rangeClosed(1, 50)
                .mapToObj(second -> ScriptedSource.newChange(second, "row" + second % 5, "tx" + second))
                .toList();
        try (PublisherServer server = PublisherServer.start();
                PluginRegistry plugins = PluginRegistry.discover(new Host(), Optional.of(PLUGINS))) {
            assertThat(plugins.problems()).isEmpty();
            Plugin<Consumer> plugin =
                    plugins.find(ConsumerProvider.class, "pubsub").orElseThrow();
            assertThat(plugin.origin()).isEqualTo(PLUGINS.resolve("pubsub").toString());
            try (Spream spream = Spream.builder(config(server))
                    .source(ScriptedSource.of(ScriptedSource.START, committed))
                    .storage(new InMemoryPartitionStorage())
                    .plugins(plugins)
                    .build()) {
                assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            }
            PublishedOrder.check(committed, server.taken());
            long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
            while (Thread.getAllStackTraces().keySet().stream().anyMatch(PluginFolderIT::isOfPlugin)
                    && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(50_000_000); // a thread of Netty's ends a second after its last task
            }
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("threads that would look for classes in jars which are closed")
                    .noneMatch(PluginFolderIT::isOfPlugin);
        }
    }

    private static boolean isOfPlugin(Thread thread) {
        ClassLoader loader = thread.getClass().getClassLoader();
        return loader != null && "pubsub".equals(loader.getName());
    }

    private static SpreamConfig config(PublisherServer server) {
        return SpreamConfig.of(Map.of(
                "sink",
                "pubsub",
                "sink.pubsub.topic",
                PublisherServer.TOPIC,
                "sink.pubsub.emulator-host",
                server.host(),
                "max-inflight",
                "20",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(60).toString()));
    }

    /** A class path without this module: it has no services of it, and none of its classes is asked for by name. */
    private static final class Host extends ClassLoader {
        Host() {
            super("host", ConsumerProvider.class.getClassLoader());
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            URL own = PubsubSinkProvider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation();
            return Collections.enumeration(Collections.list(super.getResources(name)).stream()
                    .filter(url -> !url.toString().contains(own.toString()))
                    .toList());
        }
    }
}
