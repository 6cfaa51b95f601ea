package dev.spream.cli.http;

import dev.spream.cli.output.Members;
import java.time.Duration;
import java.util.Map;

/**
 * A part of the page beside the partitions, such as an outbox, with its own state and commands. A panel that fails or
 * hangs does not delay the others.
 */
public interface Panel {
    /** The minimum time between two reads of most panels. */
    Duration INTERVAL = Duration.ofSeconds(5);

    /** Returns the name, which is also a part of its path: lower-case words with hyphens. */
    String name();

    /** Returns the minimum time between two reads. A read that takes long is repeated less often. */
    default Duration interval() {
        return INTERVAL;
    }

    /**
     * Returns the state, without the content of changes, entries and events, and without keys. Called by one thread at
     * a time, on request.
     *
     * @throws Exception if it cannot be read; the message is shown beside the last state
     */
    Members read() throws Exception;

    /** Returns the commands by name, in the order of display. */
    default Map<String, PanelCommand> commands() {
        return Map.of();
    }
}
