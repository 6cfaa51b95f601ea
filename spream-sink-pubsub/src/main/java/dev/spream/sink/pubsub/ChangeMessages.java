package dev.spream.sink.pubsub;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;
import java.util.Optional;

/**
 * Converts a change into messages, one for each changed row, as {@link PubsubSinkProvider} documents them. Their
 * contents depend on the change and its partition alone, and on the clock as far as the format does: a change that is
 * delivered again results in equal messages.
 *
 * @param rows the format of the bodies; empty for the documentation's record
 */
record ChangeMessages(Optional<ChangeFormat> rows) {
    static final ChangeMessages OF_RECORDS = new ChangeMessages(Optional.empty());

    private static final ChangeFormat RECORD = ChangeFormat.record();

    /** @throws NonRetryableException if a message cannot be built; none is to be published then */
    List<PubsubMessage> of(DataChangeRecord change, Delivery delivery) {
        return ChangedRow.of(change, delivery).stream().map(this::message).toList();
    }

    /**
     * Returns messages without bodies, for the place of the rows among other changes.
     *
     * @throws NonRetryableException if the primary key of a row cannot be read
     */
    static List<PubsubMessage> places(DataChangeRecord change, Delivery delivery) {
        return ChangedRow.of(change, delivery).stream()
                .map(row -> PubsubMessage.newBuilder()
                        .setOrderingKey(orderingKey(row))
                        .build())
                .toList();
    }

    private PubsubMessage message(ChangedRow row) {
        DataChangeRecord change = row.change();
        ByteString body = UnsafeByteOperations.unsafeWrap(rows.orElse(RECORD).value(row));
        PubsubMessage.Builder message = PubsubMessage.newBuilder()
                .setData(body)
                .setOrderingKey(orderingKey(row))
                .putAttributes("identity", ShortText.of(row.identity()))
                .putAttributes("table", ShortText.of(change.tableName()))
                .putAttributes("mod_type", ShortText.of(change.modTypeName()))
                .putAttributes("commit_timestamp", change.commitTimestamp().toString())
                .putAttributes("server_transaction_id", ShortText.of(change.serverTransactionId()))
                .putAttributes("record_sequence", ShortText.of(change.recordSequence()))
                .putAttributes("mod_index", Integer.toString(row.index()))
                .putAttributes("number_of_mods", Integer.toString(change.mods().size()))
                .putAttributes(
                        "partition_token",
                        ShortText.of(row.delivery().partition().value()));
        rows.ifPresent(format -> {
            message.putAttributes("content-type", format.contentType());
            format.headers(row).forEach((name, value) -> message.putAttributes(name, ShortText.of(value)));
        });
        return message.build();
    }

    private static String orderingKey(ChangedRow row) {
        try {
            return ShortText.of(row.recordKey().text());
        } catch (IllegalArgumentException e) {
            throw new NonRetryableException(
                    "the primary key of a row of the change %s cannot be read, so its place among the other changes is not known"
                            .formatted(row.change().identity()),
                    e);
        }
    }
}
