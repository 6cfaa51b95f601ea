package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests of the messages of {@code run} and {@code config} about a configuration before anything is opened. */
final class ConfigUsageTest {
    private static final String GOOD = """
            source.spanner.database=projects/p/instances/i/databases/d
            source.spanner.stream=OrdersStream
            storage=jdbc
            storage.jdbc.url=jdbc:postgresql://db/spream
            storage.jdbc.password=hush
            sink=stdout
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"run", "config"})
    void all_that_is_misspelt_is_named_at_once_each_with_what_was_meant(String command) throws IOException {
        Path file = file("""
                source.spanner.database=projects/p/instances/i/databases/d
                source.spanner.stream=OrdersStream
                storage=jbdc
                sink=stdout
                max-infligth=3
                """);
        assertThat(execute(command, "--config", file.toString())).isEqualTo(2);
        assertThat(err.toString().lines())
                .first()
                .isEqualTo("spream " + command + ": 2 problems with the configuration:");
        assertThat(err.toString().lines().skip(1))
                .anyMatch(line -> line.contains("jbdc") && line.contains(":3") && line.contains("did you mean jdbc?"))
                .anyMatch(line -> line.contains("max-infligth")
                        && line.contains(":5")
                        && line.contains("did you mean max-inflight?"));
    }

    @Test
    void a_good_configuration_is_shown_with_where_it_is_from_and_without_its_secret() throws IOException {
        assertThat(execute("config", "--config", file(GOOD).toString(), "--max-inflight=7"))
                .as("%s", err)
                .isZero();
        assertThat(out.toString().lines())
                .anyMatch(line -> line.matches("storage = jdbc +\\(.*spream.properties:3\\)"))
                .anyMatch(line -> line.matches("max-inflight = 7 +\\(--max-inflight\\)"))
                .noneMatch(line -> line.startsWith("heartbeat-interval"));
        assertThat(out.toString()).contains("storage.jdbc.password").doesNotContain("hush");
        assertThat(err.toString()).isEqualTo("config: the configuration is valid%n".formatted());
    }

    @Test
    void the_configuration_of_the_readme_is_fine() {
        assertThat(execute(
                        "config",
                        "--config=../spream-examples/spream.properties",
                        "--storage.jdbc.password=${env:PATH}")) // there is no such file in /run
                .as("%s", err)
                .isZero();
    }

    @Test
    void every_key_is_explained_with_what_holds() throws IOException {
        assertThat(execute("config", "--config", file(GOOD).toString(), "--explain"))
                .as("%s", err)
                .isZero();
        assertThat(out.toString())
                .contains("heartbeat-interval = 10s  (default)", "storage.jdbc.schema = spream  (default)")
                .contains("storage.spanner.table is not set", "sink.jsonl.path", "storage.spanner (not in use)")
                .doesNotContain("hush");
    }

    @Test
    void flags_are_keys_in_both_forms_and_win_over_the_file() throws IOException {
        Path file = file(GOOD);
        assertThat(execute(
                        "config",
                        "--storage.jdbc.schema=one",
                        "--config",
                        file.toString(),
                        "--storage.jdbc.url",
                        "jdbc:postgresql://other/d"))
                .as("%s", err)
                .isZero();
        assertThat(out.toString().lines())
                .anyMatch(line -> line.matches("storage.jdbc.schema = one +\\(--storage.jdbc.schema\\)"))
                .anyMatch(
                        line -> line.matches("storage.jdbc.url = jdbc:postgresql://other/d +\\(--storage.jdbc.url\\)"));
    }

    @Test
    void the_flag_of_whole_transactions_wins_over_the_key_in_the_file() throws IOException {
        Path file = file(GOOD + "transaction-mode=whole\n");
        assertThat(execute("run", "--config", file.toString(), "--commit-order", "--snapshot"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("transaction-mode is commit-order, and snapshot is true");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            run now                     | spream run: unknown argument 'now'
            run --confg x               | spream run: unknown option '--confg'; did you mean '--config'?
            config --explian            | spream config: unknown option '--explian'; did you mean '--explain'?
            run -x                      | spream run: unknown option '-x'
            run --commit-ordr           | spream run: unknown option '--commit-ordr'; did you mean '--commit-order'?
            run --whole-transactions --commit-order | --commit-order includes --whole-transactions; remove one of them
            run --commit-order --transaction-mode=whole | --transaction-mode is given, and a flag that sets it to commit-order: remove one of them
            config --storage            | --storage has no value: write --storage=VALUE
            run --sink log --sink=log   | --sink is given twice: remove one
            config --config /nonexistent/file | /nonexistent/file
            config --sinc=log           | did you mean sink?
            config --storage.jdbc.password=hush | ${file:
            config --plugins=/nonexistent | /nonexistent: the plug-in folder does not exist
            """)
    void a_flag_that_cannot_be_meant(String arguments, String message) throws IOException {
        List<String> words = Stream.concat(
                        Stream.of(arguments.split(" +")),
                        arguments.contains("--config")
                                ? Stream.empty()
                                : Stream.of("--config", file(GOOD).toString()))
                .toList();
        assertThat(execute(words.toArray(String[]::new))).isEqualTo(2);
        assertThat(err.toString()).contains(message).doesNotContain("hush");
    }

    private Path file(String settings) throws IOException {
        return Files.writeString(folder.resolve("spream.properties"), settings);
    }

    private int execute(String... arguments) {
        CommandLine command = Main.commandLine();
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(out, true));
        return command.execute(arguments);
    }
}
