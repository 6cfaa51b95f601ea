package dev.spream.projection.runner;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.EventEnvelope;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** Records the notifications that it receives. Safe for use by many threads. */
final class RecordingProjectionListener implements ProjectionListener {
    /** A notification. */
    sealed interface Told {
        record Versions(String projection, List<ProjectionVersion> versions) implements Told {}

        record Applied(String projection, int applied, int duplicates, int parked) implements Told {}

        record Event(String projection, EventEnvelope event) implements Told {}

        record Parked(String projection, String key, ParkDecision parking) implements Told {}

        record Resumed(String projection, String key) implements Told {}

        record Failed(String projection, FailureKind kind, Exception failure) implements Told {}

        record Undecodable(String projection, String origin, String reason) implements Told {}

        record Status(String projection, ProjectionStatus status) implements Told {}

        record Lost(String projection, int segment) implements Told {}
    }

    private final Queue<Told> told = new ConcurrentLinkedQueue<>();

    <E extends Told> List<E> all(Class<E> type) {
        return told.stream().filter(type::isInstance).map(type::cast).toList();
    }

    Stream<Told> stream() {
        return told.stream();
    }

    @Override
    public void versionsChanged(String projection, List<ProjectionVersion> versions) {
        told.add(new Told.Versions(projection, versions));
    }

    @Override
    public void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {
        told.add(new Told.Applied(projection, applied, duplicates, parked));
    }

    @Override
    public void eventApplied(String projection, EventEnvelope event, Duration took) {
        told.add(new Told.Event(projection, event));
    }

    @Override
    public void keyParked(String projection, String key, ParkDecision parking) {
        told.add(new Told.Parked(projection, key, parking));
    }

    @Override
    public void keyResumed(String projection, String key) {
        told.add(new Told.Resumed(projection, key));
    }

    @Override
    public void failed(String projection, FailureKind kind, Exception failure) {
        told.add(new Told.Failed(projection, kind, failure));
    }

    @Override
    public void undecodable(String projection, String origin, String reason) {
        told.add(new Told.Undecodable(projection, origin, reason));
    }

    @Override
    public void statusChanged(String projection, ProjectionStatus status) {
        told.add(new Told.Status(projection, status));
    }

    @Override
    public void segmentLost(String projection, int segment) {
        told.add(new Told.Lost(projection, segment));
    }
}
