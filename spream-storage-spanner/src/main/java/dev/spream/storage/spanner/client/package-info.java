/**
 * Time limits for the google-cloud-spanner client: calls with a limit, failures of single attempts, a limit of
 * prefetching, and channels that reconnect after silence. Internal to this module. Read {@link
 * dev.spream.storage.spanner.client.TimedCall} first.
 */
@NullMarked
package dev.spream.storage.spanner.client;

import org.jspecify.annotations.NullMarked;
