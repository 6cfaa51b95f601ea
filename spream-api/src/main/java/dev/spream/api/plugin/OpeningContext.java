package dev.spream.api.plugin;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.Format;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.SharedChangeStream;
import dev.spream.api.spi.StoredSubscription;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The context of one creation by a plug-in. Safe for use by many threads. */
final class OpeningContext implements PluginContext {
    private final InstantSource clock;
    private final String subscription;
    private final Optional<SharedChangeStream> changeStream;
    private final Optional<StoredSubscription> stored;
    private final Optional<Format> format;
    private final List<AutoCloseable> resources = new ArrayList<>(); // guarded by itself
    private boolean taken; // guarded by resources

    OpeningContext(
            InstantSource clock,
            String subscription,
            Optional<SharedChangeStream> changeStream,
            Optional<StoredSubscription> stored,
            Optional<Format> format) {
        this.changeStream = changeStream;
        this.stored = stored;
        this.format = format;
        this.clock = requireNonNull(clock, "clock");
        this.subscription = requireNonNull(subscription, "subscription");
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public String subscription() {
        return subscription;
    }

    @Override
    public SharedChangeStream changeStream() {
        return changeStream.orElseGet(PluginContext.super::changeStream);
    }

    @Override
    public Optional<StoredSubscription> storedSubscription() {
        return stored;
    }

    @Override
    public Format format() {
        return format.orElseGet(PluginContext.super::format);
    }

    @Override
    public void onClose(AutoCloseable resource) {
        requireNonNull(resource, "resource");
        synchronized (resources) {
            if (taken) {
                throw new IllegalStateException("onClose accepts resources only while create runs; "
                        + "this resource will not be closed, close it yourself");
            }
            resources.add(resource);
        }
    }

    /** Returns the registered resources in the order of closing; no more can be registered afterwards. */
    List<AutoCloseable> take() {
        synchronized (resources) {
            taken = true;
            return List.copyOf(resources.reversed());
        }
    }
}
