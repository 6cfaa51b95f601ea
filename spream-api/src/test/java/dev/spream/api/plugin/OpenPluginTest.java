package dev.spream.api.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spream.api.config.ConfigException;
import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of creating and closing a plug-in, and of the messages when either fails. */
final class OpenPluginTest {
    private final List<String> events = new ArrayList<>();

    /** The body of a provider's create method. */
    @FunctionalInterface
    private interface Making {
        Consumer make(PluginContext context) throws Exception;
    }

    private record TestProvider(Making making) implements ConsumerProvider {
        @Override
        public String name() {
            return "csv";
        }

        @Override
        public Consumer create(PluginConfig config, PluginContext context) throws Exception {
            return making.make(context);
        }
    }

    /** A sink that can be closed. */
    private final class ClosingSink implements Consumer, AutoCloseable {
        @Override
        public void consume(DataChangeRecord change, Delivery delivery) {
            events.add("consume");
        }

        @Override
        public void close() {
            events.add("close sink");
        }
    }

    @Test
    void the_product_of_the_class_path_is_handed_on_as_it_is() {
        Consumer sink = new ClosingSink();
        try (OpenPlugin<Consumer> open = Opening.open(plugin(context -> sink))) {
            assertThat(open.product()).isSameAs(sink);
            assertThat(open.plugin().name()).isEqualTo("csv");
            assertThat(open).hasToString("sink csv (csv.jar)");
        }
    }

    @Test
    void create_is_lent_the_clock_and_the_name_of_the_subscription() {
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        Plugin<Consumer> plugin = plugin(context -> {
            events.add(context.subscription() + " " + context.clock().instant());
            return new ClosingSink();
        });
        plugin.open(Opening.NOTHING_CONFIGURED, clock, "Orders").close();
        assertThat(events).contains("Orders 1970-01-01T00:00:00Z");
    }

    @Test
    void the_product_is_closed_first_and_then_what_it_stands_on_backwards() {
        OpenPlugin<Consumer> open = Opening.open(plugin(context -> {
            context.onClose(() -> events.add("close pool"));
            context.onClose(() -> events.add("close client"));
            return new ClosingSink();
        }));
        assertThat(events).isEmpty();
        open.close();
        open.close();
        assertThat(events).containsExactly("close sink", "close client", "close pool");
    }

    @Test
    void a_product_that_was_also_left_to_be_closed_is_closed_once() {
        Opening.open(plugin(context -> {
                    ClosingSink sink = new ClosingSink();
                    context.onClose(sink);
                    return sink;
                }))
                .close();
        assertThat(events).containsExactly("close sink");
    }

    @Test
    void a_failed_close_does_not_keep_the_rest_open() {
        OpenPlugin<Consumer> open = Opening.open(plugin(context -> {
            context.onClose(() -> events.add("close pool"));
            context.onClose(() -> {
                throw new IOException("second");
            });
            context.onClose(() -> {
                throw new IOException("first");
            });
            return new ClosingSink();
        }));
        Throwable thrown = catchThrowable(open::close);
        assertThat(thrown)
                .isInstanceOf(SpreamException.class)
                .hasMessage(
                        "sink csv (csv.jar) could not be closed (java.io.IOException: first); its other resources are closed")
                .hasRootCauseMessage("first");
        assertThat(thrown)
                .cause()
                .satisfies(first -> assertThat(first.getSuppressed())
                        .singleElement()
                        .asString()
                        .endsWith("second"));
        assertThat(events).containsExactly("close sink", "close pool");
    }

    @Test
    void one_failure_that_comes_twice_is_told_once() {
        IOException same = new IOException("same");
        OpenPlugin<Consumer> open = Opening.open(plugin(context -> {
            context.onClose(() -> {
                throw same;
            });
            context.onClose(() -> {
                throw same;
            });
            return new ClosingSink();
        }));
        assertThatThrownBy(open::close).hasCause(same);
        assertThat(same.getSuppressed()).isEmpty();
    }

