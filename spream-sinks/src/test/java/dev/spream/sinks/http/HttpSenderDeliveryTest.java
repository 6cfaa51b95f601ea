package dev.spream.sinks.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.Backoff;
import dev.spream.outbox.worker.OutboxListener;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.testkit.memory.InMemoryOutbox;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sender behind a worker, and a receiver that hangs up before it answers: what each guarantee makes of that. */
@Timeout(60)
final class HttpSenderDeliveryTest {
    private static final String KEY = "order-17";

    private final InMemoryOutbox outbox = new InMemoryOutbox();
    private final BlockingQueue<Settlement> settlements = new LinkedBlockingQueue<>();

    private static HttpSender sender(Broker broker, Guarantee guarantee) {
        HttpSender.Builder sender = HttpSender.builder(broker.url()).guarantee(guarantee);
        return guarantee == Guarantee.QUERYABLE
                ? sender.queryUrl(broker.url() + "{key}").build()
                : sender.build();
    }

    private OutboxWorker start(HttpSender sender) {
        OutboxWorkerOptions options = OutboxWorkerOptions.builder()
                .pollInterval(Duration.ofMillis(10))
                .sendTimeout(Duration.ofSeconds(20))
                .backoff(Backoff.table(List.of(Duration.ofMillis(10))))
                .listener(new OutboxListener() {
                    @Override
                    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
                        settlements.add(settlement);
                    }
                })
                .build();
        OutboxWorker worker =
                OutboxWorker.builder(outbox.store(), sender).options(options).build();
        Thread.ofVirtual().start(worker::run);
        return worker;
    }

    private void enqueue() {
        try (InMemoryOutbox.Transaction transaction = outbox.begin()) {
            outbox.outbox().enqueue(transaction, OutboxMessage.of(KEY, Entries.PAYLOAD));
            transaction.commit();
        }
        outbox.outbox().signal();
    }

    private Settlement next() throws InterruptedException {
        Settlement settlement = settlements.poll(20, TimeUnit.SECONDS);
        if (settlement == null) {
            throw new AssertionError("nothing was settled; the entry is " + row());
        }
        return settlement;
    }

    private OutboxRow row() {
        return outbox.operations().find(KEY).orElseThrow();
    }

    private Optional<LedgerResult> answer() {
        return outbox.ledger().find(KEY).flatMap(LedgerEntry::result);
    }

    private static LedgerResult success(int status, String body) {
        return new LedgerResult(LedgerStatus.SUCCEEDED, status, Optional.of(body), Optional.empty());
    }

    @Test
    void an_idempotent_receiver_gets_it_again_and_acts_once() throws Exception {
        try (Broker broker = new Broker(true, true);
                HttpSender sender = sender(broker, Guarantee.IDEMPOTENT);
                OutboxWorker worker = start(sender)) {
            enqueue();
            assertThat(next())
                    .isInstanceOfSatisfying(
                            Settlement.Failed.class,
                            failed -> assertThat(failed.outcomeUnknown()).isTrue());
            assertThat(next()).isInstanceOf(Settlement.Succeeded.class);
            assertThat(broker.effects()).isEqualTo(Map.of(KEY, 1));
            assertThat(broker.requests()).isEqualTo(Map.of(KEY, 2));
            assertThat(answer()).contains(success(200, "{\"orderId\":1}"));
            worker.close();
        }
    }

    @Test
    void a_receiver_that_can_be_asked_is_not_sent_what_it_has() throws Exception {
        try (Broker broker = new Broker(false, true);
                HttpSender sender = sender(broker, Guarantee.QUERYABLE);
                OutboxWorker worker = start(sender)) {
            enqueue();
            assertThat(next()).isInstanceOf(Settlement.Failed.class);
            assertThat(next()).isInstanceOf(Settlement.Succeeded.class);
            assertThat(broker.effects()).isEqualTo(Map.of(KEY, 1));
            assertThat(broker.requests()).isEqualTo(Map.of(KEY, 1));
            assertThat(broker.queries()).isEqualTo(1);
            assertThat(answer()).contains(success(200, "{\"known\":true}"));
            worker.close();
        }
    }

    @Test
    void a_receiver_that_can_be_asked_is_sent_what_it_does_not_have() throws Exception {
        try (Broker broker = new Broker(false, false);
                HttpSender sender = sender(broker, Guarantee.QUERYABLE);
                OutboxWorker worker = start(sender)) {
            enqueue();
            assertThat(next()).isInstanceOf(Settlement.Failed.class);
            assertThat(next()).isInstanceOf(Settlement.Succeeded.class);
            assertThat(broker.effects()).isEqualTo(Map.of(KEY, 1));
            assertThat(broker.requests()).isEqualTo(Map.of(KEY, 2));
            assertThat(broker.queries()).isEqualTo(1);
            assertThat(answer()).contains(success(200, "{\"orderId\":1}"));
            worker.close();
        }
    }

    @Test
    void an_unknown_outcome_is_parked_if_the_receiver_cannot_be_queried() throws Exception {
        try (Broker broker = new Broker(false, true);
                HttpSender sender = sender(broker, Guarantee.NEITHER);
                OutboxWorker worker = start(sender)) {
            enqueue();
            assertThat(next()).isInstanceOf(Settlement.Parked.class);
            assertThat(row())
                    .returns(OutboxStatus.FAILED, OutboxRow::status)
                    .returns(true, OutboxRow::parked)
                    .returns(true, OutboxRow::outcomeUnknown);
            assertThat(broker.effects()).isEqualTo(Map.of(KEY, 1));
            assertThat(answer()).isEmpty();
            worker.close();
        }
    }

    @Test
    void a_refused_entry_that_is_requeued_is_not_answered_by_the_memory_of_its_refusal() throws Exception {
        try (Broker broker = new Broker(true, true);
                HttpSender sender = sender(broker, Guarantee.IDEMPOTENT);
                OutboxWorker worker = start(sender)) {
            broker.refuse(422);
            enqueue();
            assertThat(next()).isInstanceOf(Settlement.Aborted.class);
            assertThat(answer()).contains(LedgerResult.failed(ReasonCode.REJECTED));
            broker.refuseNothing();
            outbox.operations().requeue(row().id(), new OperatorAction("operator", "the limit was raised"));
            outbox.outbox().signal();
            assertThat(next()).isInstanceOf(Settlement.Failed.class);
            assertThat(next()).isInstanceOf(Settlement.Succeeded.class);
            assertThat(broker.effects()).isEqualTo(Map.of(KEY + "~2", 1));
            assertThat(row().generation()).isEqualTo(2);
            worker.close();
        }
    }
}
