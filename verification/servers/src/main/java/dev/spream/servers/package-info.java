/**
 * Servers that tests run on: {@link dev.spream.servers.SpannerServers} starts our emulator and Google's, where {@link
 * dev.spream.servers.GoogleEmulator} finds it; {@link dev.spream.servers.SubscriberServer} is one of Pub/Sub and {@link
 * dev.spream.servers.MeilisearchDouble} one of Meilisearch, both of which fail on demand.
 */
@NullMarked
package dev.spream.servers;

import org.jspecify.annotations.NullMarked;
