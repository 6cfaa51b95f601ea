package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A counter of a subscription, with every value of its tag. */
enum Count {
    SETTLED("spream.changes.settled", "Settled changes, by outcome.", "outcome", Meters.tags(Outcome.values())),
    DELIVERIES("spream.deliveries", "Deliveries of changes to the consumer, repeated ones included."),
    RETRIES("spream.delivery.retries", "Deliveries repeated after a failure."),
    FAILURES(
            "spream.delivery.failures",
            "Failed deliveries, by the decision of the error handler.",
            "decision",
            List.of("retry", "skip", "dead_letter", "park_key", "stop")),
    TIMEOUTS("spream.delivery.timeouts", "Calls of the consumer that were interrupted after consume-timeout."),
    ACQUIRED("spream.partitions.acquired", "Partitions that this worker claimed."),
    RELEASED("spream.partitions.released", "Partitions that this worker released before their end."),
    FINISHED("spream.partitions.finished", "Partitions read to their end, with everything settled."),
    LEASES_LOST("spream.leases.lost", "Partitions whose lease this worker lost before their end."),
    RECONNECTS(
            "spream.stream.reconnects",
            "Restarted partition queries, by the cause of the previous end.",
            "cause",
            Stream.concat(Meters.tags(SourceException.Kind.values()).stream(), Stream.of(Count.END_WITHOUT_PROOF))
                    .toList()),
    DUPLICATES("spream.stream.duplicates", "Changes read again after a reconnect and dropped."),
    GAPS("spream.stream.gaps", "Accepted gaps: changes lost to the retention period."),
    INCOMPLETE(
            "spream.transactions.incomplete",
            "Whole transactions that were settled while changes of them were missing, by reason: their time is in an accepted gap, or the changes were settled before a restart or a lost lease, or neither explains it and the reason is unknown.",
            "reason",
            Meters.tags(MissingChanges.values())),
    STORAGE_RETRIES(
            "spream.storage.retries",
            "Failed storage calls that are retried, by operation.",
            "operation",
            Meters.tags(StorageOperation.values())),
    WATERMARK_WRITES("spream.watermarks.writes", "Calls to the storage that stored watermarks.");

    /** A query that ended with OK although no record proved the end of the partition. */
    static final String END_WITHOUT_PROOF = "end_without_proof";

    private static final String NO_TAG = "";

    private final String meter;
    private final String meaning;
    private final String tag;

    @SuppressWarnings("ImmutableEnumChecker") // every list is made by List.of or toList
    private final List<String> values;

    Count(String meter, String meaning) {
        this(meter, meaning, NO_TAG, List.of(NO_TAG));
    }

    Count(String meter, String meaning, String tag, List<String> values) {
        this.meter = meter;
        this.meaning = meaning;
        this.tag = tag;
        this.values = values;
    }

    private Meters.Tagged register(Meters meters) {
        return tag.equals(NO_TAG)
                ? new Meters.Tagged(Map.of(NO_TAG, meters.counter(meter, meaning)))
                : meters.counters(meter, meaning, tag, values);
    }

    /** The counters of one subscription, all registered on creation. Safe for use by many threads. */
    static final class Counters {
        private final Map<Count, Meters.Tagged> counters;

        Counters(Meters meters) {
            counters = Arrays.stream(values())
                    .collect(Collectors.toUnmodifiableMap(count -> count, count -> count.register(meters)));
        }

        void increment(Count count) {
            increment(count, NO_TAG);
        }

        void increment(Count count, String value) {
            requireNonNull(counters.get(count)).of(value).increment();
        }
    }
}
