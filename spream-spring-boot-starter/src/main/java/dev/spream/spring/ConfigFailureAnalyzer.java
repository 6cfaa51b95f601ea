package dev.spream.spring;

import dev.spream.api.config.ConfigException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes an invalid configuration as Spring Boot does: every problem, without a stack trace. */
final class ConfigFailureAnalyzer extends AbstractFailureAnalyzer<ConfigException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, ConfigException invalid) {
        String problems = IntStream.range(0, invalid.problems().size())
                .mapToObj(i -> "%d. %s".formatted(i + 1, invalid.problems().get(i)))
                .collect(Collectors.joining(
                        System.lineSeparator(),
                        "The configuration of spream is invalid:%n%n".formatted(),
                        System.lineSeparator()));
        return new FailureAnalysis(
                problems,
                "Correct the properties and beans that are named above. Keys are below spream.subscriptions.<name>, or"
                        + " below spream.defaults for all subscriptions; nothing was started.",
                root);
    }
}
