package dev.spream.core.partition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;

/** Corruptions of the stored state, each of which loses or repeats changes if it is not detected. */
enum StateSabotage {
    /** Not of a child whose parents are all unfinished: they are read again, and name it again. */
    DROP_A_ROW {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(state.partitions(), random, row -> row.token().isRoot() || isVouchedFor(state, row))
                    .map(state::without);
        }
    },
    DROP_A_PROOF {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(state.proofs(), random, proof -> true).map(state::without);
        }
    },
    SHIFT_A_START {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            long nanos = random.nextBoolean() ? 1 : -1;
            return any(state.partitions(), random, row -> row.token().isRoot() || isVouchedFor(state, row))
                    .map(row -> state.with(
                            PartitionEdit.of(row).start(row.startTimestamp().plusNanos(nanos))));
        }
    },
    DROP_AN_END {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(state.partitions(), random, PartitionMetadata::isFinished)
                    .map(row -> state.with(PartitionEdit.of(row).endProof(Optional.empty())));
        }
    },
    DROP_A_CHILD_FROM_AN_END {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(state.partitions(), random, row -> children(row.endProof()) > 1)
                    .map(row -> state.with(
                            PartitionEdit.of(row).endProof(row.endProof().map(end -> withoutOne(end, random)))));
        }
    },
    DROP_A_CHILD_FROM_A_PROOF {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(state.proofs(), random, proof -> children(Optional.of(proof.endProof())) > 1)
                    .map(proof -> state.with(new FinishedPartition(
                            proof.token(),
                            proof.parentTokens(),
                            proof.startTimestamp(),
                            withoutOne(proof.endProof(), random),
                            proof.finishedAt(),
                            proof.gaps())));
        }
    },
    FORGET_THE_PARENTS {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(state.partitions(), random, row -> !row.parentTokens().isEmpty() && isVouchedFor(state, row))
                    .map(row -> state.with(PartitionEdit.of(row).parents(List.of())));
        }
    },
    READ_TOO_EARLY {
        @Override
        Optional<StoredState> spoil(StoredState state, Random random) {
            return any(
                            state.partitions(),
                            random,
                            row -> row.epoch() == 0
                                    && row.parentTokens().stream().anyMatch(isStoredUnfinished(state)))
                    .map(row ->
                            state.with(PartitionEdit.of(PartitionEdit.of(row).epoch(1))
                                    .watermark(row.startTimestamp().plusNanos(1))));
        }
    };

    /** The state with one thing spoilt; empty if there is nothing to spoil in this way. */
    abstract Optional<StoredState> spoil(StoredState state, Random random);

    private static boolean isVouchedFor(StoredState state, PartitionMetadata row) {
        List<PartitionToken> parents = row.parentTokens().isEmpty() ? List.of(PartitionToken.ROOT) : row.parentTokens();
        return !row.token().isRoot() && parents.stream().anyMatch(state.finished()::contains);
    }

    private static Predicate<PartitionToken> isStoredUnfinished(StoredState state) {
        return token -> state.partitions().stream().anyMatch(row -> row.token().equals(token) && !row.isFinished());
    }

    private static int children(Optional<PartitionEnd> end) {
        return end.map(proof -> proof.children().size()).orElse(0);
    }

    private static PartitionEnd withoutOne(PartitionEnd end, Random random) {
        List<PartitionToken> children = new ArrayList<>(end.children());
        children.remove(random.nextInt(children.size()));
        return new PartitionEnd(end.kind(), end.at(), children);
    }

    private static <T> Optional<T> any(Collection<T> from, Random random, Predicate<T> fits) {
        List<T> fitting = from.stream().filter(fits).toList();
        return fitting.isEmpty() ? Optional.empty() : Optional.of(fitting.get(random.nextInt(fitting.size())));
    }
}
