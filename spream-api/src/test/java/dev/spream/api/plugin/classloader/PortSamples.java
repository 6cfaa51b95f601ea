package dev.spream.api.plugin.classloader;

import dev.spream.api.spi.EncodedChange;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.source.PartitionQuery;
import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockTurns;
import dev.spream.lock.LockWait;
import dev.spream.lock.inspection.LockObservation;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.BucketSpaceCheck;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.VersionComparison;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import dev.spream.projection.search.SearchSchema;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A value for each type that the methods of the ports take or return. */
public final class PortSamples {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final PartitionToken TOKEN = new PartitionToken("partition-a");
    public static final DataChangeRecord CHANGE = new DataChangeRecord(
            START,
            "00000000",
            "tx",
            true,
            "Orders",
            List.of(),
            List.of(new Mod(JsonObject.of("{\"Id\":\"1\"}"), JsonObject.EMPTY, JsonObject.EMPTY)),
            "INSERT",
            "NEW_VALUES",
            1,
            1,
            "",
            false);
    public static final Delivery DELIVERY = new Delivery(TOKEN, 1, 1, Optional.empty(), Optional.empty());

    private static final DeadLetter LETTER =
            new DeadLetter(DeadLetter.Reason.BEHIND_PARKED, TOKEN, CHANGE, START, Optional.empty());
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 7, 3);
    private static final BucketLayout LAYOUT = new BucketLayout("rows", SPACE);
    private static final Map<Class<?>, Object> VALUES = Map.ofEntries(
            Map.entry(Object.class, "a transaction"),
            Map.entry(Class.class, String.class),
            Map.entry(byte[].class, new byte[] {1}),
            Map.entry(EncodedChange.class, EncodedChange.of(new byte[] {1})),
            Map.entry(OutputStream.class, OutputStream.nullOutputStream()),
            Map.entry(BucketSpace.class, SPACE),
            Map.entry(BucketLayout.class, LAYOUT),
            Map.entry(LockDeadline.class, LockDeadline.start(LockWait.FOREVER, InstantSource.fixed(START))),
            Map.entry(LockTurns.class, LockTurns.of(4)),
            Map.entry(AcquiredLocks.class, new AcquiredLocks(1, "4711", "0815")),
            Map.entry(
                    LockObservation.class,
                    new LockObservation(START, SPACE, true, List.of(), List.of(), List.of(), "KILL ?", List.of())),
            Map.entry(LockReport.class, new LockReport("orders/4711", List.of(), List.of())),
            Map.entry(BucketProvisioning.Provisioned.class, new BucketProvisioning.Provisioned(LAYOUT, 21, 7)),
            Map.entry(
                    BucketSpaceCheck.class,
                    new BucketSpaceCheck("here", Optional.of(LAYOUT), List.of(), List.of(), List.of())),
            Map.entry(Map.class, Map.of()),
            Map.entry(OutboxOwner.class, OutboxOwner.of("ann")),
            Map.entry(ClaimResult.class, new ClaimResult(List.of(), 1, 2, 3)),
            Map.entry(OutboxSegmentShare.class, new OutboxSegmentShare(List.of(), 128)),
            Map.entry(
                    OutboxEntry.class,
                    new OutboxEntry(
                            7,
                            "order-7",
                            1,
                            "sha256:00",
                            "{}",
                            Optional.empty(),
                            "",
                            Optional.empty(),
                            Optional.empty(),
                            START,
                            Optional.empty())),
            Map.entry(SendOutcome.class, new SendOutcome.Unknown(ReasonCode.TIMEOUT, "no answer")),
            Map.entry(QueryOutcome.class, new QueryOutcome.NotThere()),
            Map.entry(OutboxSender.Guarantee.class, OutboxSender.Guarantee.QUERYABLE),
            Map.entry(OutboxMessage.class, OutboxMessage.of("order-7", "{}")),
            Map.entry(EnqueueResult.class, new EnqueueResult.Enqueued(7)),
            Map.entry(LedgerClaim.class, new LedgerClaim.Begun(1)),
            Map.entry(LedgerResult.class, LedgerResult.succeeded()),
            Map.entry(OperatorAction.class, new OperatorAction("ann", "asked by bob")),
            Map.entry(OperatorResult.class, new OperatorResult.NotFound()),
            Map.entry(
                    OutboxFilter.class,
                    new OutboxFilter(Set.of(), true, "", Optional.empty(), Optional.empty(), 0, 10)),
            Map.entry(
                    OutboxStats.class,
                    new OutboxStats(START, Map.of(), 0, Optional.empty(), 0, 0, 0, Set.of(), Set.of())),
            Map.entry(ExpectedVersion.class, ExpectedVersion.none()),
            Map.entry(FeedRequest.class, FeedRequest.all("entries")),
            Map.entry(Correction.class, new Correction.MoveEnd(Optional.empty())),
            Map.entry(CorrectionAct.class, new CorrectionAct("ann", "a wrong end")),
            Map.entry(CorrectionOutcome.class, CorrectionOutcome.nothingStored()),
            Map.entry(FeedBatch.class, new FeedBatch(List.of(), 7, 9)),
            Map.entry(
                    FeedItem.Undecodable.class,
                    new FeedItem.Undecodable(7, "message 7", ByteBuffer.allocate(0), Map.of(), "no JSON", START)),
            Map.entry(Fence.class, new Fence.Whole("entries", 7)),
            Map.entry(ProjectionOwner.class, ProjectionOwner.of("ann")),
            Map.entry(
                    ProjectionState.class,
                    new ProjectionState(
                            "entries",
                            ProjectionStatus.RUNNING,
                            1,
                            4,
                            7,
                            Optional.empty(),
                            Optional.empty(),
                            0,
                            Optional.empty(),
                            Optional.empty(),
                            START)),
            Map.entry(ParkedSummary.class, ParkedSummary.NONE),
            Map.entry(SegmentShare.class, new SegmentShare(List.of(), 4, 2, 2)),
            Map.entry(FailureKind.class, FailureKind.POISON),
            Map.entry(
                    ParkDecision.class, new ParkDecision(ParkReason.GAP, 0, "version 3 is missing", Optional.empty())),
            Map.entry(RetryGuard.class, new RetryGuard(3, 0)),
            Map.entry(ProjectionOperations.Act.class, new ProjectionOperations.Act("ann", "asked by bob")),
            Map.entry(SearchSchema.class, new SearchSchema(List.of("word"), Set.of(), Set.of())),
            Map.entry(SearchQuery.class, SearchQuery.of("cat")),
            Map.entry(SearchResult.class, new SearchResult(7, List.of(), Duration.ofSeconds(7))),
            Map.entry(ProjectionCode.class, ProjectionCode.PLAIN),
            Map.entry(ProjectionVersion.class, new ProjectionVersion("entries", 2, 1, VersionRole.CANDIDATE, 0, false)),
            Map.entry(ProjectionRebuilds.SkippedEvents.class, ProjectionRebuilds.SkippedEvents.TRY),
            Map.entry(
                    CutoverReport.class,
                    new CutoverReport("entries", 1, 2, Duration.ofMillis(7), CutoverReport.Losses.NONE)),
            Map.entry(VersionComparison.class, new VersionComparison("entries", 1, 2, List.of())),
            Map.entry(OptionalInt.class, OptionalInt.of(7)),
            Map.entry(boolean.class, true),
            Map.entry(int.class, 7),
            Map.entry(long.class, 7L),
            Map.entry(String.class, "Orders"),
            Map.entry(Instant.class, START),
            Map.entry(Duration.class, Duration.ofSeconds(7)),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(Set.class, Set.of()),
            Map.entry(List.class, List.of()),
            Map.entry(java.util.Collection.class, List.of()),
            Map.entry(Throwable.class, new IllegalArgumentException("refused")),
            Map.entry(DataChangeRecord.class, CHANGE),
            Map.entry(Delivery.class, DELIVERY),
            Map.entry(DeadLetter.class, LETTER),
            Map.entry(
                    StoredDeadLetter.class,
                    new StoredDeadLetter(DeadLetter.Reason.BEHIND_PARKED, TOKEN, CHANGE, START, Optional.empty())),
            Map.entry(RecordIdentity.class, CHANGE.identity()),
            Map.entry(OutboxHistory.class, OutboxHistory.ENTRIES),
            Map.entry(PartitionMode.class, PartitionMode.IMMUTABLE_KEY_RANGE),
            Map.entry(PartitionQuery.class, new PartitionQuery(TOKEN, START, Optional.empty(), Duration.ofSeconds(10))),
            Map.entry(
                    SubscriptionRecord.class,
                    new SubscriptionRecord(
                            "Orders",
                            START,
                            Optional.empty(),
                            Duration.ofSeconds(10),
                            PartitionMode.IMMUTABLE_KEY_RANGE,
                            false)),
            Map.entry(
                    ProjectionProgress.class, new ProjectionProgress(ProjectionStatus.RUNNING, 7, Map.of(), Set.of())),
            Map.entry(Lineage.class, Lineage.of(List.of(), START)),
            Map.entry(FrontierChanges.class, FrontierChanges.everything(Lineage.of(List.of(), START), List.of())),
            Map.entry(DeadLetterStore.Counts.class, new DeadLetterStore.Counts(5, 1, 2, 3, 2)),
            Map.entry(Exception.class, new Exception("met a deadlock")),
            Map.entry(PartitionToken.class, TOKEN),
            Map.entry(WorkerId.class, new WorkerId("ann")),
            Map.entry(PartitionLease.class, new PartitionLease(TOKEN, new WorkerId("ann"), 1, START)),
            Map.entry(MoveIn.class, new MoveIn(START, List.of(new PartitionToken("partition-b")))),
            Map.entry(PartitionGap.class, new PartitionGap(START, START.plusSeconds(1))),
            Map.entry(
                    PartitionEnd.class,
                    PartitionEnd.childPartitions(START, List.of(new PartitionToken("partition-b")))),
            Map.entry(
                    ChildPartitionsRecord.class,
                    new ChildPartitionsRecord(
                            START, "00000001", List.of(new ChildPartition("partition-b", List.of("partition-a"))))));

    private PortSamples() {}

    static Object of(Class<?> type) {
        Object value = VALUES.get(type);
        if (value != null) {
            return value;
        }
        if (type.isInterface()) {
            return Proxy.newProxyInstance(
                    PortSamples.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        throw new UnsupportedOperationException(method.toString());
                    });
        }
        throw new AssertionError("a port mentions %s: say here what a sample of it is".formatted(type));
    }
}
