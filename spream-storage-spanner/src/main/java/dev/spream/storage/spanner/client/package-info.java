/**
 * The google-cloud-spanner client, made to answer in time: calls within a limit, attempts that show how they failed, a bound on
 * what is fetched ahead, channels that reconnect after silence. Not for users. Read {@link
 * dev.spream.storage.spanner.client.TimedCall} first.
 */
@NullMarked
package dev.spream.storage.spanner.client;

import org.jspecify.annotations.NullMarked;
