package dev.spream.cli.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DeadLetterPrinterTest {
    private static final Instant TIME = Instant.parse("2026-01-01T10:00:00.5Z");

    @Test
    void a_row_that_could_not_be_decoded_is_named_and_not_shown() {
        StoredDeadLetter letter = letter("Orders");
        assertThat(DeadLetterPrinter.text(entry(letter), letter))
                .containsExactly(
                        "2026-01-01T10:00:00.500Z/tx/0",
                        "  not decoded: a row of Orders, 9 characters",
                        "  1 attempt at 2026-01-01T10:00:00Z, UndecodableRowException");
        assertThat(DeadLetterPrinter.text(entry(letter), letter("")).get(1)).contains("a row of an unknown table");
        String json = DeadLetterPrinter.json(entry(letter), letter);
        assertThat(JsonObject.of(json).get("undecodable")).isEqualTo(true);
        assertThat(json).doesNotContain("secret");
    }

    private static DeadLetterStore.Entry entry(StoredDeadLetter letter) {
        return new DeadLetterStore.Entry(letter.change().identity(), letter.reason(), Set.of(), false);
    }

    private static StoredDeadLetter letter(String table) {
        return new StoredDeadLetter(
                DeadLetter.Reason.FAILED,
                new PartitionToken("p"),
                new DataChangeRecord(TIME, "0", "tx", false, table, List.of(), List.of(), "", "", 0, 0, "", false),
                TIME,
                Optional.of(new StoredDeadLetter.Failure(
                        1,
                        TIME,
                        TIME,
                        "dev.spream.core.consume.UndecodableRowException",
                        "",
                        Optional.of("{\"secret\""))));
    }
}
