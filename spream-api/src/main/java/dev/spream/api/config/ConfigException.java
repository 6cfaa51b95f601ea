package dev.spream.api.config;

import dev.spream.core.SpreamException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A configuration that is invalid. Nothing was started; the message lists every problem with its remedy. */
public final class ConfigException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final String[] problems;

    /** @param problems one or more sentences, each naming the key and the origin of its value; none shows a secret */
    public ConfigException(List<String> problems) {
        super(message(problems));
        this.problems = problems.toArray(String[]::new);
    }

    private static String message(List<String> problems) {
        if (problems.size() == 1) {
            return problems.getFirst();
        }
        return IntStream.range(0, problems.size())
                .mapToObj(i -> "%n%d. %s".formatted(i + 1, problems.get(i)))
                .collect(Collectors.joining("", problems.size() + " problems with the configuration:", ""));
    }

    /** Returns every problem, one or two sentences each. */
    public List<String> problems() {
        return List.of(problems);
    }
}
