package dev.spream.flink;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The settings of a job that a source with an order of keys needs: those of its checkpoints. */
record JobRequirements(RuntimeExecutionMode mode, CheckpointConfig checkpoints) {

    static JobRequirements of(StreamExecutionEnvironment environment) {
        return new JobRequirements(
                environment.getConfiguration().get(ExecutionOptions.RUNTIME_MODE), environment.getCheckpointConfig());
    }

    /** @throws IllegalArgumentException if the job would not keep the order of changes */
    void requireOrder(String source, Boundedness boundedness) {
        if (mode == RuntimeExecutionMode.BATCH
                || (mode == RuntimeExecutionMode.AUTOMATIC && boundedness == Boundedness.BOUNDED)) {
            throw refusal(
                    source,
                    "checkpoints, and batch mode has none (execution.runtime-mode is %s): set execution.runtime-mode to STREAMING"
                            .formatted(mode));
        }
        if (!checkpoints.isCheckpointingEnabled()) {
            throw refusal(
                    source,
                    "checkpoints, and the job has none: set execution.checkpointing.interval, such as to 10 s, or call enableCheckpointing");
        }
        if (checkpoints.getCheckpointingConsistencyMode() != CheckpointingMode.EXACTLY_ONCE) {
            throw refusal(
                    source,
                    "aligned checkpoints, and execution.checkpointing.mode is %s: set it to EXACTLY_ONCE"
                            .formatted(checkpoints.getCheckpointingConsistencyMode()));
        }
        if (checkpoints.isUnalignedCheckpointsEnabled()) {
            throw refusal(
                    source,
                    "aligned checkpoints, and those of the job are unaligned: set execution.checkpointing.unaligned.enabled to false");
        }
    }

    private static IllegalArgumentException refusal(String source, String need) {
        return new IllegalArgumentException(
                "source %s: changes of a key keep their order by %s. If their order does not matter, set ordering to NONE"
                        .formatted(source, need));
    }
}
