package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
import dev.spream.testkit.plugin.PluginJar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A port that is made up here, of an interface, a provider and a value, and a plug-in for it in the folder. */
public final class PortIT {
    private static final List<Port<?>> PORTS = List.of(GreeterProvider.PORT);

    @TempDir
    private Path folder;

    /** Greets. Answers with the name of the class loader that it is called with. */
    public interface Greeter extends AutoCloseable {
        String greet(Guest guest);

        Optional<Visit> visit();

        @Override
        void close();

        /** The plug-in's. */
        interface Visit {
            String end();
        }
    }

    /** The host's. */
    public interface Guest {
        void greeted(String phrase);
    }

    /** Makes a {@link Greeter}. */
    public interface GreeterProvider extends PluginProvider<Greeter> {
        /** The port {@code greeter}. */
        Port<Greeter> PORT = Port.besideSubscriptions(
                "greeter",
                "What greets",
                Greeter.class,
                GreeterProvider.class,
                "what greets, such as polite",
                Map.of("formal", "spream-greeter-formal"));
    }

    /** The port with which a program opens it. */
    private static final class ConfiguredGreeter extends ConfiguredPort<Greeter> {
        ConfiguredGreeter(ConfiguredPlugins plugins) {
            super(plugins, GreeterProvider.PORT);
        }

        Greeter greeter() {
            return once(Greeter.class, this::open);
        }
    }

    @BeforeEach
    void drop_a_plug_in() {
        PluginJar.empty()
                .source("com.example.polite.PoliteProvider", """
                        package com.example.polite;

                        import dev.spream.api.PortIT.*;
                        import dev.spream.api.spi.*;
                        import java.util.List;
                        import java.util.Optional;

                        public final class PoliteProvider implements GreeterProvider {
                            static final ConfigKey<String> PHRASE =
                                    ConfigKey.of("phrase", ConfigType.text(), "What to say.").required();

                            @Override
                            public String name() {
                                return "polite";
                            }

                            @Override
                            public List<ConfigKey<?>> keys() {
                                return List.of(PHRASE);
                            }

                            @Override
                            public Greeter create(PluginConfig config, PluginContext context) {
                                return new Greeter() {
                                    @Override
                                    public String greet(Guest guest) {
                                        guest.greeted(config.get(PHRASE));
                                        return loader();
                                    }

                                    @Override
                                    public Optional<Visit> visit() {
                                        return Optional.of(PoliteProvider::loader);
                                    }

                                    @Override
                                    public void close() {
                                        System.setProperty("spream.test.greeter-closed-by", loader());
                                    }
                                };
                            }

                            static String loader() {
                                return Thread.currentThread().getContextClassLoader().getName();
                            }
                        }
                        """)
                .classPath(PluginJar.home(PortIT.class))
                .service(GreeterProvider.class, "com.example.polite.PoliteProvider")
                .writeTo(folder.resolve("polite.jar"));
    }

    @Test
    void it_is_discovered() {
        try (PluginRegistry registry = discover()) {
            assertThat(registry.problems()).isEmpty();
            Plugin<Greeter> plugin =
                    registry.find(GreeterProvider.PORT, "polite").orElseThrow();
            assertThat(plugin).hasToString("greeter polite (%s)".formatted(folder.resolve("polite.jar")));
            assertThat(registry.plugins().getLast()).isSameAs(plugin);
        }
    }

    @Test
    void it_is_configured() {
        try (PluginRegistry registry = discover()) {
            ConfigValidation validation =
                    ConfigValidation.ofDesk(config(Map.of()), registry, Set.of(GreeterProvider.PORT));
            assertThat(validation.problems()).isEmpty();
            assertThat(validation.resolved().entries())
                    .extracting(ConfigEntry::key)
                    .contains("greeter", "greeter.polite.phrase");
            assertThatThrownBy(() -> configure(Map.of("greeter", "polit"), registry))
                    .hasMessage("greeter is 'polit' (set by the program), but there is no such plug-in; did you mean"
                            + " polite? Found: polite (polite.jar)");
            assertThatThrownBy(() -> configure(Map.of("greeter", "formal"), registry))
                    .hasMessageContaining("add dev.spream:spream-greeter-formal to the class path");
            assertThatThrownBy(() -> ConfiguredPlugins.of(SpreamConfig.of(Map.of()), registry, ConfiguredGreeter::new))
                    .hasMessage(
                            "greeter is not configured: name what greets, such as polite. Found: polite (polite.jar)");
        }
    }

    @Test
    void plug_ins_of_spream_s_ports_are_looked_for_beside_it() {
        try (PluginRegistry registry = discover()) {
            assertThatThrownBy(() -> ConfiguredOutbox.open(config(Map.of()), registry))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("outbox is not configured: name ");
        }
    }

    @Test
    void it_is_called_with_its_own_class_loader_and_calls_the_host_back_with_the_host_s() {
        List<String> phrases = new ArrayList<>();
        List<ClassLoader> loaders = new ArrayList<>();
        ClassLoader host = Thread.currentThread().getContextClassLoader();
        try (PluginRegistry registry = discover()) {
            try (ConfiguredGreeter configured = configure(Map.of(), registry)) {
                String loader = configured.greeter().greet(phrase -> {
                    phrases.add(phrase);
                    loaders.add(Thread.currentThread().getContextClassLoader());
                });
                assertThat(loader).isEqualTo("polite.jar");
                assertThat(configured.greeter().visit().orElseThrow().end()).isEqualTo("polite.jar");
            }
        }
        assertThat(phrases).containsExactly("Good day");
        assertThat(loaders).containsExactly(host);
        assertThat(System.getProperty("spream.test.greeter-closed-by")).isEqualTo("polite.jar");
    }

    private PluginRegistry discover() {
        return PluginRegistry.discover(PORTS, getClass().getClassLoader(), Optional.of(folder));
    }

    private static ConfiguredGreeter configure(Map<String, String> settings, PluginRegistry registry) {
        return ConfiguredPlugins.of(config(settings), registry, ConfiguredGreeter::new);
    }

    private static SpreamConfig config(Map<String, String> settings) {
        SpreamConfig.Builder config = SpreamConfig.builder()
                .environment(Map.of())
                .set("greeter", "polite")
                .set("greeter.polite.phrase", "Good day");
        settings.forEach(config::set);
        return config.build();
    }
}
