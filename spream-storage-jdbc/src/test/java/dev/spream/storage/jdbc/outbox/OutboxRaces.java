package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests with concurrent workers and writers: nothing fails, nothing is lost, nothing is settled twice, and keys stay in
 * order.
 */
@Timeout(120)
abstract class OutboxRaces {
    private static final int WORKERS = 4;
    private static final int ENTRIES = Integer.getInteger("outbox.race-entries", 200);
    private static final int KEYS = 10;
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final TestOutbox test = new TestOutbox(place());
    private final Queue<OutboxClaim> sent = new ConcurrentLinkedQueue<>();

    abstract OutboxPlace place();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void each_entry_is_settled_once_under_concurrent_claims_failures_and_enqueues() throws Exception {
        List<Callable<Void>> parties = new ArrayList<>();
        parties.add(() -> enqueue(0));
        parties.add(() -> enqueue(1));
        for (int worker = 0; worker < WORKERS; worker++) {
            OutboxOwner owner = OutboxOwner.of("worker" + worker);
            Random random = new Random(worker);
            parties.add(() -> work(owner, random));
        }

        run(parties);

        assertThat(sent).hasSize(ENTRIES);
        assertThat(sent.stream().map(claim -> claim.entry().id()).collect(Collectors.toSet()))
                .hasSize(ENTRIES);
        assertThat(test.rows("""
                        SELECT o.status, l.status, count(*)
                        FROM @outbox o JOIN @ledger l USING (idempotency_key) GROUP BY 1, 2""")).containsExactly("succeeded,succeeded," + ENTRIES);
    }

    /** Enqueues all messages; each writer does so in a different order. */
    private Void enqueue(int writer) throws SQLException {
        List<OutboxMessage> messages = new ArrayList<>(IntStream.range(0, ENTRIES)
                .mapToObj(n -> OutboxMessage.of("k" + n, "{}"))
                .toList());
        Collections.shuffle(messages, new Random(writer));
        for (int from = 0; from < ENTRIES; from += 100) {
            test.enqueue(messages.subList(from, from + 100).toArray(OutboxMessage[]::new));
            test.outbox.signal();
        }
        return null;
    }

    private Void work(OutboxOwner owner, Random random) {
        while (sent.size() < ENTRIES) {
            List<OutboxClaim> claims =
                    test.store.claim(owner, "", 1 + random.nextInt(40), LEASE).claims();
            List<OutboxClaim.Ref> refs = claims.stream().map(OutboxClaim::ref).collect(Collectors.toList());
            Collections.shuffle(refs, random);
            assertThat(test.store.renew(owner, refs, LEASE)).isEmpty();
            List<Settlement> settlements = new ArrayList<>();
            for (OutboxClaim claim : claims) {
                settlements.add(settlement(claim, random.nextInt(10)));
            }
            Collections.shuffle(settlements, random);
            assertThat(test.store.settle(owner, settlements)).isEmpty();
            test.store.expire(10);
        }
        return null;
    }

    private Settlement settlement(OutboxClaim claim, int chance) {
        if (chance == 0) {
            return new Settlement.Failed(claim.ref(), ReasonCode.UNAVAILABLE, "down", Duration.ZERO, false);
        }
        if (chance == 1) {
            return new Settlement.Released(claim.ref());
        }
        sent.add(claim);
        return new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded());
    }

    @Test
    void keys_stay_in_order_while_segments_change_hands() throws Exception {
        for (int from = 0; from < ENTRIES; from += 100) {
            int first = from;
            test.enqueue(IntStream.range(first, first + 100)
                    .mapToObj(n -> OutboxMessage.builder("k" + n, "{}")
                            .orderingKey("key" + n % KEYS)
                            .build())
                    .toArray(OutboxMessage[]::new));
        }
        List<Callable<Void>> parties = new ArrayList<>();
        for (int worker = 0; worker < WORKERS; worker++) {
            OutboxOwner owner = OutboxOwner.of("worker" + worker);
            Random random = new Random(worker);
            parties.add(() -> workInOrder(owner, random));
        }

        run(parties);

        Map<String, List<Long>> byKey = new HashMap<>();
        for (OutboxClaim claim : sent) {
            byKey.computeIfAbsent(claim.entry().orderingKey().orElseThrow(), key -> new ArrayList<>())
                    .add(claim.entry().id());
        }
        assertThat(sent).hasSize(ENTRIES);
        assertThat(byKey).hasSize(KEYS);
        assertThat(byKey.values()).allSatisfy(ids -> assertThat(ids).isSorted());
    }

    /** Claims all entries that were read, first of their keys or not, with segments that may just have been lost. */
    private Void workInOrder(OutboxOwner owner, Random random) {
        while (sent.size() < ENTRIES) {
            List<OutboxSegmentLease> segments =
                    test.store.holdSegments(owner, Set.of(), LEASE).held();
            Map<Integer, Long> after =
                    segments.stream().collect(Collectors.toMap(OutboxSegmentLease::segment, segment -> 0L));
            List<Long> ids = test.store.ordered("", after, 20).stream()
                    .map(OrderedEntry::id)
                    .toList();
            List<OutboxClaim> claims =
                    test.store.claimOrdered(owner, segments, ids, LEASE).claims();
            sent.addAll(claims);
            test.store.settle(
                    owner,
                    claims.stream()
                            .<Settlement>map(claim -> new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()))
                            .toList());
            if (random.nextInt(5) == 0) {
                test.store.releaseSegments(owner);
            }
        }
        return null;
    }

    private static void run(List<Callable<Void>> parties) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Void> party : threads.invokeAll(parties)) {
                party.get();
            }
        }
    }
}
