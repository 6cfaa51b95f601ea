package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;

import dev.spream.testkit.partition.StorageScenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The content of a storage, as values that a test can change. */
record StoredState(
        SubscriptionRecord subscription, List<PartitionMetadata> partitions, List<FinishedPartition> proofs) {

    static StoredState of(PartitionStorage storage) {
        return new StoredState(
                storage.subscription().orElse(SUBSCRIPTION),
                List.copyOf(storage.lineage().partitions()),
                storage.proofs());
    }

    LineageReport check() {
        return LineageCheck.check(subscription, Lineage.of(partitions, StorageScenario.START), proofs);
    }

    /** The tokens of finished partitions, removed ones included. */
    Set<PartitionToken> finished() {
        Set<PartitionToken> finished = new HashSet<>();
        partitions.stream().filter(PartitionMetadata::isFinished).forEach(p -> finished.add(p.token()));
        proofs.forEach(proof -> finished.add(proof.token()));
        return finished;
    }

    StoredState with(SubscriptionRecord other) {
        return new StoredState(other, partitions, proofs);
    }

    StoredState without(PartitionMetadata partition) {
        List<PartitionMetadata> left = new ArrayList<>(partitions);
        left.remove(partition);
        return new StoredState(subscription, left, proofs);
    }

    StoredState without(FinishedPartition proof) {
        List<FinishedPartition> left = new ArrayList<>(proofs);
        left.remove(proof);
        return new StoredState(subscription, partitions, left);
    }

    /** With that row in the place of the one with its token, or added. */
    StoredState with(PartitionMetadata partition) {
        List<PartitionMetadata> changed = new ArrayList<>(partitions);
        changed.removeIf(stored -> stored.token().equals(partition.token()));
        changed.add(partition);
        return new StoredState(subscription, changed, proofs);
    }

    StoredState with(FinishedPartition proof) {
        List<FinishedPartition> changed = new ArrayList<>(proofs);
        changed.removeIf(stored -> stored.token().equals(proof.token()));
        changed.add(proof);
        return new StoredState(subscription, partitions, changed);
    }
}
