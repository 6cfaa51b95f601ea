package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that external artifacts which the build runs or the images are based on are pinned by a digest, since a tag can
 * be moved.
 */
final class PinnedTest {
    private static final Path REPOSITORY = Path.of("..");

    @Test
    void actions_are_named_by_commit_with_their_version_beside_it() throws IOException {
        List<String> uses = lines(REPOSITORY.resolve(".github/workflows"), "uses:");
        assertThat(uses)
                .isNotEmpty()
                .allMatch(line -> line.matches("(- )?uses: [\\w-]+(/[\\w.-]+)+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
    }

    @Test
    void base_images_are_named_by_digest_the_same_in_every_container_file_and_kept_up_to_date() throws IOException {
        Path updates = REPOSITORY.resolve(".github/dependabot.yml");
        assertThat(updates).content().contains("package-ecosystem: github-actions", "package-ecosystem: docker");
        for (String folder : List.of("", "spream-examples/vocabulary")) {
            assertThat(images(REPOSITORY.resolve(folder).resolve("Containerfile")))
                    .allMatch(image -> image.matches("[a-z-]+:[\\w.-]+@sha256:[0-9a-f]{64}"))
                    .isEqualTo(images(REPOSITORY.resolve("Containerfile")));
            assertThat(updates).content().contains("      - /" + folder + "\n");
        }
    }

    /** Flink's image is named by tag, which its user replaces. */
    @Test
    void the_job_of_flink_is_built_on_the_same_image() throws IOException {
        String folder = "spream-examples/flink-job";
        assertThat(images(REPOSITORY.resolve(folder).resolve("Containerfile")))
                .filteredOn(image -> !image.startsWith("flink:"))
                .isNotEmpty()
                .isSubsetOf(images(REPOSITORY.resolve("Containerfile")));
        assertThat(REPOSITORY.resolve(".github/dependabot.yml")).content().contains("      - /" + folder + "\n");
    }

    private static Set<String> images(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("FROM "))
                    .map(line -> line.split(" ")[1])
                    .collect(Collectors.toSet());
        }
    }

    private static List<String> lines(Path folder, String with) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            StringBuilder all = new StringBuilder();
            for (Path file : files.toList()) {
                all.append(Files.readString(file));
            }
            return all.toString()
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.contains(with))
                    .toList();
        }
    }
}
