/**
 * Servers that tests run on: {@link dev.spream.servers.SpannerServers} starts our emulator and Google's, where {@link
 * dev.spream.servers.GoogleEmulator} finds it; {@link dev.spream.servers.PostgresDatabase} is a database of a PostgreSQL
 * that the tests of a JVM share; {@link dev.spream.servers.SubscriberServer} is one of Pub/Sub and {@link
 * dev.spream.servers.MeilisearchDouble} one of Meilisearch, both of which fail on demand. {@link
 * dev.spream.servers.JavaCommand} starts programs that tests kill.
 */
@NullMarked
package dev.spream.servers;

import org.jspecify.annotations.NullMarked;
