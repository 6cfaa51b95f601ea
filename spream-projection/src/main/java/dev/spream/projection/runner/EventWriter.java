package dev.spream.projection.runner;

import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.Projection;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes events to a projection: one after the other, or folded by key. As safe for use by many threads as the
 * projection.
 *
 * @param <T> a transaction
 */
interface EventWriter<T> {

    /**
     * Applies events.
     *
     * @param current called with each event before it is applied alone, and with null before several are applied
     *     together
     */
    void write(T transaction, List<EventEnvelope> events, Consumer<@Nullable EventEnvelope> current) throws Exception;

    static <T> EventWriter<T> of(Projection<? super T> projection) {
        return projection instanceof MultiRowProjection<? super T, ?> foldable ? folding(foldable) : plain(projection);
    }

    /**
     * Returns a writer that also produces the side effects of each event.
     *
     * @param followed the last version whose side effects were produced before
     */
    static <T> EventWriter<T> following(
            EventWriter<T> writer, SideEffectingProjection<? super T> effects, long followed) {
        return (transaction, events, current) -> {
            writer.write(transaction, events, current);
            for (EventEnvelope event : events) {
                if (event.eventVersion() > followed) {
                    current.accept(event);
                    effects.follow(transaction, event);
                }
            }
        };
    }

    private static <T> EventWriter<T> plain(Projection<? super T> projection) {
        return (transaction, events, current) -> {
            for (EventEnvelope event : events) {
                current.accept(event);
                projection.apply(transaction, event);
            }
        };
    }

    private static <T, F> EventWriter<T> folding(MultiRowProjection<? super T, F> projection) {
        return (transaction, events, current) -> {
            SortedMap<String, F> folded = new TreeMap<>();
            for (EventEnvelope event : events) {
                current.accept(event);
                projection.foldInto(folded, event);
            }
            current.accept(null);
            if (!folded.isEmpty()) {
                projection.write(transaction, folded);
            }
        };
    }
}
