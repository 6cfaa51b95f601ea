package dev.spream.sinks;

import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
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

/** A source and a sink, found as others are, which note when they are opened and closed. */
public final class RecordingPlugins {
    static final List<String> NOTES = new CopyOnWriteArrayList<>();

    private RecordingPlugins() {}

    /** A registry of these two and of what is built in. */
    static PluginRegistry discover(Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(ChangeStreamSourceProvider.class.getName()), SourceProvider.class.getName());
        Files.writeString(services.resolve(ConsumerProvider.class.getName()), SinkProvider.class.getName());
        ClassLoader host =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, RecordingPlugins.class.getClassLoader());
        return PluginRegistry.discover(host, Optional.empty());
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

    /** A sink that notes what it consumes. */
    public static final class SinkProvider implements ConsumerProvider {
        @Override
        public String name() {
            return "noted";
        }

        @Override
        public Consumer create(PluginConfig config, PluginContext context) {
            note(context, "sink's pool");
            return new Sink();
        }
    }

    private static final class Sink implements Consumer, AutoCloseable {
        @Override
        public void consume(DataChangeRecord change, Delivery delivery) {
            NOTES.add("consumed");
        }

        @Override
        public void close() {
            NOTES.add("sink closing");
            NOTES.add("sink closed");
        }
    }
}
