package dev.spream.benchmarks.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Figures;
import dev.spream.benchmarks.harness.Postgres;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The outbox beside libraries of jobs and bare SQL on the same server: a backlog burnt down, a steady producer, a claim beside a million
 * entries, and entries in order by key.
 */
public final class OutboxRate {
    private static final int THREADS = Integer.getInteger("threads", 32);
    private static final int ENTRIES = Integer.getInteger("entries", 20_000);
    private static final int PER_SECOND = Integer.getInteger("perSecond", 500);
    private static final int LATENCY_TURNS = Integer.getInteger("latencyTurns", 3);
    private static final int ORDERED_TURNS = Integer.getInteger("orderedTurns", 3);
    private static final int CONNECTIONS = THREADS + 16;

    private OutboxRate() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (Postgres postgres = new Postgres(true);
                HikariDataSource database = Postgres.pool(postgres.url(), CONNECTIONS)) {
            try (SpreamQueue spream = new SpreamQueue(database, THREADS, index -> null);
                    WorkQueue dbScheduler = new DbSchedulerQueue(database, THREADS);
                    WorkQueue transactionOutbox = new TransactionOutboxQueue(database, THREADS);
                    WorkQueue bare = new BareQueue(database, THREADS)) {
                List<WorkQueue> queues = List.of(spream, dbScheduler, transactionOutbox, bare);
                QueueRate.drain("a backlog of no-ops, %d at a time".formatted(THREADS), queues, ENTRIES);
                System.out.printf("%nfrom enqueue to start, %d at a time%n", THREADS);
                Map<String, List<Long>> nanos = new LinkedHashMap<>();
                for (int turn = 0; turn < LATENCY_TURNS; turn++) {
                    for (WorkQueue queue : queues) {
                        nanos.computeIfAbsent(queue.label(), label -> new ArrayList<>())
                                .addAll(new QueueLatency(PER_SECOND).measure(queue));
                    }
                }
                Figures.keepTimes(
                        "from enqueue to start, %d a second".formatted(PER_SECOND),
                        "spream ahead of db-scheduler and transaction-outbox",
                        nanos);
            }
            ClaimLatency.measure(database);
            OrderedRate.measure(database, 2 * THREADS, ORDERED_TURNS);
        }
    }
}
