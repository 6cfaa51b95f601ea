package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ChangeRecord;
import dev.spream.testkit.subscription.MappedSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A stream whose rows take longer than its heartbeats may be absent. */
class SlowStreamTest {
    private static final Duration ROW = Duration.ofMillis(300);
    private static final Duration HEARTBEAT = Duration.ofMillis(100);
    private static final int MISSED = 2;

    /** Each query begins with them again, so one that is cancelled before the last of them has read nothing new. */
    @Test
    void several_changes_of_one_timestamp_are_read_although_the_first_queries_stall() throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        fixture.source
                .roots("p")
                .change("p", 1, "A", "first")
                .change("p", 1, "B", "second")
                .change("p", 1, "C", "third");
        RecordingConsumer consumer = new RecordingConsumer();

        CompletionReason reason = fixture.run(
                Subscriber.builder(new MappedSource(fixture.source, SlowStreamTest::late), fixture.storage)
                        .options(SubscriberFixture.quick()
                                .heartbeatInterval(HEARTBEAT)
                                .missedHeartbeats(MISSED)
                                .endAt(at(5))
                                .build())
                        .build(),
                consumer);

        assertThat(reason).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("A1", "B1", "C1");
        assertThat(fixture.source.queriesOf("p")).hasSizeGreaterThan(2);
    }

    private static Optional<ChangeRecord> late(ChangeRecord record) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(ROW.toNanos());
        return Optional.of(record);
    }
}
