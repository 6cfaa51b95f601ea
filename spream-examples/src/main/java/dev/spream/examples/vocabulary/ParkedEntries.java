package dev.spream.examples.vocabulary;

import dev.spream.api.metrics.ProjectionMetrics;
import dev.spream.projection.ProjectionOperations;
import java.util.List;

/** The parked aggregates and events of some projections, for their meters. Safe for use by many threads. */
final class ParkedEntries implements Sampling.Sampled {
    private final ProjectionOperations operations;
    private final List<String> projections;
    private final ProjectionMetrics metrics;

    ParkedEntries(ProjectionOperations operations, List<String> projections, ProjectionMetrics metrics) {
        this.operations = operations;
        this.projections = List.copyOf(projections);
        this.metrics = metrics;
    }

    @Override
    public void sample() {
        projections.forEach(projection -> operations.show(projection).ifPresent(metrics::sampled));
    }

    @Override
    public void notSampled() {
        metrics.notSampled();
    }
}
