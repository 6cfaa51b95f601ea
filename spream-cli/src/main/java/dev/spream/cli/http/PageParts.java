package dev.spream.cli.http;

import java.util.List;
import java.util.Optional;

/**
 * The panels of a page, and the token for their commands.
 *
 * @param token empty for a page without commands
 */
public record PageParts(List<Panel> panels, Optional<String> token) {
    /** No panels and no commands. */
    public static final PageParts NONE = new PageParts(List.of(), Optional.empty());

    public PageParts {
        panels = List.copyOf(panels);
    }

    /** Without the token, which is secret. */
    @Override
    public String toString() {
        return "PageParts[panels=%s, commands=%s]".formatted(panels, token.isPresent());
    }
}
