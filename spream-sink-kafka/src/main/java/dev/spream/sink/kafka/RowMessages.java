package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangeFormat.Deletion;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Converts a change into messages, for each changed row, as {@link KafkaSinkProvider} documents them. Their contents depend
 * on the change, its partition and the epoch of its lease alone, and on the clock as far as the format does.
 *
 * @param rows the format of keys and values; empty for the documentation's record
 */
record RowMessages(
        TopicTemplate topics, Optional<String> database, Optional<String> stream, Optional<ChangeFormat> rows) {
    private static final ChangeFormat RECORD = ChangeFormat.record();

    /** @throws NonRetryableException if a message cannot be made; none is to be published then */
    List<Message> of(DataChangeRecord change, Delivery delivery) {
        String topic = topics.topic(change.tableName());
        ChangeFormat format = rows.orElse(RECORD);
        List<Message> messages = new ArrayList<>(change.mods().size());
        for (ChangedRow row : ChangedRow.of(change, delivery)) {
            Deletion deletion = row.isDelete() ? format.deletion() : Deletion.VALUE;
            if (deletion != Deletion.TOMBSTONE) {
                messages.add(message(topic, format, row, format.value(row, Optional.of(topic))));
            }
            if (deletion != Deletion.VALUE) {
                messages.add(message(topic, format, row, null));
            }
        }
        return messages;
    }

    /**
     * Returns messages without values, for the place of the rows among other changes.
     *
     * @throws NonRetryableException if the topic or the primary key of a row is not known
     */
    List<Message> places(DataChangeRecord change, Delivery delivery) {
        String topic = topics.topic(change.tableName());
        return ChangedRow.of(change, delivery).stream()
                .map(row -> message(topic, rows.orElse(RECORD), row, null))
                .toList();
    }

    private Message message(String topic, ChangeFormat format, ChangedRow row, byte @Nullable [] value) {
        return new Message(topic, key(format, row, topic), value, headers(row));
    }

    private static byte[] key(ChangeFormat format, ChangedRow row, String topic) {
        try {
            return format.key(row, Optional.of(topic));
        } catch (IllegalArgumentException e) {
            throw new NonRetryableException(
                    "the primary key of a row of the change %s cannot be read, so its place among the other changes is not known"
                            .formatted(row.change().identity()),
                    e);
        }
    }

    private Headers headers(ChangedRow row) {
        DataChangeRecord change = row.change();
        Headers headers = new RecordHeaders();
        add(headers, "identity", row.identity());
        database.ifPresent(name -> add(headers, "database", name));
        stream.ifPresent(name -> add(headers, "stream", name));
        add(headers, "table", change.tableName());
        add(headers, "mod_type", change.modTypeName());
        add(headers, "commit_timestamp", change.commitTimestamp().toString());
        add(headers, "server_transaction_id", change.serverTransactionId());
        add(headers, "record_sequence", change.recordSequence());
        add(headers, "mod_index", Integer.toString(row.index()));
        add(headers, "number_of_mods", Integer.toString(change.mods().size()));
        add(headers, "transaction_tag", change.transactionTag());
        add(headers, "partition_token", row.delivery().partition().value());
        add(headers, "lease_epoch", Long.toString(row.delivery().epoch()));
        rows.ifPresent(format -> {
            add(headers, "content-type", format.contentType());
            format.headers(row).forEach((name, value) -> add(headers, name, value));
        });
        return headers;
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
    }
}
