package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.storage.MemoryStorageProvider;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.testkit.LogLines;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class BuiltInProvidersTest {

    @Test
    void service_loader_finds_them_by_their_names() {
        assertThat(names(ConsumerProvider.class)).contains("stdout", "log", "jsonl", "files", "webhook");
        assertThat(names(PartitionStorageProvider.class)).contains("memory");
        assertThat(names(DeadLetterSinkProvider.class)).contains("jsonl");
    }

    private static Stream<String> names(Class<? extends PluginProvider<?>> type) {
        return ServiceLoader.load(type).stream().map(provider -> provider.get().name());
    }

    @Test
    void the_storage_in_memory_warns_that_it_forgets() throws Exception {
        MemoryStorageProvider provider = new MemoryStorageProvider();
        try (LogLines logged = new LogLines(MemoryStorageProvider.class.getName());
                PartitionStorage storage = provider.create(TestConfig.of(provider, Map.of()), new TestContext())) {
            assertThat(storage.subscription()).isEmpty();
            assertThat(logged.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN [Orders] partitions and watermarks are kept in memory");
        }
    }
}
