package dev.spream.cli;

import dev.spream.api.HttpAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Where a command that runs for long answers to HTTP. */
final class HttpArgument {
    @Option(
            names = "--http",
            paramLabel = "[HOST:]PORT",
            description =
                    "Answer to HTTP on this port, 0 for any that is free: /health, /ready, /metrics, and a page. Of"
                            + " this machine alone, unless a host is named, such as 0.0.0.0:8080. Default: nowhere.")
    private @Nullable HttpAddress address;

    Optional<HttpAddress> address() {
        return Optional.ofNullable(address);
    }

    static HttpAddress parse(String text) {
        try {
            return HttpAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'%s' is not where to listen: %s".formatted(text, e.getMessage()));
        }
    }
}
