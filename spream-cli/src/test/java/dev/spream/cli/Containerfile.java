package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The instructions of the last stage of the repository's container file, for tests that execute them without a
 * container.
 */
final class Containerfile {
    private static final Path FILE = Path.of("../Containerfile");

    private final List<String> instructions;

    private Containerfile(List<String> instructions) {
        this.instructions = instructions;
    }

    static Containerfile read() throws IOException {
        String text = Files.readString(FILE).replaceAll("(?m)^#.*\\R", "").replaceAll("\\\\\\R\\s*", " ");
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        int stage = 0;
        for (int i = 0; i < lines.size(); i++) {
            stage = lines.get(i).startsWith("FROM ") ? i : stage;
        }
        return new Containerfile(lines.subList(stage, lines.size()));
    }

    /** Returns the arguments of each instruction of that name, in the order of the file. */
    List<String> all(String name) {
        return instructions.stream()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1).strip())
                .toList();
    }

    /** Returns the arguments of the only instruction of that name. */
    String one(String name) {
        List<String> found = all(name);
        assertThat(found).as(name).hasSize(1);
        return found.getFirst();
    }

    /** The words of an instruction in the form that starts no shell. */
    List<String> words(String name) {
        String text = one(name);
        return list(text.substring(text.indexOf('[')));
    }

    private static List<String> list(String json) {
        Object words = new Load(LoadSettings.builder().build()).loadFromString(json);
        return ((List<?>) words).stream().map(String::valueOf).toList();
    }

    /** Returns the files copied from the build stage: source, which may be a pattern, and target. */
    List<Copy> copiesOfTheBuild() {
        List<Copy> copies = new ArrayList<>();
        for (String copy : all("COPY")) {
            List<String> words = Arrays.asList(copy.split("\\s+"));
            if (words.getFirst().equals("--from=build")) {
                assertThat(words).hasSize(3);
                copies.add(new Copy(words.get(1), words.get(2)));
            }
        }
        return copies;
    }

    /** A file, a pattern of files or a folder's content, and the folder that it goes to. */
    record Copy(String source, String target) {}
}
