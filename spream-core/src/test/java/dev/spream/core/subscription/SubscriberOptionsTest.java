package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.subscription.transaction.MemoryBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SubscriberOptionsTest {
    @Test
    void the_defaults_are_those_of_the_documentation() {
        assertThat(SubscriberOptions.defaults())
                .returns(Optional.empty(), SubscriberOptions::startTimestamp)
                .returns(Optional.empty(), SubscriberOptions::endTimestamp)
                .returns(Duration.ofSeconds(10), SubscriberOptions::heartbeatInterval)
                .returns(5, SubscriberOptions::missedHeartbeats)
                .returns(1, SubscriberOptions::maxInflight)
                .returns(Optional.empty(), SubscriberOptions::ordering)
                .returns(TransactionMode.OFF, SubscriberOptions::transactionMode)
                .returns(1_000, SubscriberOptions::maxBatchSize)
                .returns(Optional.empty(), SubscriberOptions::consumeTimeout)
                .returns(10_000, SubscriberOptions::maxBufferedChanges)
                .returns(Runtime.getRuntime().maxMemory() / 4, SubscriberOptions::maxBufferedBytes)
                .returns(1_000, SubscriberOptions::maxOpenPartitions)
                .returns(RetentionLoss.STOP, SubscriberOptions::retentionLoss)
                .returns(Optional.empty(), SubscriberOptions::deadLetterSink)
                .returns(Duration.ofSeconds(1), SubscriberOptions::watermarkInterval)
                .returns(Duration.ofSeconds(1), SubscriberOptions::partitionDiscoveryInterval)
                .returns(Duration.ofSeconds(15), SubscriberOptions::leaseTime)
                .returns(Duration.ofSeconds(30), SubscriberOptions::drainTimeout)
                .returns(Duration.ofDays(1), SubscriberOptions::finishedRetention)
                .returns(Duration.ofDays(30), SubscriberOptions::proofRetention)
                .returns(Optional.empty(), SubscriberOptions::worker)
                .returns(List.of(), SubscriberOptions::listeners);
    }

    @Test
    void the_order_follows_from_what_may_be_in_flight_unless_it_is_given() {
        assertThat(SubscriberOptions.defaults().effectiveOrdering()).isEqualTo(Ordering.PARTITION);
        assertThat(SubscriberOptions.builder().maxInflight(2).build().effectiveOrdering())
                .isEqualTo(Ordering.KEY);
        assertThat(SubscriberOptions.builder()
                        .maxInflight(2)
                        .ordering(Ordering.NONE)
                        .build()
                        .effectiveOrdering())
                .isEqualTo(Ordering.NONE);
    }

    @Test
    void commit_order_keeps_the_order_of_keys() {
        SubscriberOptions.Builder options = SubscriberOptions.builder().ordering(Ordering.NONE);
        assertThat(options.transactionMode(TransactionMode.COMMIT_ORDER).build().effectiveOrdering())
                .isEqualTo(Ordering.KEY);
        assertThat(options.transactionMode(TransactionMode.WHOLE).build().effectiveOrdering())
                .isEqualTo(Ordering.NONE);
    }

    @Test
    void a_copy_has_every_option() {
        SubscriberOptions options = SubscriberOptions.builder()
                .transactionMode(TransactionMode.WHOLE)
                .transactionBuffer(MemoryBuffer::new)
                .snapshot(true)
                .finishedRetention(Duration.ofDays(2))
                .proofRetention(Duration.ofDays(3))
                .build();

        assertThat(options.toBuilder().build()).isEqualTo(options);
    }

    @Test
    void a_snapshot_has_no_commit_order() {
        SubscriberOptions.Builder options = SubscriberOptions.builder().snapshot(true);

        assertThat(options.transactionMode(TransactionMode.WHOLE).build().snapshot())
                .isTrue();
        assertThatThrownBy(() ->
                        options.transactionMode(TransactionMode.COMMIT_ORDER).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot begin with a snapshot");
    }

    @Test
    void proofs_are_not_forgotten_before_finished_partitions_are_removed() {
        SubscriberOptions.Builder options = SubscriberOptions.builder().finishedRetention(Duration.ofDays(31));

        assertThatThrownBy(options::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("proofRetention is 30 d, must be at least finishedRetention, 31 d");
        assertThat(options.proofRetention(Duration.ofDays(31)).build().proofRetention())
                .isEqualTo(Duration.ofDays(31));
    }
}
