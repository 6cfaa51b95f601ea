package dev.spream.testkit.partition;

import dev.spream.core.partition.PartitionStorage;

/**
 * The contract of {@link PartitionStorage} as tests. Extend it in the tests of a storage; every test gets a fixture of
 * its own. A storage keeps the whole contract: no test is optional.
 *
 * <p>The tests are in the interfaces that this class implements, by subject.
 */
public abstract class PartitionStorageContract extends StorageContract<PartitionStorageFixture>
        implements OpenContract,
                AcquireContract,
                LeaseContract,
                FencingContract,
                ChildrenContract,
                WatermarkContract,
                GapContract,
                MoveInContract,
                MoveOutContract,
                MoveGateContract,
                FinishContract,
                WorkerContract,
                CleanUpContract,
                ProofContract,
                FrontierContract,
                LookContract,
                CorrectionContract,
                AddedGapContract,
                AddedSnapshotContract,
                ReplacementContract,
                SeparationContract,
                CapacityContract {}
