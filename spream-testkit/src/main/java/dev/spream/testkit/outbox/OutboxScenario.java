package dev.spream.testkit.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** An outbox and its workers, with the calls that the tests of the contracts share. */
final class OutboxScenario<T> {
    static final OutboxOwner ANN = OutboxOwner.of("ann");
    static final OutboxOwner BOB = OutboxOwner.of("bob");
    static final OutboxOwner CARL = OutboxOwner.of("carl");
    static final Duration LEASE = Duration.ofMinutes(1);
    static final Duration DELAY = Duration.ofSeconds(20);
    static final LedgerResult ACCEPTED = LedgerResult.succeeded("{\"order\":7}");
    static final LedgerResult REJECTED = LedgerResult.failed(ReasonCode.REJECTED);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int ATTEMPTS = 200;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final OutboxFixture<T> fixture;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    OutboxScenario(OutboxFixture<T> fixture) {
        this.fixture = fixture;
    }

    /** The access of the parts of a contract to the scenario. */
    interface Stage<T> {
        OutboxScenario<T> given();
    }

    OutboxFixture<T> fixture() {
        return fixture;
    }

    OutboxStore store() {
        return fixture.store();
    }

    Outbox<T> outbox() {
        return fixture.outbox();
    }

    IdempotencyLedger<T> ledger() {
        return fixture.ledger();
    }

