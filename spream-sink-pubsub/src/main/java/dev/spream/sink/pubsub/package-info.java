/**
 * The sink {@code pubsub}: each changed row as a message on a topic of Google Cloud Pub/Sub. {@link
 * dev.spream.sink.pubsub.PubsubSinkProvider} says what a message looks like and how the sink is configured; read it first. The
 * sink sees to order and retries itself, a request for each primary key at a time, and uses of Google's client no more than
 * its calls. Nothing outside this package knows the client; the package knows of spream the ports and the SPI alone.
 */
@NullMarked
package dev.spream.sink.pubsub;

import org.jspecify.annotations.NullMarked;
