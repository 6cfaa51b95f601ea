package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.examples.TailExample;
import dev.spream.examples.WriterExample;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The examples as a user runs them: processes of their own. */
final class ExamplesIT {
    @Test
    void one_example_prints_what_the_other_writes_and_ends_when_it_was_told() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            Optional<String> host = Optional.of(emulator.emulatorHost());
            try (SpreamProcess writer = SpreamProcess.start(host, WriterExample.class, "1000")) {
                String database = writer.awaitOut(1).getFirst().split("[ ,]+")[2];
                try (SpreamProcess tail =
                        SpreamProcess.start(host, TailExample.class, database, "OrdersStream", "30")) {
                    assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
                    assertThat(tail.out())
                            .isNotEmpty()
                            .allSatisfy(line -> assertThat(line)
                                    .matches("20\\S+Z (INSERT|UPDATE) Orders \\{.*order-\\d{4}.*} -> \\{.*}"));
                }
            }
        }
    }
}
