package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Consumer;
import dev.spream.core.record.ChangeRecordJson;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class StdoutSinkIT {

    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES)
    void changes_are_lines_on_the_standard_output_of_the_process() throws Exception {
        Process printer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Printer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = printer.inputReader()) {
            List<String> lines = output.lines().toList();
            assertThat(lines.stream().map(ChangeRecordJson::readDataChange))
                    .containsExactly(SinkChanges.inserted(1, "1"), SinkChanges.inserted(2, "2"));
            assertThat(printer.waitFor()).isZero();
        } finally {
            printer.destroyForcibly().waitFor();
        }
    }

    /** A process that prints two changes, and ends without closing anything. */
    static final class Printer {
        private Printer() {}

        public static void main(String[] args) throws Exception {
            StdoutSinkProvider provider = new StdoutSinkProvider();
            Consumer sink = provider.create(TestConfig.of(provider, Map.of()), new TestContext());
            sink.consume(SinkChanges.inserted(1, "1"), SinkChanges.DELIVERY);
            sink.consume(SinkChanges.inserted(2, "2"), SinkChanges.DELIVERY);
            sink.flush();
        }
    }
}
