package dev.spream.api.config;

import dev.spream.api.config.Interpolation.Piece;
import dev.spream.api.config.KnownKeys.Known;
import dev.spream.api.spi.ConfigKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Resolves the effective text of a key: the configured one, else that of its fallback, else its default. References are
 * resolved once for each key, and only if the key or a key that falls back to it is in use.
 */
final class ValueResolver {
    private static final ResolvedText ABSENT = new ResolvedText.Absent();
    private static final Origin DEFAULT = new Origin(Origin.Layer.NOWHERE, 0, "default");

    private final SpreamConfig config;
    private final KnownKeys keys;
    private final Map<String, ResolvedText> configured = new HashMap<>();
    private final List<Problem> problems = new ArrayList<>();

    ValueResolver(SpreamConfig config, KnownKeys keys) {
        this.config = config;
        this.keys = keys;
    }

    ResolvedText find(Known known) {
        ResolvedText found = find(known.name(), new HashSet<>());
        return found instanceof ResolvedText.Text text ? text.takenFor(known.key()) : found;
    }

    List<Problem> problems() {
        return problems;
    }

    private ResolvedText find(String name, Set<String> visited) {
        Optional<Known> known = keys.find(name);
        if (known.isEmpty() || !visited.add(name)) {
            return ABSENT;
        }
        Optional<RawSetting> setting = config.effective(name);
        if (setting.isPresent()) {
            return configured.computeIfAbsent(name, ignored -> usable(known.get(), setting.get()));
        }
        return known.get().inUse() ? implied(known.get(), visited) : ABSENT;
    }

    private ResolvedText implied(Known known, Set<String> visited) {
        ResolvedText fallback = known.key()
                .fallback()
                .filter(name -> takesFallback(known))
                .map(name -> find(name, visited))
                .orElse(ABSENT);
        return fallback instanceof ResolvedText.Absent ? defaultOf(known.name(), known.key()) : fallback;
    }

    private boolean takesFallback(Known known) {
        return known.key().fallbackUnless().stream()
                .noneMatch(other ->
                        config.effective(known.section().prefix() + "." + other).isPresent());
    }

    private static <T> ResolvedText defaultOf(String name, ConfigKey<T> key) {
        Optional<String> text = key.defaultValue().map(key.type()::write);
        return text.isEmpty()
                ? ABSENT
                : ResolvedText.Text.of(
                        name, key, text.get(), new Interpolation(List.of(new Piece.Literal(text.get()))), DEFAULT);
    }

    private ResolvedText usable(Known known, RawSetting setting) {
        boolean secret = known.key().isSecret() || known.key().shownPart().isPresent();
        if (!setting.readable()) {
            return new ResolvedText.Unusable("(cannot be read)", setting.origin());
        }
        Interpolation template = Interpolation.parse(setting.written());
        Interpolation.Resolved resolved = config.resolve(template, secret);
        ResolvedText.Text text =
                ResolvedText.Text.of(known.name(), known.key(), resolved.text(), template, setting.origin());
        resolved.problems()
                .forEach(problem -> problems.add(new Problem(
                        setting.origin(),
                        "%s is '%s' (%s): %s"
                                .formatted(
                                        known.name(),
                                        text.shown(),
                                        setting.origin().text(),
                                        problem))));
        if (resolved.problems().isEmpty() && resolved.text().isEmpty()) {
            problems.add(new Problem(
                    setting.origin(), "%s, which is empty; set a value, or remove it".formatted(text.described())));
        }
        boolean usable = resolved.problems().isEmpty() && !resolved.text().isEmpty();
        return usable ? text : new ResolvedText.Unusable(text.shown(), setting.origin());
    }
}
