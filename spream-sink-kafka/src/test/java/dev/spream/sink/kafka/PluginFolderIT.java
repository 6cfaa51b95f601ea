package dev.spream.sink.kafka;

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
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The folder that the build leaves for {@code plugins/}, in a host that has nothing of this module. */
@Timeout(120)
final class PluginFolderIT {
    private static final Path PLUGINS = Path.of(requireNonNull(System.getProperty("plugins.folder")));

    @Test
    void the_folder_has_the_client_without_its_native_libraries_and_nothing_that_it_shares() throws IOException {
        try (Stream<Path> jars = Files.list(PLUGINS.resolve("kafka"))) {
            assertThat(jars.map(jar -> String.valueOf(jar.getFileName()).replaceAll("-\\d.*", "")))
                    .containsExactlyInAnyOrder("spream-sink-kafka", "kafka-clients");
        }
    }

    @Test
    void dropped_into_the_folder_it_publishes() throws Exception {
        String topic = TestBroker.newTopic(3);
        List<DataChangeRecord> committed = IntStream.rangeClosed(1, 50)
                .mapToObj(second -> ScriptedSource.newChange(second, "row" + second % 5, "tx" + second))
                .toList();
        try (PluginRegistry plugins = PluginRegistry.discover(new Host(), Optional.of(PLUGINS))) {
            assertThat(plugins.problems()).isEmpty();
            Plugin<Consumer> plugin =
                    plugins.find(ConsumerProvider.class, "kafka").orElseThrow();
            assertThat(plugin.origin()).isEqualTo(PLUGINS.resolve("kafka").toString());
            try (Spream spream = Spream.builder(config(topic))
                    .source(ScriptedSource.of(ScriptedSource.START, committed))
                    .storage(new InMemoryPartitionStorage())
                    .plugins(plugins)
                    .build()) {
                assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            }
            PublishedOrder.check(committed, TestBroker.topics().read(topic));
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("threads that would look for classes in jars which are closed")
                    .noneMatch(thread -> {
                        ClassLoader loader = thread.getContextClassLoader();
                        return loader != null && "kafka".equals(loader.getName());
                    });
        }
    }

    private static SpreamConfig config(String topic) {
        return SpreamConfig.of(Map.of(
                "sink",
                "kafka",
                "sink.kafka.topic",
                topic,
                "sink.kafka.bootstrap-servers",
                TestBroker.address(),
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
            URL own = KafkaSinkProvider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation();
            return Collections.enumeration(Collections.list(super.getResources(name)).stream()
                    .filter(url -> !url.toString().contains(own.toString()))
                    .toList());
        }
    }
}
