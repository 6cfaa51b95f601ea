package dev.spream.api.config;

/** A problem for display, with its place. */
record Problem(Origin origin, String text) {}
