package dev.spream.storage.jdbc.outbox;

import dev.spream.core.DurationText;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.outbox.OutboxMessage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Converts changes to outbox messages; a redelivered change yields the same messages.
 *
 * @param ordered whether the messages of a row are sent one at a time, in commit order
 * @param expireAfter the time after the commit of a change until which it is sent; empty for no limit
 */
record ChangeOutboxMessages(boolean ordered, Optional<Duration> expireAfter) {
    ChangeOutboxMessages {
        expireAfter.ifPresent(age -> {
            if (age.isNegative() || age.isZero()) {
                throw new IllegalArgumentException(
                        "expireAfter is %s; it must be positive".formatted(DurationText.of(age)));
            }
        });
    }

    /** Returns a message for each row, in the order of the record. */
    List<OutboxMessage> of(DataChangeRecord change) {
        return IntStream.range(0, change.mods().size())
                .mapToObj(index -> message(change, index))
                .toList();
    }

    /**
     * Returns the message of a row. Its digest is that of the key alone: a redelivered record is the same request, even
     * if it has fewer columns.
     */
    private OutboxMessage message(DataChangeRecord change, int index) {
        String key = fitting("%s/%s/%d".formatted(change.tableName(), change.identity(), index));
        Mod mod = change.mods().get(index);
        OutboxMessage.Builder message =
                OutboxMessage.builder(key, change.withOnly(mod).toJson()).requestDigest(OutboxMessage.digest(key));
        if (ordered) {
            message.orderingKey(fitting(new RecordKey(change.tableName(), mod.keys()).text()));
        }
        expireAfter.ifPresent(age -> message.expiresAt(change.commitTimestamp().plus(age)));
        return message.build();
    }

    /** Returns the text, or its digest if it is too long. */
    private static String fitting(String text) {
        return text.length() <= OutboxMessage.MAX_KEY ? text : OutboxMessage.digest(text);
    }
}
