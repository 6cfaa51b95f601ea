package dev.spream.outbox.worker;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.testkit.outbox.OutboxSenderFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A receiver in this process, and a sender to it. */
final class InMemoryReceiver implements OutboxSenderFixture, OutboxSender {
    private final Guarantee guarantee;
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Receiver behaviour = Receiver.ACCEPTS;

    InMemoryReceiver(Guarantee guarantee) {
        this.guarantee = guarantee;
    }

    @Override
    public OutboxSender sender() {
        return this;
    }

    @Override
    public void receiver(Receiver next) {
        behaviour = next;
    }

    @Override
    public List<String> received() {
        return List.copyOf(received);
    }

    @Override
    public Guarantee guarantee() {
        return guarantee;
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws InterruptedException {
        if (behaviour == Receiver.UNREACHABLE) {
            return new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "connection refused");
        }
        received.add(name(entry));
        return switch (behaviour) {
            case REFUSES -> new SendOutcome.Permanent(ReasonCode.REJECTED, "refused");
            case HANGS -> hang(timeout);
            default -> new SendOutcome.Succeeded(LedgerResult.succeeded());
        };
    }

    private SendOutcome hang(Duration timeout) throws InterruptedException {
        boolean over = closed.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
        return new SendOutcome.Unknown(ReasonCode.TIMEOUT, over ? "closed" : "no answer");
    }

    @Override
    public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
        if (guarantee != Guarantee.QUERYABLE) {
            return OutboxSender.super.query(entry, timeout);
        }
        return received.contains(name(entry))
                ? new QueryOutcome.Taken(LedgerResult.succeeded())
                : new QueryOutcome.NotThere();
    }

    private static String name(OutboxEntry entry) {
        return entry.idempotencyKey() + "/" + entry.generation();
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
