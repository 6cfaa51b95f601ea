package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Ordering;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** Tests of adding a source to a job. */
final class FlinkChangeStreamSourceTest {
    private final StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();

    private static FlinkChangeStreamSource<DataChangeRecord> source(Ordering ordering) {
        return FlinkChangeStreamSource.builder(ScriptedSource::new, ChangeDeserializationSchema.records())
                .ordering(ordering)
                .build();
    }

    @Test
    void a_job_without_checkpoints_is_refused() {
        assertThatThrownBy(() -> source(Ordering.KEY).addTo(environment, "orders"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "source orders: changes of a key keep their order by checkpoints, and the job has none");
    }

    @Test
    void a_job_with_unaligned_checkpoints_is_refused() {
        environment.enableCheckpointing(1_000);
        environment.getCheckpointConfig().enableUnalignedCheckpoints();
        assertThatThrownBy(() -> source(Ordering.KEY).addTo(environment, "orders"))
                .hasMessageContaining("those of the job are unaligned");
    }

    @Test
    void a_job_with_checkpoints_of_the_mode_at_least_once_is_refused() {
        environment.enableCheckpointing(1_000, CheckpointingMode.AT_LEAST_ONCE);
        assertThatThrownBy(() -> source(Ordering.KEY).addTo(environment, "orders"))
                .hasMessageContaining("execution.checkpointing.mode is AT_LEAST_ONCE: set it to EXACTLY_ONCE");
        WatermarkStrategy<DataChangeRecord> aligned = WatermarkStrategy.<DataChangeRecord>noWatermarks()
                .withWatermarkAlignment("orders", Duration.ofSeconds(1));
        assertThatThrownBy(() -> source(Ordering.KEY).addTo(environment, "orders", aligned))
                .hasMessageContaining("execution.checkpointing.mode is AT_LEAST_ONCE");
    }

    @Test
    void a_job_in_batch_mode_is_refused() {
        environment.enableCheckpointing(1_000);
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        assertThatThrownBy(() -> source(Ordering.KEY).addTo(environment, "orders"))
                .hasMessageContaining("batch mode has none (execution.runtime-mode is BATCH)");
        assertThat(source(Ordering.NONE).addTo(environment, "any")).isNotNull();

        environment.setRuntimeMode(RuntimeExecutionMode.AUTOMATIC);
        assertThat(source(Ordering.KEY).addTo(environment, "unbounded")).isNotNull();
        FlinkChangeStreamSource<DataChangeRecord> bounded = FlinkChangeStreamSource.builder(
                        ScriptedSource::new, ChangeDeserializationSchema.records())
                .endAt(ScriptedSource.at(9))
                .build();
        assertThatThrownBy(() -> bounded.addTo(environment, "orders"))
                .hasMessageContaining("batch mode has none (execution.runtime-mode is AUTOMATIC)");
    }

    @Test
    void a_job_with_aligned_checkpoints_or_without_an_order_is_not() {
        assertThat(source(Ordering.NONE)
                        .addTo(environment, "any")
                        .getTransformation()
                        .getName())
                .contains("any");
        environment.enableCheckpointing(1_000);
        assertThat(source(Ordering.KEY)
                        .addTo(environment, "orders")
                        .getTransformation()
                        .getName())
                .contains("orders");
    }
}
