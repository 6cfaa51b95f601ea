package dev.spream.api.config;

/** Something that is wrong, for people, and where to look. */
record Problem(Origin origin, String text) {}
