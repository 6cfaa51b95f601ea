package dev.spream.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("it changes the log")
final class VerbosityTest {
    private static final Path CORE = Path.of("../spream-core/src/main/java/dev/spream/core/subscription");

    /** Lost leases, watermarks that are not stored and take-overs are said by classes of the engine. */
    @Test
    void no_class_of_the_engine_is_silent() throws Exception {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        Level before = context.getLogger("ROOT").getLevel();
        context.getLogger("ROOT").setLevel(Level.WARN);
        try (Stream<Path> files = Files.walk(CORE)) {
            List<String> classes = files.map(file -> CORE.relativize(file).toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> "dev.spream.core.subscription."
                            + name.replace(".java", "").replace('/', '.'))
                    .toList();
            classes.forEach(name -> context.getLogger(name).setLevel(null)); // a demo in this process silences one
            new Verbosity().apply();
            assertThat(classes)
                    .hasSizeGreaterThan(30)
                    .allMatch(name -> LoggerFactory.getLogger(name).isWarnEnabled());
            assertThat(Verbosity.SAID_BY_THE_COMMAND)
                    .allMatch(name -> !LoggerFactory.getLogger(name).isErrorEnabled())
                    .allSatisfy(name -> assertThat(Files.readString(CORE.resolve(owner(name))))
                            .containsPattern("getLogger\\(\"" + Pattern.quote(name)));
        } finally {
            Verbosity.SAID_BY_THE_COMMAND.forEach(
                    name -> context.getLogger(name).setLevel(null));
            context.getLogger("ROOT").setLevel(before);
        }
    }

    @Test
    void every_class_that_the_configuration_of_logging_names_is_there() throws Exception {
        List<String> classes = Pattern.compile("logger name=\"(dev\\.spream[a-z.]*\\.[A-Z]\\w*)\"")
                .matcher(Files.readString(Path.of("src/main/resources/logback.xml")))
                .results()
                .map(logger -> logger.group(1))
                .toList();
        assertThat(classes).isNotEmpty().allSatisfy(Class::forName);
    }

    private static String owner(String logger) {
        return logger.endsWith("End") ? "SubscriptionRun.java" : "reading/PartitionReading.java";
    }
}
