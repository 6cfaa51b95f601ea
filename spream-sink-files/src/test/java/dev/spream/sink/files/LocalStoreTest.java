package dev.spream.sink.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of files in a folder. */
final class LocalStoreTest {
    @TempDir
    private Path folder;

    @Test
    void files_are_for_their_owner_alone_and_nothing_temporary_stays() throws IOException {
        LocalStore store = LocalStore.open(folder);
        store.put("data/a", new byte[] {1});
        store.putIfAbsent("log/1", new byte[] {1});
        store.putIfAbsent("log/1", new byte[] {2});
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("log/1"))))
                .isEqualTo("rw-------");
        try (Stream<Path> temporary = Files.list(folder.resolve("temporary"))) {
            assertThat(temporary).isEmpty();
        }
    }

    @Test
    void a_folder_that_is_gone_is_not_made_anew() throws IOException {
        LocalStore store = LocalStore.open(Files.createDirectory(folder.resolve("mount")));
        Files.delete(folder.resolve("mount"));
        assertThatThrownBy(() -> store.put("data/a", new byte[0]))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e -> assertThat(e.retryable()).isFalse())
                .hasMessageContaining("mount is missing; create it");
        assertThat(folder.resolve("mount")).doesNotExist();
        assertThatThrownBy(() -> LocalStore.open(folder.resolve("mount")))
                .hasMessageContaining("does not exist; create it");
    }

    @Test
    void a_name_does_not_lead_out_of_the_folder() {
        LocalStore store = LocalStore.open(folder);
        assertThatThrownBy(() -> store.put("../a", new byte[0])).hasMessageContaining("is outside of");
        assertThat(store.list("log/")).isEqualTo(List.of());
    }

    @Test
    void an_interrupt_does_not_damage_a_file() {
        LocalStore store = LocalStore.open(folder);
        Thread.currentThread().interrupt();
        store.put("data/a", new byte[] {1, 2, 3});
        assertThat(Thread.interrupted()).isTrue();
        assertThat(store.get("data/a")).hasValue(new byte[] {1, 2, 3});
    }

    @Test
    void files_that_are_deleted_meanwhile_are_not_listed_and_break_nothing() throws Exception {
        LocalStore store = LocalStore.open(folder);
        Path checks = Files.createDirectory(folder.resolve("checks"));
        store.put("checks/stays", new byte[0]);
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 300; i++) {
                Files.createFile(checks.resolve("goes" + i));
            }
            Thread deleting = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 300; i++) {
                    store.delete("checks/goes" + i);
                }
            });
            do {
                assertThat(store.list("checks/")).contains("checks/stays");
            } while (deleting.isAlive());
            deleting.join();
        }
    }
}
