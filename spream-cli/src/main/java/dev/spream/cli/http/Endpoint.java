package dev.spream.cli.http;

/** Responds to the reads of a path. Safe for use by many threads. */
@FunctionalInterface
interface Endpoint {
    Answer answer(Query query) throws Exception;
}
