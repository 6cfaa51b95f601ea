package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.cli.http.CommandRouter.Target;
import dev.spream.cli.output.Members;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The panels of a page with their paths: {@code /api/page} lists them, {@code /api/<panel>} is the state of one, and
 * {@code /api/<panel>/<command>} runs a command. Immutable.
 */
final class PageApi {
    private static final String API = "/api/";

    private final List<Panel> panels;
    private final Map<String, PanelState> states = new LinkedHashMap<>();
    private final Optional<AccessToken> token;

    PageApi(PageParts parts, InstantSource clock) {
        this.panels = parts.panels();
        this.token = parts.token().map(AccessToken::new);
        panels.forEach(panel -> {
            if (states.put(panel.name(), new PanelState(panel, clock)) != null) {
                throw new IllegalArgumentException("two panels have the name " + panel.name());
            }
        });
    }

    /**
     * Returns the responses by path.
     *
     * @param kind the kind of process
     * @param name the displayed name
     * @param subscription whether {@code /api/subscription} exists
     * @param chosen the subscription that the page shows unless another one is chosen
     */
    Map<String, Endpoint> answers(String kind, String name, boolean subscription, Optional<String> chosen) {
        Map<String, Endpoint> answers = new LinkedHashMap<>();
        PageFiles.load().forEach((path, answer) -> answers.put(path, query -> answer));
        Answer overview = Answer.json(new Members()
                .put("kind", kind)
                .put("name", name)
                .put("subscription", subscription)
                .put("chosen", chosen)
                .put("commands", hasCommands())
                .list("panels", panels, this::panel)
                .toString());
        answers.put(API + "page", query -> overview);
        states.forEach((panel, state) -> answers.put(API + panel, query -> state.answer()));
        return answers;
    }

    private Members panel(Panel panel) {
        return new Members()
                .put("name", panel.name())
                .put("seconds", panel.interval().toSeconds())
                .put("commands", hasCommands() ? List.copyOf(panel.commands().keySet()) : List.of());
    }

    private boolean hasCommands() {
        return token.isPresent()
                && panels.stream().anyMatch(panel -> !panel.commands().isEmpty());
    }

    /** Returns the commands; empty without a token. */
    Optional<CommandRouter> commands() {
        return token.map(required -> {
            Map<String, Target> targets = new LinkedHashMap<>();
            panels.forEach(panel -> panel.commands()
                    .forEach((name, command) -> targets.put(
                            "%s%s/%s".formatted(API, panel.name(), name),
                            new Target(panel.name(), name, command, state(panel)))));
            return new CommandRouter(required, targets);
        });
    }

    private PanelState state(Panel panel) {
        return requireNonNull(states.get(panel.name()));
    }
}
