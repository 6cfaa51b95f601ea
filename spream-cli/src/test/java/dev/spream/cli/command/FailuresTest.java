package dev.spream.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Tests of the messages of failures that end a command. */
final class FailuresTest {
    private static final String ROW = "\n  Detail: Failing row contains (17, Jane Doe).";

    @Command(name = "fails")
    private record Failing(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }

    private static String shown(Exception failure) {
        StringWriter err = new StringWriter();
        int exitCode = new CommandLine(new Failing(failure))
                .setExecutionExceptionHandler(new Failures())
                .setErr(new PrintWriter(err))
                .execute();
        assertThat(exitCode).isEqualTo(1);
        return err.toString().stripTrailing();
    }

    @Test
    void a_foreign_failure_is_its_type_and_the_first_line_of_its_message() {
        assertThat(shown(new IllegalStateException("null value in column \"paid\"" + ROW)))
                .isEqualTo("fails: IllegalStateException: null value in column \"paid\"; --verbose shows where");
        assertThat(shown(new IllegalStateException())).isEqualTo("fails: IllegalStateException; --verbose shows where");
    }

    @Test
    void a_failure_of_ours_is_all_its_lines_in_one_without_the_row_that_its_cause_quotes() {
        Exception cause = new IllegalStateException("null value" + ROW);
        assertThat(shown(new StorageException("settling failed: null value" + ROW + "\n  try again", true, cause)))
                .isEqualTo("fails: settling failed: null value try again");
    }
}
