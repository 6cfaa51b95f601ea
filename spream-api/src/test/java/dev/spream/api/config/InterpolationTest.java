package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class InterpolationTest {
    private static final Map<String, String> VARIABLES =
            Map.of("HOST", "db.example.com", "TRICKY", "${env:HOST}", "EMPTY", "", "A:B", "colon");
    private static final String KINDS = "use ${file:path} or ${env:NAME}, or $${ for a literal ${";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "plain, plain",
        "${env:HOST}, db.example.com",
        "jdbc:postgresql://${env:HOST}:5432/${env:EMPTY}orders, jdbc:postgresql://db.example.com:5432/orders",
        "${env:HOST}${env:HOST}, db.example.comdb.example.com",
        "$${env:HOST}, ${env:HOST}",
        "costs $5 and {six}, costs $5 and {six}",
        "${env:TRICKY}, ${env:HOST}",
        "${env:A:B}, colon",
        "$, $",
        "a$${, a${",
    })
    void references_are_looked_up_wherever_they_stand(String written, String text) {
        var resolved = Interpolation.parse(written).resolve(VARIABLES, false);

        assertThat(resolved.problems()).isEmpty();
        assertThat(resolved.text()).isEqualTo(text);
        assertThat(Interpolation.parse(written).shown(false)).isEqualTo(written.replace("$${", "${"));
    }

    @Test
    void a_file_stands_for_its_contents_without_the_line_break_at_the_end() throws IOException {
        for (String end : new String[] {"", "\n", "\r\n"}) {
            Path file = Files.writeString(folder.resolve("secret"), "s\u00e9sam\n open " + end);

            assertThat(resolve("<${file:%s}>".formatted(file))).isEqualTo("<s\u00e9sam\n open >");
        }
        Path file = Files.writeString(folder.resolve("secret"), "only one\n\n");
        assertThat(resolve("${file:%s}".formatted(file))).isEqualTo("only one\n");
    }

    @Test
    void files_that_cannot_be_read_are_named() throws IOException {
        Path large = Files.write(folder.resolve("large"), new byte[(64 << 10) + 1]);
        Path binary = Files.write(folder.resolve("binary"), new byte[] {'a', '\n', (byte) 0xff});
        String written =
                "${file:%1$s/none}${file:%1$s}${file:%2$s}${file:%3$s}${file:a\0b}".formatted(folder, large, binary);

        assertThat(Interpolation.parse(written).resolve(VARIABLES, true).problems())
                .containsExactly(
                        "the file %s/none does not exist".formatted(folder),
                        "the file %s is a folder".formatted(folder),
                        "the file %s is longer than 64 KiB".formatted(large),
                        "the file %s is not UTF-8: see line 2".formatted(binary),
                        "the file name a\\u0000b is not a valid path");
    }

    @Test
    void a_file_of_the_largest_size_is_read() throws IOException {
        Path file = Files.writeString(folder.resolve("large"), "x".repeat(64 << 10));

        assertThat(resolve("${file:%s}".formatted(file))).hasSize(64 << 10);
    }

    @Test
    void a_variable_that_is_not_set_is_named() {
        assertThat(Interpolation.parse("${env:HOTS}").resolve(VARIABLES, false).problems())
                .containsExactly("the variable HOTS is not set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"${HOST}", "${vault:key}", "${}", "${env:}", "${file:}", "${env:HOST", "${"})
    void a_malformed_reference_is_refused(String written) {
        assertThat(Interpolation.parse("a" + written).resolve(VARIABLES, false).problems())
                .containsExactly("%s is not a valid reference: %s".formatted(written, KINDS));
        assertThat(Interpolation.parse("a" + written).resolve(VARIABLES, true).problems())
                .containsExactly("the text after ${ is not a valid reference: " + KINDS);
    }

    @Test
    void of_a_secret_only_references_are_shown() {
        assertThat(Interpolation.parse("top").shown(true)).isEqualTo("********");
        assertThat(Interpolation.parse("${env:HOST}").shown(true)).isEqualTo("${env:HOST}");
        assertThat(Interpolation.parse("top${env:HOST}pot").shown(true)).isEqualTo("********${env:HOST}********");
        assertThat(Interpolation.parse("top${pot").shown(true)).isEqualTo("****************");
    }

    @ParameterizedTest
    @CsvSource({
        "'jdbc:postgresql://h/d?user=u&password=top&ssl=true','jdbc:postgresql://h/d?user=u&password=********'",
        "https://me:top@example.com/hook,https://********@example.com/hook",
        "https://example.com/hook?api-key=top,https://example.com/hook?api-key=********",
        "https://example.com:8080/hook,https://example.com:8080/hook",
    })
    void a_password_inside_an_address_is_masked(String written, String shown) {
        assertThat(Interpolation.parse(written).shown(false)).isEqualTo(shown);
    }

    @Test
    void control_characters_are_shown_as_escapes() {
        assertThat(Interpolation.parse("a\nb\tc\r\u001b[2J\u202e\u00e9\uD83D\uDE00")
                        .shown(false))
                .isEqualTo("a\\nb\\tc\\r\\u001b[2J\\u202e\u00e9\uD83D\uDE00");
    }

    private static String resolve(String written) {
        var resolved = Interpolation.parse(written).resolve(VARIABLES, false);
        assertThat(resolved.problems()).isEmpty();
        return resolved.text();
    }
}
