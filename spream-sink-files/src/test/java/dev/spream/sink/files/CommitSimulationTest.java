package dev.spream.sink.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Every change counts once and every key is in order, whatever happens to workers and leases; and the store's conditional
 * write is needed for that. {@code -Dfiles.seeds=1000} runs more.
 */
final class CommitSimulationTest {
    private static final int SEEDS = Integer.getInteger("files.seeds", 30);

    @Test
    void every_change_counts_once_and_every_key_is_in_order() throws Exception {
        int overtaken = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryStore store = new MemoryStore();
            CommitSimulation simulation = new CommitSimulation(seed, store);
            simulation.run();
            assertThat(simulation.flaws(store)).as("seed %d", seed).isEmpty();
            overtaken += simulation.overtaken;
        }
        assertThat(overtaken).as("commits that another one overtook").isGreaterThan(SEEDS);
    }

    @Test
    void without_a_conditional_write_changes_are_lost_or_count_twice() throws Exception {
        int flawed = 0;
        for (long seed = 0; seed < 10; seed++) {
            MemoryStore store = new MemoryStore();
            CommitSimulation simulation = new CommitSimulation(seed, new Unconditional(store));
            simulation.run();
            flawed += simulation.flaws(store).isEmpty() ? 0 : 1;
        }
        assertThat(flawed).isGreaterThan(5);
    }

    /** Stores an object whether there is one or not. */
    private record Unconditional(ObjectStore store) implements ObjectStore {
        @Override
        public boolean putIfAbsent(String name, byte[] content) {
            store.put(name, content);
            return true;
        }

        @Override
        public void put(String name, byte[] content) {
            store.put(name, content);
        }

        @Override
        public Optional<byte[]> get(String name) {
            return store.get(name);
        }

        @Override
        public List<String> list(String prefix) {
            return store.list(prefix);
        }

        @Override
        public void delete(String name) {
            store.delete(name);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
