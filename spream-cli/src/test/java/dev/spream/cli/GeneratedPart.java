package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of a page that a test generates, between two comments, and writes if a variable of the environment is set. */
record GeneratedPart(Path page, String name, String variable) {
    void is(String content, Class<?> test) throws IOException {
        String begin = "<!-- %s: begin -->\n".formatted(name);
        String end = "<!-- %s: end -->\n".formatted(name);
        String before = Files.readString(page);
        String current = before.substring(0, before.indexOf(begin) + begin.length())
                + content
                + before.substring(before.indexOf(end));
        if (System.getenv(variable) != null) {
            Files.writeString(page, current);
        }
        assertThat(Files.readString(page))
                .as("to write it: %s=true mvn -pl spream-cli -am -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false test"
                        .formatted(variable, test.getSimpleName()))
                .isEqualTo(current);
    }
}
