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
 * Converts changes into outbox messages; a redelivered change gives the same messages.
 *
 * @param ordered whether those of a row are sent one at a time, in commit order
 * @param expireAfter how long after its commit a change is still sent; empty for ever
 */
record ChangeOutboxMessages(boolean ordered, Optional<Duration> expireAfter) {
    ChangeOutboxMessages {
        expireAfter.ifPresent(age -> {
            if (age.isNegative() || age.isZero()) {
                throw new IllegalArgumentException(
                        "expireAfter is %s, must be more than nothing".formatted(DurationText.of(age)));
            }
        });
    }

    /** One for each row, in the record's order. */
    List<OutboxMessage> of(DataChangeRecord change) {
        return IntStream.range(0, change.mods().size())
                .mapToObj(index -> message(change, index))
                .toList();
    }

    /**
     * The digest of the key alone: a redelivered record is the same request, even if fewer of its columns are selected.
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

    /** The text, or what stands for it if it is too long. */
    private static String fitting(String text) {
        return text.length() <= OutboxMessage.MAX_KEY ? text : OutboxMessage.digest(text);
    }
}
