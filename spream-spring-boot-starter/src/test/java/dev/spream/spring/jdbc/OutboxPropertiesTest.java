package dev.spream.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.worker.Backoff;
import dev.spream.outbox.worker.OrderedFailurePolicy;
import dev.spream.outbox.worker.OutboxSenderOptions;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.outbox.worker.UnknownFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

final class OutboxPropertiesTest {
    private static OutboxProperties bind(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("spream.outbox", OutboxProperties.class);
    }

    private static OutboxWorkerOptions worker(OutboxProperties properties) {
        return properties.worker().options(Stream.empty());
    }

    @Test
    void without_properties_a_worker_has_the_defaults_of_its_options() {
        OutboxProperties properties = bind(Map.of());
        assertThat(worker(properties)).isEqualTo(OutboxWorkerOptions.defaults());
        assertThat(properties.sender("mail", worker(properties))).isEqualTo(OutboxSenderOptions.defaults());
    }

    @Test
    void a_sender_has_its_own_retries_and_policies_or_those_of_the_worker() {
        OutboxProperties properties = bind(Map.of(
                "spream.outbox.worker.backoff", "1s, 5s",
                "spream.outbox.worker.max-age", "2d",
                "spream.outbox.worker.ordered-failure", "park",
                "spream.outbox.worker.unknown-failure", "abort",
                "spream.outbox.worker.entry-retention", "1d",
                "spream.outbox.worker.ledger-retention", "2d",
                "spream.outbox.worker.audit-retention", "3d",
                "spream.outbox.senders.mail.backoff", "5s..10m",
                "spream.outbox.senders.mail.max-age", "1h",
                "spream.outbox.senders.mail.unknown-failure", "park"));
        OutboxWorkerOptions worker = worker(properties);
        assertThat(worker)
                .isEqualTo(OutboxWorkerOptions.builder()
                        .backoff(Backoff.table(List.of(Duration.ofSeconds(1), Duration.ofSeconds(5))))
                        .maxAge(Duration.ofDays(2))
                        .orderedFailure(OrderedFailurePolicy.PARK)
                        .unknownFailure(UnknownFailure.ABORT)
                        .entryRetention(Duration.ofDays(1))
                        .ledgerRetention(Duration.ofDays(2))
                        .auditRetention(Duration.ofDays(3))
                        .build());
        assertThat(properties.sender("mail", worker))
                .isEqualTo(worker.sender().toBuilder()
                        .backoff(Backoff.exponential(Duration.ofSeconds(5), Duration.ofMinutes(10)))
                        .maxAge(Duration.ofHours(1))
                        .unknownFailure(UnknownFailure.PARK)
                        .build());
    }

    @Test
    void invalid_values_are_refused_with_their_place() {
        assertThatThrownBy(() -> worker(bind(Map.of("spream.outbox.worker.backoff", "soon"))))
                .hasMessageStartingWith("spream.outbox.worker: backoff: expected ");
        OutboxProperties mail = bind(Map.of("spream.outbox.senders.mail.max-age", "0s"));
        assertThatThrownBy(() -> mail.sender("mail", worker(mail)))
                .hasMessageStartingWith("spream.outbox.senders.mail: maxAge ");
    }
}
