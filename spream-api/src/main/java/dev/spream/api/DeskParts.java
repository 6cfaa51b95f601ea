package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.SpreamException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a desk stands on: a configuration beside the plug-ins there are, and what was opened of them, which is closed the other
 * way round. Confined to one thread.
 */
final class DeskParts implements AutoCloseable {
    private final SpreamConfig config;
    private final PluginRegistry plugins;
    private final Optional<PluginRegistry> closedAtEnd;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private DeskParts(SpreamConfig config, PluginRegistry plugins, Optional<PluginRegistry> closedAtEnd) {
        this.config = requireNonNull(config, "config");
        this.plugins = requireNonNull(plugins, "plugins");
        this.closedAtEnd = closedAtEnd;
    }

    /** Of these plug-ins, which the caller closes, after this. */
    static DeskParts of(SpreamConfig config, PluginRegistry plugins) {
        return new DeskParts(config, plugins, Optional.empty());
    }

    /** A desk with the plug-ins that are discovered. If it cannot be made, they are closed again. */
    static <D> D discovering(SpreamConfig config, Function<DeskParts, D> making) {
        PluginRegistry plugins = Judgement.discover(requireNonNull(config, "config"));
        try {
            return making.apply(new DeskParts(config, plugins, Optional.of(plugins)));
        } catch (Throwable t) {
            plugins.close();
            throw t;
        }
    }

    /** The configuration of what these kinds of plug-ins are needed for. */
    Judgement judge(Set<PluginKind> needed) {
        return Judgement.ofDesk(config, plugins, needed);
    }

    SpreamConfig config() {
        return config;
    }

    /** A part that a plug-in makes when it is first asked for. */
    <R> Supplier<R> once(Supplier<OpenPlugin<R>> opening) {
        return Memo.of(() -> opened(opening.get()));
    }

    /** What a plug-in has made; it is closed with the desk. */
    <R> R opened(OpenPlugin<R> made) {
        opened.push(made);
        return made.product();
    }

    /** Closed with the desk, and before what was opened before it. */
    <C extends AutoCloseable> C closing(C part) {
        opened.push(part);
        return part;
    }

    /**
     * Closes what was opened, all of it. Closing again is harmless.
     *
     * @throws SpreamException if some of it could not be closed
     */
    @Override
    public void close() {
        @Nullable SpreamException failure = null;
        while (!opened.isEmpty()) {
            AutoCloseable part = opened.pop();
            try {
                part.close();
            } catch (Exception e) {
                failure = joined(failure, part, e);
            }
        }
        closedAtEnd.ifPresent(PluginRegistry::close);
        if (failure != null) {
            throw failure;
        }
    }

    private static SpreamException joined(@Nullable SpreamException before, AutoCloseable part, Exception e) {
        if (before != null) {
            before.addSuppressed(e);
            return before;
        }
        return e instanceof SpreamException known
                ? known
                : new SpreamException("%s could not be closed (%s)".formatted(part, e), e);
    }
}
