package dev.spream.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.testkit.ContractRun;
import dev.spream.testkit.partition.ForwardingFixture;
import dev.spream.testkit.partition.RowLockContract;
import dev.spream.testkit.partition.RowLockFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract's own tests: a storage that lets one locked row hold up others fails. */
final class RowLockContractTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final String WATERMARKS = "watermarks_pass_over_a_locked_row_and_name_it_beside_those_that_are_lost";
    private static final String LEASES = "leases_are_renewed_and_given_back_and_acquired_beside_a_locked_row";
    private static final String MANY = "a_call_does_not_wait_for_each_of_many_locked_rows";
    private static final String HUNDREDS = "one_locked_row_of_hundreds_is_soon_the_only_one_that_is_busy";

    @Test
    void a_storage_that_passes_over_locked_rows_fails_nothing() {
        assertThat(failures(Locking::new)).isEmpty();
    }

    @Test
    void a_storage_without_a_word_about_locked_rows_fails() {
        assertThat(failures(storage -> new Locking(storage) {
                    @Override
                    <T> Set<PartitionToken> each(
                            Collection<T> batch,
                            Function<T, PartitionToken> token,
                            Function<List<T>, Set<PartitionToken>> write) {
                        return write.apply(List.copyOf(batch)); // the lock is not seen
                    }
                }))
                .containsExactlyInAnyOrder(WATERMARKS, LEASES, MANY, HUNDREDS);
    }

    @Test
    void a_storage_that_fails_the_whole_batch_for_a_locked_row_fails() {
        assertThat(failures(storage -> new Locking(storage) {
                    @Override
                    <T> Set<PartitionToken> each(
                            Collection<T> batch,
                            Function<T, PartitionToken> token,
                            Function<List<T>, Set<PartitionToken>> write) {
                        if (batch.stream().map(token).anyMatch(locked::contains)) {
                            throw new StorageException("a row is locked", true, null);
                        }
                        return write.apply(List.copyOf(batch));
                    }
                }))
                .containsExactlyInAnyOrder(WATERMARKS, LEASES, MANY, HUNDREDS);
    }

    @Test
    void a_storage_that_forgets_the_lost_ones_beside_the_busy_ones_fails() {
        assertThat(failures(storage -> new Locking(storage) {
                    @Override
                    Set<PartitionToken> lost(Set<PartitionToken> lost) {
                        return Set.of();
                    }
                }))
                .containsExactly(WATERMARKS);
    }

    private static Set<String> failures(UnaryOperator<PartitionStorage> storage) {
        return new ContractRun(RowLockContract.class, () -> new Suite(storage), LIMIT).failures();
    }

    private static final class Suite extends RowLockContract {
        private final UnaryOperator<PartitionStorage> storage;

        Suite(UnaryOperator<PartitionStorage> storage) {
            this.storage = storage;
        }

        @Override
        protected RowLockFixture createFixture() {
            return new Fixture(storage);
        }
    }

    /** A storage in memory with rows that can be locked from outside. */
    private static class Locking extends ForwardingStorage {
        final Set<PartitionToken> locked = ConcurrentHashMap.newKeySet();

        Locking(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
            if (locked.contains(lease.token())) {
                throw new StorageException("the row is locked", true, null);
            }
            return target.finish(lease, watermark, proof);
        }

        <T> Set<PartitionToken> each(
                Collection<T> batch, Function<T, PartitionToken> token, Function<List<T>, Set<PartitionToken>> write) {
            List<T> free = batch.stream()
                    .filter(one -> !locked.contains(token.apply(one)))
                    .toList();
            Set<PartitionToken> lost = write.apply(free);
            if (free.size() == batch.size()) {
                return lost;
            }
            Set<PartitionToken> busy = new HashSet<>(batch.stream().map(token).toList());
            busy.retainAll(locked);
            throw new BusyPartitionsException("rows are locked", busy, lost(lost));
        }

        Set<PartitionToken> lost(Set<PartitionToken> lost) {
            return lost;
        }

        @Override
        public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
            return target.acquire(
                    worker,
                    claims.stream()
                            .filter(claim -> !locked.contains(claim.token()))
                            .toList(),
                    leaseTime);
        }

        @Override
        public Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
            return each(leases, PartitionLease::token, free -> target.renew(free, leaseTime));
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            return each(advances, advance -> advance.lease().token(), target::advanceWatermarks);
        }

        @Override
        public void release(Collection<PartitionLease> leases) {
            each(leases, PartitionLease::token, free -> {
                target.release(free);
                return Set.of();
            });
        }
    }

    private static final class Fixture extends ForwardingFixture implements RowLockFixture {
        Fixture(UnaryOperator<PartitionStorage> spoiler) {
            super(new InMemoryFixture(spoiler));
        }

        @Override
        public RowLock lockRow(PartitionToken token) {
            Set<PartitionToken> locked = ((Locking) storage()).locked;
            locked.add(token);
            return () -> locked.remove(token);
        }
    }
}
