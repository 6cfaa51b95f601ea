package dev.spream.core.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The three shapes of a consumer, and validation in the values of this package. */
final class ConsumeTypesTest {
    private static final PartitionToken PARTITION = new PartitionToken("a");
    private static final Delivery DELIVERY = new Delivery(PARTITION, 3, 1, Optional.empty(), Optional.empty());
    private static final DataChangeRecord CHANGE = change("Orders", "{\"Id\":\"1\"}");

    @Test
    void the_keys_of_a_record_are_those_of_all_its_rows_in_order_and_once() {
        DataChangeRecord change = change("Orders", "{\"Id\":\"2\"}", "{\"Id\":\"1\"}", "{ \"Id\" : \"2\" }");
        assertThat(RecordKey.of(change))
                .containsExactly(key("Orders", "{\"Id\":\"2\"}"), key("Orders", "{\"Id\":\"1\"}"));
    }

    @Test
    void keys_are_equal_when_they_name_the_same_row_of_the_same_table() {
        RecordKey key = key("Orders", "{\"Region\":\"eu\",\"Id\":\"1\"}");
        assertThat(key).isEqualTo(key("Orders", "{ \"Id\" : \"1\", \"Region\" : \"\\u0065u\" }"));
        assertThat(key).hasSameHashCodeAs(key("Orders", "{ \"Id\" : \"1\", \"Region\" : \"\\u0065u\" }"));
        assertThat(key).isNotEqualTo(key("Invoices", "{\"Region\":\"eu\",\"Id\":\"1\"}"));
        assertThat(key).isNotEqualTo(key("Orders", "{\"Region\":\"eu\",\"Id\":\"2\"}"));
        assertThat(key("Orders", "{\"Id\":null}")).isNotEqualTo(key("Orders", "{\"Id\":\"null\"}"));
    }

    @Test
    void a_consumer_of_records_gets_the_change() throws Exception {
        List<DataChangeRecord> consumed = new ArrayList<>();
        ChangeHandler consumer = consumed::add;
        Consumer port = consumer;
        port.consume(CHANGE, DELIVERY);
        port.flush();
        assertThat(consumed).containsExactly(CHANGE);
    }

    @Test
    void a_consumer_of_batches_gets_single_changes_as_batches_of_one() throws Exception {
        List<Object> seen = new ArrayList<>();
        BatchConsumer consumer = batch -> {
            seen.addAll(batch.changes());
            seen.add(batch.delivery(0));
            batch.settle(0);
        };
        consumer.consume(CHANGE, DELIVERY);
        assertThat(seen).containsExactly(CHANGE, DELIVERY);
    }

    @Test
    void a_failure_of_a_batch_of_one_change_is_thrown() {
        for (Throwable cause : List.of(new IOException("disk"), new AssertionError("no"), new StackOverflowError())) {
            BatchConsumer consumer = batch -> batch.fail(0, cause);
            assertThatThrownBy(() -> consumer.consume(CHANGE, DELIVERY)).isSameAs(cause);
        }
    }

    @Test
    void a_single_change_that_was_settled_before_the_call_threw_is_settled() {
        BatchConsumer consumer = batch -> {
            batch.settle(0);
            throw new IllegalStateException("afterwards");
        };

        assertThatCode(() -> consumer.consume(CHANGE, DELIVERY)).doesNotThrowAnyException();
    }

    @Test
    void a_single_change_that_was_settled_cannot_fail_any_more() {
        BatchConsumer consumer = batch -> {
            batch.settle(0);
            assertThatThrownBy(() -> batch.fail(0, new IOException())).isInstanceOf(IllegalStateException.class);
        };

        assertThatCode(() -> consumer.consume(CHANGE, DELIVERY)).doesNotThrowAnyException();
    }

    @Test
    void a_batch_of_one_has_no_second_change() {
        BatchConsumer consumer = batch -> batch.settle(1);
        assertThatThrownBy(() -> consumer.consume(CHANGE, DELIVERY)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void attempts_count_from_one() {
        assertThatThrownBy(() -> new Delivery(PARTITION, 1, 0, Optional.empty(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempt is 0, must be 1 or more");
        assertThatThrownBy(() -> failure(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempt is 0, must be 1 or more");
    }

    @Test
    void the_default_error_handler_stops_and_a_retry_does_not_wait_backwards() {
        assertThat(ErrorHandler.stop().onFailure(failure(1))).isEqualTo(new ErrorDecision.Stop());
        assertThat(new ErrorDecision.Retry(Duration.ZERO).delay()).isZero();
        assertThatThrownBy(() -> new ErrorDecision.Retry(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is negative");
    }

    @Test
    void a_letter_has_a_failure_unless_it_follows_a_parked_one() {
        for (DeadLetter.Reason reason : DeadLetter.Reason.values()) {
            boolean follows = reason == DeadLetter.Reason.BEHIND_PARKED;
            assertThat(letter(reason, !follows).reason()).isEqualTo(reason);
            assertThatThrownBy(() -> letter(reason, follows))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(reason.name());
        }
    }

    private static DeadLetter letter(DeadLetter.Reason reason, boolean withFailure) {
        return new DeadLetter(
                reason, PARTITION, CHANGE, Instant.EPOCH, withFailure ? Optional.of(failure(1)) : Optional.empty());
    }

    private static DeliveryFailure failure(int attempt) {
        return new DeliveryFailure(
                PARTITION, CHANGE, attempt, Instant.EPOCH, Instant.EPOCH, new IOException("unreachable"));
    }

    private static RecordKey key(String table, String key) {
        return new RecordKey(table, JsonObject.of(key));
    }

    private static DataChangeRecord change(String table, String... keys) {
        return new DataChangeRecord(
                Instant.EPOCH,
                "00000000",
                "tx",
                true,
                table,
                List.of(),
                Stream.of(keys)
                        .map(key -> new Mod(JsonObject.of(key), JsonObject.EMPTY, JsonObject.EMPTY))
                        .toList(),
                "DELETE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    @Test
    void equal_keys_have_the_same_canonical_text_however_they_were_written() {
        RecordKey key = new RecordKey("T", JsonObject.of("{\"B\": 1e22, \"A\": {\"D\": -0.0, \"C\": null}}"));
        RecordKey same = new RecordKey("T", JsonObject.of("{\"A\":{\"C\":null,\"D\":0.0},\"B\":1E+22}"));
        assertThat(key).isEqualTo(same);
        assertThat(key.canonicalKey())
                .isEqualTo(same.canonicalKey())
                .isEqualTo("{\"A\":{\"C\":null,\"D\":0.0},\"B\":1E+22}");
        assertThat(new RecordKey("T", JsonObject.EMPTY).canonicalKey()).isEqualTo("{}");
    }

    @Test
    void the_text_of_a_key_is_the_one_that_is_stored_in_outboxes() {
        assertThat(new RecordKey("Orders", JsonObject.of("{\"B\": 1, \"A\": \"x\"}")).text())
                .isEqualTo("Orders/{\"A\":\"x\",\"B\":1}")
                .isEqualTo(new RecordKey("Orders", JsonObject.of("{\"A\":\"x\",\"B\":1}")).text());
    }
}
