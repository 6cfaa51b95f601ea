package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Draws options: those that users have, and those that make things tight. */
final class SimulatedOptions {
    private SimulatedOptions() {}

    /** Options of a history with whole transactions: one worker has to read all partitions, with little memory. */
    static SubscriberOptions.Builder draw(
            RandomGenerator random, SimulatedWorld world, TransactionMode mode, SimulatedConsumer.Shape shape) {
        SubscriberOptions.Builder builder = draw(random, world);
        if (mode == TransactionMode.OFF) {
            return builder;
        }
        boolean byShape =
                mode == TransactionMode.WHOLE && shape == SimulatedConsumer.Shape.TRANSACTION && random.nextBoolean();
        if (random.nextInt(3) > 0) {
            builder.maxBufferedBytes(SubscriberOptions.MIN_MAX_BUFFERED_BYTES);
        }
        return builder.transactionMode(byShape ? TransactionMode.OFF : mode)
                .maxOpenPartitions(SubscriberOptions.defaults().maxOpenPartitions());
    }

    private static SubscriberOptions.Builder draw(RandomGenerator random, SimulatedWorld world) {
        SubscriberOptions.Builder builder = SubscriberOptions.builder()
                .endAt(world.end)
                .retentionLoss(RetentionLoss.ACCEPT_GAP)
                .heartbeatInterval(between(random, 100, 3_000))
                .missedHeartbeats(2 + random.nextInt(4))
                .maxInflight(random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(64))
                .maxBatchSize(random.nextBoolean() ? 1_000 : 1 + random.nextInt(8))
                .watermarkInterval(between(random, 1, 2_000))
                .partitionDiscoveryInterval(between(random, 10, 2_000))
                .leaseTime(between(random, 2_000, 20_000))
                .drainTimeout(between(random, 1, 20_000))
                .finishedRetention(random.nextInt(3) == 0 ? between(random, 1, 10_000) : Duration.ofDays(1));
        if (random.nextInt(3) > 0) {
            Duration finished = builder.build().finishedRetention();
            builder.proofRetention(finished.plus(between(random, 1, 10_000)));
        }
        if (random.nextInt(3) > 0) {
            builder.ordering(Ordering.values()[random.nextInt(Ordering.values().length)]);
        }
        if (random.nextInt(3) == 0) {
            builder.consumeTimeout(between(random, 10, 5_000));
        }
        if (random.nextInt(3) == 0) {
            builder.maxBufferedChanges(1 + random.nextInt(20));
        }
        if (random.nextInt(3) == 0) {
            builder.maxOpenPartitions(1 + random.nextInt(4));
        }
        return builder;
    }

    /** Milliseconds; each order of magnitude as likely as the others. */
    private static Duration between(RandomGenerator random, double min, double max) {
        return Duration.ofMillis((long) Math.exp(Math.log(min) + random.nextDouble() * Math.log(max / min)));
    }
}