    /** Runs work in a transaction and commits it; in another one after a retryable failure, as callers do. */
    <V> V committed(Function<T, V> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return committedOnce(work);
            } catch (StorageException e) {
                if (!e.retryable() || attempt == ATTEMPTS) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private <V> V committedOnce(Function<T, V> work) {
        T transaction = fixture.begin();
        V result;
        try {
            result = work.apply(transaction);
        } catch (Throwable t) {
            fixture.rollback(transaction);
            throw t;
        }
        fixture.commit(transaction);
        return result;
    }

    /** Runs work in a transaction and rolls it back. */
    <V> V rolledBack(Function<T, V> work) {
        T transaction = fixture.begin();
        try {
            return work.apply(transaction);
        } finally {
            fixture.rollback(transaction);
        }
    }

    EnqueueResult enqueue(OutboxMessage message) {
        return committed(transaction -> outbox().enqueue(transaction, message));
    }

    static OutboxMessage message(String key) {
        return OutboxMessage.of(key, "{\"of\":\"%s\"}".formatted(key));
    }

    static OutboxMessage.Builder messageBuilder(String key) {
        return OutboxMessage.builder(key, "{\"of\":\"%s\"}".formatted(key));
    }

    /** Enqueues an entry that is due and returns its id. */
    long enqueued(String key) {
        return enqueued(message(key));
    }

    long enqueued(OutboxMessage message) {
        return idOf(enqueue(message));
    }

    void enqueuedAll(String... keys) {
        Arrays.stream(keys).forEach(this::enqueued);
    }

    /**
     * Enqueues an entry with an ordering key, due once all earlier entries of the key are settled, and returns its id.
     */
    long ordered(String key, String orderingKey) {
        return enqueued(messageBuilder(key).orderingKey(orderingKey).build());
    }

    static long idOf(EnqueueResult result) {
        assertThat(result).isInstanceOf(EnqueueResult.Enqueued.class);
        return ((EnqueueResult.Enqueued) result).id();
    }

    /** Enqueues an entry and claims it. */
    OutboxClaim claimed(OutboxOwner owner, String key) {
        enqueued(key);
        return claim(owner);
    }

    /** Claims the only entry that is due. */
    OutboxClaim claim(OutboxOwner owner) {
        List<OutboxClaim> claims = claims(owner);
        assertThat(claims).hasSize(1);
        return claims.getFirst();
    }

    List<OutboxClaim> claims(OutboxOwner owner) {
        return store().claim(owner, "", 100, LEASE).claims();
    }

    List<String> claimedKeys(OutboxOwner owner) {
        return keys(claims(owner));
    }

    static List<String> keys(List<OutboxClaim> claims) {
        return claims.stream().map(claim -> claim.entry().idempotencyKey()).toList();
    }

    /** Holds the owner's segments and claims those of the entries that it may claim. */
    List<OutboxClaim> claimOrdered(OutboxOwner owner, Long... ids) {
        List<OutboxSegmentLease> segments = segments(owner).held();
        return store().claimOrdered(owner, segments, List.of(ids), LEASE).claims();
    }

    OutboxSegmentShare segments(OutboxOwner owner) {
        return store().holdSegments(owner, Set.of(), LEASE);
    }

    /** Settles claims that the owner still holds. */
    void settle(OutboxOwner owner, Settlement... settlements) {
        assertThat(store().settle(owner, List.of(settlements))).isEmpty();
    }

    void succeed(OutboxOwner owner, OutboxClaim claim) {
        settle(owner, new Settlement.Succeeded(claim.ref(), ACCEPTED));
    }

    void abort(OutboxOwner owner, OutboxClaim claim) {
        settle(owner, new Settlement.Aborted(claim.ref(), REJECTED, "no"));
    }

    void fail(OutboxOwner owner, OutboxClaim claim) {
        settle(owner, failure(claim.ref(), DELAY));
    }

    void park(OutboxOwner owner, OutboxClaim claim, boolean outcomeUnknown) {
        settle(owner, new Settlement.Parked(claim.ref(), ReasonCode.OUTCOME_UNKNOWN, "?", outcomeUnknown));
    }

    static Settlement.Failed failure(OutboxClaim.Ref claim, Duration delay) {
        return new Settlement.Failed(claim, ReasonCode.UNAVAILABLE, "down", delay, false);
    }

    static Settlement.Failed unknownFailure(OutboxClaim.Ref claim, Duration delay) {
        return new Settlement.Failed(claim, ReasonCode.TIMEOUT, "no answer", delay, true);
    }

    /** Returns one settlement of each kind. */
    static List<Settlement> everySettlement(OutboxClaim.Ref claim) {
        return List.of(
                new Settlement.Succeeded(claim, ACCEPTED),
                failure(claim, DELAY),
                new Settlement.Parked(claim, ReasonCode.OUTCOME_UNKNOWN, "?", true),
                new Settlement.Aborted(claim, REJECTED, "no"),
                new Settlement.Released(claim));
    }

    /** Settles a request in the ledger only, as a program other than the worker could. */
    void settledInLedger(String key, LedgerResult result) {
        LedgerEntry entry = ledgerEntry(key);
        boolean settled = committed(
                transaction -> ledger().settle(transaction, key, entry.generation(), entry.requestDigest(), result));
        assertThat(settled).isTrue();
    }

    LedgerEntry ledgerEntry(String key) {
        return ledger().find(key).orElseThrow();
    }

    Optional<LedgerResult> result(String key) {
        return ledgerEntry(key).result();
    }

    OutboxStatus status(String key) {
        return fixture.status(key);
    }

    void pass(Duration time) {
        fixture.passTime(time);
    }

    void letLeasesRunOut() {
        pass(LEASE.plusSeconds(1));
    }

    /** Returns the time after that duration, with a precision that every store can hold. */
    Instant in(Duration time) {
        return fixture.now().plus(time).truncatedTo(ChronoUnit.MILLIS);
    }

    /** Runs work on a thread of its own. */
    <V> Future<V> start(Callable<V> work) {
        return threads.submit(work);
    }

    /** Runs work on several threads at the same time. */
    <V> List<V> onThreads(int count, Callable<V> work) throws Exception {
        return ended(Collections.nCopies(count, work));
    }

    <V> List<V> ended(List<Callable<V>> works) throws Exception {
        return threads.invokeAll(works).stream().map(OutboxScenario::resultOf).toList();
    }

    static <V> V resultOf(Future<V> work) {
        try {
            return work.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("work on another thread failed", e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    static void assertWaits(Future<?> work) {
        assertThatThrownBy(() -> work.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS))
                .as("ended instead of waiting")
                .isInstanceOf(TimeoutException.class);
    }

    /**
     * Returns the JSON text without insignificant whitespace; only for texts whose strings contain no spaces or quotes.
     */
    static String json(String text) {
        return text.replaceAll("\\s", "");
    }

    void close() {
        threads.shutdownNow();
    }
}
