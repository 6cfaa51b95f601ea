package dev.spream.emulator.internal.stream;

/** A parsed query of a change stream. */
public record ChangeStreamQuery(String stream) {}
