package dev.spream.cli.command;

/** A command that runs as a service does: when it failed is a part of what its last line says. */
public interface LongRunning {}
