package dev.spream.api.guice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Stage;
import com.google.inject.multibindings.Multibinder;
import dev.spream.api.RecordingPlugins;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpreamModuleTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "start", ScriptedSource.START.toString(),
            "end", ScriptedSource.at(10).toString(),
            "retry.max-attempts", "1");

    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Test
    void bindings_of_the_application_are_used() {
        Injector injector = injector(SETTINGS, new Application());
        try (Spream spream = injector.getInstance(Spream.class)) {
            assertThat(injector.getInstance(Spream.class)).isSameAs(spream);
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "refused tx-p-1", "consumed tx-p-2", "a listener heard of Parent0", "a listener heard of p");
    }

    @Test
    void unbound_plugins_are_configured_and_checked_when_the_injector_is_created() {
        assertThatThrownBy(() -> injector(Map.of("storage", "memroy")))
                .isInstanceOf(CreationException.class)
                .hasMessageContaining("did you mean memory?")
                .hasMessageContaining("source is not configured");
    }

    @Test
    void plugins_that_the_application_binds_are_those_to_choose_from(@TempDir Path folder) throws Exception {
        RecordingPlugins.NOTES.clear();
        try (PluginRegistry plugins = RecordingPlugins.discover(folder)) {
            Map<String, String> settings = new HashMap<>(SETTINGS);
            settings.put("sink", "noted");
            Injector injector = injector(settings, new AbstractModule() {
                @Override
                protected void configure() {
                    bind(PluginRegistry.class).toInstance(plugins);
                }
            });
            assertThat(injector.getInstance(Spream.class).run()).isEqualTo(CompletionReason.COMPLETED);
        }
        assertThat(RecordingPlugins.NOTES).contains("consumed");
    }

    private static Injector injector(Map<String, String> settings, AbstractModule... modules) {
        List<AbstractModule> all = new CopyOnWriteArrayList<>(modules);
        all.add(new SpreamModule(SpreamConfig.of(settings)));
        return Guice.createInjector(Stage.PRODUCTION, all);
    }

    /** An application with parts of its own. */
    private final class Application extends AbstractModule {
        @Override
        protected void configure() {
            ScriptedSource source =
                    new ScriptedSource().roots("p").change("p", 1, "a").change("p", 2, "b");
            Consumer consumer = (change, delivery) -> {
                if (change.serverTransactionId().equals("tx-p-1")) {
                    throw new IllegalStateException("refused");
                }
                seen.add("consumed " + change.serverTransactionId());
            };
            ErrorHandler skipping = failure -> {
                seen.add("refused " + failure.change().serverTransactionId());
                return ErrorHandler.skip().onFailure(failure);
            };
            bind(ChangeStreamSource.class).toInstance(source);
            bind(PartitionStorage.class).toInstance(new InMemoryPartitionStorage());
            bind(Consumer.class).toInstance(consumer);
            bind(ErrorHandler.class).toInstance(skipping);
            Multibinder.newSetBinder(binder(), SubscriptionListener.class)
                    .addBinding()
                    .toInstance(new SubscriptionListener() {
                        @Override
                        public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
                            seen.add("a listener heard of " + partition);
                        }
                    });
        }
    }
}
