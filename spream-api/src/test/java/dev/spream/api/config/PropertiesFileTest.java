package dev.spream.api.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PropertiesFileTest {
    private static final int RANDOM_FILES = 20_000;
    private static final String ALPHABET = "ab\\\\\\ \t\f=:#!\n\r\u00e9u0";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "key=value",
                "key:value",
                "key value",
                "  key \t=  value",
                "key = :value",
                "key",
                "key=",
                "# comment\n! comment\n\n   # comment\nkey=value",
                "# a comment goes not on \\\nkey=value",
                "key=one \\\n    two\\\n\tthree",
                "key=one\\\n\ntwo=2",
                "key=one\\\n# no comment",
                "key=at the end of the file\\",
                "\\\n\n#comment",
                "k\\=e\\:y\\ =value",
                "key=C:\\\\folder\\\\file",
                "key=\\u00e9\\u20AC\\n\\t\\r\\f\\q",
                "k\\u0065y=value",
                "key=é€😀",
                "one=1\r\ntwo=2\r\n",
                "one=1\rtwo=2\r",
                "one=1\\\r\n  0\r\ntwo=2",
                "key=\\ leading blank",
                "key=trailing\\ ",
                "key=even\\\\\nother=odd\\\\\\\n goes on",
            })
    void a_file_is_read_as_the_jdk_reads_it(String text) throws IOException {
        var file = file(text);

        assertThat(file.problems()).isEmpty();
        assertThat(values(file)).isEqualTo(jdk(text));
    }

    @Test
    void any_file_without_problems_is_read_as_the_jdk_reads_it() throws IOException {
        int compared = 0;
        for (int seed = 0; seed < RANDOM_FILES; seed++) {
            String text = randomText(new Random(seed));
            var file = PropertiesFile.parse("random", text);
            if (file.problems().isEmpty()) {
                assertThat(values(file))
                        .as("seed %d: %s", seed, DisplayText.text(text))
                        .isEqualTo(jdk(text));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(RANDOM_FILES / 10);
    }

    @Test
    void a_byte_order_mark_is_no_part_of_the_first_key() throws IOException {
        assertThat(values(file("\uFEFFkey=value"))).isEqualTo(Map.of("key", "value"));
    }

    @Test
    void every_key_knows_the_line_on_which_it_begins() throws IOException {
        var file = file("# comment\none=1\n\ntwo=2 \\\n  and more\nthree=3\n");

        assertThat(file.settings().values())
                .extracting(setting -> setting.origin().position())
                .containsExactly(2, 4, 6);
        assertThat(file.settings().get("three"))
                .hasToString("three (%s:6)".formatted(folder.resolve("spream.properties")));
    }

    @Test
    void problems_are_named_line_by_line_and_the_rest_is_read() throws IOException {
        var file = file("""
                one=1
                path=C:\\users\\me
                one=11
                = value without a key
                blank=at the end\s
                \\u12=broken
                last=here""");

        String name = folder.resolve("spream.properties").toString();
        assertThat(file.problems())
                .extracting(problem -> problem.text().replace(name, "file"))
                .containsExactly(
                        "path (file:2) has a \\u without four hexadecimal digits after it; write a backslash itself twice",
                        "one (file:3) is already set at file:1; remove one of them",
                        "file:4 has no key; write key=value",
                        "blank (file:5) has a trailing blank; remove it, or write it as \\u0020",
                        "file:6 has no key; write key=value");
        assertThat(values(file))
                .containsOnlyKeys("one", "path", "blank", "last")
                .containsEntry("one", "1");
        assertThat(file.settings().values())
                .filteredOn(setting -> !setting.readable())
                .extracting(RawSetting::name)
                .containsExactly("path", "blank");
    }

    @Test
    void a_file_that_does_not_exist_is_a_problem() {
        var file = PropertiesFile.read(Path.of("nowhere/spream.properties"));

        assertThat(file.wasRead()).isFalse();
        assertThat(file.problems())
                .extracting(Problem::text)
                .containsExactly("the configuration file nowhere/spream.properties does not exist");
    }

    @Test
    void a_folder_is_no_file() {
        assertThat(PropertiesFile.read(folder).problems())
                .extracting(Problem::text)
                .containsExactly("the configuration file %s is a folder".formatted(folder));
    }

    @Test
    void text_in_another_encoding_is_a_problem_and_names_the_line() throws IOException {
        Path path = folder.resolve("latin.properties");
        Files.write(path, "one=1\ntwo=\u00e9\n".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));

        assertThat(PropertiesFile.read(path).problems())
                .extracting(Problem::text)
                .containsExactly("the configuration file %s is not UTF-8: see line 2".formatted(path));
    }

    @Test
    void a_file_that_has_no_end_is_a_problem() {
        assertThat(PropertiesFile.read(Path.of("/dev/zero")).problems())
                .extracting(Problem::text)
                .containsExactly("the configuration file /dev/zero is longer than 1024 KiB");
    }

    private PropertiesFile file(String text) throws IOException {
        return PropertiesFile.read(Files.writeString(folder.resolve("spream.properties"), text, UTF_8));
    }

    private static Map<String, String> values(PropertiesFile file) {
        Map<String, String> values = new HashMap<>();
        file.settings().forEach((key, setting) -> values.put(key, setting.written()));
        return values;
    }

    private static Map<String, String> jdk(String text) throws IOException {
        var properties = new Properties();
        properties.load(new StringReader(text));
        Map<String, String> values = new HashMap<>();
        properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
        return values;
    }

    private static String randomText(Random random) {
        var text = new StringBuilder();
        random.ints(random.nextInt(1, 25), 0, ALPHABET.length()).forEach(i -> text.append(ALPHABET.charAt(i)));
        return text.append("\nlast=here").toString();
    }
}
