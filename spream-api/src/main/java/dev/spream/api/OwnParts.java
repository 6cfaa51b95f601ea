package dev.spream.api;

import dev.spream.api.plugin.PluginKind;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriptionListener;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the program brings itself. Confined to one thread, until the plan is made. */
final class OwnParts {
    @Nullable
    ChangeStreamSource source;

    @Nullable
    PartitionStorage storage;

    @Nullable
    Consumer consumer;

    @Nullable
    DeadLetterSink deadLetterSink;

    @Nullable
    ErrorHandler errorHandler;

    UnaryOperator<Consumer> around = UnaryOperator.identity();

    final List<SubscriptionListener> listeners = new ArrayList<>();

    /** The same, whatever becomes of this one. */
    OwnParts copy() {
        OwnParts copy = new OwnParts();
        copy.source = source;
        copy.storage = storage;
        copy.consumer = consumer;
        copy.deadLetterSink = deadLetterSink;
        copy.errorHandler = errorHandler;
        copy.around = around;
        copy.listeners.addAll(listeners);
        return copy;
    }

    /** The ports that are filled. */
    Set<PluginKind> kinds() {
        Set<PluginKind> kinds = EnumSet.noneOf(PluginKind.class);
        if (source != null) {
            kinds.add(PluginKind.SOURCE);
        }
        if (storage != null) {
            kinds.add(PluginKind.STORAGE);
        }
        if (consumer != null) {
            kinds.add(PluginKind.SINK);
        }
        if (deadLetterSink != null) {
            kinds.add(PluginKind.DEAD_LETTERS);
        }
        return kinds;
    }
}
