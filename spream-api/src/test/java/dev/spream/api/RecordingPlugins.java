package dev.spream.api;

import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.PluginProvider;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A source, a storage and a sink, found as others are, which note when they are opened and closed. */
public final class RecordingPlugins {
    public static final List<String> NOTES = new CopyOnWriteArrayList<>();

    private static volatile CountDownLatch closing = new CountDownLatch(0);

    private RecordingPlugins() {}

    /** Sinks are closed once the latch is down. */
    public static void holdUpClosing(CountDownLatch until) {
        closing = until;
    }

    /** A registry of these three and of what is built in. */
    public static PluginRegistry discover(Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        write(services, ChangeStreamSourceProvider.class, SourceProvider.class);
        write(services, PartitionStorageProvider.class, StorageProvider.class);
        write(services, ConsumerProvider.class, SinkProvider.class);
        ClassLoader host =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, RecordingPlugins.class.getClassLoader());
        return PluginRegistry.discover(host, Optional.empty());
    }

    private static void write(Path services, Class<?> service, Class<? extends PluginProvider<?>> provider)
            throws IOException {
        Files.writeString(services.resolve(service.getName()), provider.getName());
    }

    private static void note(PluginContext context, String name) {
        NOTES.add("%s of %s opened".formatted(name, context.subscription()));
        context.onClose(() -> NOTES.add(name + " closed"));
    }

    /** A stream with one change. */
    public static final class SourceProvider implements ChangeStreamSourceProvider {
        @Override
        public String name() {
            return "noted";
        }

        @Override
        public ChangeStreamSource create(PluginConfig config, PluginContext context) {
            note(context, "source");
            return new ScriptedSource().roots("p").change("p", 1, "a");
        }
    }

    /** A storage that forgets. */
    public static final class StorageProvider implements PartitionStorageProvider {
        @Override
        public String name() {
            return "noted";
        }

        @Override
        public PartitionStorage create(PluginConfig config, PluginContext context) {
            note(context, "storage");
            return new InMemoryPartitionStorage();
        }
    }

    /** The failure while the sink is opened. */
    enum Trouble {
        NONE,
        BROKEN,
        MISFIT,
        STUCK
    }

    /** A sink that can get into trouble when it is opened. */
    public static final class SinkProvider implements ConsumerProvider {
        private static final ConfigKey<Trouble> TROUBLE = ConfigKey.of(
                        "trouble", ConfigType.choice(Trouble.class), "What goes wrong while it is opened.")
                .withDefault(Trouble.NONE);

        @Override
        public String name() {
            return "noted";
        }

        @Override
        public List<ConfigKey<?>> keys() {
            return List.of(TROUBLE);
        }

        @Override
        public Consumer create(PluginConfig config, PluginContext context) throws IOException, InterruptedException {
            note(context, "sink's pool");
            switch (config.get(TROUBLE)) {
                case BROKEN -> throw new IOException("the disk is full");
                case MISFIT -> throw new NoSuchMethodError("of another version");
                case STUCK -> new CountDownLatch(1).await();
                case NONE -> {}
            }
            return new Sink();
        }
    }

    private static final class Sink implements Consumer, AutoCloseable {
        @Override
        public void consume(DataChangeRecord change, Delivery delivery) {
            NOTES.add("consumed");
        }

        @Override
        public void close() throws InterruptedException {
            boolean interrupted = Thread.currentThread().isInterrupted();
            NOTES.add("sink closing");
            if (!interrupted) {
                closing.await();
            }
            NOTES.add(interrupted ? "sink closed while interrupted" : "sink closed");
        }
    }
}
