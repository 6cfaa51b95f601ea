package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.FormatProvider;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.testkit.plugin.PluginJar;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A format in one jar of the plug-in folder, and a sink in another. */
final class FormatPluginIT {
    @TempDir
    private Path temp;

    private Path folder;

    @BeforeEach
    void drop_plug_ins() {
        folder = temp.resolve("plugins");
        PluginJar.empty()
                .source("com.example.loud.LoudProvider", """
                        package com.example.loud;

                        import dev.spream.api.spi.*;
                        import dev.spream.core.consume.Delivery;
                        import dev.spream.core.record.DataChangeRecord;
                        import java.util.*;

                        public final class LoudProvider implements FormatProvider {
                            private static final ConfigKey<String> MARK = ConfigKey.of("mark", ConfigType.text(), "Mark.").required();

                            public String name() {
                                return "loud";
                            }

                            public List<ConfigKey<?>> keys() {
                                return List.of(MARK);
                            }

                            public List<String> problems(PluginConfig config) {
                                return config.get(MARK).equals("?") ? List.of("mark: a question is not loud") : List.of();
                            }

                            public Format create(PluginConfig config, PluginContext context) {
                                return new Loud(config.get(MARK));
                            }
                        }
                        """)
                .source("com.example.loud.Loud", """
                        package com.example.loud;

                        import dev.spream.api.spi.*;
                        import dev.spream.core.consume.Delivery;
                        import dev.spream.core.record.DataChangeRecord;
                        import java.util.*;

                        /** Closes itself with a trace. */
                        public record Loud(String mark) implements Format, MessageFormat, AutoCloseable {
                            public Optional<MessageFormat> messages() {
                                return Optional.of(this);
                            }

                            public Optional<FileFormat> files(String compression) {
                                return Optional.empty();
                            }

                            public String contentType() {
                                return "text/loud";
                            }

                            public boolean hasTombstones() {
                                return false;
                            }

                            public byte[] key(DataChangeRecord change, Optional<String> topic) {
                                return change.mods().getFirst().keys().toString().getBytes();
                            }

                            public byte[] value(DataChangeRecord change, Delivery delivery, Optional<String> topic) {
                                String loader = Thread.currentThread().getContextClassLoader().getName();
                                return (topic.orElse("-") + " " + change.tableName() + mark + " by " + loader).getBytes();
                            }

                            public void close() {
                                System.setProperty("loud.closed", System.getProperty("sink.closed", "before the sink"));
                            }
                        }
                        """)
                .service(FormatProvider.class, "com.example.loud.LoudProvider")
                .writeTo(folder.resolve("loud.jar"));
        PluginJar.empty()
                .source("com.example.file.FileProvider", """
                        package com.example.file;

                        import dev.spream.api.format.*;
                        import dev.spream.api.spi.*;
                        import dev.spream.core.consume.*;
                        import dev.spream.core.record.DataChangeRecord;
                        import java.nio.file.*;
                        import java.util.*;

                        public final class FileProvider implements ConsumerProvider {
                            private static final ConfigKey<Path> PATH = ConfigKey.of("path", ConfigType.path(), "File.").required();

                            public String name() {
                                return "file";
                            }

                            public List<ConfigKey<?>> keys() {
                                List<ConfigKey<?>> keys = new ArrayList<>(ConfiguredFormat.keys());
                                keys.add(PATH);
                                return keys;
                            }

                            public Consumer create(PluginConfig config, PluginContext context) {
                                return new Writing(ConfiguredFormat.of(config, context), config.get(PATH));
                            }

                            private record Writing(ChangeFormat format, Path path) implements Consumer, AutoCloseable {
                                public void consume(DataChangeRecord change, Delivery delivery) throws java.io.IOException {
                                    for (ChangedRow row : ChangedRow.of(change, delivery)) {
                                        String line = new String(format.value(row, Optional.of("shop"))) + " as " + format.contentType() + "\\n";
                                        Files.writeString(path, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                                    }
                                }

                                public void close() {
                                    System.setProperty("sink.closed", "after the sink");
                                }
                            }
                        }
                        """)
                .service(ConsumerProvider.class, "com.example.file.FileProvider")
                .writeTo(folder.resolve("file.jar"));
    }

    private Map<String, String> config(String format, String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "sink", "file",
                "sink.file.path", temp.resolve("lines").toString(),
                "sink.file.format", format,
                "start", ScriptedSource.START.toString(),
                "end", ScriptedSource.at(10).toString()));
        for (int i = 0; i < more.length; i += 2) {
            config.put(more[i], more[i + 1]);
        }
        return config;
    }

    private List<String> problems(Map<String, String> config) {
        try (PluginRegistry plugins = PluginRegistry.discover(Optional.of(folder))) {
            return ConfigCheck.of(SpreamConfig.of(config), plugins).problems().stream()
                    .filter(problem -> !problem.startsWith("source ") && !problem.startsWith("storage "))
                    .toList();
        }
    }

    @Test
    void a_sink_of_one_jar_writes_the_format_of_another_in_its_class_loader() throws Exception {
        System.clearProperty("sink.closed");
        try (PluginRegistry plugins = PluginRegistry.discover(Optional.of(folder));
                Spream spream = Spream.builder(SpreamConfig.of(config("loud", "format.loud.mark", "!")))
                        .source(new ScriptedSource()
                                .roots("p")
                                .change("p", 1, "a")
                                .change("p", 2, "b"))
                        .storage(new InMemoryPartitionStorage())
                        .plugins(plugins)
                        .build()) {
            spream.run();
        }
        assertThat(Files.readAllLines(temp.resolve("lines")))
                .hasSize(2)
                .allMatch(line -> line.equals("shop Accounts! by loud.jar as text/loud"));
        assertThat(System.getProperty("loud.closed")).isEqualTo("after the sink");
    }

    @Test
    void the_keys_of_the_format_are_checked_as_those_of_any_plug_in() {
        assertThat(problems(config("loud"))).singleElement().asString().contains("format.loud.mark is not configured");
        assertThat(problems(config("loud", "format.loud.mark", "?")))
                .containsExactly("format.loud.mark: a question is not loud");
        assertThat(problems(config("loud", "format.loud.mark", "!"))).isEmpty();
        assertThat(problems(config("after", "format.loud.mark", "?")))
                .as("keys of a format that is not chosen may stay")
                .isEmpty();
    }

    @Test
    void an_unknown_format_is_refused_with_those_that_there_are() {
        assertThat(problems(config("louder")))
                .singleElement()
                .asString()
                .contains("sink.file.format is 'louder'")
                .contains("there is no such format; did you mean loud?")
                .contains("Found: record, after, debezium, cloudevents, loud (loud.jar)");
        assertThat(problems(config("avro")))
                .singleElement()
                .asString()
                .contains("add dev.spream:spream-format-avro to the class path, or its folder to the plug-in folder")
                .contains("Found: record, after, debezium, cloudevents, loud (loud.jar)");
        assertThat(problems(config("protobuf")))
                .singleElement()
                .asString()
                .contains("add dev.spream:spream-format-protobuf to the class path, or its folder");
        assertThat(problems(config("No Name"))).singleElement().asString().contains("expected a name");
    }

    @Test
    void a_format_is_not_configured_without_a_sink() {
        Map<String, String> config = config("loud", "format.loud.mark", "!");
        config.put("format", "loud");
        assertThat(problems(config))
                .singleElement()
                .asString()
                .contains("format (set by the program) is not a known key; did you mean sink.file.format?");
    }
}
