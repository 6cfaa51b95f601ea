package dev.spream.cli.http;

import dev.spream.core.record.JsonObject;

/** A command of the page. Safe for use by many threads. */
@FunctionalInterface
public interface PanelCommand {

    /**
     * Runs the command.
     *
     * @param arguments as sent by the page
     * @param actor the name for the audit
     * @throws IllegalArgumentException if an argument is missing or invalid; nothing was changed then
     * @throws Exception if it failed; the message states what was changed
     */
    Outcome run(JsonObject arguments, String actor) throws Exception;

    /**
     * The outcome of a command.
     *
     * @param done whether everything that was requested was done
     * @param text a sentence for the operator, without content of changes
     */
    record Outcome(boolean done, String text) {}
}
