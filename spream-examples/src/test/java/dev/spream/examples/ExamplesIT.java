package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples as a user runs them: processes of their own. */
@Timeout(120)
final class ExamplesIT {
    @Test
    void one_example_prints_what_the_other_writes_and_ends_when_it_was_told() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            Process writer = start(emulator, WriterExample.class, "1000");
            try {
                String database = writer.inputReader().readLine().split("[ ,]+")[2];
                Process tail = start(emulator, TailExample.class, database, "OrdersStream", "40");
                assertThat(tail.inputReader().lines().toList())
                        .isNotEmpty()
                        .allSatisfy(line -> assertThat(line)
                                .matches("20\\S+Z (INSERT|UPDATE) Orders \\{.*order-\\d{4}.*} -> \\{.*}"));
                assertThat(tail.waitFor()).isZero();
            } finally {
                writer.destroyForcibly();
            }
        }
    }

    @Test
    void the_quick_start_prints_the_changes_that_it_writes() throws Exception {
        Process quickStart = command(QuickStart.class).start();
        assertThat(quickStart.inputReader().lines().toList())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).matches("(INSERT|UPDATE) \\[Mod\\[keys=\\{\"Id\":\"\\d\"}, .*"));
        assertThat(quickStart.waitFor()).isZero();
    }

    private static Process start(SpannerEmulator emulator, Class<?> main, String... arguments) throws IOException {
        ProcessBuilder builder = command(main, arguments);
        builder.environment().put("SPANNER_EMULATOR_HOST", emulator.emulatorHost());
        return builder.start();
    }

    /** With the class path of the launcher: what the test itself needs would get in the way. */
    private static ProcessBuilder command(Class<?> main, String... arguments) {
        Path target = Path.of("target").toAbsolutePath();
        List<String> command = JavaCommand.of(
                target.resolve("classes") + File.pathSeparator + target.resolve("lib") + File.separator + "*", main);
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(Path.of("target", main.getSimpleName() + ".log").toFile());
    }
}
