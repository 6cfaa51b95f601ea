package dev.spream.sinks.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;

/**
 * The body of a request, which remembers whether the client asked for it. It does so when there is a connection and the headers
 * are out: before, whatever happens, the receiver has no request that it could act on.
 */
final class OutgoingBody implements BodyPublisher {
    private final BodyPublisher body;
    private volatile boolean askedFor;

    OutgoingBody(String payload) {
        this.body = BodyPublishers.ofString(payload);
    }

    boolean mayHaveLeft() {
        return askedFor;
    }

    @Override
    public long contentLength() {
        return body.contentLength();
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
        askedFor = true;
        body.subscribe(subscriber);
    }
}
