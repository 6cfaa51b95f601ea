package dev.spream.format.avro;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.FormatProvider;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The folder that the build leaves for {@code plugins/}, in a host that has nothing of this module. */
@Timeout(120)
final class PluginFolderIT {
    private static final Path PLUGINS = Path.of(requireNonNull(System.getProperty("plugins.folder")));

    @TempDir
    private Path folder;

    @Test
    void the_folder_has_avro_and_what_it_needs_and_nothing_that_it_shares() throws IOException {
        try (Stream<Path> jars = Files.list(PLUGINS.resolve("avro"))) {
            assertThat(jars.map(jar -> String.valueOf(jar.getFileName()).replaceAll("-\\d.*", "")))
                    .containsExactlyInAnyOrder(
                            "spream-format-avro",
                            "spream-format-schema",
                            "avro",
                            "jackson-annotations",
                            "jackson-core",
                            "jackson-databind");
        }
    }

    @Test
    void dropped_into_the_folder_it_writes_the_files_of_a_sink_elsewhere() throws Exception {
        try (PluginRegistry plugins = PluginRegistry.discover(new Host(), Optional.of(PLUGINS))) {
            assertThat(plugins.problems()).isEmpty();
            assertThat(plugins.find(FormatProvider.PORT, "avro").orElseThrow().origin())
                    .isEqualTo(PLUGINS.resolve("avro").toString());
            try (Spream spream = Spream.builder(SpreamConfig.of(Map.of(
                            "sink", "files",
                            "sink.files.folder", folder.toString(),
                            "sink.files.format", "avro",
                            "start", ScriptedSource.START.toString(),
                            "end", ScriptedSource.at(60).toString())))
                    .source(ScriptedSource.of(
                            ScriptedSource.START,
                            List.of(ScriptedSource.newChange(1, "a", "tx1"), ScriptedSource.newChange(2, "b", "tx2"))))
                    .storage(new InMemoryPartitionStorage())
                    .plugins(plugins)
                    .build()) {
                assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            }
        }
        try (ObjectStore store = LocalStore.open(folder)) {
            FilesReader reader = FilesReader.of(store);
            int changes = 0;
            for (var file : reader.files()) {
                changes += Containers.records(reader.content(file)).size();
            }
            assertThat(changes).isEqualTo(2);
        }
    }

    /** A class path without this module: it has no services of it, and none of its classes is asked for by name. */
    private static final class Host extends ClassLoader {
        Host() {
            super("host", FormatProvider.class.getClassLoader());
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            URL own = AvroFormatProvider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation();
            return Collections.enumeration(Collections.list(super.getResources(name)).stream()
                    .filter(url -> !url.toString().contains(own.toString()))
                    .toList());
        }
    }
}
