package dev.spream.sink.pubsub;

import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts a change into messages, one for each changed row, as {@link PubsubSinkProvider} documents them. Their
 * contents depend on the change and its partition alone: a change that is delivered again results in equal messages.
 */
final class ChangeMessages {
    private ChangeMessages() {}

    /** @throws NonRetryableException if a message cannot be built; none is to be published then */
    static List<PubsubMessage> of(DataChangeRecord change, Delivery delivery) {
        List<PubsubMessage> messages = new ArrayList<>(change.mods().size());
        for (int i = 0; i < change.mods().size(); i++) {
            messages.add(message(change, i, delivery));
        }
        return messages;
    }

    private static PubsubMessage message(DataChangeRecord change, int index, Delivery delivery) {
        Mod mod = change.mods().get(index);
        return PubsubMessage.newBuilder()
                .setData(ByteString.copyFromUtf8(change.withOnly(mod).toJson()))
                .setOrderingKey(orderingKey(change, mod))
                .putAttributes("identity", ShortText.of(change.identity() + "/" + index))
                .putAttributes("table", ShortText.of(change.tableName()))
                .putAttributes("mod_type", ShortText.of(change.modTypeName()))
                .putAttributes("commit_timestamp", change.commitTimestamp().toString())
                .putAttributes("server_transaction_id", ShortText.of(change.serverTransactionId()))
                .putAttributes("record_sequence", ShortText.of(change.recordSequence()))
                .putAttributes("mod_index", Integer.toString(index))
                .putAttributes("number_of_mods", Integer.toString(change.mods().size()))
                .putAttributes(
                        "partition_token", ShortText.of(delivery.partition().value()))
                .build();
    }

    private static String orderingKey(DataChangeRecord change, Mod mod) {
        try {
            return ShortText.of(new RecordKey(change.tableName(), mod.keys()).text());
        } catch (IllegalArgumentException e) {
            throw new NonRetryableException(
                    "the primary key of a row of the change %s cannot be read, so its place among the other changes is not known"
                            .formatted(change.identity()),
                    e);
        }
    }
}
