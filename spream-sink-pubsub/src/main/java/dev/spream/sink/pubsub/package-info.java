/**
 * The sink {@code pubsub}: each changed row as a message on a topic of Google Cloud Pub/Sub. Read {@link
 * dev.spream.sink.pubsub.PubsubSinkProvider} first, which documents the messages and the configuration. The sink itself
 * keeps the order, with one request in flight for each primary key, and retries; it uses only the calls of Google's
 * client. No other package depends on the client; this one depends on the ports and the SPI of spream alone.
 */
@NullMarked
package dev.spream.sink.pubsub;

import org.jspecify.annotations.NullMarked;
