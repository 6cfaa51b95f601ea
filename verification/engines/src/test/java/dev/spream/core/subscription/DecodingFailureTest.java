package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that cannot be decoded, under each policy. */
final class DecodingFailureTest {
    private static final String ROW = "{\"data_change_record\":{\"mods\":7}}";

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final RecordingConsumer taken = new RecordingConsumer();
    private final RecordingDeadLetterSink letters = new RecordingDeadLetterSink(new CopyOnWriteArrayList<>());

    @TempDir
    Path folder;

    private static UndecodableChange change(Optional<Instant> committed) {
        return new UndecodableChange(committed, Optional.empty(), Optional.of("7"), Optional.of("Accounts"), ROW);
    }

    private Subscriber deadLettering() {
        return deadLettering(Ordering.KEY);
    }

    private Subscriber deadLettering(Ordering ordering) {
        return fixture.subscriber(options -> options.endAt(at(9))
                .maxInflight(8)
                .ordering(ordering)
                .decodingFailure(DecodingFailure.DEAD_LETTER)
                .deadLetterSink(letters));
    }

    @Test
    void by_default_it_stops_the_subscription_and_nothing_is_passed_over() {
        source.roots("p").change("p", 1, "A").change("p", 3, "A");
        source.fault("p", new Fault.Garble(1, change(Optional.of(at(2)))));

        assertThatExceptionOfType(SubscriptionException.class)
                .isThrownBy(() -> fixture.run(
                        fixture.subscriber(options -> options.endAt(at(9)).deadLetterSink(letters)), taken))
                .withMessageContaining("a garbled row");
        assertThat(letters.letters()).isEmpty();
        assertThat(fixture.stored("p").watermark()).isBeforeOrEqualTo(at(1));
    }

