package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/configuration.md} lists every key as the code has it. With KEYS_WRITE set, it is made to. */
final class ConfigTableTest {
    private static final GeneratedPart KEYS =
            new GeneratedPart(Path.of("../docs/configuration.md"), "keys", "KEYS_WRITE");

    @Test
    void the_page_lists_every_key() throws IOException {
        StringWriter out = new StringWriter();
        CommandLine command = Main.commandLine();
        command.setOut(new PrintWriter(out, true));
        assertThat(command.execute("config", "--markdown")).isZero();
        KEYS.is(out.toString(), ConfigTableTest.class);
    }
}