    @Test
    void an_interrupt_while_closing_is_kept() {
        OpenPlugin<Consumer> open = Opening.open(plugin(context -> {
            context.onClose(() -> {
                throw new InterruptedException();
            });
            return new ClosingSink();
        }));
        assertThatThrownBy(open::close).isInstanceOf(SpreamException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void resources_of_a_failed_create_are_closed_at_once() {
        Plugin<Consumer> plugin = plugin(context -> {
            context.onClose(() -> events.add("close pool"));
            context.onClose(() -> {
                throw new IOException("not closed");
            });
            throw new IOException("no route");
        });
        Throwable thrown = catchThrowable(() -> Opening.open(plugin));
        assertThat(thrown)
                .isInstanceOf(SpreamException.class)
                .hasMessage(
                        "sink csv (csv.jar) could not be opened: java.io.IOException: no route; its resources are closed")
                .hasRootCauseMessage("no route");
        assertThat(thrown.getSuppressed()).singleElement().asString().endsWith("not closed");
        assertThat(events).containsExactly("close pool");
    }

    @Test
    void an_illegal_argument_of_a_provider_is_a_configuration_problem() {
        assertThatThrownBy(() -> Opening.open(plugin(context -> {
                    throw new IllegalArgumentException("topic and table exclude each other");
                })))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e -> assertThat(e.problems())
                                .containsExactly("sink csv (csv.jar): topic and table exclude each other"))
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Opening.open(plugin(context -> {
                    throw new ConfigException(List.of("one", "two"));
                })))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e -> assertThat(e.problems())
                                .containsExactly("sink csv (csv.jar): one", "sink csv (csv.jar): two"));
        assertThatThrownBy(() -> Opening.open(plugin(context -> {
                    throw new IllegalArgumentException();
                })))
                .hasMessageContaining("java.lang.IllegalArgumentException");
    }

    @Test
    @SuppressWarnings("NullAway") // what an author may get wrong
    void a_product_that_is_null_is_an_error_of_the_plug_in() {
        assertThatThrownBy(() -> Opening.open(plugin(context -> {
                    context.onClose(() -> events.add("close pool"));
                    return null;
                })))
                .isInstanceOf(SpreamException.class)
                .hasMessageContaining("sink csv (csv.jar)")
                .hasMessageContaining("create method returned null");
        assertThat(events).containsExactly("close pool");
    }

    @Test
    void an_error_in_create_is_explained() {
        assertThatThrownBy(() -> Opening.open(plugin(context -> {
                    throw new NoClassDefFoundError("com/example/lib/Version");
                })))
                .isInstanceOf(SpreamException.class)
                .hasMessage(
                        "sink csv (csv.jar) could not be opened: the plug-in needs the class com.example.lib.Version, which is not on the class path; add the library that contains it; its resources are closed");
    }

    @Test
    void an_interrupt_in_create_is_kept() {
        assertThatThrownBy(() -> Opening.open(plugin(context -> {
                    throw new InterruptedException();
                })))
                .isInstanceOf(SpreamException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void resources_are_taken_only_while_create_runs() {
        List<PluginContext> kept = new ArrayList<>();
        try (OpenPlugin<Consumer> open = Opening.open(plugin(context -> {
            kept.add(context);
            return new ClosingSink();
        }))) {
            assertThat(open.product()).isNotNull();
            assertThatThrownBy(() -> kept.getFirst().onClose(() -> events.add("late")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("close it yourself");
        }
        assertThat(events).containsExactly("close sink");
    }

    private static Plugin<Consumer> plugin(Making making) {
        return new Plugin<>(
                ConsumerProvider.PORT,
                "csv",
                List.of(),
                new TestProvider(making),
                ThreadContextClassLoader.unchanged(),
                new PluginErrors("csv.jar", false));
    }
}
