package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of a reader whose dispatcher stops shortly before the reader itself is stopped. */
class PartitionReaderStopTest {
    private final RecordingConsumer consumer = new RecordingConsumer();
    private final OnePartition one =
            new OnePartition(SubscriberFixture.quick().maxInflight(8).build(), consumer);

    @Test
    void nothing_behind_a_change_that_was_not_taken_counts_as_read() {
        one.source.change("p", 1, "A").heartbeat("p", 2).split("p", 3, "q");
        PartitionReader reader = one.reader();

        reader.dispatcher().cancel();
        read(reader);

        assertThat(consumer.consumed()).isEmpty();
        assertThat(one.partition.tracker().watermark()).isEqualTo(START);
        assertThat(one.stored().state()).isEqualTo(PartitionState.RUNNING);
        assertThat(one.storage.lineage().partition(new PartitionToken("q"))).isEmpty();
    }

    private static void read(PartitionReader reader) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                reader.run();
                ended.complete(null);
            } catch (Throwable t) {
                ended.completeExceptionally(t);
            }
        });
        ended.orTimeout(SubscriberFixture.BOUND.toSeconds(), TimeUnit.SECONDS).join();
    }
}
