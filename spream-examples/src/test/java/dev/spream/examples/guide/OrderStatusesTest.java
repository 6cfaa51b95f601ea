package dev.spream.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.ConsumerException;
import dev.spream.core.subscription.Subscriber;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OrderStatusesTest {
    private static final DataChangeRecord PLACED = Changes.withValues(1, "{\"Status\":\"PLACED\"}", "o1");
    private static final DataChangeRecord PAID = Changes.withValues(2, "{\"Status\":\"PAID\"}", "o1");

    private final OrderStatuses statuses = new OrderStatuses();

    @Test
    void the_latest_status_counts() {
        deliver(statuses);
        assertThat(statuses.of("o1")).contains("PAID");
    }

    @Test
    void changes_that_come_again_are_harmless() {
        deliver(statuses);
        deliver(statuses); // as after a crash before the watermark was stored
        assertThat(statuses.of("o1")).contains("PAID");
    }

    @Test
    void a_database_that_is_down_for_a_moment_costs_nothing() {
        deliver((change, delivery) -> {
            if (delivery.attempt() == 1) {
                throw new IOException("connection refused");
            }
            statuses.consume(change, delivery);
        });
        assertThat(statuses.of("o1")).contains("PAID");
    }

    @Test
    void a_change_that_fails_for_ever_stops_the_subscription() {
        Consumer broken = (change, delivery) -> {
            throw new IOException("connection refused");
        };
        assertThatThrownBy(() -> deliver(broken))
                .isInstanceOf(ConsumerException.class)
                .hasRootCauseMessage("connection refused");
    }

    private static void deliver(Consumer consumer) {
        var source = ScriptedSource.of(Changes.START, List.of(PLACED, PAID));
        try (var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                .options(options -> options.startAt(Changes.START)
                        .endAt(PAID.commitTimestamp())
                        .errorHandler(ErrorHandler.fixedBackoff(Duration.ofMillis(1))
                                .maxAttempts(3)
                                .thenStop()))
                .build()) {
            subscriber.run(consumer);
        }
    }
}
