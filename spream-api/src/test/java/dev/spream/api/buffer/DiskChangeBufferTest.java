package dev.spream.api.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.SpreamException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskChangeBufferTest {
    @TempDir
    private Path folder;

    @Test
    void changes_come_back_equal_and_the_file_is_gone_at_the_end() throws IOException {
        DiskChangeBuffer buffer = new DiskChangeBuffer(folder);
        assertThat(files()).isEmpty();
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(buffer.add(change(i)));
        }
        assertThat(files()).hasSize(1);

        for (int i = 0; i < 1_000; i += 2) {
            buffer.remove(List.of(ids.get(i)));
        }
        for (int i = 1; i < 1_000; i += 2) {
            assertThat(buffer.read(ids.get(i))).isEqualTo(change(i));
        }

        buffer.close();
        buffer.remove(List.of(ids.get(1))); // a delivery may end later
        buffer.close();
        assertThat(files()).isEmpty();
    }

    @Test
    void files_of_processes_that_were_killed_are_deleted_and_those_in_use_are_not() throws IOException {
        try (DiskChangeBuffer used = new DiskChangeBuffer(folder)) {
            long id = used.add(change(1));
            Path left = Files.copy(files().getFirst(), folder.resolve("spream-transactions-left.mv"));
            Path other = Files.createFile(folder.resolve("another program's.mv"));
            try (DiskChangeBuffer buffer = new DiskChangeBuffer(folder)) {
                buffer.add(change(2));

                assertThat(files()).hasSize(3).doesNotContain(left).contains(other);
                assertThat(used.read(id)).isEqualTo(change(1));
            }
        }
    }

    @Test
    void a_file_that_another_process_has_created_and_not_opened_yet_stays() throws IOException {
        Path created = Files.createTempFile(folder, "spream-transactions-", ".mv");
        Path left = Files.createTempFile(folder, "spream-transactions-", ".mv");
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minusSeconds(3600)));

        try (DiskChangeBuffer buffer = new DiskChangeBuffer(folder)) {
            buffer.add(change(1));

            assertThat(files()).hasSize(2).contains(created).doesNotContain(left);
        }
    }

    @Test
    void others_than_files_of_this_user_stay_and_do_not_end_the_search() throws IOException {
        List<Path> others = new ArrayList<>();
        for (String name : List.of("a", "z")) {
            Path full = Files.createDirectory(folder.resolve("spream-transactions-" + name + ".mv"));
            others.add(Files.createFile(full.resolve("content")).getParent());
            others.add(Files.createSymbolicLink(folder.resolve("spream-transactions-" + name + name + ".mv"), full));
        }
        Path left = Files.writeString(folder.resolve("spream-transactions-left.mv"), "no store");

        try (DiskChangeBuffer buffer = new DiskChangeBuffer(folder)) {
            buffer.add(change(1));

            assertThat(files()).hasSize(5).containsAll(others).doesNotContain(left);
        }
    }

    @Test
    void another_file_is_created_where_the_search_of_another_process_has_locked_the_first() throws IOException {
        List<MVStore> searches = new ArrayList<>();
        DiskChangeBuffer.FileCalls calls = new DiskChangeBuffer.FileCalls() {
            @Override
            public Path create(Path folder) throws IOException {
                Path file = DiskChangeBuffer.FileCalls.super.create(folder);
                if (searches.isEmpty()) {
                    searches.add(MVStore.open(file.toString()));
                }
                return file;
            }
        };
        try (DiskChangeBuffer buffer = new DiskChangeBuffer(folder, calls)) {
            long id = buffer.add(change(1));

            assertThat(buffer.read(id)).isEqualTo(change(1));
            assertThat(files()).hasSize(1); // the locked one is deleted
        } finally {
            searches.forEach(MVStore::closeImmediately);
        }
    }

    @Test
    void a_file_of_another_user_stays() throws IOException {
        Path others = Files.writeString(folder.resolve("spream-transactions-others.mv"), "no store");
        DiskChangeBuffer.FileCalls calls = new DiskChangeBuffer.FileCalls() {
            @Override
            public UserPrincipal owner(Path file) throws IOException {
                return file.equals(others) ? () -> "bob" : DiskChangeBuffer.FileCalls.super.owner(file);
            }
        };
        try (DiskChangeBuffer buffer = new DiskChangeBuffer(folder, calls)) {
            buffer.add(change(1));

            assertThat(files()).hasSize(2).contains(others);
        }
    }

    @Test
    void only_the_user_of_the_process_may_read_the_file() throws IOException {
        try (DiskChangeBuffer buffer = new DiskChangeBuffer(folder)) {
            buffer.add(change(1));

            assertThat(Files.getPosixFilePermissions(files().getFirst()))
                    .allSatisfy(permission -> assertThat(permission.name()).startsWith("OWNER_"));
        }
    }

    @Test
    void a_folder_that_cannot_be_written_is_named() {
        Path missing = folder.resolve("missing");
        try (DiskChangeBuffer buffer = new DiskChangeBuffer(missing)) {
            assertThatThrownBy(() -> buffer.add(change(1)))
                    .isInstanceOf(SpreamException.class)
                    .hasMessageContaining("cannot be kept in a file in " + missing)
                    .hasMessageNotContaining("\"Id\"");
        }
    }

    private static DataChangeRecord change(int number) {
        return ScriptedSource.newChange(number, "key " + number, "tx-" + number);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
