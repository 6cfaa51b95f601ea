package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.SpreamException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is to be opened and run, judged as a whole: whoever has one has a configuration without problems. */
final class Plan implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Plan.class);

    private final Judgement judgement;
    private final OwnParts own;
    private final Optional<PluginRegistry> closedAtEnd;
    private volatile @Nullable OpenPlan opened;

    private Plan(Judgement judgement, OwnParts own, Optional<PluginRegistry> closedAtEnd) {
        this.judgement = judgement;
        this.own = own;
        this.closedAtEnd = closedAtEnd;
    }

    /** A plan with the plug-ins of the class path and of the folder that is configured. */
    static Plan discovering(SpreamConfig config, OwnParts own) {
        PluginRegistry plugins = Judgement.discover(config);
        try {
            return of(config, own, plugins, Optional.of(plugins));
        } catch (Throwable t) {
            plugins.close();
            throw t;
        }
    }

    static Plan of(SpreamConfig config, OwnParts own, PluginRegistry plugins) {
        return of(config, own, plugins, Optional.empty());
    }

    private static Plan of(
            SpreamConfig config, OwnParts own, PluginRegistry plugins, Optional<PluginRegistry> closedAtEnd) {
        Judgement judgement = Judgement.of(config, plugins, own);
        List<String> problems = judgement.problems();
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return new Plan(judgement, own, closedAtEnd);
    }

    Duration shutdownTimeout() {
        return judgement.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }

    /** Opens everything, or nothing: what was opened before a failure is closed again. */
    OpenPlan open() {
        OpenPlan open = new OpenPlan(judgement, own);
        try {
            open.openAll();
            opened = open;
            log.info("[{}] runs with {}", open.subscription(), this);
            return open;
        } catch (LinkageError e) {
            open.close();
            throw new SpreamException(
                    "nothing was started: a plug-in does not fit this spream, or lacks a library (%s, %s)"
                            .formatted(this, e),
                    e);
        } catch (Throwable t) {
            open.close();
            throw t;
        }
    }

    /** How many changes the filter has left out. */
    long filtered() {
        OpenPlan open = opened;
        return open == null ? 0 : open.filtered();
    }

    /** What every part is, for a log line. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (PluginKind kind : Selection.OF_SUBSCRIPTION) {
            String name = own.kinds().contains(kind)
                    ? "the program's own"
                    : judgement
                            .selection()
                            .plugin(kind)
                            .map(plugin -> plugin.name())
                            .orElse("none");
            text.append(text.isEmpty() ? "" : ", ")
                    .append(kind.key())
                    .append(" ")
                    .append(name);
        }
        return text.toString();
    }

    @Override
    public void close() {
        closedAtEnd.ifPresent(PluginRegistry::close);
    }
}
