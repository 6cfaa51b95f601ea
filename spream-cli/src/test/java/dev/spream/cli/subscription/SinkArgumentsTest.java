package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.SpreamConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The configuration of a service in {@code tail}. */
final class SinkArgumentsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Command
    static final class Flags implements Runnable {
        @Mixin
        private final SinkArguments sink = new SinkArguments();

        @Override
        public void run() {}
    }

    @Test
    void a_running_service_keeps_its_name_its_dead_letters_and_its_transactions() throws IOException {
        SpreamConfig config = standingApart();

        assertThat(config.raw("subscription")).contains("tail");
        assertThat(config.raw("sink.jdbc.ledger"))
                .isPresent()
                .isNotEqualTo(standingApart().raw("sink.jdbc.ledger"));
        assertThat(config.raw("on-failure")).contains("stop");
        assertThat(config.raw("dead-letters")).isEmpty();
        assertThat(config.raw("dead-letters.jsonl.path")).isEmpty();
        assertThat(config.raw("sink.kafka.transactional-id")).isEmpty();
        assertThat(config.raw("sink.kafka.topic")).contains("orders");
    }

    @Test
    void a_transactional_id_of_its_own_is_a_flag() throws IOException {
        assertThat(standingApart("--sink.kafka.transactional-id=a-look").raw("sink.kafka.transactional-id"))
                .contains("a-look");
    }

    private SpreamConfig standingApart(String... flags) throws IOException {
        Path service = Files.writeString(folder.resolve("service.properties"), """
                subscription=orders
                sink=kafka
                sink.kafka.topic=orders
                sink.kafka.transactional-id=orders-1
                on-failure=dead-letter
                dead-letters=jsonl
                dead-letters.jsonl.path=letters.jsonl
                """);
        Flags command = new Flags();
        CommandLine line = new CommandLine(command).setUnmatchedArgumentsAllowed(true);
        line.parseArgs(Stream.concat(Stream.of("--sink", "kafka", "--config", service.toString()), Stream.of(flags))
                .toArray(String[]::new));
        SpreamConfig.Builder builder = command.sink.builder();
        command.sink.standApart(builder);
        return builder.build();
    }
}
