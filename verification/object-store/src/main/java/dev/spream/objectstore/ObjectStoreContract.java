package dev.spream.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.sink.files.ObjectStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of {@link ObjectStore}. */
public abstract class ObjectStoreContract {
    private ObjectStore store;

    /** Returns another store on the same objects; there are none at the begin of a test. */
    protected abstract ObjectStore open() throws Exception;

    @BeforeEach
    void open_a_store() throws Exception {
        store = open();
    }

    @AfterEach
    void close_the_store() {
        store.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String stored(String name) {
        return store.get(name)
                .map(content -> new String(content, StandardCharsets.UTF_8))
                .orElse("nothing");
    }

    @Test
    void an_object_is_stored_and_replaced() throws Exception {
        store.put("data/dt=2026-01-01/a.jsonl", bytes("one"));
        assertThat(stored("data/dt=2026-01-01/a.jsonl")).isEqualTo("one");
        store.put("data/dt=2026-01-01/a.jsonl", bytes("two"));
        try (ObjectStore other = open()) {
            assertThat(other.get("data/dt=2026-01-01/a.jsonl")).hasValue(bytes("two"));
        }
    }

    @Test
    void an_object_that_is_not_stored_is_absent() {
        assertThat(store.get("log/1")).isEmpty();
        assertThat(store.list("log/")).isEmpty();
        store.delete("log/1");
    }

    @Test
    void an_object_is_stored_once() throws Exception {
        assertThat(store.putIfAbsent("log/1", bytes("first"))).isTrue();
        assertThat(store.putIfAbsent("log/1", bytes("second"))).isFalse();
        try (ObjectStore other = open()) {
            assertThat(other.putIfAbsent("log/1", bytes("third"))).isFalse();
        }
        assertThat(stored("log/1")).isEqualTo("first");
        store.delete("log/1");
        assertThat(store.putIfAbsent("log/1", bytes("fourth"))).isTrue();
    }

    @Test
    void names_are_listed_by_prefix_in_order() {
        store.put("log/0000000000000000010.json", bytes("x"));
        store.put("log/0000000000000000002.json", bytes("x"));
        store.put("log/0000000000000000001.json", bytes("x"));
        store.put("logs/1", bytes("x"));
        store.put("data/a/b=1/c", bytes("x"));
        assertThat(store.list("log/"))
                .containsExactly(
                        "log/0000000000000000001.json", "log/0000000000000000002.json", "log/0000000000000000010.json");
        assertThat(store.list("data/")).containsExactly("data/a/b=1/c");
        store.delete("log/0000000000000000002.json");
        assertThat(store.list("log/")).hasSize(2);
    }

    @Test
    void names_after_one_are_listed_in_order() {
        store.put("log/0000000000000000010.json", bytes("x"));
        store.put("log/0000000000000000002.json", bytes("x"));
        store.put("log/0000000000000000001.json", bytes("x"));
        store.put("logs/1", bytes("x"));
        assertThat(store.listAfter("log/", "log/0000000000000000001.json"))
                .containsExactly("log/0000000000000000002.json", "log/0000000000000000010.json");
        assertThat(store.listAfter("log/", "log/0000000000000000005.json"))
                .containsExactly("log/0000000000000000010.json");
        assertThat(store.listAfter("log/", "log/0000000000000000010.json")).isEmpty();
    }

    /** Returns more objects than a page of a list has. */
    protected int many() {
        return 1_003;
    }

    @Test
    void all_of_many_objects_are_listed() {
        for (int i = 0; i < many(); i++) {
            store.put("log/%04d".formatted(i), bytes("x"));
        }
        assertThat(store.list("log/")).hasSize(many()).isSorted();
    }

    @Test
    void content_is_kept_as_it_is() {
        byte[] content = new byte[3 << 20];
        new Random(1).nextBytes(content);
        store.put("data/large", content);
        store.put("data/empty", new byte[0]);
        assertThat(store.get("data/large").filter(read -> Arrays.equals(read, content)))
                .isPresent();
        assertThat(store.get("data/empty")).hasValue(new byte[0]);
    }

    /** Returns the number of threads that store an object at the same time; 1 for a store that a library only imitates. */
    protected int writers() {
        return 8;
    }

    @Test
    void of_several_writers_one_stores_an_object() throws Exception {
        int writers = writers();
        int rounds = 20;
        CyclicBarrier together = new CyclicBarrier(writers);
        List<Future<List<Integer>>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            for (int writer = 0; writer < writers; writer++) {
                int id = writer;
                results.add(threads.submit(() -> {
                    List<Integer> won = new ArrayList<>();
                    try (ObjectStore own = open()) {
                        for (int round = 0; round < rounds; round++) {
                            together.await();
                            if (own.putIfAbsent("log/" + round, bytes("writer " + id))) {
                                won.add(round);
                            }
                        }
                    }
                    return won;
                }));
            }
        }
        List<Integer> won = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            for (int round : results.get(writer).get()) {
                won.add(round);
                assertThat(stored("log/" + round)).isEqualTo("writer " + writer);
            }
        }
        assertThat(won).doesNotHaveDuplicates();
        for (int round = 0; round < rounds; round++) {
            assertThat(stored("log/" + round)).startsWith("writer ");
        }
        assertThat(won).as("a client may take its own object for another's").hasSizeGreaterThan(rounds / 2);
    }
}
