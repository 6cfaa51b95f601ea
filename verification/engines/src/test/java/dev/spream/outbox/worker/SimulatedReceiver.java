package dev.spream.outbox.worker;

import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A receiver in a simulation, and the book of what it took. It refuses some keys for good, and all others it takes, or is down,
 * or takes them and says nothing. What it takes twice it takes for one, if it is idempotent. Requests to an idempotent one may
 * arrive long after the call was over; to others they arrive at once or never.
 */
final class SimulatedReceiver {
    private static final LedgerResult TAKEN = LedgerResult.succeeded("{\"taken\":true}");
    private static final int REFUSED_ONE_IN = 8;

    private final OutboxSender.Guarantee guarantee;
    private final SplittableRandom random;
    private final Duration timeout;
    private final Map<Long, Integer> taken = new HashMap<>();
    private final Map<Long, Boolean> seen = new HashMap<>();
    private final Map<String, List<Long>> orders = new HashMap<>();
    private boolean troubled = true;

    SimulatedReceiver(OutboxSender.Guarantee guarantee, SplittableRandom random, Duration timeout) {
        this.guarantee = guarantee;
        this.random = random;
        this.timeout = timeout;
    }

    /** From now on it answers everything at once. */
    void recover() {
        troubled = false;
    }

    /** Returns how often it took that entry. */
    int taken(long id) {
        return taken.getOrDefault(id, 0);
    }

    /** The entries of an ordering key in the order in which it took them first. */
    List<Long> order(String orderingKey) {
        return orders.getOrDefault(orderingKey, List.of());
    }

    static boolean refuses(long id) {
        return id % REFUSED_ONE_IN == 3;
    }

    /**
     * Returns the sender of a process.
     *
     * @param said the guarantee that it declares
     */
    OutboxSender sender(SimulatedProcess process, OutboxSender.Guarantee said) {
        return new OutboxSender() {
            @Override
            public Guarantee guarantee() {
                return said;
            }

            @Override
            public SendOutcome send(OutboxEntry entry, Duration limit) throws Exception {
                return receive(process, entry);
            }

            @Override
            public QueryOutcome query(OutboxEntry entry, Duration limit) throws Exception {
                process.sleep(random.nextLong(timeout.toNanos() / 4 + 1));
                if (troubled && random.nextInt(4) == 0) {
                    return new QueryOutcome.StillUnknown(ReasonCode.UNAVAILABLE, "down");
                }
                if (taken(entry.id()) > 0) {
                    return new QueryOutcome.Taken(TAKEN);
                }
                return seen.containsKey(entry.id())
                        ? new QueryOutcome.Refused(ReasonCode.REJECTED, "refused")
                        : new QueryOutcome.NotThere();
            }
        };
    }

    private SendOutcome receive(SimulatedProcess process, OutboxEntry entry) throws Exception {
        if (!troubled) {
            arrive(entry);
            return answer(entry);
        }
        return switch (random.nextInt(8)) {
            case 0 -> new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "down");
            case 1 ->
                new SendOutcome.Retryable(
                        ReasonCode.RATE_LIMITED, "slower", Optional.of(Duration.ofMillis(random.nextInt(500))));
            case 2 -> {
                arriveSomeTime(process, entry);
                throw new IllegalStateException("the connection broke");
            }
            case 3 -> {
                arriveSomeTime(process, entry);
                process.sleep(timeout.toNanos() * 3); // interrupted
                throw new AssertionError("not interrupted in three times its time");
            }
            case 4 -> {
                if (random.nextBoolean()) {
                    arriveSomeTime(process, entry);
                }
                yield new SendOutcome.Unknown(ReasonCode.TIMEOUT, "no answer");
            }
            case 5 -> {
                arrive(entry);
                process.sleepUninterruptibly(random.nextLong(timeout.toNanos() * 2));
                yield answer(entry);
            }
            default -> {
                arrive(entry);
                process.sleep(random.nextLong(timeout.toNanos() / 2 + 1));
                yield answer(entry);
            }
        };
    }

    private void arriveSomeTime(SimulatedProcess process, OutboxEntry entry) {
        if (guarantee == OutboxSender.Guarantee.IDEMPOTENT) {
            process.after(random.nextLong(timeout.toNanos() * 4), () -> arrive(entry));
        } else {
            arrive(entry);
        }
    }

    private void arrive(OutboxEntry entry) {
        seen.put(entry.id(), true);
        if (!refuses(entry.id()) && taken.merge(entry.id(), 1, Integer::sum) == 1) {
            entry.orderingKey()
                    .ifPresent(key -> orders.computeIfAbsent(key, any -> new ArrayList<>())
                            .add(entry.id()));
        }
    }

    private static SendOutcome answer(OutboxEntry entry) {
        return refuses(entry.id())
                ? new SendOutcome.Permanent(ReasonCode.REJECTED, "refused")
                : new SendOutcome.Succeeded(TAKEN);
    }
}
