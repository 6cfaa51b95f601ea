package dev.spream.sinks;

import static dev.spream.sinks.SinkChanges.DELIVERY;
import static dev.spream.sinks.SinkChanges.updated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.QualifiedStreamName;
import dev.spream.core.consume.Consumer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of lines in another format than the documentation's record. */
final class FormattedLinesTest {
    private static final ChangeLines AFTER = new ChangeLines(Optional.of(ChangeFormat.after(false)));
    private static final QualifiedStreamName STREAM =
            QualifiedStreamName.of("projects/p/instances/i/databases/d", "Changes");
    private static final String ROW_1 = "{\"Id\":1,\"Note\":\"secret note\"}";
    private static final String ROW_2 = "{\"Id\":2,\"Note\":\"secret note\"}";

    @TempDir
    Path folder;

    private Path path() {
        return folder.resolve("changes.jsonl");
    }

    private JsonlSink open(ChangeLines format) throws IOException {
        return JsonlSink.open(path(), Rotation.NEVER, format, InstantSource.system());
    }

    @Test
    void a_change_of_several_rows_is_as_many_lines_in_their_order() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonLines lines = JsonLines.start(out, ChangeFormat.after(false))) {
            lines.consume(updated(1, "2", "1"), DELIVERY);
            lines.flush();
            assertThat(lines.written()).as("changes").isEqualTo(1);
        }
        assertThat(out.toString(UTF_8).lines()).containsExactly(ROW_2, ROW_1);
        try (JsonlSink sink = open(AFTER)) {
            sink.consume(updated(1, "2", "1"), DELIVERY);
            sink.flush();
        }
        assertThat(Files.readAllLines(path())).containsExactly(ROW_2, ROW_1);
    }

    @Test
    void the_lines_of_a_change_are_rotated_together() throws Exception {
        Rotation small = new Rotation(Optional.of(ROW_1.length() + 10L), Optional.empty(), Optional.empty());
        try (JsonlSink sink = JsonlSink.open(path(), small, AFTER, InstantSource.system())) {
            sink.consume(updated(1, "1", "2"), DELIVERY);
            sink.consume(updated(2, "2"), DELIVERY);
        }
        assertThat(Files.readAllLines(path())).containsExactly(ROW_2);
        assertThat(JsonlFiles.names(folder)).hasSize(2);
        assertThat(Files.readAllLines(folder.resolve(JsonlFiles.names(folder).getFirst())))
                .containsExactly(ROW_1, ROW_2);
    }

    @Test
    void a_row_that_a_crash_cut_off_is_removed_and_a_whole_one_is_kept() throws Exception {
        Files.writeString(path(), ROW_1 + "\n" + ROW_2.substring(0, ROW_2.length() - 1));
        open(AFTER).close();
        assertThat(Files.readString(path())).isEqualTo(ROW_1 + "\n");
        Files.writeString(path(), ROW_1 + "\n" + ROW_2);
        open(AFTER).close();
        assertThat(Files.readString(path())).isEqualTo(ROW_1 + "\n" + ROW_2 + "\n");
    }

    @Test
    void a_file_of_another_format_is_refused_and_left_as_it_is() throws Exception {
        ChangeLines events = new ChangeLines(Optional.of(ChangeFormat.cloudEvents(STREAM)));
        try (JsonlSink sink = open(events)) {
            sink.consume(updated(1, "1"), DELIVERY);
        }
        String before = Files.readString(path());
        for (ChangeLines other : new ChangeLines[] {
            ChangeLines.OF_RECORDS,
            new ChangeLines(Optional.of(ChangeFormat.debezium(STREAM, "d", false, InstantSource.system())))
        }) {
            assertThatThrownBy(() -> open(other))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("contains something other than changes in this format");
        }
        assertThat(Files.readString(path())).isEqualTo(before);
        open(events).close();
    }

    @Test
    void the_provider_makes_the_configured_format() throws Exception {
        JsonlSinkProvider provider = new JsonlSinkProvider();
        TestConfig config = TestConfig.of(provider, Map.of("path", path().toString(), "format", "after"));
        assertThat(provider.problems(config)).isEmpty();
        Consumer sink = provider.create(config, new TestContext());
        try (AutoCloseable closing = (AutoCloseable) sink) {
            sink.consume(updated(1, "1"), DELIVERY);
            sink.flush();
            assertThat(Files.readAllLines(path())).containsExactly(ROW_1);
        }
        TestConfig nameless = TestConfig.of(provider, Map.of("path", path().toString(), "format", "debezium"));
        assertThat(provider.problems(nameless)).hasSize(2).allMatch(problem -> problem.startsWith("source-"));
        assertThat(new StdoutSinkProvider()
                        .problems(TestConfig.of(new StdoutSinkProvider(), Map.of("format", "cloudevents"))))
                .hasSize(2);
    }
}
