package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class StorageOperationTest {
    private static final Path ENGINE = Path.of("../spream-core/src/main/java/dev/spream/core/subscription");

    /** The operation names of the engine's storage calls: in calls that run once or repeat, or in constants. */
    private static final Pattern NAMED =
            Pattern.compile("(?:\\.(?:repeat|run|once)\\(|isStored\\(\\w+,|(?:STORING|RENEWING) =)\\s*\"([^\"%]+)");

    @Test
    void everything_that_the_engine_asks_of_a_storage_is_known() throws IOException {
        try (Stream<Path> sources = Files.walk(ENGINE)) {
            List<String> asked = sources.filter(Files::isRegularFile)
                    .flatMap(source -> NAMED.matcher(read(source)).results())
                    .map((MatchResult match) -> match.group(1))
                    .toList();
            assertThat(asked)
                    .hasSizeGreaterThan(15)
                    .allSatisfy(operation -> assertThat(StorageOperation.of(operation))
                            .as(operation)
                            .isNotEqualTo(StorageOperation.OTHER));
        }
        assertThat(StorageOperation.of("making coffee")).isEqualTo(StorageOperation.OTHER);
    }

    private static String read(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
