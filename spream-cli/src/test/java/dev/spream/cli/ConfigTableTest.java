package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The README lists every key as the code has it. With KEYS_WRITE set, it is made to. */
final class ConfigTableTest {
    private static final Path README = Path.of("../README.md");
    private static final String BEGIN = "<!-- keys: begin -->\n";
    private static final String END = "<!-- keys: end -->\n";

    @Test
    void the_readme_lists_every_key() throws IOException {
        String readme = Files.readString(README);
        String current = readme.substring(0, readme.indexOf(BEGIN) + BEGIN.length())
                + table()
                + readme.substring(readme.indexOf(END));
        if (System.getenv("KEYS_WRITE") != null) {
            Files.writeString(README, current);
        }
        assertThat(Files.readString(README))
                .as("to write the keys: KEYS_WRITE=true mvn -pl spream-cli -am -Dtest=ConfigTableTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false test")
                .isEqualTo(current);
    }

    private static String table() {
        StringWriter out = new StringWriter();
        CommandLine command = Main.commandLine();
        command.setOut(new PrintWriter(out, true));
        assertThat(command.execute("config", "--markdown")).isZero();
        return out.toString();
    }
}
