package dev.spream.flink;

import dev.spream.core.StorageException;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionState;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * The progress of a stopped job, in a savepoint or a completed checkpoint that was kept. A storage takes it as a
 * subscription, and workers continue there.
 *
 * <p>No change is lost. What the job had emitted since its subtasks last reported their progress is delivered again, usually
 * the changes of less than a second; and of a snapshot the rows of the chunks that were not read to their ends. Changes of
 * a key keep their order. Immutable.
 */
public final class JobSavepoint {
    private static final int COORDINATOR_FORMAT = 1; // of Flink

    private final String path;
    private final SubscriptionState state;

    JobSavepoint(String path, SubscriptionState state) {
        this.path = path;
        this.state = state;
    }

    /**
     * Reads a savepoint or checkpoint, by the file systems of Flink.
     *
     * @param path its directory, as Flink has reported it
     * @param uid the {@code uid} of the source in the job
     * @throws IOException if there is none that can be read, or the source has no state in it
     */
    public static JobSavepoint read(String path, String uid) throws IOException {
        EnumeratorState state = enumeratorState(path, uid);
        return new JobSavepoint(
                path,
                new SubscriptionState(
                        state.subscription()
                                .orElseThrow(() -> new IOException(
                                        "%s was taken before the source had begun to read; nothing was stored. Continue from where the job began"
                                                .formatted(path))),
                        state.partitions(),
                        state.finished()));
    }

    private static EnumeratorState enumeratorState(String path, String uid) throws IOException {
        try (DataInputStream in = new DataInputStream(AbstractFsCheckpointStorageAccess.resolveCheckpointPointer(path)
                .getMetadataHandle()
                .openInputStream())) {
            ClassLoader loader = Optional.ofNullable(Thread.currentThread().getContextClassLoader())
                    .orElseGet(JobSavepoint.class::getClassLoader);
            return deserialized(coordinatorState(path, uid, Checkpoints.loadCheckpointMetadata(in, loader, path)));
        }
    }

    private static byte[] coordinatorState(String path, String uid, CheckpointMetadata metadata) throws IOException {
        List<OperatorState> sources = metadata.getOperatorStates().stream()
                .filter(operator -> operator.getCoordinatorState() != null)
                .toList();
        ByteStreamStateHandle found = sources.stream()
                .filter(operator ->
                        operator.getOperatorUid().filter(uid::equals).isPresent())
                .map(OperatorState::getCoordinatorState)
                .findFirst()
                .orElseThrow(() -> new IOException(
                        "%s has no source with uid %s, but those with %s; nothing was stored. Pass the uid that the job gives to the source"
                                .formatted(
                                        path,
                                        uid,
                                        sources.stream()
                                                .map(operator -> operator.getOperatorUid()
                                                        .orElse("none"))
                                                .toList())));
        return found.getData();
    }

    /** Reads what Flink's coordinator of a source has written: formats, size, and the state of the enumerator. */
    private static EnumeratorState deserialized(byte[] coordinator) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(coordinator))) {
            int format = in.readInt();
            if (format != COORDINATOR_FORMAT) {
                throw new IOException(
                        "the source's state has format %d of Flink, and this version of spream-flink reads format %d; nothing was stored. Use the versions of both that wrote it"
                                .formatted(format, COORDINATOR_FORMAT));
            }
            int version = in.readInt();
            return new EnumeratorStateSerializer().deserialize(version, in.readNBytes(in.readInt()));
        }
    }

    /** Returns the state as a subscription. */
    public SubscriptionState state() {
        return state;
    }

    /**
     * Stores the state in place of the subscription that the storage has; opens one if it has none. A new one is opened
     * first, and begins at the start of the job until the state is stored: after a failure repeat the call, and start no
     * worker before it has returned.
     *
     * @param act the actor and the reason, for the audit of the subscription
     * @return the change that was made; empty if the state was stored already
     * @throws StorageException if a worker may read the stored subscription, or it is of another stream or end, or the
     *     state would skip changes; nothing was changed
     */
    public String storeIn(PartitionStorage storage, CorrectionAct act) {
        storage.openSubscription(state.subscription());
        CorrectionOutcome outcome = storage.correct(new Correction.Replace(state), act);
        return switch (outcome) {
            case CorrectionOutcome.Planned(CorrectionPlan plan) -> plan.change();
            case CorrectionOutcome.Refused(String reason) ->
                throw new StorageException("%s cannot be stored: %s".formatted(path, reason), false, null);
        };
    }
}
