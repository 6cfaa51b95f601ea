package dev.spream.cli.http;

import java.util.concurrent.Callable;

/** Responds to the reads of a path. Safe for use by many threads. */
@FunctionalInterface
interface Endpoint {
    Answer answer(Query query) throws Exception;

    /** Returns an endpoint that ignores the query. */
    static Endpoint of(Callable<Answer> answering) {
        return query -> answering.call();
    }
}
