package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the completion script by a bash that runs it. */
final class CompletionTest {
    @TempDir
    private Path folder;

    @Test
    void bash_completes_commands_options_and_values() throws Exception {
        Path script = Files.write(
                folder.resolve("spream-completion"),
                CommandRun.of("completion", "bash").out());
        assertThat(completed(script, "spream", "ta")).containsExactly("tail");
        assertThat(completed(script, "spream", "")).contains("tail", "run", "graph", "partitions", "completion");
        assertThat(completed(script, "spream", "tail", "--form")).containsExactly("--format");
        assertThat(completed(script, "spream", "tail", "--format", "")).containsExactlyInAnyOrder("json", "text");
        assertThat(completed(script, "spream", "outbox", "re")).contains("requeue", "release-expired");
        Path file = Files.createFile(folder.resolve("key.json"));
        assertThat(completed(script, "spream", "tail", "--credentials-file", folder + "/ke"))
                .containsExactly(file.toString());
    }

    @Test
    void zsh_gets_the_same_script_which_loads_the_functions_of_bash_there() {
        CommandRun zsh = CommandRun.of("completion", "zsh");
        assertThat(zsh.exitCode()).isZero();
        assertThat(zsh.out())
                .containsExactlyElementsOf(CommandRun.of("completion", "bash").out())
                .anyMatch(line -> line.contains("bashcompinit"));
    }

    @Test
    void an_unknown_shell_is_refused() {
        CommandRun run = CommandRun.of("completion", "fish");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).singleElement().asString().contains("expected one of");
    }

    private static List<String> completed(Path script, String... words) throws Exception {
        String array = String.join("' '", words);
        Process bash = new ProcessBuilder("bash", "--norc", "--noprofile")
                .redirectError(ProcessBuilder.Redirect.DISCARD) // no shell is completing
                .start();
        try (var in = bash.outputWriter(StandardCharsets.UTF_8)) {
            in.write("source '%s'\nCOMP_WORDS=('%s')\nCOMP_CWORD=%d\n".formatted(script, array, words.length - 1));
            in.write("_complete_spream\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
        }
        List<String> completed = bash.inputReader(StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .toList();
        assertThat(bash.waitFor()).isZero();
        return completed;
    }
}