    @Test
    void a_change_is_kept_as_it_came_and_what_follows_is_delivered() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 3, "A");
        source.fault("p", new Fault.Garble(1, change(Optional.of(at(2)))));

        CompletionReason result = fixture.run(deadLettering(), taken);

        assertThat(result).isNotNull();
        assertThat(taken.labels()).containsExactly("A1", "A3");
        assertThat(letters.letters()).singleElement().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo(DeadLetter.Reason.FAILED);
            assertThat(letter.partition().value()).isEqualTo("p");
            assertThat(letter.change().commitTimestamp()).isEqualTo(at(2));
            assertThat(letter.change().tableName()).isEqualTo("Accounts");
            assertThat(letter.change().recordSequence()).isEqualTo("7");
            assertThat(letter.change().mods()).isEmpty();
            assertThat(letter.failure().orElseThrow().cause())
                    .isInstanceOfSatisfying(
                            UndecodableRowException.class,
                            e -> assertThat(e.row()).isEqualTo(ROW));
        });
    }

    @Test
    void one_without_a_readable_time_takes_the_position_before_it() throws InterruptedException {
        source.roots("p").change("p", 4, "A");
        source.fault("p", new Fault.Garble(1, change(Optional.empty())));

        fixture.run(deadLettering(), taken);

        assertThat(letters.letters())
                .singleElement()
                .satisfies(
                        letter -> assertThat(letter.change().commitTimestamp()).isEqualTo(at(4)));
    }

    @Test
    void a_row_that_a_second_query_returns_again_is_kept_once() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        Fault garbled = new Fault.Garble(1, change(Optional.empty()));
        source.fault("p", garbled, garbled);

        fixture.run(deadLettering(), taken);

        assertThat(source.queries())
                .filteredOn(query -> query.token().value().equals("p"))
                .hasSizeGreaterThan(1);
        assertThat(letters.letters()).hasSize(1);
    }

    @Test
    void a_change_whose_keys_cannot_be_read_is_one_of_them() throws InterruptedException {
        DataChangeRecord intact = ScriptedSource.newChange(2, "B", "tx");
        source.roots("p").change("p", 1, "A").add("p", withKeys(intact, "7")).change("p", 3, "A");

        fixture.run(deadLettering(), taken);

        assertThat(taken.labels()).containsExactly("A1", "A3");
        assertThat(letters.letters()).singleElement().satisfies(letter -> {
            assertThat(letter.change().identity()).isEqualTo(intact.identity());
            assertThat(((UndecodableRowException) letter.failure().orElseThrow().cause()).row())
                    .contains("\"keys\":7");
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"PARTITION", "NONE"})
    void a_change_whose_keys_cannot_be_read_is_delivered_where_the_order_needs_none(Ordering ordering)
            throws InterruptedException {
        DataChangeRecord intact = ScriptedSource.newChange(2, "B", "tx");
        source.roots("p").change("p", 1, "A").add("p", withKeys(intact, "7")).change("p", 3, "A");
        List<String> sequences = new CopyOnWriteArrayList<>();

        fixture.run(
                deadLettering(ordering),
                (change, delivery) -> sequences.add(change.identity().toString()));

        assertThat(sequences).hasSize(3).contains(intact.identity().toString());
        assertThat(letters.letters()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"PARTITION", "NONE"})
    void one_that_the_consumer_refuses_is_kept_as_it_came(Ordering ordering) throws Exception {
        DataChangeRecord intact = ScriptedSource.newChange(2, "B", "tx");
        source.roots("p").change("p", 1, "A").add("p", withKeys(intact, "7")).change("p", 3, "A");

        try (JsonlDeadLetterSink store = JsonlDeadLetterSink.open(folder.resolve("letters.jsonl"))) {
            Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                    .maxInflight(8)
                    .ordering(ordering)
                    .decodingFailure(DecodingFailure.DEAD_LETTER)
                    .deadLetterSink(store)
                    .errorHandler(failure -> new ErrorDecision.ParkKey()));
            fixture.run(subscriber, (change, delivery) -> {
                if (change.identity().equals(intact.identity())) {
                    throw new IOException("refused");
                }
            });

            assertThat(store.openLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.identity()).isEqualTo(intact.identity());
                assertThat(letter.reason()).isEqualTo(DeadLetter.Reason.FAILED);
            });
            assertThat(store.parkedKeys()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PARTITION", "NONE"})
    void one_that_the_consumer_refuses_is_kept_whatever_the_error_handler_says(Ordering ordering)
            throws InterruptedException {
        DataChangeRecord intact = ScriptedSource.newChange(2, "B", "tx");
        source.roots("p").change("p", 1, "A").add("p", withKeys(intact, "7")).change("p", 3, "A");
        for (ErrorDecision decision : List.of(
                new ErrorDecision.Stop(), new ErrorDecision.Skip(), new ErrorDecision.Retry(Duration.ofMillis(1)))) {
            letters.letters().clear();
            fixture.storage = new InMemoryPartitionStorage();
            Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                    .ordering(ordering)
                    .decodingFailure(DecodingFailure.DEAD_LETTER)
                    .deadLetterSink(letters)
                    .errorHandler(failure -> decision));

            assertThat(fixture.run(subscriber, (change, delivery) -> RecordKey.of(change)))
                    .isEqualTo(CompletionReason.COMPLETED);

            assertThat(letters.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.change().identity()).isEqualTo(intact.identity());
                assertThat(letter.change().mods()).isEmpty();
                assertThat(letter.failure().orElseThrow().attempt()).isEqualTo(1);
                assertThat(letter.failure().orElseThrow().cause()).isInstanceOf(UndecodableRowException.class);
            });
        }
    }

    @Test
    void one_that_was_to_be_parked_is_said_to_be_kept_with_nothing_parked() throws InterruptedException {
        source.roots("p").add("p", withKeys(ScriptedSource.newChange(2, "B", "tx"), "7"));
        List<ErrorDecision> told = new CopyOnWriteArrayList<>();
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                .deadLetterSink(letters)
                .errorHandler(failure -> new ErrorDecision.ParkKey())
                .listener(new SubscriptionListener() {
                    @Override
                    public void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
                        told.add(decision);
                    }
                }));

        try (LogLines lines = new LogLines(AttemptLog.class)) {
            fixture.run(subscriber, (change, delivery) -> {
                throw new IOException("refused");
            });

            assertThat(letters.letters()).extracting(DeadLetter::reason).containsExactly(DeadLetter.Reason.FAILED);
            assertThat(told).containsExactly(new ErrorDecision.DeadLetter());
            assertThat(lines.all(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("is dead-lettered as received", "nothing is parked");
        }
    }

    @Test
    void while_keys_are_parked_it_is_kept_in_any_order() throws InterruptedException {
        DataChangeRecord intact = ScriptedSource.newChange(2, "B", "tx");
        source.roots("p").change("p", 1, "A").add("p", withKeys(intact, "7")).change("p", 3, "C");
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                .decodingFailure(DecodingFailure.DEAD_LETTER)
                .deadLetterSink(letters)
                .errorHandler(failure -> new ErrorDecision.ParkKey()));
        List<Instant> delivered = new CopyOnWriteArrayList<>();

        fixture.run(subscriber, (change, delivery) -> {
            if (change.commitTimestamp().equals(at(1))) {
                throw new IOException("refused");
            }
            delivered.add(change.commitTimestamp());
        });

        assertThat(delivered).containsExactly(at(3));
        assertThat(letters.letters())
                .hasSize(2)
                .last()
                .satisfies(letter -> assertThat(((UndecodableRowException)
                                        letter.failure().orElseThrow().cause())
                                .row())
                        .contains("\"keys\":7"));
    }

    private static DataChangeRecord withKeys(DataChangeRecord change, String keys) {
        return new DataChangeRecord(
                change.commitTimestamp(),
                change.recordSequence(),
                change.serverTransactionId(),
                true,
                change.tableName(),
                List.of(),
                List.of(new Mod(JsonObject.of(keys), JsonObject.EMPTY, JsonObject.EMPTY)),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    @Test
    void one_that_may_name_children_stops_under_either_policy() {
        source.roots("p").change("p", 1, "A").change("p", 3, "A");
        source.fault("p", new Fault.Break(1, SourceException.Kind.MALFORMED));

        assertThatExceptionOfType(SubscriptionException.class).isThrownBy(() -> fixture.run(deadLettering(), taken));
        assertThat(letters.letters()).isEmpty();
    }

    @Test
    void a_sink_that_fails_stops_the_subscription_in_front_of_the_row() {
        source.roots("p").change("p", 1, "A").change("p", 3, "A");
        source.fault("p", new Fault.Garble(1, change(Optional.of(at(2)))));
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                .decodingFailure(DecodingFailure.DEAD_LETTER)
                .deadLetterSink(new FailingSink()));

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> fixture.run(subscriber, taken))
                .withMessageContaining("dead letter sink failed");
        assertThat(fixture.stored("p").watermark()).isBeforeOrEqualTo(at(1));
    }

    @Test
    void the_policy_needs_a_sink() {
        SubscriberOptions.Builder options = SubscriberOptions.builder().decodingFailure(DecodingFailure.DEAD_LETTER);
        assertThatIllegalArgumentException().isThrownBy(options::build).withMessageContaining("deadLetterSink");
    }

    private static final class FailingSink implements DeadLetterSink {
        @Override
        public void accept(DeadLetter letter) throws IOException {
            throw new IOException("disk full");
        }

        @Override
        public Set<RecordKey> parkedKeys() {
            return Set.of();
        }
    }
}
