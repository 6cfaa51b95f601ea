package dev.spream.cli.command;

/** A command that runs as a service; its last line reports the time of a failure. */
public interface LongRunning {}
