package dev.spream.sinks.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;

/**
 * The body of a request, which records whether the client has read it. The client reads it once there is a connection
 * and the headers were sent: before that, the receiver cannot have a request that it could act on.
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
