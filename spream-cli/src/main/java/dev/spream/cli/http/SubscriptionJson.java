package dev.spream.cli.http;

import static java.util.stream.Collectors.toMap;

import dev.spream.cli.http.FailureLog.Change;
import dev.spream.cli.http.FailureLog.Failure;
import dev.spream.cli.http.StoredState.Known;
import dev.spream.cli.http.StoredState.Snapshot;
import dev.spream.cli.output.Members;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import dev.spream.core.subscription.SubscriptionView;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A subscription as one JSON object, which the page displays. Available even if the storage fails. */
record SubscriptionJson(Observed observed, Known known, Instant now, List<PartitionProgress> held) {
    private static final int SHORT = 10;
    private static final int LONG = 60;
    private static final int DECIMALS = 3;

    /** Writes the object with the current or last known state of the storage. */
    static String write(Observed observed) throws InterruptedException {
        Known known = observed.stored().look();
        return new SubscriptionJson(observed, known, observed.clock().instant(), observed.held()).text();
    }

    private String text() {
        Optional<SubscriptionView> view = observed.state().view();
        Optional<Snapshot> snapshot = known.snapshot();
        Members members = new Members()
                .put("subscription", observed.subscription())
                .put("stream", view.map(SubscriptionView::streamName))
                .put(
                        "worker",
                        view.filter(running -> !isStored())
                                .map(running -> running.worker().value()))
                .put("phase", observed.state().phase())
                .put("problem", observed.problem())
                .put("started_at", observed.startedAt())
                .put("now", now);
        snapshot.flatMap(Snapshot::subscription).ifPresent(record -> putRecord(members, record));
        putProgress(members);
        members.put("read_at", snapshot.map(Snapshot::readAt))
                .put("read_age_seconds", snapshot.map(read -> Observed.behind(read.readAt(), now)))
                .put("storage_error", known.error());
        putStored(members);
        if (!isStored()) {
            putWorker(members);
        }
        return members.toString();
    }

    /** Returns whether the subscription is known from its storage alone. */
    private boolean isStored() {
        return observed.state().view().filter(StoredView.class::isInstance).isPresent();
    }

    private void putWorker(Members members) {
        members.put(
                        "inflight",
                        held.stream().mapToInt(PartitionProgress::inflight).sum())
                .put("rates", rates())
                .put("counts", counts())
                .list("failures", observed.failures().latest(), SubscriptionJson::failure)
                .list(
                        "history",
                        observed.seconds().history(),
                        second -> new Members()
                                .put("at", second.at())
                                .put("settled", second.settled())
                                .put("lag_seconds", second.lag()));
    }

    private static void putRecord(Members members, SubscriptionRecord record) {
        members.put("start", record.startTimestamp())
                .put("end", record.endTimestamp())
                .put("completed", record.completed());
    }

    private void putProgress(Members members) {
        Optional<Instant> low = observed.state().view().flatMap(SubscriptionView::lowWatermark);
        Optional<Duration> retention = observed.metrics().retention();
        members.put("low_watermark", low)
                .put("lag_seconds", low.map(watermark -> Observed.behind(watermark, now)))
                .put("retention_seconds", retention)
                .put("retention_known", observed.metrics().isRetentionKnown())
                .put(
                        "lost_in_seconds",
                        low.flatMap(
                                watermark -> retention.map(period -> Duration.between(now, watermark.plus(period)))));
    }

    private void putStored(Members members) {
        if (known.snapshot().isEmpty()) {
            members.put("workers", List.of()).put("partitions", List.of()).put("partitions_left_out", 0);
            return;
        }
        Snapshot snapshot = known.snapshot().get();
        ShownPartitions shown = ShownPartitions.of(snapshot.lineage());
        Map<PartitionToken, PartitionProgress> mine =
                held.stream().collect(toMap(PartitionProgress::token, Function.identity(), (first, second) -> second));
        members.list("workers", snapshot.workers(), worker -> worker(snapshot, worker))
                .list("partitions", shown.partitions(), partition -> partition(partition, mine))
                .put("partitions_left_out", shown.leftOut());
    }

    private Members partition(PartitionMetadata partition, Map<PartitionToken, PartitionProgress> mine) {
        return PartitionJson.of(
                partition,
                observed.state().view().orElseThrow().worker(),
                Optional.ofNullable(mine.get(partition.token())),
                now);
    }

    private static Members worker(Snapshot snapshot, WorkerRegistration worker) {
        long holds = snapshot.lineage().partitions().stream()
                .filter(partition -> partition.leaseLive()
                        && partition.owner().filter(worker.worker()::equals).isPresent())
                .count();
        return new Members()
                .put("worker", worker.worker().value())
                .put("held", holds)
                .put("capacity", worker.capacity())
                .put("alive", worker.alive());
    }

    private Members rates() {
        return new Members()
                .put(
                        "settled_per_second",
                        new Members().put("last_10s", settled(SHORT)).put("last_1m", settled(LONG)))
                .put(
                        "deliveries_per_second",
                        new Members()
                                .put("last_10s", rate(EventCounts.DELIVERIES, SHORT))
                                .put("last_1m", rate(EventCounts.DELIVERIES, LONG)));
    }

    private Members settled(int seconds) {
        Members members = new Members();
        for (Outcome outcome : Outcome.values()) {
            members.put(EventCounts.name(outcome), rate(EventCounts.name(outcome), seconds));
        }
        return members;
    }

    private BigDecimal rate(String name, int seconds) {
        return BigDecimal.valueOf(observed.seconds().rate(name, seconds)).setScale(DECIMALS, RoundingMode.HALF_UP);
    }

    private Members counts() {
        Members members = new Members();
        observed.counts().all().forEach(members::put);
        return members.put("reconnects", observed.counts().reconnects());
    }

    private static Members failure(Failure failure) {
        return new Members()
                .put("at", failure.at())
                .put("what", failure.what())
                .put("partition", failure.partition())
                .put("message", failure.message())
                .put("change", failure.change().map(SubscriptionJson::change));
    }

    private static Members change(Change change) {
        return new Members()
                .put("table", change.table())
                .put("mod_type", change.modType())
                .put("commit_timestamp", change.identity().commitTimestamp())
                .put("server_transaction_id", change.identity().serverTransactionId())
                .put("record_sequence", change.identity().recordSequence())
                .put("attempt", change.attempt())
                .put("error", change.error())
                .put("decision", change.decision());
    }
}
