package dev.spream.projection.search;

import java.time.Duration;

/**
 * A listener for the changes written to search indexes. Called by several threads, between calls of the engine; must not throw
 * or block.
 */
@FunctionalInterface
public interface SearchListener {
    SearchListener NONE = (projection, changes, took) -> {};

    /**
     * Called when the engine has made changes.
     *
     * @param changes the number of changes in the call
     */
    void written(String projection, int changes, Duration took);
}
