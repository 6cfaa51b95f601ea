package dev.spream.testkit.projection;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.Projection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.NewEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Tests a projection without a store, a manager or an event source: given events, then a read model. The events are
 * applied twice, all in one batch and each in a batch of its own, and both read models have to be equal. Side effects are
 * not produced, and a failure of the projection is thrown. For SQL there is {@link SqlProjectionTester}.
 *
 * <p>Confined to one thread.
 *
 * @param <T> a transaction of the read model's database, or the read model itself, such as a map
 */
public final class ProjectionTester<T> {
    private final Projection<T> projection;
    private final List<EventEnvelope> events = new ArrayList<>();
    private final Map<String, Long> versions = new HashMap<>();

    private ProjectionTester(Projection<T> projection) {
        this.projection = requireNonNull(projection, "projection");
    }

    public static <T> ProjectionTester<T> of(Projection<T> projection) {
        return new ProjectionTester<>(projection);
    }

    /** Adds the next events of an aggregate. */
    public ProjectionTester<T> given(String aggregateId, List<NewEvent> next) {
        for (NewEvent event : next) {
            events.add(event.of(aggregateId, versions.merge(aggregateId, 1L, Long::sum)));
        }
        return this;
    }

    /**
     * Returns the read model after the events.
     *
     * @param begin begins a transaction over an empty read model; called twice
     * @param read reads the read model that a transaction has written
     * @throws AssertionError if the read model depends on how events are divided into batches
     * @throws Exception the failure of the projection, or of a function
     */
    public <R> R readModel(Callable<T> begin, Read<T, R> read) throws Exception {
        List<EventEnvelope> handled = events.stream()
                .filter(event -> projection.handles(event.eventType()))
                .toList();
        T each = begin.call();
        for (EventEnvelope event : handled) {
            apply(each, List.of(event));
        }
        R ofEach = read.of(each);
        T all = begin.call();
        apply(all, handled);
        R ofAll = read.of(all);
        assertThat(ofAll)
                .as(
                        "the read model of projection '%s' after one batch, which must be the same as after a batch for each event",
                        projection.name())
                .isEqualTo(ofEach);
        return ofAll;
    }

    /** Reads a read model. */
    @FunctionalInterface
    public interface Read<T, R> {
        R of(T transaction) throws Exception;
    }

    private void apply(T transaction, List<EventEnvelope> batch) throws Exception {
        if (projection instanceof MultiRowProjection<T, ?> folding) {
            fold(folding, transaction, batch);
        } else {
            for (EventEnvelope event : batch) {
                projection.apply(transaction, event);
            }
        }
    }

    private static <T, F> void fold(MultiRowProjection<T, F> projection, T transaction, List<EventEnvelope> batch)
            throws Exception {
        SortedMap<String, F> rows = new TreeMap<>();
        for (EventEnvelope event : batch) {
            projection.foldInto(rows, event);
        }
        if (!rows.isEmpty()) {
            projection.write(transaction, rows);
        }
    }
}
