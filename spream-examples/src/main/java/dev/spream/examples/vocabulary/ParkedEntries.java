package dev.spream.examples.vocabulary;

import dev.spream.api.metrics.ProjectionMetrics;
import dev.spream.projection.ProjectionOperations;
import java.util.List;

/** The parked aggregates and events of some projections, for their meters. Safe for use by many threads. */
record ParkedEntries(ProjectionOperations operations, List<String> projections, ProjectionMetrics metrics)
        implements Sampling.Sampled {
    @Override
    public void sample() {
        projections.forEach(projection -> operations.show(projection).ifPresent(metrics::sampled));
    }

    @Override
    public void notSampled() {
        metrics.notSampled();
    }
}
