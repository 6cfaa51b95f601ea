package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Converts a change into messages, one for each changed row, as {@link KafkaSinkProvider} documents them. Their contents
 * depend on the change, its partition and the epoch of its lease alone.
 */
record RowMessages(TopicTemplate topics, Optional<String> database, Optional<String> stream) {

    /** @throws NonRetryableException if a message cannot be made; none is to be published then */
    List<Message> of(DataChangeRecord change, Delivery delivery) {
        String topic = topics.topic(change.tableName());
        List<Message> messages = new ArrayList<>(change.mods().size());
        for (int i = 0; i < change.mods().size(); i++) {
            messages.add(message(topic, change, i, delivery));
        }
        return messages;
    }

    private Message message(String topic, DataChangeRecord change, int index, Delivery delivery) {
        Mod mod = change.mods().get(index);
        return new Message(topic, key(change, mod), RowFormat.value(change, mod), headers(change, index, delivery));
    }

    private static byte[] key(DataChangeRecord change, Mod mod) {
        try {
            return RowFormat.key(change, mod);
        } catch (IllegalArgumentException e) {
            throw new NonRetryableException(
                    "the primary key of a row of the change %s cannot be read, so its place among the other changes is not known"
                            .formatted(change.identity()),
                    e);
        }
    }

    private Headers headers(DataChangeRecord change, int index, Delivery delivery) {
        Headers headers = new RecordHeaders();
        add(headers, "identity", change.identity() + "/" + index);
        database.ifPresent(name -> add(headers, "database", name));
        stream.ifPresent(name -> add(headers, "stream", name));
        add(headers, "table", change.tableName());
        add(headers, "mod_type", change.modTypeName());
        add(headers, "commit_timestamp", change.commitTimestamp().toString());
        add(headers, "server_transaction_id", change.serverTransactionId());
        add(headers, "record_sequence", change.recordSequence());
        add(headers, "mod_index", Integer.toString(index));
        add(headers, "number_of_mods", Integer.toString(change.mods().size()));
        add(headers, "transaction_tag", change.transactionTag());
        add(headers, "partition_token", delivery.partition().value());
        add(headers, "lease_epoch", Long.toString(delivery.epoch()));
        return headers;
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
    }
}
