/**
 * Servers for tests: {@link dev.spream.servers.SpannerServers} starts spream's emulator and Google's, if {@link
 * dev.spream.servers.GoogleEmulator} finds it; {@link dev.spream.servers.PostgresDatabase} is a database of a
 * PostgreSQL that the tests of a JVM share; {@link dev.spream.servers.SubscriberServer} is a Pub/Sub server and {@link
 * dev.spream.servers.MeilisearchDouble} a Meilisearch server, {@link dev.spream.servers.RegistryServer} a schema registry,
 * all of which fail on demand. {@link dev.spream.servers.JavaCommand} starts programs that tests kill.
 */
@NullMarked
package dev.spream.servers;

import org.jspecify.annotations.NullMarked;
