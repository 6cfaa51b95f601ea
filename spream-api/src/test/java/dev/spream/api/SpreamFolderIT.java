package dev.spream.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.plugin.PluginJar;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpreamFolderIT {
    /** The property in which the plug-in leaves its class loader for the test. */
    private static final String LEFT = "dev.spream.api.SpreamFolderIT";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void drop() throws Exception {
        PluginJar.empty()
                .source("com.example.LeavingSinkProvider", """
                        package com.example;

                        import dev.spream.api.spi.*;
                        import dev.spream.core.consume.Consumer;

                        public final class LeavingSinkProvider implements ConsumerProvider {
                            public String name() {
                                leave();
                                return "leaving";
                            }

                            public Consumer create(PluginConfig config, PluginContext context) {
                                return (change, delivery) -> leave();
                            }

                            private static void leave() {
                                System.getProperties().put(
                                        "dev.spream.api.SpreamFolderIT", Thread.currentThread().getContextClassLoader());
                            }
                        }
                        """)
                .service(ConsumerProvider.class, "com.example.LeavingSinkProvider")
                .writeTo(folder.resolve("leaving.jar"));
    }

    @AfterEach
    void forget() {
        System.getProperties().remove(LEFT);
    }

    @Test
    void jars_of_the_folder_are_open_while_it_runs_and_closed_afterwards() {
        try (Spream spream = spream()) {
            assertThat(canRead(left())).isTrue();
            System.getProperties().remove(LEFT);
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            assertThat(left()).isNotSameAs(Thread.currentThread().getContextClassLoader());
            assertThat(canRead(left())).isFalse();
        }
    }

    @Test
    void jars_of_the_folder_are_closed_when_it_is_closed_before_it_runs() {
        spream().close();
        assertThat(canRead(left())).isFalse();
    }

    private Spream spream() {
        Map<String, String> settings = Map.of(
                "plugins", folder.toString(),
                "sink", "leaving",
                "start", ScriptedSource.START.toString(),
                "end", ScriptedSource.at(10).toString());
        return Spream.builder(SpreamConfig.of(settings))
                .source(new ScriptedSource().roots("p").change("p", 1, "a"))
                .storage(new InMemoryPartitionStorage())
                .build();
    }

    private static ClassLoader left() {
        return (ClassLoader) requireNonNull(System.getProperties().get(LEFT));
    }

    private static boolean canRead(ClassLoader loader) {
        return loader.getResource("com/example/LeavingSinkProvider.class") != null;
    }
}
